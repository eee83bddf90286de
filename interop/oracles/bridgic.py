"""Bridgic's own library, asked over JSON.

 schema                    which fields its types have
 chat             {message}     one of the ChatMessage types
 block            {message}     a Message of blocks
 tool             {tool}
 to_message       {message}     transform_chat_message_to_llm_message
 content          {message}     the texts of a Message
 from_text        {text, role}
 from_tool_call   {tool_calls, text?}
 from_tool_result {id, content}
 tool_spec        {spec}        loaded, and dumped again
 to_tool          {spec}
 to_chat          {message}     bridgic-llms-openai: what OpenAI is asked with
 tool_calls_from_openai {tool_calls}
 tool_to_openai   {tool}
"""
import sys
import typing
import oracle_io

# This file has the name of the library.
del sys.path[0]

from bridgic.core.agentic import types as agentic
from bridgic.core.agentic.tool_specs import FunctionToolSpec
from bridgic.core.agentic.types._chat_message import ChatMessage
from bridgic.core.model import types as model
from bridgic.core.prompt.utils._prompt_utils import transform_chat_message_to_llm_message
from bridgic.llms.openai import OpenAILlm, _openai_llm
from openai.types.chat import ChatCompletionMessageFunctionToolCall as OpenAiCall
from pydantic import TypeAdapter

CHAT = TypeAdapter(ChatMessage)
LLM = OpenAILlm(api_key="unused")

DICTS = ["SystemMessage", "UserTextMessage", "AssistantTextMessage", "ToolMessage",
         "FunctionToolCall", "Function"]
MODELS = ["Message", "ToolCall", "Tool", "Response", "MessageChunk", "TokenUsage"]
BLOCKS = ["TextBlock", "ToolCallBlock", "ToolResultBlock"]


def schema(_):
    known = {}
    for name in DICTS:
        of = getattr(agentic, name, None) or getattr(agentic._chat_message, name)
        known[name] = sorted(typing.get_type_hints(of))
    for name in MODELS + BLOCKS:
        of = getattr(model, name, None) or getattr(model._content_block, name)
        known[name] = sorted(of.model_fields)
    return {"bridgic": known}


def spec(request):
    made = FunctionToolSpec.__new__(FunctionToolSpec)
    made.load_from_dict(request["spec"])
    return made


def tool_calls_from_openai(request):
    # The library's ids are random.
    ids = (f"tool_{number:025}" for number in range(1000))
    _openai_llm.generate_tool_id = lambda: next(ids)
    return LLM._convert_tool_calls([OpenAiCall.model_validate(call) for call in request["tool_calls"]])


oracle_io.main({
    "schema": schema,
    "chat": lambda r: CHAT.validate_python(r["message"]),
    "block": lambda r: model.Message.model_validate(r["message"]),
    "tool": lambda r: model.Tool.model_validate(r["tool"]),
    "to_message": lambda r: transform_chat_message_to_llm_message(r["message"]),
    "content": lambda r: model.Message.model_validate(r["message"]).content,
    "from_text": lambda r: model.Message.from_text(r["text"], r["role"]),
    "from_tool_call": lambda r: model.Message.from_tool_call(r["tool_calls"], r.get("text")),
    "from_tool_result": lambda r: model.Message.from_tool_result(r["id"], r["content"]),
    "tool_spec": lambda r: spec(r).dump_to_dict(),
    "to_tool": lambda r: spec(r).to_tool(),
    "to_chat": lambda r: LLM._convert_chat_completions_message(model.Message.model_validate(r["message"])),
    "tool_calls_from_openai": tool_calls_from_openai,
    "tool_to_openai": lambda r: LLM._convert_tool_to_json(model.Tool.model_validate(r["tool"])),
})
