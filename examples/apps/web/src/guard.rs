//! Keeps other web sites out: a page of another origin can send requests to
//! 127.0.0.1, and after DNS rebinding even read the responses.

use axum::extract::{Request, State};
use axum::http::header::{
    CONTENT_SECURITY_POLICY, HOST, HeaderName, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Scripts and styles come from this server only, so that markup which reached
/// the page by mistake could do nothing.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// Refuses requests whose `Host` is not this server, and those that another
/// origin sent. Browsers send `Origin` with every request that changes something.
pub async fn guard(State(port): State<u16>, request: Request, next: Next) -> Response {
    if !is_from_here(request.headers(), port) {
        return (StatusCode::FORBIDDEN, "another host or origin\n").into_response();
    }
    let mut response = next.run(request).await;
    let headers: [(HeaderName, &'static str); 3] = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in headers {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

fn is_from_here(headers: &HeaderMap, port: u16) -> bool {
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let is_ours = |host: &[u8]| hosts.iter().any(|ours| ours.as_bytes() == host);
    let is_host = headers
        .get(HOST)
        .is_some_and(|host| is_ours(host.as_bytes()));
    let is_origin = headers.get(ORIGIN).is_none_or(|origin| {
        let host = origin.as_bytes().strip_prefix(b"http://");
        host.is_some_and(is_ours)
    });
    is_host && is_origin
}
