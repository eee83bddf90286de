"""Tests of the installed package. They need no SDK: they speak the protocol."""

import json
import os
import subprocess

import pytest

import agentwire_fake_agent
from agentwire_fake_agent import FakeAgent

FLAGS = ["--output-format=stream-json", "--input-format=stream-json", "--verbose"]
PROMPT = {"type": "user", "message": {"role": "user", "content": "Say hello."}}
HELLO = [[{"text": "Hello."}]]
AT_A_GATE = [[{"text": "One moment."}, {"gate": "sent"}, {"text": "Go on."}]]


def spawn(agent, *flags):
    """Starts a session with one prompt."""
    process = subprocess.Popen(
        [agent.cli_path, *FLAGS, *flags],
        env={**os.environ, **agent.env},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    process.stdin.write(json.dumps(PROMPT) + "\n")
    process.stdin.close()
    return process


def result(process):
    """The text of the result, after the process has exited."""
    with process:
        return json.loads(process.stdout.readlines()[-1])["result"]


def test_the_binary_is_found_and_runs():
    version = subprocess.check_output([agentwire_fake_agent.path(), "--version"], text=True)
    assert version.endswith("(Claude Code)\n")


def test_a_variable_overrides_the_binary(monkeypatch, tmp_path):
    other = tmp_path / "other"
    other.touch()
    monkeypatch.setenv("FAKE_AGENT_BIN", str(other))
    assert agentwire_fake_agent.path() == other
    other.unlink()
    with pytest.raises(FileNotFoundError, match="FAKE_AGENT_BIN.*other"):
        agentwire_fake_agent.path()


def test_the_scenario_is_a_mapping_keywords_or_a_file(fake_agent, tmp_path):
    file = tmp_path / "hello.json"
    file.write_text(json.dumps({"replies": HELLO}))
    agents = [fake_agent({"replies": HELLO}), fake_agent(replies=HELLO), fake_agent(file)]
    assert [result(spawn(agent)) for agent in agents] == ["Hello."] * 3
    with pytest.raises(TypeError, match="members of one: replies"):
        fake_agent(file, replies=HELLO)


def test_the_log_has_what_the_host_sent_and_how_the_agent_exited(fake_agent):
    agent = fake_agent(replies=HELLO)
    assert agent.log() == []
    result(spawn(agent))
    assert [entry["msg"] for entry in agent.log("send")] == [PROMPT]
    assert agent.log()[0]["dir"] == "spawn"
    assert agent.log()[-1]["msg"] == {"code": 0}


def test_a_gate_holds_the_agent_until_it_is_opened(fake_agent):
    agent = fake_agent(replies=AT_A_GATE)
    process = spawn(agent)
    agent.wait_reached("sent")
    assert "Go on." not in json.dumps(agent.log("recv"))
    agent.open_gate("sent")
    assert result(process) == "Go on."


def test_a_gate_that_is_not_reached_is_an_error(fake_agent):
    with pytest.raises(TimeoutError, match="gate 'sent'"):
        fake_agent(replies=AT_A_GATE).wait_reached("sent", timeout=0)


def test_gates_and_log_can_be_elsewhere(fake_agent, tmp_path):
    agent = fake_agent(replies=AT_A_GATE, gates=tmp_path / "gates", log=tmp_path / "log")
    (tmp_path / "gates" / "sent").touch()
    result(spawn(agent))
    assert (tmp_path / "log").read_bytes().count(b"\n") == len(agent.log())


def test_the_profile_selects_the_version(fake_agent):
    agent = fake_agent(replies=HELLO, profile="2.0.77")
    version = subprocess.check_output([agent.cli_path, "--version"], env=agent.env, text=True)
    assert version == "2.0.77 (Claude Code)\n"


def test_a_session_can_be_resumed(fake_agent):
    agent = fake_agent(replies=HELLO)
    result(spawn(agent))
    assert result(spawn(agent, "--continue")) == "Hello."
    sessions = {entry["msg"].get("session_id") for entry in agent.log("recv")} - {None}
    assert len(sessions) == 1


def test_closing_ends_an_agent_at_a_gate_and_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with FakeAgent({"replies": AT_A_GATE}) as agent:
        process = spawn(agent)
        agent.wait_reached("sent")
    with process:
        assert process.wait() == 1
    assert list(tmp_path.iterdir()) == []
