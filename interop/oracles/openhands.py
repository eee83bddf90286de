#!/usr/bin/env python3
"""What openhands.sdk.llm.message answers, and the types of litellm and openai
that it carries. Each operation takes the members in braces:

 schema                                            the members of the library's own types
 validate               {message}                  a message, as the library writes it again
 validate_chat          {message}                  by litellm's types of Chat Completions
 validate_responses     {item}                     by openai's types of Responses' input
 to_chat                {message, cache, vision, fc, force_string, send_reasoning}
 to_responses           {message, vision}
 to_responses_value     {message, vision}
 contains_image         {message}
 content_to_str         {message}
 contents               {message}                  each content's own dictionaries
 call_to_chat, call_to_responses    {call}
 call_from_chat, call_from_responses {call}
 from_chat              {message}
 from_responses         {output, typed}            typed: by way of openai's objects
 apply_caching          {messages}
 events_to_messages     {events}
"""
import os
import sys

import oracle_io

# This file has the name of the library, and is not what is meant by it.
sys.path.pop(0)
os.environ.update(
    OPENHANDS_SUPPRESS_BANNER="1", LITELLM_LOCAL_MODEL_COST_MAP="True", LITELLM_LOG="ERROR"
)
import logging
import typing

from litellm.types.llms import openai as chat
from litellm.types.utils import ChatCompletionMessageToolCall
from litellm.types.utils import Message as LiteLLMMessage
from openai.types import responses
from openai.types.responses.response_input_item_param import ResponseInputItemParam
from openhands.sdk.event import Event
from openhands.sdk.event.base import LLMConvertibleEvent
from openhands.sdk.llm import LLM
from openhands.sdk.llm import message as library
from openhands.sdk.llm.message import Message, MessageToolCall, content_to_str
from pydantic import TypeAdapter

# It warns of every text that it cuts.
logging.disable()

CHAT = TypeAdapter(chat.AllMessageValues)
INPUT = TypeAdapter(ResponseInputItemParam)
OUTPUT = TypeAdapter(list[responses.ResponseOutputItem])


def message(request):
    return Message.model_validate(request["message"])


def call(request):
    return MessageToolCall.model_validate(request["call"])


def validate_responses(request):
    item = dict(request["item"])
    # What the API itself fills in, and these types want of whoever sends it:
    # OpenHands sends neither.
    if item.get("role") == "assistant":
        item = {"id": "msg_1", "status": "completed"} | item
        item["content"] = [
            {"annotations": []} | part if part["type"] == "output_text" else part
            for part in item["content"]
        ]
    if item.get("type") == "reasoning":
        item = {"id": "rs_1"} | item
    return INPUT.validate_python(item)


def from_responses(request):
    output = request["output"]
    return Message.from_llm_responses_output(
        OUTPUT.validate_python(output) if request.get("typed") else output
    )


def apply_caching(request):
    messages = [Message.model_validate(it) for it in request["messages"]]
    LLM._apply_prompt_caching(LLM.model_construct(model="claude-sonnet-4-5"), messages)
    return messages


def events_to_messages(request):
    events = [Event.model_validate(it) for it in request["events"]]
    events = [it for it in events if isinstance(it, LLMConvertibleEvent)]
    return LLMConvertibleEvent.events_to_messages(events)


def members(kind):
    if hasattr(kind, "model_fields"):
        fields = kind.model_fields
        return sorted(field.alias or name for name, field in fields.items())
    return sorted(typing.get_type_hints(kind))


def schema(_):
    """The members of every type, as facts."""
    own = ["Message", "MessageToolCall", "TextContent", "ImageContent"]
    own += ["ThinkingBlock", "RedactedThinkingBlock", "ReasoningItemModel"]
    of_chat = [name for name in dir(chat) if name.startswith("ChatCompletion")]
    wanted = ("Message", "Object", "Block", "Item", "ToolCall", "FunctionChunk", "ObjectFile")
    no_message = ("ChatCompletionUsageBlock", "ChatCompletionToolParamFunctionChunk")
    of_chat = [name for name in of_chat if name.endswith(wanted) and name not in no_message]
    of_responses = [
        "EasyInputMessageParam", "ResponseOutputMessageParam", "ResponseFunctionToolCallParam",
        "ResponseReasoningItemParam", "ResponseInputTextParam", "ResponseInputImageParam",
        "ResponseInputFileParam", "ResponseOutputTextParam", "ResponseOutputRefusalParam",
    ]
    return {
        "openhands": {name: members(getattr(library, name)) for name in own},
        "old_openhands": {
            name: sorted(getattr(library, name)._DEPRECATED_FIELDS)
            for name in ("Message", "TextContent")
        },
        "chat": {name: members(getattr(chat, name)) for name in of_chat},
        "litellm": {"Message": members(LiteLLMMessage)},
        "responses": {name: members(getattr(responses, name)) for name in of_responses}
        | {
            "FunctionCallOutput": members(
                typing.get_args(ResponseInputItemParam)[8]
            )
        },
    }


oracle_io.main({
    "schema": schema,
    "validate": message,
    "validate_chat": lambda r: CHAT.validate_python(r["message"]),
    "validate_responses": validate_responses,
    "to_chat": lambda r: message(r).to_chat_dict(
        cache_enabled=r["cache"],
        vision_enabled=r["vision"],
        function_calling_enabled=r["fc"],
        force_string_serializer=r["force_string"],
        send_reasoning_content=r["send_reasoning"],
    ),
    "to_responses": lambda r: message(r).to_responses_dict(vision_enabled=r["vision"]),
    "to_responses_value": lambda r: message(r).to_responses_value(vision_enabled=r["vision"]),
    "contains_image": lambda r: message(r).contains_image,
    "content_to_str": lambda r: content_to_str(message(r).content),
    "contents": lambda r: [content.to_llm_dict() for content in message(r).content],
    "call_to_chat": lambda r: call(r).to_chat_dict(),
    "call_to_responses": lambda r: call(r).to_responses_dict(),
    "call_from_chat": lambda r: MessageToolCall.from_chat_tool_call(
        ChatCompletionMessageToolCall(**r["call"])
    ),
    "call_from_responses": lambda r: MessageToolCall.from_responses_function_call(
        responses.ResponseFunctionToolCall.model_validate(r["call"])
    ),
    "from_chat": lambda r: Message.from_llm_chat_message(LiteLLMMessage(**r["message"])),
    "apply_caching": apply_caching,
    "events_to_messages": events_to_messages,
    "from_responses": from_responses,
})
