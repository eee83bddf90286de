//! Rejects requests of web pages. A page in a local browser can reach this
//! port, even under its own DNS name if that resolves to 127.0.0.1.

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Uri};
use std::net::IpAddr;

/// Returns why a request is rejected: its `Host` does not name this machine, or
/// its `Origin` is a web page elsewhere.
pub(super) fn refusal(headers: &HeaderMap) -> Option<String> {
    let header = |name| {
        headers
            .get(name)
            .map(|value| value.to_str().unwrap_or_default())
    };
    let is_elsewhere = |authority: &str| !is_here(authority);
    if let Some(host) = header(HOST).filter(|host| is_elsewhere(host)) {
        return Some(format!(
            "`host` is {host}: the scripted model only accepts 127.0.0.1"
        ));
    }
    let of_page = |origin: &&str| {
        let uri: Option<Uri> = origin.parse().ok();
        uri.is_none_or(|uri| uri.authority().is_none_or(|it| is_elsewhere(it.as_str())))
    };
    let origin = header(ORIGIN).filter(of_page)?;
    Some(format!(
        "`origin` is {origin}: the scripted model accepts no web pages"
    ))
}

/// Returns whether a host, with or without a port, names this machine.
fn is_here(authority: &str) -> bool {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || address
            .parse()
            .is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::refusal;
    use axum::http::HeaderMap;

    fn is_refused(headers: &[(&'static str, &str)]) -> bool {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        refusal(&headers.collect::<HeaderMap>()).is_some()
    }

    #[test]
    fn only_requests_of_this_machine_are_accepted() {
        for host in [
            "127.0.0.1:80",
            "localhost:8080",
            "LocalHost",
            "127.1.2.3:1",
            "[::1]:9",
            "[::1]",
        ] {
            assert!(!is_refused(&[("host", host)]), "{host}");
            let origin = format!("http://{host}");
            assert!(
                !is_refused(&[("host", host), ("origin", &origin)]),
                "{host}"
            );
        }
        for host in [
            "evil.example:80",
            "127.0.0.1.evil.example",
            "localhost.evil.example:80",
            "10.0.0.1",
            "evil@127.0.0.1",
            "",
        ] {
            assert!(is_refused(&[("host", host)]), "{host}");
        }
        for origin in [
            "http://evil.example",
            "https://127.0.0.1.evil.example:1",
            "null",
            "",
            "file://",
        ] {
            assert!(
                is_refused(&[("host", "127.0.0.1:80"), ("origin", origin)]),
                "{origin}"
            );
        }
        assert!(!is_refused(&[]));
    }
}
