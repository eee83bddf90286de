//! Generates lines that run a denied program, in obfuscated form or through another
//! program.

/// The denied program.
pub(crate) const PROGRAM: &str = "rm";

/// The spellings of the program's name.
const NAMES: &[&str] = &[
    "rm",
    "rm",
    "rm",
    "'rm'",
    "\"rm\"",
    "r''m",
    "r\"\"m",
    "r\\m",
    "\\rm",
    "'r'm",
    "r'm'",
    "\"r\"'m'",
    "$'rm'",
    "$\"rm\"",
    "r$''m",
    "$'\\x72m'",
    "$'r\\155'",
    "r\\\nm",
    "\\\nrm",
    "RM",
    "Rm",
    "''rm",
    "r${x}m",
    "r$@m",
    "${x}rm",
    "$@rm",
    "rm$@",
    "{rm,x}",
    "r$(true)m",
    "r{,}m",
    "=rm",
    "rm\u{200b}",
    "r\u{ad}m",
    "\u{2060}rm",
];

const FOLDERS: &[&str] = &[
    "",
    "",
    "",
    "",
    "/bin/",
    "/usr/bin/",
    "/usr/bin/../bin/",
    "./",
    "../",
    "sub/",
    "~/",
    "$HOME/",
    "C:\\x\\",
    "C:/x/",
    "c:\\\\x\\\\",
    "\\\\\\\\host\\\\x\\\\",
    "'/bin/'",
    "\"/bin\"/",
    "/bin//",
    "'C:\\x\\'",
    "/b''in/",
    "'/my bin/'",
    "/my\\ bin/",
    "\"C:\\Program Files\\x\\\"",
    "${x}/",
];

const EXTENSIONS: &[&str] = &[
    "", "", "", "", "", ".exe", ".EXE", ".cmd", ".bat", ".com", ".ps1", "'.exe'", ".Exe", ".e''xe",
    ".sh",
];

/// Prefixes of a command.
const BEFORE: &[&str] = &[
    "",
    "",
    "",
    "",
    "\u{feff}",
    "\u{200b}",
    "\u{200e}",
    "\u{2060}",
    "\u{ad}",
    "\u{a0}",
    "\u{3000}",
    "\u{2028}",
    "\u{85}",
    "\u{c}",
    "\u{b}",
    "\r",
    "\t",
    "\n",
    " ",
    "\u{1}",
    "\u{1b}",
    "\u{7f}",
    "A=b ",
    "A='b c' ",
    "A=\"b c\" ",
    "A=$(true) ",
    "A+=b ",
    "A[0]=b ",
    "A= ",
    "A=b B=c ",
    ">/dev/null ",
    "2>&1 ",
    "<a.txt ",
    "< a.txt ",
    ">'x y' ",
    "2>/dev/null ",
    "&>no ",
    "<<<x ",
    "! ",
    "time ",
    "time -p ",
    "true; ",
    "true && ",
    "false || ",
    "true | ",
    "true |& ",
    "true & ",
    "true\n",
    "# x\n",
    "(",
    "( ",
    "((",
    "{ ",
    "$(",
    "`",
    "\"$(",
    "echo $(",
    "echo \"$(",
    "echo `",
    "cat <(",
    "if ",
    "if true; then ",
    "while ",
    "until ",
    "for i in a; do ",
    "for i in a\ndo\n",
    "case x in x) ",
    "case x in (x) ",
    "f() { ",
    "function f { ",
    "function f() { ",
    "select i in a; do ",
    "[[ -f x ]] && ",
    "((1)) && ",
    "echo 'x' ; ",
    "echo \"a;b\";",
    "true;",
    "A=$(",
    "export A=$(",
    ": ${x:=$(",
    "echo ${x:-`",
    "cd sub; ",
    "cd sub && ",
    "-",
    "- ",
    "\\\n",
    " \\\n ",
    "coproc ",
    "exec ",
    "command ",
    "builtin ",
    "eval ",
    "eval '",
    "eval \"",
    "trap '",
    "noglob ",
    "nocorrect ",
    "repeat 2 ",
    "alias x='",
    "bash <<E\n",
    "bash <<'E'\n",
    "cat <<E\n$(",
    "sh <<< '",
    "echo x > >(",
    "!",
    "if ! ",
    "{\n",
    "for ((i=0;i<1;i++)); do ",
    "until false; do ",
    "while true; do\n",
    "if false; then x; else ",
    "if false; then x; elif ",
    "true||",
    "true&&",
    "&& ",
    "; ",
    "| ",
    "let ",
    "set -- x; ",
    "A=b\\\n ",
    "\u{feff}A=b ",
    "\u{feff}\u{200b} ",
];

const ARGUMENTS: &[&str] = &[
    " a.txt",
    " a.txt",
    " -rf a.txt",
    " -- a.txt",
    "",
    "\ta.txt",
    "  a.txt",
    "\\\n a.txt",
    " 'a b'",
    " \"$X\"",
    " $X",
    " a*",
    ">no",
    " >no",
    "<a.txt",
    "&",
    ";",
    " #x",
    "#x",
    "\u{a0}a.txt",
    "\u{3000}a.txt",
    "${IFS}a.txt",
    "$IFS-rf",
    "\u{200b} a.txt",
    "\r",
    " a.txt\r",
    "|cat",
    " a.txt|cat",
    "&&true",
    " 2>&1",
    "\u{c}a.txt",
    "\u{feff} a.txt",
    "{,}",
    "\u{b}a.txt",
];

/// Programs that run other programs and that the rules do not know.
const RUNNERS: &str = include_str!("runners.txt");

/// The words between a runner and its program. `@` is the command, `#` is only its program.
const FORMS: &[&str] = &[
    "@",
    "@",
    "-n @",
    "-x @",
    "--x @",
    "--x=y @",
    "-- @",
    "x @",
    "5 @",
    "-n 5 @",
    "-k 1 5 @",
    "A=b @",
    "-u me @",
    "-u me -- @",
    "-c '@'",
    "-c \"@\"",
    "-c'@'",
    "-c\"@\"",
    "-c#",
    "-c #",
    "-c @",
    "-lc '@'",
    "-e '@'",
    "-x -c '@'",
    "-c '@' x",
    "x -c '@'",
    "--command='@'",
    "--command '@'",
    "--command=\"@\"",
    "--command=#",
    "--command=@",
    "--x='@'",
    "'@'",
    "\"@\"",
    "x '@'",
    "-i '@'",
    "-c 'true; @'",
    "-c 'true\n@'",
    "-c 'A=b @'",
    "-c '(@)'",
    "-c 'x && @'",
    "-c \"sh -c '@'\"",
    "sudo @",
    "sudo -u me @",
    "timeout 5 @",
    "-n env A=b @",
    "sh -c '@'",
    "-x sh -c '@'",
    "bash -lc \"@\"",
    "<<< '@'",
    "<<E\n@\nE",
    "-c \"$(@)\"",
    "-c 'eval @'",
    "-S '@'",
    "-S'@'",
    "--split-string='@'",
    "-I{} @",
    "-0 -n1 @",
    "-f x @",
    "/x -c '@'",
    "+x @",
    "-c '\\@'",
    "-c \"\\\"#\\\" x\"",
    "-c $'@'",
    ". -exec @ {} ;",
    ". -exec @ {} \\;",
    "-c 'if x; then @; fi'",
    "-c '{ @; }'",
    "\\\n@",
    "2>&1 @",
    ">/dev/null @",
    "-c 'exec @' &",
    "-l -c '@'",
    "/c @",
    "/C \"@\"",
    "-Command '@'",
    "-d @",
    "host @",
    "me@host '@'",
    "exec @",
    "run @",
    "-m x @",
    "-T x @",
    "-p 1 @",
];

/// The spellings of a runner.
const SPELLED: &[&str] = &[
    "#",
    "#",
    "#",
    "#",
    "#",
    "/usr/bin/#",
    "./#",
    "\\#",
    "'#'",
    "#.exe",
    "C:\\x\\#.exe",
    "\u{feff}#",
    "A=b #",
    "sudo #",
    "true; #",
    "(#",
    "if #",
    "\"#\"",
    "timeout 5 #",
    "env #",
    "x | #",
    "time #",
    "#.EXE",
    "command #",
    "exec #",
    "nohup #",
    "xargs #",
];

/// Generates random commands.
struct RandomCommands(agentwire_testing::Random);

impl RandomCommands {
    /// Returns a command, mostly only the program.
    fn command(&mut self) -> String {
        if self.0.below(3) > 0 {
            return format!("{PROGRAM}{}", self.0.pick(&ARGUMENTS[..5]));
        }
        let folder = self.0.pick(FOLDERS);
        let name = self.0.pick(NAMES);
        format!(
            "{folder}{name}{}{}",
            self.0.pick(EXTENSIONS),
            self.0.pick(ARGUMENTS)
        )
    }
}

/// Returns the text that closes what a prefix opens.
fn closing(before: &str) -> String {
    let ends = [
        ("<<E\n$(", ")\nE"),
        ("<<E\n", "\nE"),
        ("<<'E'\n", "\nE"),
        ("\"$(", ")\""),
        ("=$(", ")}"),
        ("$(", ")"),
        ("((", "))"),
        ("<(", ")"),
        (">(", ")"),
        ("(", ")"),
        ("( ", ")"),
        (":-`", "`}"),
        ("`", "`"),
        ("do ", "; done"),
        ("do\n", "\ndone"),
        ("then ", "; fi"),
        ("else ", "; fi"),
        ("elif ", "; then x; fi"),
        ("if ", "; then x; fi"),
        ("while ", "; do x; done"),
        ("until ", "; do x; done"),
        ("x) ", ";; esac"),
        ("{ ", "; }"),
        ("{\n", "\n}"),
        ("eval '", "'"),
        ("eval \"", "\""),
        ("trap '", "' EXIT"),
        ("x='", "'"),
        ("<<< '", "'"),
    ];
    let end = ends.iter().find(|(opens, _)| before.ends_with(opens));
    end.map_or("", |(_, end)| end).to_owned()
}

/// Returns this number of obfuscated lines.
pub(crate) fn obfuscated(number: usize) -> Vec<String> {
    let mut chance = RandomCommands(agentwire_testing::Random::new(1));
    let mut lines = Vec::new();
    let mut add = |line: String| {
        if lines.len() < number && !lines.contains(&line) {
            lines.push(line);
        }
    };
    // Each piece occurs alone.
    for before in BEFORE {
        add(format!("{before}rm a.txt{}", closing(before)));
    }
    for name in NAMES {
        add(format!("{name} a.txt"));
    }
    for folder in FOLDERS {
        add(format!("{folder}rm a.txt"));
    }
    for extension in EXTENSIONS {
        add(format!("rm{extension} a.txt"));
    }
    for arguments in ARGUMENTS {
        add(format!("rm{arguments}"));
    }
    for _ in 0..3 * number {
        let [first, second] = [chance.0.pick(BEFORE), chance.0.pick(BEFORE)];
        let second = if chance.0.below(2) == 0 { "" } else { second };
        let folder = chance.0.pick(FOLDERS);
        let name = chance.0.pick(NAMES);
        let extension = chance.0.pick(EXTENSIONS);
        let arguments = chance.0.pick(ARGUMENTS);
        add(format!(
            "{first}{second}{folder}{name}{extension}{arguments}{}{}",
            closing(second),
            closing(first)
        ));
    }
    lines
}

/// Returns this number of lines in which another program runs the denied one.
pub(crate) fn wrapped(number: usize) -> Vec<String> {
    let mut chance = RandomCommands(agentwire_testing::Random::new(2));
    let runners: Vec<&str> = RUNNERS.split_whitespace().collect();
    let mut lines = Vec::new();
    // Combine each runner with each form in turn, starting with another form for each
    // runner.
    for round in 0..FORMS.len() {
        for (at, runner) in runners.iter().enumerate() {
            if lines.len() == number {
                return lines;
            }
            let form = FORMS[(round + at * 7) % FORMS.len()];
            let command = chance.command();
            let spelled = chance.0.pick(SPELLED).replace('#', runner);
            let end = if spelled.starts_with('(') {
                ")"
            } else if spelled.starts_with("if ") {
                "; then x; fi"
            } else {
                ""
            };
            let arguments = form.replacen('@', &command, 1);
            let arguments = arguments.replace('#', PROGRAM);
            let line = format!("{spelled} {arguments}{end}");
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}
