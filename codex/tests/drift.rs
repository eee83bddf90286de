//! Compares the types with the JSON Schema that Codex prints.
//!
//! `AGENTWIRE_LIVE_CODEX` names the binary, which `scripts/real codex` installs.
//! Fails if Codex lacks a method, a member or a value of ours, or if a member
//! can have a form that we do not read or must not send. Prints what Codex has
//! in the compared types and we have not.

#![allow(clippy::unwrap_used)]

use agentwire_codex::wire::{
    AgentRequest, CommandApprovalResponse, DynamicToolResponse, ElicitationResponse,
    FileChangeApprovalResponse, INITIALIZED, Notification, PermissionsResponse, UserInputResponse,
    request_schemas,
};
use agentwire_protocol::schema::schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Command;

/// One of the alternatives that a schema allows.
#[derive(Clone)]
struct Alternative {
    /// The name of its definition.
    name: Option<String>,
    schema: Map<String, Value>,
}

impl Alternative {
    /// Returns the type of JSON, or `None` if it can be any.
    fn kind(&self) -> Option<&str> {
        match self.schema.get("type").and_then(Value::as_str) {
            Some("integer") => Some("number"),
            Some(kind) => Some(kind),
            None if self.schema.contains_key("properties") => Some("object"),
            None if !self.words().is_empty() => Some("string"),
            None => None,
        }
    }

    /// Returns the strings to which the value is limited.
    fn words(&self) -> Vec<&str> {
        let words = self.schema.get("enum").and_then(Value::as_array);
        let words = words.into_iter().flatten().chain(self.schema.get("const"));
        words.filter_map(Value::as_str).collect()
    }

    fn properties(&self) -> impl Iterator<Item = (&str, &Value)> {
        let properties = self.schema.get("properties").and_then(Value::as_object);
        properties
            .into_iter()
            .flatten()
            .map(|(name, it)| (name.as_str(), it))
    }

    fn property(&self, name: &str) -> Option<&Value> {
        self.schema.get("properties")?.get(name)
    }

    fn requires(&self, name: &str) -> bool {
        let required = self.schema.get("required").and_then(Value::as_array);
        required.is_some_and(|required| required.iter().any(|it| it == name))
    }
}

/// Returns what a schema allows. `root` has the definitions.
fn alternatives(root: &Value, schema: &Value, name: Option<&str>) -> Vec<Alternative> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(&reference[1..]).unwrap();
        return alternatives(root, target, reference.rsplit('/').next());
    }
    let mut found = Vec::new();
    for keyword in ["anyOf", "oneOf", "allOf"] {
        for inner in schema
            .get(keyword)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            found.extend(alternatives(root, inner, None));
        }
    }
    let own = schema.as_object().cloned().unwrap_or_default();
    if found.is_empty() {
        let kinds = match own.get("type") {
            Some(Value::Array(kinds)) => kinds.clone(),
            kind => vec![kind.cloned().unwrap_or_default()],
        };
        for kind in kinds {
            let mut schema = own.clone();
            schema.remove("type");
            if !kind.is_null() {
                schema.insert("type".to_owned(), kind);
            }
            found.push(Alternative { name: None, schema });
        }
    }
    // Members that all alternatives have.
    for one in &mut found {
        let is_null = one.kind() == Some("null");
        for keyword in ["properties", "required"] {
            match (one.schema.get_mut(keyword), own.get(keyword)) {
                (Some(Value::Object(all)), Some(Value::Object(own))) => all.extend(own.clone()),
                (Some(Value::Array(all)), Some(Value::Array(own))) => all.extend(own.clone()),
                (None, Some(own)) if !is_null => {
                    one.schema.insert(keyword.to_owned(), own.clone());
                }
                _ => {}
            }
        }
        if one.name.is_none() {
            one.name = name.map(str::to_owned);
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Direction {
    FromCodex,
    ToCodex,
}

struct Comparison {
    ours: Value,
    theirs: Value,
    faults: BTreeSet<String>,
    /// Members and values that our types lack, by the name of the type.
    untyped: BTreeMap<String, BTreeSet<String>>,
    seen: BTreeSet<(String, String, Direction)>,
}

impl Comparison {
    fn fault(&mut self, path: &str, fault: &str) {
        self.faults.insert(format!("{path}: {fault}"));
    }

    fn untyped(&mut self, path: &str, what: String) {
        self.untyped
            .entry(path.to_owned())
            .or_default()
            .insert(what);
    }

    fn types(&mut self, path: &str, ours: &Value, theirs: &Value, direction: Direction) {
        let ours = alternatives(&self.ours, ours, None);
        let theirs = alternatives(&self.theirs, theirs, None);
        if ours.iter().chain(&theirs).any(|it| it.kind().is_none()) {
            return;
        }
        self.kinds(path, &ours, &theirs, direction);
        self.words(path, &ours, &theirs);
        for keyword in ["items", "additionalProperties"] {
            let inner = |alternatives: &[Alternative]| -> Vec<Value> {
                let inner = alternatives.iter().filter_map(|it| it.schema.get(keyword));
                inner.filter(|it| it.is_object()).cloned().collect()
            };
            let (ours, theirs) = (inner(&ours), inner(&theirs));
            if !ours.is_empty() && !theirs.is_empty() {
                let (ours, theirs) = (json!({ "anyOf": ours }), json!({ "anyOf": theirs }));
                self.types(&format!("{path}[]"), &ours, &theirs, direction);
            }
        }
        let objects = |alternatives: Vec<Alternative>| -> Vec<Alternative> {
            let objects = alternatives.into_iter();
            objects
                .filter(|it| it.properties().next().is_some())
                .collect()
        };
        self.objects(path, &objects(ours), &objects(theirs), direction);
    }

    fn kinds(
        &mut self,
        path: &str,
        ours: &[Alternative],
        theirs: &[Alternative],
        direction: Direction,
    ) {
        let kinds = |alternatives: &[Alternative]| -> BTreeSet<String> {
            let kinds = alternatives.iter().filter_map(Alternative::kind);
            kinds.map(str::to_owned).collect()
        };
        let (ours, theirs) = (kinds(ours), kinds(theirs));
        let missing: Vec<String> = match direction {
            Direction::FromCodex => theirs.difference(&ours).cloned().collect(),
            // An absent member is not written as `null`.
            Direction::ToCodex => {
                let sent = ours.difference(&theirs).cloned();
                sent.filter(|kind| kind != "null").collect()
            }
        };
        if !missing.is_empty() {
            self.fault(path, &format!("{} on one side only", missing.join(", ")));
        }
    }

    fn words(&mut self, path: &str, ours: &[Alternative], theirs: &[Alternative]) {
        let words = |alternatives: &[Alternative]| -> BTreeSet<String> {
            let words = alternatives.iter().flat_map(Alternative::words);
            words.map(str::to_owned).collect()
        };
        let (ours, theirs) = (words(ours), words(theirs));
        if ours.is_empty() || theirs.is_empty() {
            return;
        }
        for word in ours.difference(&theirs) {
            self.fault(path, &format!("Codex has no value `{word}`"));
        }
        for word in theirs.difference(&ours) {
            self.untyped(path, format!("`{word}`"));
        }
    }

    fn objects(
        &mut self,
        path: &str,
        ours: &[Alternative],
        theirs: &[Alternative],
        direction: Direction,
    ) {
        let mut is_typed = vec![false; theirs.len()];
        for one in ours {
            let tags = one.properties().filter(|(_, it)| it.get("const").is_some());
            let tags: Vec<(&str, &Value)> = tags.collect();
            let matches = |other: &Alternative| {
                tags.iter().all(|(name, tag)| {
                    let theirs = other.property(name).cloned().unwrap_or_default();
                    let theirs = alternatives(&self.theirs, &theirs, None);
                    theirs
                        .iter()
                        .any(|it| it.words().iter().any(|word| tag["const"] == *word))
                })
            };
            let matching: Vec<usize> = (0..theirs.len())
                .filter(|at| matches(&theirs[*at]))
                .collect();
            if let (true, Some((_, tag))) = (matching.is_empty(), tags.first()) {
                self.fault(path, &format!("Codex has no kind {}", tag["const"]));
                continue;
            }
            for at in &matching {
                is_typed[*at] = true;
            }
            let matching: Vec<Alternative> =
                matching.iter().map(|at| theirs[*at].clone()).collect();
            self.object(path, one, &matching, direction);
        }
        for (one, is_typed) in theirs.iter().zip(is_typed) {
            if let (false, false) = (is_typed, ours.is_empty()) {
                let tags = one
                    .properties()
                    .flat_map(|(_, it)| alternatives(&self.theirs, it, None));
                let tag = tags.into_iter().find(|it| it.words().len() == 1);
                let tag = tag.map(|it| it.words()[0].to_owned());
                self.untyped(path, format!("kind {}", tag.unwrap_or_default()));
            }
        }
    }

    fn object(
        &mut self,
        path: &str,
        ours: &Alternative,
        theirs: &[Alternative],
        direction: Direction,
    ) {
        let names: BTreeSet<&str> = theirs.iter().filter_map(|it| it.name.as_deref()).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let path = match (&names[..], &ours.name) {
            ([name], Some(own)) => &format!("{name} ({own})"),
            _ => path,
        };
        let own = ours.name.as_deref().unwrap_or(path).to_owned();
        if theirs.is_empty() || !self.seen.insert((own, path.to_owned(), direction)) {
            return;
        }
        let is_required = |name: &str| theirs.iter().all(|it| it.requires(name));
        for (name, schema) in ours
            .properties()
            .filter(|(_, it)| it.get("const").is_none())
        {
            let path = format!("{path}.{name}");
            let found: Vec<&Value> = theirs.iter().filter_map(|it| it.property(name)).collect();
            if found.is_empty() {
                self.fault(&path, "Codex has no such member");
                continue;
            }
            match (direction, ours.requires(name), is_required(name)) {
                (Direction::FromCodex, true, false) => self.fault(&path, "required here only"),
                (Direction::ToCodex, false, true) => self.fault(&path, "required by Codex"),
                _ => {}
            }
            self.types(&path, schema, &json!({ "anyOf": found }), direction);
        }
        let names: BTreeSet<&str> = theirs
            .iter()
            .flat_map(|it| it.properties().map(|it| it.0))
            .collect();
        for name in names
            .into_iter()
            .filter(|name| ours.property(name).is_none())
        {
            if direction == Direction::ToCodex && is_required(name) {
                self.fault(&format!("{path}.{name}"), "required by Codex");
            }
            self.untyped(path, name.to_owned());
        }
    }

    /// Compares the parameters of a method. Returns the name of their type.
    fn params(
        &mut self,
        kind: &str,
        method: &str,
        ours: &Schema,
        direction: Direction,
    ) -> Option<String> {
        let methods = self.theirs["definitions"][kind]["oneOf"]
            .as_array()
            .unwrap();
        let Some(found) = methods
            .iter()
            .find(|it| it["properties"]["method"]["enum"][0] == method)
        else {
            self.fault(method, &format!("not in {kind}"));
            return None;
        };
        let params = found["properties"]["params"].clone();
        self.types(method, ours.as_value(), &params, direction);
        let reference = [&params, &params["anyOf"][0]]
            .into_iter()
            .find_map(|it| it["$ref"].as_str());
        Some(
            reference
                .and_then(|it| it.rsplit('/').next())
                .unwrap_or_default()
                .to_owned(),
        )
    }

    /// Compares the response to a method whose parameters have this type.
    fn response(&mut self, method: &str, params: &str, ours: &Schema, direction: Direction) {
        let name = match method {
            "account/logout" => "LogoutAccountResponse".to_owned(),
            _ => params.replace("Params", "Response"),
        };
        let definitions = &self.theirs["definitions"];
        let Some(theirs) = definitions["v2"]
            .get(&name)
            .or(definitions.get(&name))
            .cloned()
        else {
            return self.fault(method, &format!("there is no {name}"));
        };
        self.types(&name, ours.as_value(), &theirs, direction);
    }
}

/// Returns the schema of all messages of Codex, and its version.
fn schema_of_codex() -> (Value, String) {
    let codex = std::env::var_os("AGENTWIRE_LIVE_CODEX").expect("AGENTWIRE_LIVE_CODEX is set");
    let folder = agentwire_testing::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&codex);
        command
            .env_clear()
            .current_dir(folder.path())
            .args(arguments);
        for name in ["HOME", "CODEX_HOME", "TMPDIR"] {
            command.env(name, folder.path());
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let out = folder.path().join("schema");
    run(&[
        "app-server",
        "generate-json-schema",
        "--experimental",
        "--out",
        out.to_str().unwrap(),
    ]);
    let text = std::fs::read_to_string(out.join("codex_app_server_protocol.schemas.json")).unwrap();
    (serde_json::from_str(&text).unwrap(), run(&["--version"]))
}

#[test]
fn types_agree_with_the_schema_of_codex() {
    let mut generator = SchemaGenerator::default();
    let requests = request_schemas(&mut generator);
    let notifications = Notification::schemas(&mut generator);
    let agent_requests = AgentRequest::schemas(&mut generator);
    // In the order of the requests.
    let agent_responses = [
        generator.subschema_for::<CommandApprovalResponse>(),
        generator.subschema_for::<FileChangeApprovalResponse>(),
        generator.subschema_for::<UserInputResponse>(),
        generator.subschema_for::<ElicitationResponse>(),
        generator.subschema_for::<DynamicToolResponse>(),
        generator.subschema_for::<PermissionsResponse>(),
    ];
    let (theirs, version) = schema_of_codex();
    let mut comparison = Comparison {
        ours: json!({ "$defs": generator.take_definitions(true) }),
        theirs,
        faults: BTreeSet::new(),
        untyped: BTreeMap::new(),
        seen: BTreeSet::new(),
    };

    for (method, params, response) in &requests {
        let name = comparison.params("ClientRequest", method, params, Direction::ToCodex);
        if let Some(name) = name {
            comparison.response(method, &name, response, Direction::FromCodex);
        }
    }
    for (method, params) in &notifications {
        comparison.params("ServerNotification", method, params, Direction::FromCodex);
    }
    for ((method, params), response) in agent_requests.iter().zip(&agent_responses) {
        let name = comparison.params("ServerRequest", method, params, Direction::FromCodex);
        if let Some(name) = name {
            comparison.response(method, &name, response, Direction::ToCodex);
        }
    }
    assert_eq!(agent_requests.len(), agent_responses.len());
    let nothing = Schema::default();
    comparison.params(
        "ClientNotification",
        INITIALIZED,
        &nothing,
        Direction::ToCodex,
    );

    let mut report = format!(
        "{} {} requests, {} notifications, {} requests of Codex, {} objects\n",
        version.trim(),
        requests.len(),
        notifications.len(),
        agent_requests.len(),
        comparison.seen.len(),
    );
    for (path, members) in &comparison.untyped {
        let members: Vec<&str> = members.iter().map(String::as_str).collect();
        writeln!(
            report,
            "{:3} without a type in {path}: {}",
            members.len(),
            members.join(" ")
        )
        .unwrap();
    }
    std::io::Write::write_all(&mut std::io::stderr(), report.as_bytes()).unwrap();
    let faults: Vec<String> = comparison.faults.into_iter().collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
