//! A bucket of moto's S3, which `stores/tests/servers/moto` serves.

use agentwire_stores::objects::object_store::aws::{AmazonS3, AmazonS3Builder};

pub(crate) fn bucket(address: &str) -> AmazonS3 {
    // The client needs TLS even without `https`.
    let _ = rustls::crypto::ring::default_provider().install_default();
    AmazonS3Builder::new()
        .with_endpoint(address)
        .with_allow_http(true)
        .with_bucket_name("agentwire")
        .with_region("us-east-1")
        .with_access_key_id("key")
        .with_secret_access_key("secret")
        .build()
        .unwrap()
}
