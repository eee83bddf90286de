//! The types of tools and tool calls (`bridgic.core.model.types` and
//! `bridgic.core.agentic.tool_specs`).

use super::CannotConvert;
use crate::Calls;
use crate::conversion::{Conversion, Direction, Lost, Residue, Restored, Why, convert, undo};
use agentwire_protocol::content::{CustomTool, ToolDefinition};
use agentwire_protocol::open::object;
use agentwire_protocol::{Json, Members};

object! {
    /// A tool call.
    pub struct ToolCall {
        /// The ID of the call. `None` if the model gave none.
        pub id: Option<String>,
        /// The name of the tool.
        pub name: String,
        /// The arguments, an object. Default: `{}`.
        pub arguments: Option<Json>,
    }
}

object! {
    /// A tool in a request to a model.
    pub struct Tool {
        /// The name.
        pub name: String,
        /// The description.
        pub description: String,
        /// The JSON Schema of the arguments.
        pub parameters: Json,
    }
}

object! {
    /// A tool of an agent, in the form in which the library serializes it, which has no empty
    /// members. To load it, the library requires [`func`](Self::func) or
    /// [`automa_cls`](Self::automa_cls).
    #[derive(Default)]
    pub struct ToolSpec {
        /// The name.
        pub tool_name: Option<String>,
        /// The description.
        pub tool_description: Option<String>,
        /// The JSON Schema of the arguments.
        pub tool_parameters: Option<Json>,
        /// The full name of a Python function.
        pub func: Option<String>,
        /// The full name of a Python class.
        pub automa_cls: Option<String>,
        /// The arguments for the constructor of `automa_cls`.
        pub automa_init_kwargs: Option<Members>,
    }
}

impl ToolCall {
    /// Creates a tool call.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<Json>) -> Self {
        Self {
            id: Some(id.into()),
            name: name.into(),
            arguments: Some(arguments.into()),
            extra: Members::default(),
        }
    }
}

impl Tool {
    /// Creates a tool from its name, its description and the JSON Schema of its arguments.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: impl Into<Json>,
    ) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            parameters: parameters.into(),
            extra: Members::default(),
        }
    }
}

impl ToolSpec {
    /// Creates a tool from its name, its description and the JSON Schema of its arguments.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: impl Into<Json>,
    ) -> Self {
        Self {
            tool_name: Some(name.into()),
            tool_description: Some(description.into()),
            tool_parameters: Some(parameters.into()),
            ..Self::default()
        }
    }

    /// Converts the spec to a tool of a request, like the library's `to_tool`.
    ///
    /// # Errors
    ///
    /// [`CannotConvert::NotATool`] if the name, the description or the parameters are missing, or
    /// if the parameters are not an object.
    pub fn to_tool(&self) -> Result<Tool, CannotConvert> {
        let parameters = self.tool_parameters.clone();
        Ok(Tool {
            name: self
                .tool_name
                .clone()
                .ok_or(CannotConvert::NotATool("name"))?,
            description: self
                .tool_description
                .clone()
                .ok_or(CannotConvert::NotATool("description"))?,
            parameters: parameters
                .filter(is_object)
                .ok_or(CannotConvert::NotATool("parameters"))?,
            extra: Members::default(),
        })
    }
}

/// Returns whether a JSON value is an object.
pub(super) fn is_object(value: &Json) -> bool {
    value.get().starts_with('{')
}

/// Converts tools to `ToolSpec`s. Tools that the API provides are lost.
///
/// ```
/// use agentwire_interop::bridgic::export_tools;
///
/// let tools = serde_json::from_str(
///     r#"[{"name": "add", "description": "Adds", "input_schema": {"type": "object"}}]"#,
/// )?;
/// let specs = export_tools(tools).made;
/// assert_eq!(
///     serde_json::to_string(&specs)?,
///     r#"[{"tool_name":"add","tool_description":"Adds","tool_parameters":{"type": "object"}}]"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn export_tools(tools: Vec<ToolDefinition>) -> Conversion<ToolSpec> {
    convert(ExportTools, tools)
}

/// Converts `ToolSpec`s to tools. A spec without a name is lost.
pub fn import_tools(specs: Vec<ToolSpec>) -> Conversion<ToolDefinition> {
    convert(ImportTools, specs)
}

/// Restores tools from the specs of [`export_tools`], which may have been edited.
pub fn undo_export_tools(specs: Vec<ToolSpec>, residue: Residue) -> Restored<ToolDefinition> {
    undo(ExportTools, specs, residue)
}

/// Restores specs from the tools of [`import_tools`], which may have been edited.
pub fn undo_import_tools(tools: Vec<ToolDefinition>, residue: Residue) -> Restored<ToolSpec> {
    undo(ImportTools, tools, residue)
}

fn specs(tools: &[ToolDefinition]) -> Vec<ToolSpec> {
    let custom = tools.iter().filter_map(|tool| match tool {
        ToolDefinition::Custom(tool) => Some(tool),
        _ => None,
    });
    custom
        .map(|tool| ToolSpec {
            tool_name: Some(tool.name.clone()),
            tool_description: tool.description.clone(),
            tool_parameters: Some(tool.input_schema.clone()),
            ..ToolSpec::default()
        })
        .collect()
}

fn tools(specs: &[ToolSpec]) -> Vec<ToolDefinition> {
    let tool = |spec: &ToolSpec| {
        let parameters = spec.tool_parameters.clone().filter(is_object);
        let schema = parameters.unwrap_or_else(|| serde_json::json!({"type": "object"}).into());
        let mut tool = CustomTool::new(spec.tool_name.clone()?, schema);
        tool.description.clone_from(&spec.tool_description);
        Some(ToolDefinition::Custom(tool))
    };
    specs.iter().filter_map(tool).collect()
}

macro_rules! direction {
    ($(#[$docs:meta])* $name:ident: $from:ty, $to:ty, $convert:ident, $back:ident) => {
        $(#[$docs])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name;

        impl Direction for $name {
            type From = $from;
            type To = $to;
            type State = ();

            fn convert(&self, _: &mut Calls, pieces: &[$from]) -> Vec<$to> {
                $convert(pieces)
            }

            fn convert_back(&self, _: &mut Calls, pieces: &[$to]) -> Vec<$from> {
                $back(pieces)
            }

            fn why(&self, _: &$from, _: &str, _: &Lost) -> Why {
                Why::NoPlace
            }
        }
    };
}

direction! {
    /// Converts tools of the Messages API to `ToolSpec`s.
    ExportTools: ToolDefinition, ToolSpec, specs, tools
}

direction! {
    /// Converts `ToolSpec`s to tools of the Messages API.
    ImportTools: ToolSpec, ToolDefinition, tools, specs
}
