"""A pytest plugin that gives each of the SDK's end-to-end tests its model.

The tests start `claude` of the PATH. It finds its scenario in the environment:
the fake agent as FAKE_AGENT_SCRIPT, the real CLI as the address of a scripted
model, which `$AGENTWIRE model` serves.
"""

import json
import os
import subprocess
import uuid

import pytest

import scenarios


@pytest.fixture(autouse=True)
def model(request, tmp_path_factory, monkeypatch):
    """Sets the environment of a test's agent."""
    folder = tmp_path_factory.mktemp("agent")
    config = folder / "config"
    config.mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(config))
    if request.module.__name__ == "test_tool_permissions":
        monkeypatch.setattr(request.module.uuid, "uuid4", lambda: uuid.UUID(scenarios.UUID))
    scenario = scenarios.of_test(request.node.originalname)
    agentwire = os.environ.get("AGENTWIRE")
    if agentwire is None:
        monkeypatch.setenv("FAKE_AGENT_SCRIPT", json.dumps(scenario))
        yield
        return
    file = folder / "scenario.json"
    file.write_text(json.dumps(scenario))
    command = [agentwire, "model", str(file), "--until-stdin-ends"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.stdout.readline().strip())
        yield
        server.stdin.close()


class Outcomes:
    """Writes a line of JSON for each test that has ended."""

    def __init__(self, path):
        self.path = path

    def pytest_runtest_logreport(self, report):
        if report.when != "call" and report.passed:
            return
        outcome = "ok" if report.passed else report.outcome
        line = {"test": report.nodeid, "outcome": outcome}
        with open(self.path, "a") as outcomes:
            print(json.dumps(line), file=outcomes)


def pytest_configure(config):
    config.pluginmanager.register(Outcomes(os.environ["OUTCOMES"]))
