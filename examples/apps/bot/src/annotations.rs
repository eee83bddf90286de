//! Findings as annotations of GitHub: workflow commands on standard output.

use crate::review::{Finding, Severity};

/// Returns the workflow command for a finding, which is one line. The text is escaped, so
/// that no finding can end its line and begin another command.
pub fn annotation(finding: &Finding) -> String {
    let command = match finding.severity {
        Severity::Info => "notice",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let Finding {
        file,
        line,
        title,
        message,
        ..
    } = finding;
    let (file, title, message) = (property(file), property(title), data(message));
    format!("::{command} file={file},line={line},title={title}::{message}")
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_cannot_begin_another_command() {
        let finding = Finding {
            severity: Severity::Error,
            file: "a,b.rs".to_owned(),
            line: 7,
            title: "100%: bad".to_owned(),
            message: "one\n::set-output name=x::y".to_owned(),
        };
        assert_eq!(
            annotation(&finding),
            "::error file=a%2Cb.rs,line=7,title=100%25%3A bad::one%0A::set-output name=x::y"
        );
    }
}
