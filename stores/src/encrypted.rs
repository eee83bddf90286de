//! A layer that encrypts.

use crate::Layer;
use agentwire::StoreError;
use agentwire::session_log::SessionKey;
use agentwire_protocol::Json;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use chacha20poly1305::aead::{Aead, Generate, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use std::fmt;

/// Encrypts entries and summaries with XChaCha20-Poly1305, each with a random nonce. What was
/// encrypted for one session is an error in another.
///
/// ```
/// use agentwire_stores::{Encrypted, Layered, LogBacked, Memory};
///
/// # let (new_key, old_key) = ([1; 32], [2; 32]);
/// let layer = Encrypted::new(new_key).also_reads(old_key);
/// let store = LogBacked::new(Layered::new(Memory::new(), layer));
/// ```
///
/// Keys of sessions, names of sub-agents, sizes and times can be read without the key.
/// A program that can write the store can leave entries out, or repeat them. A store that has
/// entries which are not encrypted cannot be read with this layer.
#[derive(Clone)]
pub struct Encrypted {
    cipher: XChaCha20Poly1305,
    older: Vec<XChaCha20Poly1305>,
}

impl fmt::Debug for Encrypted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Encrypted")
    }
}

/// The member with what is encrypted.
const SEALED: &str = "sealed";

const NONCE: usize = 24;

impl Encrypted {
    /// Creates a layer that encrypts with this key, which has to be random.
    #[must_use]
    pub fn new(key: [u8; 32]) -> Self {
        Self {
            cipher: cipher(key),
            older: Vec::new(),
        }
    }

    /// Also decrypts what was encrypted with an older key.
    #[must_use]
    pub fn also_reads(mut self, key: [u8; 32]) -> Self {
        self.older.push(cipher(key));
        self
    }
}

fn cipher(key: [u8; 32]) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(&Key::from(key))
}

/// What is not encrypted, and has to be the same: whose entry it is.
fn of(session: &SessionKey) -> Vec<u8> {
    let project = session.project.as_bytes();
    let length = u64::try_from(project.len()).unwrap_or(u64::MAX);
    [
        &length.to_be_bytes(),
        project,
        session.session_id.as_bytes(),
    ]
    .concat()
}

impl Layer for Encrypted {
    fn seal(&self, session: &SessionKey, json: &Json) -> Result<Json, StoreError> {
        let nonce = XNonce::try_generate()?;
        let payload = Payload {
            msg: json.get().as_bytes(),
            aad: &of(session),
        };
        let sealed = self.cipher.encrypt(&nonce, payload)?;
        let text = BASE64_STANDARD.encode([&nonce[..], &sealed].concat());
        Ok(Json::of_text(format!(r#"{{"{SEALED}":"{text}"}}"#)))
    }

    fn open(&self, session: &SessionKey, json: Json) -> Result<Json, StoreError> {
        let member = json.member(SEALED).ok_or("an entry is not encrypted")?;
        let bytes = BASE64_STANDARD.decode(member.read::<String>()?)?;
        let (nonce, sealed) = bytes
            .split_at_checked(NONCE)
            .ok_or("an entry is too short")?;
        let nonce = XNonce::try_from(nonce)?;
        let aad = &of(session);
        for cipher in [&self.cipher].into_iter().chain(&self.older) {
            let payload = Payload { msg: sealed, aad };
            if let Ok(text) = cipher.decrypt(&nonce, payload) {
                return Ok(serde_json::from_slice(&text)?);
            }
        }
        Err("an entry cannot be decrypted: it has another key, or was changed".into())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn session(id: &str) -> SessionKey {
        SessionKey::new("crabs", id)
    }

    #[test]
    fn what_is_sealed_is_another_text_each_time_and_opens_to_the_same() {
        let layer = Encrypted::new([1; 32]);
        let json: Json = r#"{"b": 1.00, "a":"\ud83d"}"#.parse().unwrap();
        let one = layer.seal(&session("one"), &json).unwrap();
        assert_ne!(one, layer.seal(&session("one"), &json).unwrap());
        assert!(!one.get().contains("1.00"));
        assert_eq!(layer.open(&session("one"), one).unwrap().get(), json.get());
    }

    #[test]
    fn what_is_of_another_session_key_or_text_does_not_open() {
        let layer = Encrypted::new([1; 32]);
        let json: Json = r#"{"type":"user"}"#.parse().unwrap();
        let sealed = layer.seal(&session("one"), &json).unwrap();
        let fails = |layer: &Encrypted, id: &str, json: Json| {
            let error = layer.open(&session(id), json).unwrap_err();
            error.to_string()
        };
        let why = "an entry cannot be decrypted: it has another key, or was changed";
        assert_eq!(fails(&layer, "two", sealed.clone()), why);
        let newer = Encrypted::new([2; 32]);
        assert_eq!(fails(&newer, "one", sealed.clone()), why);
        let both = newer.also_reads([1; 32]);
        assert_eq!(both.open(&session("one"), sealed.clone()).unwrap(), json);
        let text = sealed.get();
        let changed = match text.ends_with("A\"}") {
            true => text.replace("A\"}", "B\"}"),
            false => format!("{}A{}", &text[..30], &text[31..]),
        };
        let unlike = |it: &str| it != text;
        if unlike(&changed) {
            assert_eq!(fails(&layer, "one", Json::of_text(changed)), why);
        }
        for (odd, why) in [
            (r#"{"type":"user"}"#, "an entry is not encrypted"),
            (r#"{"sealed":"AAAA"}"#, "an entry is too short"),
        ] {
            assert_eq!(fails(&layer, "one", odd.parse().unwrap()), why);
        }
    }
}
