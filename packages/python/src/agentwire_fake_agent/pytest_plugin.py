"""The pytest fixture `fake_agent`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import pytest

from . import FakeAgent

__all__ = ["MakeFakeAgent", "fake_agent"]


class MakeFakeAgent:
    """The type of the fixture `fake_agent`: makes fake agents for one test."""

    def __init__(self, agents: ExitStack) -> None:
        self._agents = agents

    def __call__(
        self,
        scenario: Mapping[str, Any] | str | os.PathLike[str] | None = None,
        *,
        gates: str | os.PathLike[str] | None = None,
        log: str | os.PathLike[str] | None = None,
        profile: str | None = None,
        **members: Any,
    ) -> FakeAgent:
        """Returns a `FakeAgent`, which is closed after the test.

        The scenario is one argument, or its members are keyword arguments:
        `fake_agent("hello.json")`, `fake_agent(replies=[[{"text": "Hello."}]])`.
        """
        if scenario is None:
            scenario = members
        elif members:
            raise TypeError(f"a scenario and members of one: {', '.join(members)}")
        agent = FakeAgent(scenario, gates=gates, log=log, profile=profile)
        return self._agents.enter_context(agent)


@pytest.fixture
def fake_agent() -> Iterator[MakeFakeAgent]:
    """Makes fake agents: `agent = fake_agent(replies=[[{"text": "Hello."}]])`.

    Pass `agent.cli_path` and `agent.env` to `ClaudeAgentOptions`.
    """
    with ExitStack() as agents:
        yield MakeFakeAgent(agents)
