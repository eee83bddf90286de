//! Names of built-in tools.

/// The built-in tools of current and former agents.
const BUILT_IN: [&str; 66] = [
    "Agent",
    "AgentOutputTool",
    "Artifact",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "ClaudeDesign",
    "CronCreate",
    "CronDelete",
    "CronList",
    "Edit",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "Glob",
    "Grep",
    "KillBash",
    "KillShell",
    "ListAgents",
    "ListMcpResources",
    "ListMcpResourcesTool",
    "LS",
    "LSP",
    "Monitor",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "OfferChromeSetup",
    "PowerShell",
    "Projects",
    "propose_skills",
    "ProposeGoal",
    "PushNotification",
    "Read",
    "ReadMcpResource",
    "ReadMcpResourceDir",
    "ReadMcpResourceDirTool",
    "ReadMcpResourceTool",
    "ReadNotifications",
    "RefreshMcpTools",
    "RemoteTrigger",
    "REPL",
    "ReportFindings",
    "ScheduleWakeup",
    "SendFeedback",
    "SendMessage",
    "SetGoal",
    "ShowOnboardingRolePicker",
    "Skill",
    "SlashCommand",
    "StructuredOutput",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Workflow",
    "Write",
];

/// Returns the current and former names of the built-in tools that this version knows. An agent
/// may have others.
pub fn built_in_tools() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().copied()
}

/// Returns the built-in tool whose name is the closest to this one, for error messages: it
/// differs in case, or in at most a third of the letters, where two swapped ones count once.
/// `None` if no name is that close.
///
/// ```
/// use agentwire_protocol::permission::closest_tool;
///
/// assert_eq!(closest_tool("Bsh"), Some("Bash"));
/// assert_eq!(closest_tool("webfetch"), Some("WebFetch"));
/// assert_eq!(closest_tool("Teleport"), None);
/// ```
#[must_use]
pub fn closest_tool(name: &str) -> Option<&'static str> {
    // No tool has a longer name; the distance takes quadratic time.
    if name.len() > 64 {
        return None;
    }
    let most = (name.chars().count() / 3).max(1);
    built_in_tools()
        .map(|known| (distance(name, known), known))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= most)
        .map(|(_, known)| known)
}

/// Returns the number of letters to insert, remove, replace, or swap with the next one,
/// regardless of their case.
fn distance(from: &str, to: &str) -> usize {
    let letters = |text: &str| -> Vec<char> { text.to_lowercase().chars().collect() };
    let (from, to) = (letters(from), letters(to));
    // The distances of all beginnings.
    let mut table = vec![(0..=to.len()).collect::<Vec<_>>()];
    for a in 1..=from.len() {
        let mut row = vec![a];
        for b in 1..=to.len() {
            let replaced = table[a - 1][b - 1] + usize::from(from[a - 1] != to[b - 1]);
            let mut least = replaced.min(table[a - 1][b] + 1).min(row[b - 1] + 1);
            if a > 1 && b > 1 && from[a - 2..a] == [to[b - 1], to[b - 2]] {
                least = least.min(table[a - 2][b - 2] + 1);
            }
            row.push(least);
        }
        table.push(row);
    }
    table[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_tool_has_the_fewest_other_letters() {
        for (name, closest) in [
            ("Bsh", Some("Bash")),
            ("bash", Some("Bash")),
            ("Reed", Some("Read")),
            ("Raed", Some("Read")),
            ("Wirte", Some("Write")),
            ("WebFecth", Some("WebFetch")),
            ("MultiEdits", Some("MultiEdit")),
            ("Teleport", None),
            ("X", None),
            ("", None),
        ] {
            assert_eq!(closest_tool(name), closest, "{name}");
        }
        assert_eq!(closest_tool(&"Bash".repeat(1000)), None);
        for (from, to, least) in [("kitten", "sitting", 3), ("ab", "ba", 1), ("", "ab", 2)] {
            assert_eq!(distance(from, to), least);
            assert_eq!(distance(to, from), least);
        }
    }
}
