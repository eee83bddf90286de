//! Files as attachments to a prompt.

use crate::event::AttachError;
use crate::process::blocking_result;
use agentwire_protocol::content::ContentBlock;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The Messages API limits requests to 32 MB, and base64 encodes three bytes as
/// four.
const DEFAULT_LIMIT: u64 = 24 * 1024 * 1024;

/// Reads a file and returns it as a content block: an image, or a document with
/// the file's name as its title. [`ContentBlock::attachment`] selects the type
/// of the block. The limit is 24 MiB; [`attach_up_to`] sets another one.
///
/// The agent scales down images that are too large for the model, and adds a text that tells
/// the model where a copy is. It replaces an unreadable image with an explanation, which only
/// the model sees.
///
/// ```no_run
/// # async fn example() -> Result<(), agentwire::Error> {
/// use agentwire::{Client, Options, UserMessage, attach};
///
/// let client = Client::connect(Options::new()).await?;
/// let prompt = UserMessage::text("Does the chart show what the report says?")
///     .with(attach("chart.png").await?)
///     .with(attach("report.pdf").await?);
/// client.send(prompt).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`AttachError`] if the file cannot be read, is too large, or has a type that
/// the Messages API does not accept. The error names the path.
///
/// # Cancel safety
///
/// If the future is dropped, the content is discarded.
///
/// # Panics
///
/// Outside a tokio runtime: the file is read on a blocking thread of the
/// runtime.
pub async fn attach(path: impl Into<PathBuf>) -> Result<ContentBlock, AttachError> {
    attach_up_to(DEFAULT_LIMIT, path).await
}

/// Reads a file as [`attach`] does, with a limit in bytes. A file above the
/// limit is not read to its end.
///
/// # Errors
///
/// As [`attach`].
///
/// # Cancel safety
///
/// As [`attach`].
///
/// # Panics
///
/// As [`attach`].
pub async fn attach_up_to(
    limit: u64,
    path: impl Into<PathBuf>,
) -> Result<ContentBlock, AttachError> {
    let path = path.into();
    let read = path.clone();
    blocking_result(move || read_and_attach(&read, limit))
        .await
        .unwrap_or_else(|gone| Err(unread(&path, gone)))
}

fn read_and_attach(path: &Path, limit: u64) -> Result<ContentBlock, AttachError> {
    let bytes = read(path, limit)
        .map_err(|source| unread(path, source))?
        .ok_or_else(|| AttachError::TooLarge {
            path: path.to_owned(),
            limit,
        })?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    ContentBlock::attachment(name.to_string_lossy(), bytes).map_err(|mut error| {
        error.name = path.display().to_string();
        AttachError::Kind {
            path: path.to_owned(),
            error,
        }
    })
}

/// Returns the file's bytes; `None` if there are more than `limit`.
fn read(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    // Checked before opening, because opening a named pipe blocks.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ));
    }
    let mut bytes = Vec::new();
    // The length in the metadata may be wrong: it is 0 for files in /proc, and files may grow.
    File::open(path)?
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

fn unread(path: &Path, error: io::Error) -> AttachError {
    AttachError::Read {
        path: path.to_owned(),
        error: Arc::new(error),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use agentwire_protocol::content::Source;

    #[tokio::test]
    async fn attachments_have_the_name_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.md");
        fs::write(&path, "Crabs.").unwrap();
        let ContentBlock::Document(document) = attach(&path).await.unwrap() else {
            panic!("no document")
        };
        assert_eq!(document.title.as_deref(), Some("notes.md"));
        assert_eq!(document.source, Source::text("Crabs."));
    }

    #[tokio::test]
    async fn errors_for_too_large_files_name_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.md");
        fs::write(&path, "Crabs.").unwrap();
        assert!(attach_up_to(6, &path).await.is_ok());
        let refused = attach_up_to(5, &path).await.unwrap_err();
        assert!(
            matches!(&refused, AttachError::TooLarge { path: named, limit: 5 } if *named == path)
        );
        assert_eq!(
            refused.to_string(),
            format!(
                "{} cannot be attached: it is larger than 5 bytes",
                path.display()
            )
        );
    }

    #[tokio::test]
    async fn attach_errors_name_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let zip = folder.path().join("a.zip");
        fs::write(&zip, b"PK\x03\x04\xff").unwrap();
        let refused = attach(&zip).await.unwrap_err();
        assert!(matches!(&refused, AttachError::Kind { path, .. } if *path == zip));
        let named = format!("`{}` cannot be attached: ", zip.display());
        assert!(refused.to_string().starts_with(&named), "{refused}");

        for path in [folder.path().join("missing"), folder.path().to_owned()] {
            let refused = attach(&path).await.unwrap_err();
            let named = format!("{} cannot be read: ", path.display());
            assert!(refused.to_string().starts_with(&named), "{refused}");
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn files_without_a_length_are_read_and_devices_are_not() {
        let ContentBlock::Document(document) = attach("/proc/self/status").await.unwrap() else {
            panic!("no document")
        };
        assert!(matches!(document.source, Source::Text(text) if text.data.starts_with("Name:")));
        assert!(attach("/dev/zero").await.is_err());
    }
}
