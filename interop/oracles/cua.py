#!/usr/bin/env python3
"""The library cua-agent, asked in JSON lines. Operations:
 validate_docs   {items}  the TypedDicts of the documented Cua message format (seed text)
 validate_openai {items}  openai.types.responses.ResponseInputItemParam, what cua_agent.types.Messages names
 to_completion   {items, allow_images?, multi_images?, xml?}   responses.convert_responses_items_to_completion_messages
 from_completion {messages}                                    responses.convert_completion_messages_to_responses_items
 anthropic_to_completion {items}     loops.anthropic, without the scale factors
 anthropic_from_completion {message, scale?}
 replace_failed {items} | desc2xy {items, map} | xy2desc {items, map}
 make {fn, kwargs}                   responses.make_*_item
 image_retention {items, n}
 descriptions {items}                get_all_element_descriptions, sorted
 schema                              the members of the documented types, and of OpenAI's
"""
import json
import os
os.environ.update(CUA_TELEMETRY="0", DO_NOT_TRACK="1", LITELLM_LOCAL_MODEL_COST_MAP="True", LITELLM_LOG="ERROR")
import oracle_io as _io
from typing import List, Literal, Optional, Union
from typing_extensions import TypedDict
from pydantic import TypeAdapter
from cua_agent import responses as R

R.random_id = lambda: "ID"  # so that the same is answered every time

Btn = Literal["left", "right", "wheel", "back", "forward"]
class InputContent(TypedDict, total=False):
    type: Literal["input_image", "input_text"]; text: Optional[str]; image_url: Optional[str]
class OutputContent(TypedDict):
    type: Literal["output_text"]; text: str
class SummaryContent(TypedDict):
    type: Literal["summary_text"]; text: str
class ComputerResultContent(TypedDict):
    type: Literal["computer_screenshot", "input_image"]; image_url: str
class Click(TypedDict):
    type: Literal["click"]; button: Btn; x: int; y: int
class DoubleClick(TypedDict, total=False):
    type: Literal["double_click"]; button: Btn; x: int; y: int
class Drag(TypedDict, total=False):
    type: Literal["drag"]; button: Btn; path: List[tuple[int, int]]
class KeyPress(TypedDict):
    type: Literal["keypress"]; keys: List[str]
class Move(TypedDict):
    type: Literal["move"]; x: int; y: int
class Shot(TypedDict):
    type: Literal["screenshot"]
class Scroll(TypedDict):
    type: Literal["scroll"]; scroll_x: int; scroll_y: int; x: int; y: int
class Type(TypedDict):
    type: Literal["type"]; text: str
class Wait(TypedDict):
    type: Literal["wait"]
class Down(TypedDict):
    type: Literal["left_mouse_down"]; x: int; y: int
class Up(TypedDict):
    type: Literal["left_mouse_up"]; x: int; y: int
Action = Union[Click, DoubleClick, Drag, KeyPress, Move, Shot, Scroll, Type, Wait, Down, Up]
Status = Literal["completed", "failed", "pending"]
class User(TypedDict, total=False):
    type: Literal["message"]; role: Literal["user", "system", "developer"]; content: Union[str, List[InputContent]]
class Assistant(TypedDict):
    type: Literal["message"]; role: Literal["assistant"]; content: List[OutputContent]
class Reasoning(TypedDict):
    type: Literal["reasoning"]; summary: List[SummaryContent]
class CCall(TypedDict):
    type: Literal["computer_call"]; call_id: str; status: Status; action: Action
class COut(TypedDict):
    type: Literal["computer_call_output"]; call_id: str; output: ComputerResultContent
class FCall(TypedDict):
    type: Literal["function_call"]; call_id: str; status: Status; name: str; arguments: str
class FOut(TypedDict):
    type: Literal["function_call_output"]; call_id: str; output: str
DOCS = {"assistant": TypeAdapter(Assistant), "user": TypeAdapter(User), "reasoning": TypeAdapter(Reasoning),
        "computer_call": TypeAdapter(CCall), "computer_call_output": TypeAdapter(COut),
        "function_call": TypeAdapter(FCall), "function_call_output": TypeAdapter(FOut)}


def items(r):
    """Items as text keep the order of their members, which shows in what the library writes."""
    return json.loads(r["items"]) if isinstance(r["items"], str) else r["items"]


def validate_docs(r):
    # pick the variant by its tags, so that an error names the right fields
    out = []
    for it in r["items"]:
        t = it.get("type", "message")
        k = ("assistant" if it.get("role") == "assistant" else "user") if t == "message" else t
        if k not in DOCS:
            raise ValueError(f"no documented item type {t!r}")
        out.append(DOCS[k].validate_python(it))
    return out


_ITEMS = []


def validate_openai(r):
    from openai.types.responses import ResponseInputItemParam
    if not _ITEMS:  # kept alive: Iterable fields are checked lazily, after this returns
        _ITEMS.append(TypeAdapter(List[ResponseInputItemParam]))
    return _ITEMS[0].validate_python(r["items"])


def anthropic_from_completion(r):
    from litellm.types.utils import Choices, Message, ModelResponse
    from cua_agent.loops import anthropic as A
    m = r["message"]
    resp = ModelResponse(choices=[Choices(message=Message(**m), index=0, finish_reason="stop")])
    sx, sy = r.get("scale", [1.0, 1.0])
    return A._convert_completion_to_responses_items(resp, sx, sy)


def anthropic_to_completion(r):
    from cua_agent.loops import anthropic as A
    m, _ = A._convert_responses_items_to_completion_messages(items(r))
    return m


def image_retention(r):
    import asyncio
    from cua_agent.callbacks.image_retention import ImageRetentionCallback
    return asyncio.run(ImageRetentionCallback(only_n_most_recent_images=r["n"]).on_llm_start(items(r)))


def schema(_):
    def members(adapter):
        return sorted({name for part in parts(adapter.json_schema()) for name in part.get("properties", {})})

    def parts(schema):
        return [schema, *schema.get("$defs", {}).values()]

    from openai.types.responses import response_computer_tool_call_param as call
    from openai.types.responses import response_function_tool_call_param as function
    from openai.types.responses import response_input_param as given
    from openai.types.responses import response_output_message_param as said
    from openai.types.responses import response_reasoning_item_param as reasoning
    openai = {
        "easy_message": given.EasyInputMessageParam, "message": given.Message,
        "output_message": said.ResponseOutputMessageParam,
        "reasoning": reasoning.ResponseReasoningItemParam,
        "computer_call": call.ResponseComputerToolCallParam,
        "computer_call_output": given.ComputerCallOutput,
        "function_call": function.ResponseFunctionToolCallParam,
        "function_call_output": given.FunctionCallOutput,
    }
    return {
        "documented": {name: members(adapter) for name, adapter in DOCS.items()},
        "openai": {name: sorted(t.__annotations__) for name, t in openai.items()},
        "openai_actions": {
            name: sorted(getattr(call, name).__annotations__)
            for name in call.__all__ if name.startswith("Action") and name != "Action"
        },
    }


_io.main({
    "validate_docs": validate_docs,
    "validate_openai": validate_openai,
    "to_completion": lambda r: R.convert_responses_items_to_completion_messages(
        items(r), allow_images_in_tool_results=r.get("allow_images", True),
        send_multiple_user_images_per_parallel_tool_results=r.get("multi_images", False),
        use_xml_tools=r.get("xml", False)),
    "from_completion": lambda r: R.convert_completion_messages_to_responses_items(r["messages"]),
    "anthropic_to_completion": anthropic_to_completion,
    "anthropic_from_completion": anthropic_from_completion,
    "replace_failed": lambda r: R.replace_failed_computer_calls_with_function_calls(items(r)),
    "desc2xy": lambda r: R.convert_computer_calls_desc2xy(items(r), {k: tuple(v) for k, v in r["map"].items()}),
    "xy2desc": lambda r: R.convert_computer_calls_xy2desc(items(r), {k: tuple(v) for k, v in r["map"].items()}),
    "make": lambda r: getattr(R, r["fn"])(**r.get("kwargs", {})),
    "image_retention": image_retention,
    "descriptions": lambda r: sorted(R.get_all_element_descriptions(items(r))),
    "schema": schema,
})
