//! Rules about what is fetched from the web: `domain:example.com`.

/// Where a rule allows or denies to fetch from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DomainPattern {
    /// Everywhere.
    All,
    /// This host.
    Host(String),
    /// Hosts below this one.
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

    /// Whether it certainly is about this address.
    pub(super) fn covers(&self, url: &str) -> bool {
        let scheme = ["https://", "http://"];
        let rest = scheme.iter().find_map(|scheme| url.strip_prefix(scheme));
        let Some(rest) = rest else {
            return false;
        };
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        // Everything odd is left to a person, the end of a name with a dot and
        // names of users among it.
        let host = match host.split_once(':') {
            Some((host, port)) if port.bytes().all(|c| c.is_ascii_digit()) => host,
            Some(_) => return false,
            None => host,
        };
        let host = host.to_ascii_lowercase();
        is_plain(&host) && self.is_about(&host)
    }

    /// Whether it may be about this address.
    pub(super) fn touches(&self, url: &str) -> bool {
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

/// Whether it is a name of a host and cannot be anything else.
fn is_plain(host: &str) -> bool {
    !host.is_empty()
        && host.split('.').all(|label| !label.is_empty())
        && host
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.'))
}

/// The host of an address, as a browser reads it. `None` when that would take
/// more than is done here.
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
    // Numbers have many spellings.
    let is_number = host
        .split('.')
        .next_back()?
        .starts_with(|c: char| c.is_ascii_digit());
    let is_address = host.parse::<std::net::Ipv4Addr>().is_ok();
    (is_plain(&host) && (!is_number || is_address)).then_some(host)
}
