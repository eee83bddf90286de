//! Tests of the recall and the false alarms of `Scrub::secrets`.
//!
//! The probes follow two rule sets that were not used to write the formats:
//! secretlint (commit 18346ba) and detect-secrets 1.5.0. They are generated from
//! a fixed seed, so that no file contains a text in the form of a key.

#![allow(clippy::print_stdout, reason = "the tests print their findings")]

use agentwire_testing::Random;
use agentwire_testkit::recording::{Entry, EntryKind, Reader, RecordedLine, Scrub, Spawn};
use serde_json::{Value, json};
use std::path::Path;

/// Tokens that are found by their form. `<A36>` is 36 random characters of
/// alphabet `A`. `<A20-60>` is between 20 and 60 of them.
const TOKENS: &[&str] = &[
    // secretlint
    "ops_eyJ<B120-1280>fQ",
    "sk-ant-api03-<W90-128>AA",
    "AKIA<U16>",
    "ASIA<U16>",
    "cfk_<A40><h8>",
    "cfut_<A40><h8>",
    "cfat_<A40><h8>",
    "dapi<h32>",
    "dckr_pat_<W27>",
    "figd_<W40-200>",
    "ghp_<A36>",
    "gho_<A36>",
    "ghu_<A36>",
    "ghs_<A36>",
    "ghr_<A36>",
    "github_pat_<w82>",
    "ghs_<d6>_<W36>.<W80>.<W43>",
    "glpat-<W20-128>",
    "glc_<B32-400>",
    "glsa_<A32>_<h8>",
    "gsk_<A52>",
    "hvs.<W90-120>",
    "hvb.<W138-300>",
    "hvr.<W90-120>",
    "hf_<L34>",
    "lin_api_<A40>",
    "ntn_<d11><A35>",
    "npm_<A36>",
    "sk-proj-<W74>T3BlbkFJ<W74>",
    "sk-svcacct-<W58>T3BlbkFJ<W58>",
    "sk-admin-<W74>T3BlbkFJ<W58>",
    "sk-<A20>T3BlbkFJ<A20>",
    "SG.<w22>.<w43>",
    "shpat_<A32-64>",
    "shpca_<A32-64>",
    "shppa_<A32-64>",
    "shpss_<A32-64>",
    "xoxb-<d12>-<d12>-<A24>",
    "xoxp-<d12>-<d12>-<d12>-<A32>",
    "xapp-<d1>-<U11>-<d13>-<A40>",
    "xoxa-<d1>-<A12>-<A20>",
    "xoxr-<A12>-<A20>",
    "https://hooks.slack.com/services/T<A9>/B<A9>/<A24>",
    "sk_live_<A24-99>",
    "sk_test_<A24-99>",
    "rk_live_<A24-99>",
    "rk_test_<A24-99>",
    "tskey-auth-<A12>-<A32>",
    "vcp_<A56>",
    // detect-secrets
    "AKC<A70>",
    "ABIA<U16>",
    "MT<A22>.<W6>.<W27>",
    "gldt-<W20-50>",
    "glft-<W20-50>",
    "glsoat-<W20-50>",
    "glrt-<W20-50>",
    "GR1348941<W20-50>",
    "glcbt-<h2>_<W20-50>",
    "glimt-<W25>",
    "glptt-<W40>",
    "glagent-<W50-200>",
    "gloas-<W64>",
    "eyJ<A40>.eyJ<A80>.<W43>",
    "<h32>-us<d2>",
    "pypi-AgEIcHlwaS5vcmc<W70-150>",
    "pypi-AgENdGVzdC5weXBpLm9yZw<W70-150>",
    "xoxs-<d10>-<d10>-<d10>-<h32>",
    "sq0csp-<W43>",
    "<d9>:A<W34>",
    "AC<h32>",
    "SK<h32>",
];

/// Secrets that are found by the text before them. Brackets enclose each
/// secret.
const NAMED: &[&str] = &[
    // secretlint
    "aws_secret_access_key = [<B40>]",
    "AWS_SECRET_ACCESS_KEY=[<B40>]",
    "\"SecretAccessKey\": \"[<B40>]\"",
    "AZURE_CLIENT_SECRET=[<A3>8Q~<W34>]",
    "client_secret: \"[<A3>7Q~<W34>]\"",
    "https://user:[<A16>]@www.example.com/a",
    "ftp://deploy:[<A10>]@files.example.org",
    "mongodb://app:[<A14>]@db.example.com:27017/app",
    "mongodb+srv://app:[<A14>]@cluster0.example.net/app?retryWrites=true",
    "jdbc:mysql://root:[<A12>]@db.example.com/app",
    "mysqlx://root:[<A12>]@db.example.com:33060/app",
    "postgresql://app:[<A12>]@db.example.com/app",
    "postgres://app:[<A12>]@10.0.0.1:5432/app",
    "https://[<h40>]:x-oauth-basic@github.com/owner/repository",
    "//npm.example.org/:_authToken=[<h8>-<h4>-<h4>-<h4>-<h12>]",
    "_authToken=[<A36>]",
    "-----BEGIN RSA PRIVATE KEY-----\n[MII<b61>\n<b64>\n<b64>\n<b40>]==\n-----END RSA PRIVATE KEY-----\n",
    "-----BEGIN EC PRIVATE KEY-----\n[MHc<b61>\n<b64>\n<b32>]==\n-----END EC PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----\n[b3BlbnNzaC1rZXktdjE<b51>\n<b70>\n<b70>]=\n-----END OPENSSH PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\\n[MII<b61>\\n<b64>\\n<b64>]=\\n-----END PRIVATE KEY-----\\n",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n[lQVY<b60>\n<b64>\n<b64>]\n-----END PGP PRIVATE KEY BLOCK-----",
    // detect-secrets
    "-----BEGIN DSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,<h32>\n\n[MII<b61>\n<b64>]\n-----END DSA PRIVATE KEY-----",
    "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n[P2/<b61>\n<b64>]\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
    "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 2\n[<b64>\n<b64>]\n",
    "aws_secret_key: '[<B40>]'",
    "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=[<b86>]==",
    "https://account:[<h64>]@account.cloudant.com",
    "cloudant_password = '[<h64>]'",
    "ibm_cloud_iam_api_key: [<W44>]",
    "\"apikey\": \"[<W44>]\"",
    "\"secret_access_key\": \"[<h48>]\"",
    "softlayer_api_key = \"[<l64>]\"",
    "https://api.softlayer.com/soap/v3/[<l64>]",
    "//registry.example.com/:_authToken=[<h8>-<h4>-<h4>-<h4>-<h12>]",
    "my_password := \"[<A10>9]\"",
    "api_key: [<A20>7]",
    "apikey: \"[<A24>3]\"",
    "auth_key = '[<A16>5]'",
    "service_key = \"[<A16>2]\"",
    "account_key=\"[<A24>1]\"",
    "db_pass = \"[<A20>4x1y2z]\"",
    "database_pass: '[<A20>4x1y2z]'",
    "private_key = \"[<A32>6]\"",
    "client_key => '[<A24>8]'",
    "key_pass = '[<A20>4x1y2z]'",
    "password = @\"[<A12>3]\"",
    "char my_password[25] = \"[<A12>6]\";",
    "std::string secret(\"[<A14>5]\");",
    "if (my_password == \"[<A12>4]\") {",
    "my_password === '[<A12>4]'",
    "\"[<A12>4]\" == my_password",
    "private_key \"[<A24>4]\";",
    "my_password => \"[<A12>7]\"",
    "passwd: [<A12>7]",
    "pwd = \"[<A20>4x1y2z]\"",
    "secret: [<A20>2]",
    "export DB_PASSWORD=[<A12>]",
    "MYSQL_ROOT_PASSWORD=[<l8>]",
];

/// Fills in templates with random text.
struct Filler(Random);

impl Filler {
    /// Fills in a template.
    fn fill(&mut self, template: &str) -> String {
        let mut pieces = template.split('<');
        let mut filled = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (run, rest) = piece.split_once('>').expect("an end");
            let (alphabet, length) = run.split_at(1);
            let number = |text: &str| text.parse::<usize>().expect("a number");
            let length = match length.split_once('-') {
                Some((least, most)) => {
                    number(least) + self.0.below(number(most) - number(least) + 1)
                }
                None => number(length),
            };
            let alphabet = alphabet_of_letter(alphabet).as_bytes();
            filled.extend((0..length).map(|_| char::from(alphabet[self.0.below(alphabet.len())])));
            filled.push_str(rest);
        }
        filled
    }
}

fn alphabet_of_letter(name: &str) -> &'static str {
    const ALL: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-";
    match name {
        "d" => &ALL[..10],
        "h" => &ALL[..16],
        "l" => &ALL[..36],
        "A" => &ALL[..62],
        "w" => &ALL[..63],
        "W" => ALL,
        "L" => &ALL[10..62],
        "U" => "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "B" | "b" => "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/",
        _ => unreachable!("unknown alphabet {name}"),
    }
}

fn scrub() -> Scrub {
    Scrub::nothing().secrets([])
}

/// Returns a sent line without its secrets.
fn scrubbed(line: &Value) -> Value {
    let said = RecordedLine::new(line.to_string().as_bytes(), false);
    let entry = scrub().entry(Entry::new(None, EntryKind::Sent(said)));
    let line: Value = serde_json::from_slice(&entry.to_line()).expect("JSON");
    line["msg"].clone()
}

/// Returns a command line without its secrets.
fn arguments(argv: &[&str]) -> Vec<String> {
    let mut spawn = Spawn::default();
    spawn.argv = argv.iter().map(|it| (*it).to_owned()).collect();
    match scrub()
        .entry(Entry::new(None, EntryKind::Spawn(spawn)))
        .kind
    {
        EntryKind::Spawn(spawn) => spawn.argv,
        other => panic!("{other:?}"),
    }
}

/// Returns a line of a session with this text at one of several positions.
fn line_with(text: &str, place: usize) -> String {
    let nested = json!({"value": text, "number": 1}).to_string();
    match place % 5 {
        0 => {
            scrubbed(&json!({"type": "assistant", "text": format!("I found {text} in the file.")}))
        }
        1 => scrubbed(&json!({"content": [{"type": "tool_result", "content": nested}]})),
        2 => scrubbed(&json!({"content": format!("    1\tlet it = \"{text}\";\n    2\t}}\n")})),
        3 => scrubbed(&json!({"input": {"command": format!("echo {text} | base64")}})),
        _ => arguments(&["cli", "--print", text]).into(),
    }
    .to_string()
}

/// Returns whether a dozen consecutive characters of a secret are in a line.
fn contains_part_of(secret: &str, line: &str) -> bool {
    let runs = secret.split(|c: char| !c.is_ascii_graphic() || c == '\\');
    let pieces = runs.flat_map(|run| {
        let window = run.len().min(12);
        (0..=run.len() - window).map(move |at| &run[at..at + window])
    });
    pieces
        .filter(|it| it.len() >= 6)
        .any(|piece| line.contains(piece))
}

#[test]
fn secrets_of_other_rule_sets_are_removed() {
    let mut random = Filler(Random::new(17));
    let mut remaining = Vec::new();
    let mut probes = 0;
    let mut probe = |template: &str, secret: &str, line: &str| {
        probes += 1;
        if contains_part_of(secret, line) {
            remaining.push(format!("{template}\n    {line}"));
        }
    };
    for (number, template) in TOKENS.iter().enumerate() {
        for place in [number, number + 1] {
            let token = random.fill(template);
            probe(template, &token, &line_with(&token, place));
        }
    }
    for (number, template) in NAMED.iter().enumerate() {
        let text = random.fill(template);
        let (before, rest) = text.split_once('[').expect("a bracket");
        // Take the last one, because some probes contain another probe.
        let (before, rest) = match rest.split_once("= \"[") {
            Some((more, rest)) => (format!("{before}[{more}= \""), rest),
            None => (before.to_owned(), rest),
        };
        let (secret, after) = rest.rsplit_once(']').expect("a bracket");
        probe(
            template,
            secret,
            &line_with(&format!("{before}{secret}{after}"), number),
        );
    }
    let removed = probes - remaining.len();
    println!(
        "removed {removed} of {probes}; remaining:\n{}",
        remaining.join("\n")
    );
    assert_eq!(probes, 200);
    assert!(
        removed >= 190,
        "removed {removed} of {probes}; remaining:\n{}",
        remaining.join("\n")
    );
}

/// The size of the lines that were scrubbed, and the first finding in each
/// line.
#[derive(Default)]
struct Found {
    bytes: usize,
    places: Vec<String>,
}

impl Found {
    fn add_line(&mut self, line: &[u8]) {
        let entry = Entry::new(None, EntryKind::Received(RecordedLine::new(line, false)));
        let before = String::from_utf8(entry.to_line()).expect("UTF-8");
        let after = String::from_utf8(scrub().entry(entry).to_line()).expect("UTF-8");
        self.bytes += line.len();
        let same = before
            .bytes()
            .zip(after.bytes())
            .take_while(|(one, two)| one == two);
        let at = same.count();
        if before != after {
            let start = after.len().min(at.saturating_sub(60));
            let piece = after.as_bytes()[start..].iter().take(100);
            let piece: Vec<u8> = piece.copied().collect();
            self.places
                .push(String::from_utf8_lossy(&piece).into_owned());
        }
    }
}

#[test]
fn ordinary_sessions_have_less_than_one_false_alarm_a_megabyte() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Found::default();
    for file in files(&root.join("testkit/recordings"), "ndjson") {
        for entry in Reader::new(&*std::fs::read(file).expect("a recording")) {
            found.add_line(entry.expect("an entry").to_line().trim_ascii_end());
        }
    }
    // Sources and documents about keys, tokens and passwords, as tools read
    // them. Tests of scrubbing are excluded, because they contain secrets.
    for folder in [
        "src",
        "protocol/src",
        "testkit/src",
        "cli/src",
        "interop/src",
    ] {
        for file in files(&root.join(folder), "rs") {
            let path = file.to_string_lossy();
            if !["mask.rs", "secret", "recording"]
                .iter()
                .any(|it| path.contains(it))
            {
                let text = std::fs::read_to_string(&file).expect("a file");
                let numbered = text
                    .lines()
                    .zip(1..)
                    .map(|(line, at)| format!("{at:>6}\t{line}\n"));
                let content: String = numbered.collect();
                found.add_line(tool_result(&content).as_bytes());
            }
        }
    }
    let mut random = Filler(Random::new(4));
    for _ in 0..1000 {
        found.add_line(tool_result(&ordinary(&mut random)).as_bytes());
    }
    let megabytes = found.bytes / 1_000_000;
    let alarms = found.places.len();
    println!(
        "{alarms} false alarms in {megabytes} MB: {:#?}",
        found.places
    );
    assert!(megabytes >= 5, "{megabytes} MB");
    assert!(
        alarms <= megabytes,
        "{alarms} in {megabytes} MB: {:#?}",
        found.places
    );
}

fn files(folder: &Path, extension: &str) -> Vec<std::path::PathBuf> {
    let entries = folder.read_dir().expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let files = paths.flat_map(|path| match path.is_dir() {
        true => files(&path, extension),
        false => vec![path],
    });
    files
        .filter(|it| it.extension().is_some_and(|it| it == extension))
        .collect()
}

fn tool_result(content: &str) -> String {
    let block = json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": content});
    json!({"type": "user", "message": {"role": "user", "content": [block]}}).to_string()
}

/// Returns output of ordinary tools that looks random.
fn ordinary(random: &mut Filler) -> String {
    let lines = [
        "commit <h40>\nAuthor: A \n\n    Keep the token count\n",
        "<h7> Merge branch 'key-rotation' into main\n",
        "{\"session_id\":\"<h8>-<h4>-4<h3>-a<h3>-<h12>\",\"uuid\":\"<h8>-<h4>-4<h3>-b<h3>-<h12>\"}\n",
        "{\"id\":\"toolu_01<A22>\",\"request_id\":\"req_011<A21>\",\"message\":\"msg_01<A22>\"}\n",
        "{\"signature\":\"Eq<B200-400>==\",\"input_tokens\":<d4>,\"cache_read_input_tokens\":<d5>}\n",
        "data:image/png;base64,iVBORw0KGgo<B4000-8000>=\n",
        "checksum = \"<h64>\"\n",
        "      \"integrity\": \"sha512-<B86>==\",\n",
        "    resolved \"https://registry.example.com/a/-/a-1.<d2>.0.tgz#<h40>\"\n",
        "-rw-r--r-- 1 user user <d6> Nov 23 10:<d2> index-<A8>.js\n",
        "sha256:<h64>  registry.example.com/image:v1.<d2>\n",
        "https://example.com/watch?v=<A11>&list=<A34>&t=<d3>s\n",
        "  key: ${{ runner.os }}-cargo-${{ hashFiles('**/Cargo.lock') }}\n",
        "DATABASE_URL=postgres://localhost:5432/app_<d2>\nSECRET_KEY=$SECRET_KEY\nAPI_TOKEN=your-token-here\n",
        "let token = tokens.next_token_at(<d3>); let key = keys[<d2>].clone();\n",
        "const password = await prompt('Password:'); // at least <d2> characters\n",
        "public_key: ed25519.Ed25519PublicKey, session_token: Token,\n",
        "error[E0<d3>]: no method `secret_v<d2>` on type `Key<d2>` in this scope\n",
        "__chunk_<h8>.map <W21> etag: W/\"<h4>-<A27>\"\n",
        "0x<h16>: call <l12>_<l6>+0x<h3>\n",
    ];
    let template: String = (0..20)
        .map(|_| lines[random.0.below(lines.len())])
        .collect();
    random.fill(&template)
}
