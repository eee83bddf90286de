//! Generates thousands of shell commands: bash's own lists combined with shell
//! expansions, programs combined with words, lines that once misled the rules, typical
//! commands of agents, and random lines.

use std::collections::BTreeSet;
use std::process::Command;

/// A line, and its origin.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// Whether the words of the line are plain. A plain line contains nothing that the
    /// shell interprets, except the name of a builtin.
    pub(crate) is_plain: bool,
}

/// Characters and words that a shell interprets, and similar ones.
const SPECIAL: &[&str] = &[
    "$X",
    "\"$X\"",
    "${X}",
    "${X:-a}",
    "$(touch no)",
    "\"$(touch no)\"",
    "`touch no`",
    "$((1+1))",
    "$'a'",
    "$\"a\"",
    "*",
    "a?",
    "[a]",
    "{a,b}",
    "~",
    "~/x",
    "x=~",
    "<(touch no)",
    ">(touch no)",
    "=touch",
    "'a[$(touch no)]'",
    "'a[`touch no`]'",
    "\"a[0]\"",
    "'$X'",
    "\\$X",
    "#x",
    "!x",
    "a\\ b",
    "'a\n#b'",
    "\"-x\"",
    "-\"x\"",
    "\\-x",
    "> no",
    ">no",
    "2>&1 x",
    "< a.txt",
    "<<< x",
    "&",
    "&& touch no",
    "; touch no",
    "| touch no",
    "\ntouch no",
    "../x",
    "sub/../../x",
    "/etc/hosts",
    "/proc/self/environ",
    "--x=/etc/hosts",
    "-x/etc/hosts",
    "\u{a0}x",
    "\u{200b}x",
    "\rx",
];

/// Words that a shell does not interpret.
const PLAIN: &[&str] = &[
    "x",
    "a.txt",
    "./a.txt",
    "sub/a.txt",
    "x y",
    "-x",
    "-v",
    "-n 5",
    "--long",
    "--long=x",
    "--long=a.txt",
    "'x'",
    "'x y'",
    "\"x y\"",
    "a:b",
    "a,b",
    "a=b",
    "@x",
    "100%",
    "'a;b'",
    "'a|b'",
    "'*.rs'",
    "-- x",
    "a.txt b.txt",
    "x 2>&1",
    "x >/dev/null",
];

/// Programs that most machines have.
const PROGRAMS: &str = "awk base64 basename black bun bundle cargo cat chmod clang cmake cmp column comm \
    composer cp ctest curl cut date deno df diff dirname docker dotnet du eslint \
    file find fold gcc gem gh git go gofmt grep gunzip gzip head helm hostname jest \
    jq kubectl less ln ls make md5sum mkdir mv mypy ninja nl node npm npx od paste \
    php pip pnpm poetry prettier ps psql pytest python3 rake readlink realpath rev \
    rg rm rmdir ruby ruff rustc rustup sed seq sha256sum sleep sort stat strings \
    swift tac tail tar tee terraform touch tr tree tsc uname uniq unzip uv vitest wc \
    wget whoami xxd yarn zip zork";

/// Lines that once misled the rules, and variants of them.
const TRICKS: &str = include_str!("tricks.txt");

/// Such lines that consist of several lines.
const LONG_TRICKS: &[&str] = &[
    "zork \"a\\\nb\"",
    "zork 'a\n # b' c",
    "zork \"a\n#b\"",
    "zork <<EOF\n$(touch no)\nEOF",
    "zork <<'EOF'\nx\nEOF",
    "zork a\nzork b",
    "zork a\n\nzork b\n",
    "zork 'a\nb'",
    "zork \"a\nb\"",
    "git commit -m \"a\n\nb\"",
    "git commit -m 'a\n # b'",
    "find . -printf '%p\n'",
    "printf '%s\n' x",
];

/// Typical commands of agents.
const USUAL: &str = include_str!("usual.txt");

const LONG_USUAL: &str = "git commit -m \"Fix it\n\nA longer text that says why.\"";

/// Programs that run the program in their arguments.
const RUNNERS: &str = "env flock nice nohup setsid sh stdbuf sudo timeout xargs";

/// Typical suffixes of a line.
const SUFFIXES: &[&str] = &[" 2>&1", " | head -5", " && echo done", " > /dev/null"];

/// Returns all lines, without duplicates. Of the combinations, only every `step`-th is
/// included, starting at a different one for each name. A `step` of 1 includes all of
/// them.
pub(crate) fn lines(step: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut add = |text: String, is_plain: bool| lines.push(Line { text, is_plain });
    for (number, name) in bash("compgen -b").into_iter().enumerate() {
        let options = options(&name);
        for text in [name.clone(), format!("{name} x")] {
            add(text, true);
        }
        for option in &options {
            add(format!("{name} -{option} 'a[$(touch no)]'"), false);
        }
        for odd in SPECIAL.iter().skip(number % step).step_by(step) {
            add(format!("{name} {odd}"), false);
        }
        add(format!("{name} x 'a[$(touch no)]'"), false);
    }
    for keyword in bash("compgen -k") {
        for rest in [
            "",
            " x",
            " x; y",
            " $(touch no)",
            " 'a[$(touch no)]'",
            " x; then touch no; fi",
            " x; do touch no; done",
        ] {
            add(format!("{keyword}{rest}"), false);
        }
    }
    // Combines each program with some of the words, and each word with some of the
    // programs.
    let programs = PROGRAMS.split(' ').chain(RUNNERS.split(' '));
    for (number, program) in programs.enumerate() {
        for plain in PLAIN.iter().skip(number % step).step_by(step) {
            add(
                format!("{program} {plain}"),
                !RUNNERS.split(' ').any(|it| it == program),
            );
        }
        for odd in SPECIAL.iter().skip(number % step).step_by(step) {
            add(format!("{program} {odd}"), false);
        }
    }
    for odd in SPECIAL {
        add(format!("{odd} x"), false);
        add(format!("zork x {odd} y"), false);
        add(format!("cat a.txt {odd}"), false);
        add(format!("zork x && zork {odd}"), false);
        add(format!("zork -x{odd}"), false);
        add(format!("zork --x={odd}"), false);
    }
    for trick in TRICKS.lines().chain(LONG_TRICKS.iter().copied()) {
        add(trick.to_owned(), false);
    }
    for usual in USUAL.lines().chain([LONG_USUAL]) {
        add(usual.to_owned(), true);
        let behind = SUFFIXES[usual.len() % SUFFIXES.len()];
        if !usual.contains(['>', '|']) {
            add(format!("{usual}{behind}"), true);
        }
    }
    // The CLI reads at most 10,000 characters.
    for length in [9900, 10_020] {
        for text in [
            format!("zork {}", "x".repeat(length)),
            format!("zork '{}'", "x y ".repeat(length / 4)),
            format!("zork{}", " x".repeat(length / 2)),
            format!("zork{}", "; zork".repeat(length / 6)),
            format!("zork x; zork '{}'", "\u{e4}".repeat(length)),
            format!("git commit -m '{}'", "x y\n".repeat(length / 4)),
            format!(
                "zork {}; zork {}",
                "x".repeat(length / 2),
                "x".repeat(length / 2)
            ),
        ] {
            add(text, false);
        }
    }
    for text in random_lines(1200 / step) {
        add(text, false);
    }
    let mut known = BTreeSet::new();
    // `suspend -f` stops its shell for ever.
    lines.retain(|line| !line.text.starts_with("suspend -f") && known.insert(line.text.clone()));
    lines
}

/// Returns the programs of these lines, and the other words with which a command may
/// begin.
pub(crate) fn programs(lines: &[Line]) -> BTreeSet<&str> {
    let is_name = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic() || ".:[!{".contains(c))
            && !word.contains(['(', ')', '*', '\'', '"', '$', '`', '=', ','])
    };
    let commands = lines
        .iter()
        .flat_map(|line| line.text.split(['&', ';', '|', '\n', '(']));
    let names = commands.filter_map(|command| command.split_whitespace().next());
    names.filter(|name| is_name(name)).collect()
}

/// Returns rules that allow all these programs with any arguments, and some more specific
/// rules.
pub(crate) fn rules(programs: &BTreeSet<&str>) -> Vec<String> {
    let spelled = [
        "Bash(timeout 5 zork:*)",
        "Bash(xargs zork:*)",
        "Bash(env A=b zork:*)",
        "Bash(find . -delete)",
        "Bash(git -C sub:*)",
        "Bash(sed -i s/a/b/ a.txt)",
        "Bash(cp -r:*)",
    ];
    let names = programs.iter().map(|name| format!("Bash({name}:*)"));
    names.chain(spelled.map(str::to_owned)).collect()
}

/// Returns a list of words that bash itself prints.
fn bash(command: &str) -> Vec<String> {
    let output = Command::new("bash")
        .args(["--noprofile", "--norc", "-c", command])
        .output()
        .unwrap();
    let words = String::from_utf8(output.stdout).unwrap();
    words.split_whitespace().map(str::to_owned).collect()
}

/// Returns the options that the help of a builtin names.
fn options(builtin: &str) -> Vec<char> {
    let help = bash(&format!("help -s '{builtin}'"));
    let named = help
        .iter()
        .filter_map(|word| word.trim_start_matches('[').strip_prefix('-'));
    let letters = named.map(|word| word.split([']', '|']).next().unwrap_or_default());
    let letters: BTreeSet<char> = letters.flat_map(str::chars).collect();
    letters
        .into_iter()
        .filter(char::is_ascii_alphabetic)
        .collect()
}

/// Returns lines of randomly ordered pieces. Every run returns the same lines.
fn random_lines(number: usize) -> Vec<String> {
    let pieces: Vec<&str> = [
        "cat",
        "zork",
        "echo",
        "git",
        "find",
        "cd sub",
        "test",
        "printf",
        "sed",
        "timeout 5",
        "env",
        "awk",
        "jq",
    ]
    .into_iter()
    .chain([
        " ",
        " ",
        " ",
        " ",
        "&&",
        ";",
        "|",
        "'",
        "\"",
        "\\",
        "2>&1",
        ">/dev/null",
        "-",
        "=",
        "a.txt",
        "x",
        "sub",
        ".",
        "/",
        "#",
        "\n",
        "~",
        "^",
        "%1",
        "-x",
    ])
    .chain([
        "$X", "*", "{", "}", "[", "]", "(", ")", "!", "<", ">", "&", "`",
    ])
    .collect();
    let mut random = agentwire_testing::Random::new(1);
    let mut next = move |below: usize| random.below(below);
    let mut line = || {
        let mut text = pieces[next(13)].to_owned();
        for _ in 0..next(9) {
            // Most lines consist of pieces that the rules understand.
            let of = if next(6) == 0 { pieces.len() } else { 38 };
            text.push_str(if next(2) == 0 { " " } else { "" });
            text.push_str(pieces[next(of)]);
        }
        text
    };
    (0..number).map(|_| line()).collect()
}
