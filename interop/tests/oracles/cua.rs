//! The comparison with Cua's library.

use super::{COUNT, Difference, Differences, Oracle, contains};
use crate::support::cua::{chat_message, conversation, reply, turn};
use crate::support::generate::samples;
use agentwire_interop::cua::{Cua, Dialect};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

fn any_item(request: &Value, is: impl Fn(&Value) -> bool) -> bool {
    contains(request, "/items", is)
}

fn any_action(request: &Value, is: impl Fn(&Value) -> bool) -> bool {
    any_item(request, |item| {
        item["type"] == "computer_call" && is(&item["action"])
    })
}

fn any_part(request: &Value, is: impl Fn(&Value) -> bool) -> bool {
    any_item(request, |item| contains(item, "/content", &is))
}

fn is_output(item: &Value) -> bool {
    item["type"]
        .as_str()
        .is_some_and(|kind| kind.ends_with("_output"))
}

fn is_system(item: &Value) -> bool {
    item["role"] == "system" || item["role"] == "developer"
}

fn items(request: &Value) -> &[Value] {
    request["items"].as_array().unwrap()
}

fn messages(request: &Value) -> &[Value] {
    request["messages"].as_array().unwrap()
}

/// Returns whether some result of a tool is a text that matches.
fn any_result(request: &Value, is: impl Fn(&str) -> bool) -> bool {
    contains(request, "/messages", |message| {
        message["role"] == "tool" && message["content"].as_str().is_some_and(&is)
    })
}

fn is_json(text: &str, is: impl Fn(&Value) -> bool) -> bool {
    serde_json::from_str(text).is_ok_and(|json: Value| is(&json))
}

/// Returns whether some call of the computer has arguments that match. Invalid arguments count
/// as `null`.
fn any_input(message: &Value, is: impl Fn(&Value) -> bool) -> bool {
    contains(message, "/tool_calls", |call| {
        let input = call["function"]["arguments"].as_str();
        let input = input.and_then(|it| serde_json::from_str(it).ok());
        call["function"]["name"] != "f" && is(&input.unwrap_or_default())
    })
}

fn any_call(request: &Value, is: impl Fn(&Value) -> bool) -> bool {
    contains(request, "/messages", |message| any_input(message, &is))
}

const SEE_BELOW: &str = "[Execution completed. See screenshot below]";

const SCREENSHOT: Difference = (
    "A `computer_screenshot` is an image; the library writes Python's text of it.",
    |request, _| {
        any_item(request, |item| {
            item["output"]["type"] == "computer_screenshot"
        })
    },
);
const OUTPUT: Difference = (
    "An output that is a list, an object or `null` becomes parts, JSON or an empty text; the library writes Python's text of it.",
    |request, _| {
        any_item(request, |item| {
            let output = item.get("output");
            output.is_some_and(|it| it.is_array() || it.is_null() || it["terminated"] == true)
        })
    },
);
const SYSTEM: Difference = (
    "Messages with the role `system` are preserved; the library drops them.",
    |request, _| any_item(request, is_system) || contains(request, "/messages", is_system),
);
const REFUSAL: Difference = (
    "A refusal is a text; the library drops it.",
    |request, _| any_part(request, |part| part["type"] == "refusal"),
);
const ACTIONS: Difference = (
    "Several actions in one call are preserved; the library drops all of them.",
    |request, _| any_item(request, |item| item["actions"].is_array()),
);
const EMPTY_REASONING: Difference = (
    "Reasoning without a text is omitted, and without a summary its content or `reasoning` is written; the library does neither.",
    |request, _| {
        any_item(request, |item| {
            let is_empty = |part: &Value| part["text"] == "";
            item["type"] == "reasoning"
                && (item["reasoning"].is_string() || contains(item, "/summary", is_empty))
        })
    },
);

pub(super) const DIFFERENCES: Differences = &[
    (
        "to_completion",
        &[
            SCREENSHOT,
            OUTPUT,
            SYSTEM,
            REFUSAL,
            ACTIONS,
            EMPTY_REASONING,
            (
                "A message of the assistant that is a text is preserved; the library drops it.",
                |request, _| {
                    any_item(request, |item| {
                        !is_system(item) && item["role"] != "user" && item["content"].is_string()
                    })
                },
            ),
            (
                "An image without a URL is omitted; the library writes it without one.",
                |request, _| {
                    any_part(request, |part| {
                        part["type"] == "input_image" && part["image_url"].is_null()
                    })
                },
            ),
            (
                "A screenshot before a result without an image is preserved; the library drops it.",
                |request, _| {
                    request["allow_images"] == false
                        && items(request).windows(2).any(|pair| {
                            is_output(&pair[0])
                                && pair[0]["output"].is_object()
                                && pair[1]["type"] == "computer_call_output"
                                && !pair[1]["output"]["image_url"].is_string()
                        })
                },
            ),
        ],
    ),
    (
        "from_completion",
        &[
            SYSTEM,
            (
                "The result of a tool that is JSON is a result of a function; the library reads an object as the computer's result, and fails for other JSON.",
                |request, _| {
                    any_result(request, |text| {
                        is_json(text, |json| json["type"] != "input_image")
                    })
                },
            ),
            (
                "An empty result is preserved; the library drops it.",
                |request, _| {
                    contains(request, "/messages", |message| {
                        let is_empty =
                            [json!(""), json!([]), Value::Null].contains(&message["content"]);
                        message["role"] == "tool" && is_empty
                    })
                },
            ),
            (
                "A text that announces a screenshot is the result if no screenshot follows; the library drops it or reads it as the computer's result.",
                |request, _| {
                    let messages = messages(request);
                    (0..messages.len()).any(|index| {
                        let next = messages.get(index + 1).unwrap_or(&Value::Null);
                        let is_image = |part: &Value| part["type"] == "image_url";
                        messages[index]["content"] == SEE_BELOW
                            && (next["role"] != "user" || !contains(next, "/content", is_image))
                    })
                },
            ),
            (
                "Other parts next to a screenshot are preserved; the library drops them.",
                |request, _| {
                    messages(request).windows(2).any(|pair| {
                        let parts = pair[1]["content"].as_array();
                        pair[0]["content"] == SEE_BELOW && parts.is_some_and(|it| it.len() > 1)
                    })
                },
            ),
            (
                "Parts of an assistant's message are preserved; the library drops them.",
                |request, _| {
                    contains(request, "/messages", |message| {
                        message["role"] == "assistant" && message["content"].is_array()
                    })
                },
            ),
            (
                "Input of Anthropic's `computer` tool becomes an action of Cua; the library does not convert it.",
                |request, _| any_call(request, |input| input["action"].is_string()),
            ),
            (
                "Arguments that are not an object stay a call of a function; the library fails.",
                |request, _| any_call(request, |input| !input.is_object()),
            ),
        ],
    ),
    (
        "anthropic_to_completion",
        &[
            SCREENSHOT,
            OUTPUT,
            SYSTEM,
            REFUSAL,
            ACTIONS,
            (
                "A click with the back or forward button keeps its button; the library makes it a click with the left one.",
                |request, _| {
                    any_action(request, |it| {
                        it["button"] == "back" || it["button"] == "forward"
                    })
                },
            ),
            (
                "A drag keeps its path and ends at `coordinate`; the library drops the path, writes an `end_coordinate`, which the tool does not have, and fails for points without names.",
                |request, _| any_action(request, |it| it["type"] == "drag"),
            ),
            (
                "A scroll keeps both directions; the library keeps one, and scrolls by 3 for a scroll by 0.",
                |request, _| {
                    any_action(request, |it| {
                        it["type"] == "scroll" && (it["scroll_x"] == 0) == (it["scroll_y"] == 0)
                    })
                },
            ),
            (
                "An action that the `computer` tool does not have is preserved under its name; the library drops the call, but not the result.",
                |request, _| {
                    let names = [
                        "triple_click",
                        "terminate",
                        "visit_url",
                        "web_search",
                        "zoom",
                    ];
                    any_action(request, |it| names.iter().any(|name| it["type"] == *name))
                },
            ),
            (
                "Missing coordinates are omitted; the library writes 0 or `null`.",
                |request, _| {
                    any_action(request, |it| {
                        it["element_description"].is_string()
                            || it.get("x").is_some_and(Value::is_null)
                    })
                },
            ),
            (
                "Pressed keys, the button of a double click and the duration of a wait are preserved; the library drops them.",
                |request, _| {
                    any_action(request, |it| {
                        it["keys"].is_array() && it["type"] == "click"
                            || it["type"] == "wait" && it["ms"].is_number()
                            || it["type"] == "double_click" && it["button"].is_string()
                    })
                },
            ),
            (
                "The result of a computer may be a text or a list; the library fails.",
                |request, _| {
                    any_item(request, |item| {
                        item["type"] == "computer_call_output" && !item["output"].is_object()
                    })
                },
            ),
            (
                "The screenshot of a function is an image; the library writes Python's text of it.",
                |request, _| {
                    any_item(request, |item| {
                        item["type"] == "function_call_output"
                            && item["output"]["type"] == "input_image"
                    })
                },
            ),
            (
                "All texts of a reasoning item are preserved; the library drops all but the first.",
                |request, _| {
                    any_item(request, |item| {
                        item["summary"].as_array().is_some_and(|it| it.len() > 1)
                    })
                },
            ),
            (
                "A message of the assistant with `null` is empty; the library fails.",
                |request, _| {
                    any_item(request, |item| {
                        item["role"] == "assistant"
                            && item.get("content").is_some_and(Value::is_null)
                    })
                },
            ),
            (
                "Parts that Chat Completions do not have are omitted; the library sends them.",
                |request, _| {
                    any_part(request, |part| {
                        let is_sent = ["", "[omitted]"].iter().all(|it| part["image_url"] != *it);
                        part["type"] == "input_file"
                            || part["type"] == "input_image"
                                && (part["image_url"].is_null() || !is_sent)
                    })
                },
            ),
            (
                "Arguments that are an object are written as a text; the library sends the object.",
                |request, _| any_item(request, |item| item["arguments"].is_object()),
            ),
        ],
    ),
    (
        "anthropic_from_completion",
        &[
            (
                "A scroll has the model's direction; the library inverts it, and scrolls by 3 without an amount.",
                |request, _| any_input(&request["message"], |it| it["action"] == "scroll"),
            ),
            (
                "A drag ends at `coordinate`; the library ends it at 0, 0.",
                |request, _| any_input(&request["message"], |it| it["action"] == "left_click_drag"),
            ),
            (
                "The key `-` is a key; the library reads it as a separator.",
                |request, _| any_input(&request["message"], |it| it["text"] == "ctrl+-"),
            ),
            (
                "Triple clicks and `hold_key` are actions; the library converts them to failed calls.",
                |request, _| {
                    any_input(&request["message"], |it| {
                        it["action"] == "triple_click" || it["action"] == "hold_key"
                    })
                },
            ),
            (
                "Unknown actions are preserved; the library drops their calls.",
                |request, _| {
                    let known = ["cursor_position", "dance", "zoom", "type_text"];
                    any_input(&request["message"], |it| {
                        let action = it["action"].as_str();
                        it.is_object() && action.is_none_or(|action| known.contains(&action))
                    })
                },
            ),
            (
                "Arguments that are not an object stay a call of the function `computer`; the library converts the call to a failed one, or fails.",
                |request, _| any_input(&request["message"], |it| !it.is_object()),
            ),
            (
                "Arguments of other functions are preserved; the library replaces malformed ones by `{}`.",
                |request, _| {
                    contains(&request["message"], "/tool_calls", |call| {
                        let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
                        call["function"]["name"] != "computer"
                            && !is_json(arguments, Value::is_object)
                    })
                },
            ),
            (
                "A click without coordinates stays a call of the function `computer`; the library clicks at 0, 0.",
                |request, _| {
                    any_input(&request["message"], |it| {
                        let actions = ["click", "left_mouse_down", "left_mouse_up"];
                        let is_it = actions.iter().any(|action| it["action"] == *action);
                        is_it && !it["coordinate"][0].is_number()
                    })
                },
            ),
            (
                "Coordinates are rounded only if they are scaled; the library rounds all.",
                |request, _| {
                    any_input(&request["message"], |it| {
                        it["coordinate"] == json!([2.5, 3.5])
                    })
                },
            ),
            (
                "Pressed keys and the duration of a wait are preserved in calls of the model; the library drops them.",
                |request, _| {
                    any_input(&request["message"], |it| {
                        it["action"] == "wait" && it["duration"].is_number()
                            || it["action"] == "left_click" && it["text"].is_string()
                    })
                },
            ),
        ],
    ),
    (
        "replace_failed",
        &[(
            "A failed call of the computer becomes a failed call of a function; the library drops the status.",
            |request, _| {
                any_item(request, |call| {
                    call["type"] == "computer_call"
                        && any_item(request, |it| {
                            it["type"] == "function_call_output" && it["call_id"] == call["call_id"]
                        })
                })
            },
        )],
    ),
    (
        "image_retention",
        &[
            (
                "Retaining 0 images removes all of them; the library keeps all.",
                |request, _| request["n"] == 0,
            ),
            (
                "A removed screenshot takes its call with it; the library keeps a call that is not right before it.",
                |request, _| request["n"] != 0,
            ),
        ],
    ),
];

#[test]
#[ignore = "scripts/real oracles runs it"]
fn cua_agrees() {
    let mut oracle = Oracle::new("cua", DIFFERENCES);
    oracle.ask("schema", [json!({})]);
    // A difference occurs alone only in single turns.
    let mut conversations = samples(&conversation(), COUNT / 2);
    conversations.extend(samples(&turn(), COUNT / 2));
    let items = |more: fn(usize) -> Value| {
        let conversations = conversations.iter().enumerate();
        let requests = conversations.map(move |(index, items)| {
            let mut request = more(index);
            request["items"] = items.clone().into();
            request
        });
        requests.collect::<Vec<_>>()
    };
    oracle.ask(
        "to_completion",
        items(|index| {
            json!({
                "xml": index % 8 == 6, "allow_images": index % 4 < 2, "multi_images": index % 4 == 3,
            })
        }),
    );
    for op in ["anthropic_to_completion", "replace_failed", "descriptions"] {
        oracle.ask(op, items(|_| json!({})));
    }
    oracle.ask("image_retention", items(|index| json!({"n": index % 3})));
    let places = |_| json!({"map": {"a knob": [1, 2], "the door": [9, 9], "the knob": [1, 2]}});
    oracle.ask("desc2xy", items(places));
    oracle.ask("xy2desc", items(places));
    let chats = vec(chat_message(), 0..8).prop_map(Value::from);
    oracle.ask_each("from_completion", "messages", &chats);
    let replies = samples(&reply(), COUNT).into_iter().enumerate();
    let scale = |index: usize| [[1.0, 1.0], [1.25, 1.5], [1.0, 2.0]][index % 3];
    oracle.ask(
        "anthropic_from_completion",
        replies.map(|(index, message)| json!({"message": message, "scale": scale(index)})),
    );
    oracle.ask_exported("validate_docs", "items", Cua::new(Dialect::Documented));
    oracle.ask_exported("validate_openai", "items", Cua::new(Dialect::OpenAi));
    oracle.compare(&["validate_docs", "validate_openai"]);
}
