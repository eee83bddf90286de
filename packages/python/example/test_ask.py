"""Tests of ask.py without a network, an account or a model."""

import asyncio

import pytest
from ask import ask
from claude_agent_sdk import ClaudeAgentOptions, ProcessError


def start(agent, question):
    return ask(question, ClaudeAgentOptions(cli_path=agent.cli_path, env=agent.env))


async def collect(texts):
    return [text async for text in texts]


def test_yields_the_answer(fake_agent):
    agent = fake_agent(replies=[[{"text": "Hello."}]])
    assert asyncio.run(collect(start(agent, "Say hello."))) == ["Hello."]


def test_yields_text_before_the_answer_is_complete(fake_agent):
    agent = fake_agent(replies=[[{"text": "Let me think."}, {"gate": "thought"}, {"text": "Yes."}]])

    async def run():
        texts = start(agent, "Is it true?")
        assert await anext(texts) == "Let me think."
        # The model waits at the gate until the test opens it.
        agent.open_gate("thought")
        assert await collect(texts) == ["Yes."]

    asyncio.run(run())


def test_allows_only_harmless_tools(fake_agent):
    read = {"tool": {"name": "Read", "input": {"file_path": "a"}, "result": "text"}}
    remove = {"tool": {"name": "Bash", "input": {"command": "rm a"}, "result": "gone"}}
    agent = fake_agent(replies=[[read, remove], [{"text": "I could only read."}]])
    assert asyncio.run(collect(start(agent, "Remove a."))) == ["I could only read."]

    sent = [entry["msg"] for entry in agent.log("send")]
    replies = [msg["response"] for msg in sent if msg["type"] == "control_response"]
    assert [reply["response"]["behavior"] for reply in replies] == ["allow", "deny"]


def test_fails_if_the_agent_dies(fake_agent):
    agent = fake_agent(replies=[[{"text": "I am"}, {"fault": {"exit": 3}}]])
    with pytest.raises(ProcessError, match="exit code 3"):
        asyncio.run(collect(start(agent, "Are you there?")))
