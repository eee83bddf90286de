//! Tests of long images in `agentwire convert`.

#![allow(clippy::unwrap_used)]

use crate::support;

use serde_json::{Value, json};
use std::path::Path;
use support::{agentwire, run_with_input, stderr};

/// Returns a prompt with an image and a PDF, and a tool result with an image.
fn session(bytes: &str) -> Vec<Value> {
    let other = bytes.replace('A', "B");
    let image = json!({"type": "base64", "media_type": "image/png", "data": bytes});
    let pdf = json!({"type": "base64", "media_type": "application/pdf", "data": other});
    let text = json!({"type": "text", "media_type": "text/plain", "data": bytes});
    let call =
        json!({"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"data": bytes}});
    let user = |content: Value, result: Value| {
        json!({
            "type": "user", "message": {"role": "user", "content": content},
            "parent_tool_use_id": null, "session_id": "s", "tool_use_result": result,
        })
    };
    vec![
        user(
            json!([
                {"type": "text", "text": "What is this?"},
                {"type": "image", "source": image},
                {"type": "document", "source": pdf},
                {"type": "document", "source": text},
            ]),
            Value::Null,
        ),
        json!({
            "type": "assistant", "parent_tool_use_id": null, "session_id": "s",
            "message": {"id": "msg_1", "role": "assistant", "type": "message", "content": [call]},
        }),
        user(
            json!([{
                "type": "tool_result", "tool_use_id": "toolu_1",
                "content": [{"type": "image", "source": image}],
            }]),
            json!({"type": "image", "file": {"base64": bytes, "type": "image/png"}}),
        ),
        json!({
            "type": "assistant", "parent_tool_use_id": null, "session_id": "s",
            "message": {
                "id": "msg_2", "role": "assistant", "type": "message",
                "content": [{"type": "text", "text": "A letter."}],
            },
        }),
    ]
}

fn write(file: &Path, lines: &[Value]) {
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(file, lines).unwrap();
}

fn read(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Replaces long bytes with short ones.
fn shortened(values: &[Value], bytes: &str, short: &str) -> Value {
    let text = json!(values).to_string();
    let text = text.replace(bytes, short);
    let other = bytes.replace('A', "B");
    let text = text.replace(&other, &short.replace('A', "B"));
    serde_json::from_str(&text).unwrap()
}

#[test]
fn long_images_round_trip_like_short_ones() {
    let folder = agentwire_testing::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let bytes = "AAAA".repeat(50_000);
    write(&at("long"), &session(&bytes));
    write(&at("short"), &session("AAAA"));
    let convert = |arguments: &str| {
        let mut command = agentwire("convert");
        command
            .current_dir(folder.path())
            .args(arguments.split(' '));
        let output = run_with_input(&mut command, "");
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    for format in [
        "chat",
        "responses",
        "openhands",
        "cua",
        "bridgic",
        "bridgic-blocks",
    ] {
        let losses = ["long", "short"].map(|input| {
            let files = format!("-o made-{input} --losses losses --residue residue-{input}");
            let summary = convert(&format!("--from agent --to {format} {input} {files}"));
            (summary, read(&at("losses")))
        });
        assert_eq!(losses[0], losses[1], "{format}");
        // A text is converted to its own base64, which depends on its length.
        if matches!(format, "bridgic" | "bridgic-blocks") {
            let [long, short] = ["made-long", "made-short"].map(|file| read(&at(file)));
            let long = shortened(&long, &bytes, "AAAA");
            assert_eq!(long, json!(short), "{format}");
        } else {
            let made = std::fs::read_to_string(at("made-long")).unwrap();
            assert!(
                made.contains(&format!("data:image/png;base64,{bytes}")),
                "{format}"
            );
        }
        let files = "made-long -o back --restore residue-long";
        let summary = convert(&format!("--from {format} --to agent {files}"));
        assert!(
            summary.contains("4 restored, 0 converted again"),
            "{summary}"
        );
        assert_eq!(read(&at("back")), session(&bytes), "{format}");
    }
}

/// Returns the peak memory of a conversion in bytes, measured when it begins to write.
#[cfg(target_os = "linux")]
fn peak(file: &Path, arguments: &[&str]) -> usize {
    use std::io::Read as _;

    let mut child = agentwire("convert")
        .args(["--from", "agent", "--to", "chat"])
        .args(arguments)
        .arg(file)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // The child waits, because the rest of its output does not fit into the pipe.
    let mut output = child.stdout.take().unwrap();
    output.read_exact(&mut [0]).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    output.read_to_end(&mut Vec::new()).unwrap();
    assert!(child.wait().unwrap().success());
    let peak = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    let kilobytes = peak.unwrap().trim().strip_suffix(" kB").unwrap();
    kilobytes.parse::<usize>().unwrap() * 1024
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_with_an_image_needs_at_most_three_times_its_size() {
    let folder = agentwire_testing::tempdir().unwrap();
    let file = |length: usize| {
        let file = folder.path().join(length.to_string());
        let bytes = "AAAA".repeat(length / 4);
        let image = json!({"type": "base64", "media_type": "image/png", "data": bytes});
        let content = json!([{"type": "image", "source": image}]);
        let message = json!({"role": "user", "content": content});
        write(&file, &[json!({"type": "user", "message": message})]);
        file
    };
    let size = 20_000_000;
    // Subtract the memory of the program itself. The output of the small file must also fill
    // the pipe.
    let (small, large) = (file(200_000), file(size));
    let residue = folder.path().join("residue");
    let with_residue = ["--residue", residue.to_str().unwrap()];
    for arguments in [&[][..], &["--quiet"], &with_residue] {
        let needed = peak(&large, arguments).saturating_sub(peak(&small, arguments));
        assert!(needed <= 3 * size, "{arguments:?}: {needed} for {size}");
    }
}
