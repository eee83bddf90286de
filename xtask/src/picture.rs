//! The picture of a session in the README: lanes, and what goes from one to
//! another, top to bottom.

use std::fmt::Write;

/// Who takes part.
const LANES: [&str; 3] = ["your program", "agentwire", "agent CLI"];

/// What happens, in order: from which lane to which, and what.
const STEPS: &[(usize, usize, &str)] = &[
    (0, 1, "Client::connect(options)"),
    (1, 2, "spawn, initialize"),
    (2, 1, "initialize response"),
    (0, 1, "send(message)"),
    (1, 2, "user message"),
    (2, 1, "stream_event, assistant"),
    (1, 0, "turn().texts()"),
    (2, 1, "can_use_tool"),
    (1, 0, "on_permission"),
    (0, 1, "PermissionResult::allow()"),
    (1, 2, "control_response"),
    (2, 1, "result, idle"),
    (1, 0, "turn_ended()"),
    (0, 1, "close()"),
    (1, 2, "close stdin; SIGTERM, SIGKILL if necessary"),
    (1, 0, "CloseReport: no process is left"),
];

const WIDTH: usize = 760;
const TOP: usize = 56;
const ROW: usize = 30;

/// The middle of a lane.
fn middle(lane: usize) -> usize {
    100 + lane * 280
}

/// Draws the picture as SVG.
#[must_use]
pub fn picture() -> String {
    let bottom = TOP + STEPS.len() * ROW;
    let height = bottom + 20;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\" role=\"img\">\n\
         <title>A session: what your program, agentwire and the agent CLI exchange</title>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for (lane, name) in LANES.iter().enumerate() {
        let x = middle(lane);
        let left = x - 70;
        lines(
            &mut svg,
            format_args!(
                "<line x1=\"{x}\" y1=\"40\" x2=\"{x}\" y2=\"{bottom}\" stroke=\"#8a94a0\"/>\n\
                 <rect x=\"{left}\" y=\"12\" width=\"140\" height=\"28\" rx=\"5\" \
                 fill=\"#e8eef5\" stroke=\"#8a94a0\"/>\n\
                 <text x=\"{x}\" y=\"31\" font-weight=\"bold\">{name}</text>"
            ),
        );
    }
    for (number, (from, to, what)) in STEPS.iter().enumerate() {
        let y = TOP + number * ROW + 16;
        let (start, end) = (middle(*from), middle(*to));
        let text = start.midpoint(end);
        let above = y - 5;
        // The tip of the arrow points at the lane.
        let back = if end > start { end - 8 } else { end + 8 };
        let (upper, lower) = (y - 4, y + 4);
        lines(
            &mut svg,
            format_args!(
                "<line x1=\"{start}\" y1=\"{y}\" x2=\"{back}\" y2=\"{y}\" stroke=\"#2b5a8c\"/>\n\
                 <polygon points=\"{end},{y} {back},{upper} {back},{lower}\" fill=\"#2b5a8c\"/>\n\
                 <text x=\"{text}\" y=\"{above}\">{what}</text>"
            ),
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn lines(svg: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(svg, "{text}").expect("a string takes all");
}
