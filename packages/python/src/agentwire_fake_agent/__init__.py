"""A fake agent CLI for tests.

`FakeAgent` configures the binary that this package contains. The official SDK
spawns it in place of the real CLI:

    with FakeAgent({"replies": [[{"text": "Hello."}]]}) as agent:
        options = ClaudeAgentOptions(cli_path=agent.cli_path, env=agent.env)

With pytest, use the fixture `fake_agent`.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypedDict

__all__ = ["Entry", "FakeAgent", "path"]

Direction = Literal["spawn", "send", "recv", "send_raw", "recv_raw", "exit"]


class Entry(TypedDict):
    """An entry of the log."""

    t: float
    """The time in seconds since the agent was spawned."""
    dir: Direction
    """The kind of entry: `send` is a line from the host, `recv` one to it."""
    msg: Any
    """The line, or how the agent was spawned or exited."""


def path() -> Path:
    """Returns the path of the `fake-agent` binary.

    This is the binary in this package, or the one that the environment variable
    `FAKE_AGENT_BIN` names.

    Raises `FileNotFoundError` if there is no such file.
    """
    named = os.environ.get("FAKE_AGENT_BIN")
    binary = Path(named) if named else Path(__file__).parent / "fake-agent"
    if not binary.is_file():
        where = "FAKE_AGENT_BIN" if named else "the package"
        raise FileNotFoundError(f"no fake-agent binary in {where}: {binary}")
    return binary.resolve()


class FakeAgent:
    """A configured fake agent, which each session spawns anew.

    `scenario` is a mapping, or the path of a JSON file. `gates` is the directory
    of its gates and `log` the file of its log; both are temporary by default.
    `profile` is the version of the CLI to imitate, such as `"2.0.77"`.

    `close`, or the end of a `with` block, removes the temporary files. An agent
    that still waits at a gate exits.
    """

    cli_path: str
    """The path of the binary, for `ClaudeAgentOptions.cli_path`."""
    env: dict[str, str]
    """The agent's environment variables, for `ClaudeAgentOptions.env`."""

    def __init__(
        self,
        scenario: Mapping[str, Any] | str | os.PathLike[str],
        *,
        gates: str | os.PathLike[str] | None = None,
        log: str | os.PathLike[str] | None = None,
        profile: str | None = None,
    ) -> None:
        self.cli_path = str(path())
        # An agent that is about to exit may still write its session.
        self._folder = tempfile.TemporaryDirectory(
            prefix="fake-agent-", ignore_cleanup_errors=True
        )
        folder = Path(self._folder.name).resolve()
        if isinstance(scenario, Mapping):
            script = folder / "scenario.json"
            script.write_text(json.dumps(scenario), encoding="utf-8")
        else:
            script = Path(scenario).resolve()
        self._gates = Path(gates).resolve() if gates is not None else folder / "gates"
        self._gates.mkdir(parents=True, exist_ok=True)
        self._log = Path(log).resolve() if log is not None else folder / "log"
        self.env = {
            "FAKE_AGENT_SCRIPT": str(script),
            "FAKE_AGENT_GATES": str(self._gates),
            "FAKE_AGENT_LOG": str(self._log),
            # Sessions can be resumed, and the user's own are left alone.
            "CLAUDE_CONFIG_DIR": str(folder / "config"),
        }
        if profile is not None:
            self.env["FAKE_AGENT_PROFILE"] = profile

    def log(self, dir: Direction | None = None) -> list[Entry]:
        """Returns the log up to now: all entries, or those of one kind.

        An entry is in the log before it has an effect.
        """
        try:
            lines = self._log.read_bytes().split(b"\n")
        except FileNotFoundError:
            return []
        # Behind the last line end there is nothing, or half a line.
        entries: list[Entry] = [json.loads(line) for line in lines[:-1]]
        return [entry for entry in entries if dir is None or entry["dir"] == dir]

    def open_gate(self, name: str) -> None:
        """Opens the gate `name`, now or before the scenario comes to it."""
        (self._gates / name).touch()

    def wait_reached(self, name: str, timeout: float = 60.0) -> None:
        """Blocks until the scenario has come to the gate `name`.

        In asynchronous code, use `await asyncio.to_thread(agent.wait_reached, name)`.

        Raises `TimeoutError` after `timeout` seconds.
        """
        reached = self._gates / f"{name}.reached"
        deadline = time.monotonic() + timeout
        while not reached.exists():
            if time.monotonic() > deadline:
                raise TimeoutError(f"gate {name!r} was not reached within {timeout} s")
            time.sleep(0.002)

    def close(self) -> None:
        """Removes the temporary files."""
        self._folder.cleanup()

    def __enter__(self) -> FakeAgent:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
