//! Performs the operations of pairs and oracles.

use super::tree;
use agentwire_interop::conversion::{Conversion, System, export, import, undo_export, undo_import};
use agentwire_interop::openhands::{self, ChatOptions, MessageToolCall, ResponsesValue};
use agentwire_interop::{Encrypted, Message, bridgic, chat, cua, responses};
use agentwire_protocol::{Json, Number};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// The result of an operation, or its error.
pub(crate) type Answer = Result<Value, String>;

/// Performs a request. `library` is the library that has the same operation. Every library has
/// `export` and `import`.
pub(crate) fn answer(library: &str, request: &Value) -> Answer {
    match (&request["op"], library) {
        (op, _) if op == "export" || op == "import" => convert(request),
        (_, "openhands") => openhands(request),
        (_, "cua") => cua(request),
        _ => bridgic(request),
    }
}

/// Reads a member of a request from its JSON text.
fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    serde_json::from_str(&value.to_string()).map_err(|error| error.to_string())
}

fn made<T: Serialize, E: ToString>(result: Result<T, E>) -> Answer {
    let made = result.map_err(|error| error.to_string())?;
    Ok(tree(&made))
}

fn convert(request: &Value) -> Answer {
    match request["system"].as_str().unwrap() {
        "chat" => convert_with(chat::Chat, request),
        "responses" => convert_with(responses::Responses, request),
        "openhands" => convert_with(openhands::OpenHands, request),
        "cua" => convert_with(cua::Cua::default(), request),
        "cua of the library" => convert_with(cua::Cua::new(cua::Dialect::Library), request),
        "cua of OpenAI" => convert_with(cua::Cua::new(cua::Dialect::OpenAi), request),
        "bridgic" => convert_with(bridgic::Chat, request),
        "bridgic blocks" => convert_with(bridgic::Blocks, request),
        "bridgic tools" => match request.get("tools") {
            Some(tools) => converted(bridgic::export_tools(read(tools)?)),
            None => converted(bridgic::import_tools(read(&request["items"])?)),
        },
        system => panic!("no system {system}"),
    }
}

/// Converts a value and checks that the residue restores it.
fn convert_with<S: System + Copy>(system: S, request: &Value) -> Answer {
    if request["op"] == "export" {
        let messages: Vec<Message> = read(&request["messages"])?;
        let carried = export(system, messages);
        let back = undo_export(system, carried.made.clone(), carried.residue.clone());
        assert_eq!(tree(&back.pieces), request["messages"]);
        converted(carried)
    } else {
        let items: Vec<S::Item> = read(&request["items"])?;
        let carried = import(system, items);
        let back = undo_import(system, carried.made.clone(), carried.residue.clone());
        assert_eq!(tree(&back.pieces), request["items"]);
        converted(carried)
    }
}

fn converted<T: Serialize>(carried: Conversion<T>) -> Answer {
    let losses: Vec<String> = carried.losses.iter().map(ToString::to_string).collect();
    Ok(json!([tree(&carried.made), losses]))
}

fn openhands(request: &Value) -> Answer {
    let is = |flag: &str| request[flag] == true;
    let message = || read::<openhands::Message>(&request["message"]);
    let call = || read::<MessageToolCall>(&request["call"]);
    match request["op"].as_str().unwrap() {
        "validate" => Ok(dump(&message()?)),
        "to_chat" => {
            let mut options = ChatOptions::default();
            options.cache_enabled = is("cache");
            options.vision_enabled = is("vision");
            options.function_calling_enabled = is("fc");
            options.force_string_serializer = is("force_string");
            options.send_reasoning_content = is("send_reasoning");
            made(message()?.to_chat_dict(options))
        }
        "to_responses" => Ok(tree(&message()?.to_responses_dict(is("vision")))),
        "to_responses_value" => match message()?.to_responses_value(is("vision")) {
            ResponsesValue::Instructions(text) => Ok(text.into()),
            ResponsesValue::Items(items) => Ok(tree(&items)),
        },
        "contains_image" => Ok(message()?.contains_image().into()),
        "content_to_str" => Ok(openhands::content_to_str(&message()?.contents()).into()),
        "contents" => {
            let message = message()?;
            let contents = message.contents();
            let dicts: Vec<_> = contents
                .iter()
                .map(openhands::Content::to_llm_dict)
                .collect();
            Ok(tree(&dicts))
        }
        "call_to_chat" => Ok(tree(&call()?.to_chat_dict())),
        "call_to_responses" => Ok(tree(&call()?.to_responses_dict())),
        "call_from_chat" => {
            let call: chat::ToolCall = read(&request["call"])?;
            made(MessageToolCall::from_chat_tool_call(&call))
        }
        "call_from_responses" => {
            let call: responses::FunctionCall = read(&request["call"])?;
            made(MessageToolCall::from_responses_function_call(&call))
        }
        "from_chat" => {
            let message: chat::Message = read(&request["message"])?;
            let made = openhands::Message::from_llm_chat_message(&message);
            made.map(|it| dump(&it)).map_err(|it| it.to_string())
        }
        "from_responses" => {
            let output = json_of(&request["output"]);
            let made = openhands::Message::from_llm_responses_value(&output);
            made.map(|it| dump(&it)).map_err(|it| it.to_string())
        }
        "apply_caching" => {
            let mut messages: Vec<openhands::Message> = read(&request["messages"])?;
            openhands::apply_caching(&mut messages);
            Ok(messages.iter().map(dump).collect())
        }
        "events_to_messages" => {
            let events: Vec<openhands::Event> = read(&request["events"])?;
            let messages = openhands::events_to_messages(&events);
            let messages = messages.map_err(|it| it.to_string())?;
            Ok(messages.iter().map(dump).collect())
        }
        op => panic!("no operation {op}"),
    }
}

/// Adds the members that the library adds when it writes a message.
fn dump(message: &openhands::Message) -> Value {
    let contents = message.contents();
    let contents = contents.iter().map(|content| {
        let mut content = tree(content);
        let kind = if content["text"].is_null() {
            "image"
        } else {
            "text"
        };
        let is_cached = content["cache_prompt"] == true;
        content["type"] = kind.into();
        content["cache_prompt"] = is_cached.into();
        content
    });
    let blocks = message.thinking_blocks.iter().flatten().map(|block| {
        let mut block = tree(block);
        let kind = if block["data"].is_null() {
            "thinking"
        } else {
            "redacted_thinking"
        };
        block["type"] = kind.into();
        block
    });
    let reasoning = message.responses_reasoning_item.as_ref().map(|item| {
        json!({
            "id": item.id, "summary": item.summary.as_deref().unwrap_or_default(),
            "content": item.content, "status": item.status,
            "encrypted_content": item.encrypted_content.as_ref().map(Encrypted::reveal),
        })
    });
    without_nulls(json!({
        "role": message.role.as_str(), "content": contents.collect::<Vec<_>>(),
        "tool_calls": message.tool_calls.as_ref().map(tree), "tool_call_id": message.tool_call_id,
        "name": message.name, "reasoning_content": message.reasoning_content,
        "thinking_blocks": blocks.collect::<Vec<_>>(), "responses_reasoning_item": reasoning,
    }))
}

/// Removes members that are `null`.
pub(crate) fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.into_iter().filter(|(_, value)| !value.is_null());
            let members = members.map(|(name, value)| (name, without_nulls(value)));
            Value::Object(members.collect())
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        leaf => leaf,
    }
}

fn json_of(value: &Value) -> Json {
    value.clone().into()
}

fn cua(request: &Value) -> Answer {
    let is = |flag: &str, default: bool| request[flag].as_bool().unwrap_or(default);
    let items = || read::<Vec<cua::Item>>(&request["items"]);
    let id = || "ID".to_owned();
    let places = || -> Result<cua::Places, String> {
        let places: Map<String, Value> = read(&request["map"])?;
        let place = |(name, at): (String, Value)| Ok((name, read::<[Number; 2]>(&at)?));
        places.into_iter().map(place).collect()
    };
    match request["op"].as_str().unwrap() {
        "to_completion" => {
            let options = cua::ToCompletion {
                images_in_tool_results: is("allow_images", true),
                every_image: is("multi_images", false),
                xml: is("xml", false),
            };
            Ok(tree(&options.messages(&items()?)))
        }
        "from_completion" => {
            let messages: Vec<chat::Message> = read(&request["messages"])?;
            Ok(tree(&cua::items_from_completion(&messages)))
        }
        "anthropic_to_completion" => Ok(tree(&cua::messages_for_anthropic(&items()?))),
        "anthropic_from_completion" => {
            let chat::Message::Assistant(reply) = read(&request["message"])? else {
                return Err("no reply".to_owned());
            };
            let mut reader = cua::FromAnthropic::default();
            if let Ok(scale) = read(&request["scale"]) {
                reader.scale = scale;
            }
            Ok(tree(&reader.items(&reply, &mut cua::Make::new(id))))
        }
        "replace_failed" => Ok(tree(&cua::failed_calls_as_functions(items()?, id))),
        "image_retention" => {
            let last = read(&request["n"])?;
            Ok(tree(&cua::retain_images(items()?, last)))
        }
        "redact_images" => {
            let mut items = items()?;
            let count = cua::redact_images(&mut items);
            Ok(json!([count, tree(&items)]))
        }
        "desc2xy" | "xy2desc" => {
            let (mut items, places) = (items()?, places()?);
            match request["op"] == "desc2xy" {
                true => cua::places_of_elements(&mut items, &places),
                false => cua::elements_of_places(&mut items, &places),
            }
            Ok(tree(&items))
        }
        "descriptions" => {
            let mut found = cua::elements(&items()?);
            found.sort();
            Ok(found.into())
        }
        "make" => Ok(make(request["fn"].as_str().unwrap(), &request["kwargs"])),
        "computer_input" => {
            let action: cua::Action = read(&request["action"])?;
            Ok(tree(&cua::to_computer_input(&action)))
        }
        "action" => {
            let input: cua::ComputerInput = read(&request["input"])?;
            Ok(tree(&cua::from_computer_input(&input)))
        }
        op => panic!("no operation {op}"),
    }
}

fn make(function: &str, with: &Value) -> Value {
    let mut make = cua::Make::new(|| "ID".to_owned());
    let text = |name: &str| with[name].as_str().unwrap();
    let id = with["call_id"].as_str().map(str::to_owned);
    match function {
        "make_input_image_item" => tree(&make.input_image(text("image_data"))),
        "make_reasoning_item" => tree(&make.reasoning(text("reasoning"))),
        "make_output_text_item" => tree(&make.output_text(text("content"))),
        "make_function_call_item" => {
            let arguments = json_of(&with["arguments"]);
            tree(&make.function_call(id, text("function_name"), &arguments))
        }
        "make_failed_tool_call_items" => {
            let arguments = json_of(&with["tool_kwargs"]);
            let (tool, error) = (text("tool_name"), text("error_message"));
            tree(&make.failed_tool_call(id, tool, &arguments, error))
        }
        "make_tool_error_item" => tree(&make.tool_error(id, text("error_message"))),
        action => {
            let kind = action.trim_start_matches("make_").trim_end_matches("_item");
            let mut action = with.clone();
            action.as_object_mut().unwrap().remove("call_id");
            action["type"] = kind.into();
            tree(&make.computer_call(id, read::<cua::Action>(&action).unwrap()))
        }
    }
}

fn bridgic(request: &Value) -> Answer {
    let message = || read::<bridgic::Message>(&request["message"]);
    let spec = || read::<bridgic::ToolSpec>(&request["spec"]);
    match request["op"].as_str().unwrap() {
        "chat" => {
            let mut message = tree(&read::<bridgic::ChatMessage>(&request["message"])?);
            // The library reads this member, but does not declare it.
            message.as_object_mut().unwrap().remove("name");
            Ok(message)
        }
        "block" => Ok(tree(&message()?)),
        "tool" => Ok(tree(&read::<bridgic::Tool>(&request["tool"])?)),
        "to_message" => {
            let message: bridgic::ChatMessage = read(&request["message"])?;
            made(message.to_message())
        }
        "to_chat" => match made(message()?.to_chat())? {
            Value::Array(mut made) if made.len() == 1 => Ok(made.remove(0)),
            several => Ok(several),
        },
        "content" => Ok(message()?.content().into()),
        "from_text" => {
            let role = bridgic::Role::from(request["role"].as_str().unwrap());
            let text = request["text"].as_str().unwrap();
            Ok(tree(&bridgic::Message::from_text(text, role)))
        }
        "from_tool_result" => {
            let [id, text] = ["id", "content"].map(|it| request[it].as_str().unwrap());
            Ok(tree(&bridgic::Message::from_tool_result(id, text)))
        }
        "from_tool_call" => {
            let calls: Vec<bridgic::ToolCall> = read(&request["tool_calls"])?;
            let text = request["text"].as_str();
            made(bridgic::Message::from_tool_call(calls, text))
        }
        "tool_spec" => {
            let mut spec = spec()?;
            // The library does not write empty values.
            spec.tool_description = spec.tool_description.filter(|text| !text.is_empty());
            spec.tool_parameters = spec.tool_parameters.filter(|it| it.get() != "{}");
            Ok(tree(&spec))
        }
        "to_tool" => made(spec()?.to_tool()),
        "tool_calls_from_openai" => {
            let calls: Vec<bridgic::FunctionToolCall> = read(&request["tool_calls"])?;
            made(bridgic::tool_calls_from_openai(&calls))
        }
        "tool_to_openai" => Ok(tree(&read::<bridgic::Tool>(&request["tool"])?.to_openai())),
        op => panic!("no operation {op}"),
    }
}
