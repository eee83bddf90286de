//! Rules about web requests: `domain:example.com`.

/// The hosts that a rule matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DomainPattern {
    /// Every host.
    All,
    /// This host.
    Host(String),
    /// Subdomains of this host.
    Below(String),
}

impl DomainPattern {
    pub(super) fn new(content: &str) -> Result<Self, &'static str> {
        let Some(domain) = content.strip_prefix("domain:") else {
            return Err("write `domain:example.com`");
        };
        let domain = domain.to_ascii_lowercase();
        if domain == "*" {
            return Ok(Self::All);
        }
        let (host, is_below) = match domain.strip_prefix("*.") {
            Some(host) => (host, true),
            None => (&*domain, false),
        };
        let is_host = is_plain(host) || (host.starts_with('[') && host.ends_with(']'));
        if !is_host {
            return Err("a domain is a host name, or `*.` and a host name, without path and port");
        }
        let host = host.to_owned();
        Ok(if is_below {
            Self::Below(host)
        } else {
            Self::Host(host)
        })
    }

    /// Returns whether the pattern certainly matches this address.
    pub(super) fn covers(&self, url: &str) -> bool {
        let scheme = ["https://", "http://"];
        let rest = scheme.iter().find_map(|scheme| url.strip_prefix(scheme));
        let Some(rest) = rest else {
            return false;
        };
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        // Anything unusual requires a human, including a trailing dot and user names.
        let host = match host.split_once(':') {
            Some((host, port)) if port.bytes().all(|c| c.is_ascii_digit()) => host,
            Some(_) => return false,
            None => host,
        };
        let host = host.to_ascii_lowercase();
        is_plain(&host) && self.is_about(&host)
    }

    /// Returns whether the pattern may match this address.
    pub(super) fn matches_path(&self, url: &str) -> bool {
        match host(url) {
            Some(host) => self.is_about(&host),
            None => true,
        }
    }

    fn is_about(&self, host: &str) -> bool {
        match self {
            Self::All => true,
            Self::Host(wanted) => host == wanted,
            Self::Below(wanted) => host
                .strip_suffix(&**wanted)
                .is_some_and(|front| front.len() > 1 && front.ends_with('.')),
        }
    }
}

/// Returns whether the text is a host name and nothing else.
fn is_plain(host: &str) -> bool {
    !host.is_empty()
        && host.split('.').all(|label| !label.is_empty())
        && host
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.'))
}

/// Returns the host of an address, as a browser parses it; `None` if the address needs more
/// parsing than this function implements.
fn host(url: &str) -> Option<String> {
    let url: String = url
        .trim_matches(|c: char| c <= ' ')
        .chars()
        .filter(|c| !matches!(c, '\t' | '\r' | '\n'))
        .collect();
    let (scheme, rest) = url.split_once(':')?;
    let is_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    if scheme.is_empty() || !scheme.chars().all(is_scheme) {
        return None;
    }
    let rest = rest.trim_start_matches(['/', '\\']);
    let host = rest.split(['/', '\\', '?', '#']).next()?;
    let host = host.rsplit('@').next()?;
    let host = match host.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|c| c.is_ascii_digit()) => host,
        _ => host,
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    // A numeric address can be written in many ways.
    let is_number = host
        .split('.')
        .next_back()?
        .starts_with(|c: char| c.is_ascii_digit());
    let is_address = host.parse::<std::net::Ipv4Addr>().is_ok();
    (is_plain(&host) && (!is_number || is_address)).then_some(host)
}
