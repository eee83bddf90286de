//! The loader of a binary, or the interpreter of a script.

use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The longest `#!` line or path, in bytes.
const LIMIT: usize = 4096;

/// The segment of a binary with the path of its loader.
const PT_INTERP: u64 = 3;

/// Explains an error for a missing file if the file exists, but its loader or interpreter does
/// not. Returns other errors unchanged.
pub(crate) fn explain(program: &Path, error: io::Error) -> io::Error {
    if error.kind() != io::ErrorKind::NotFound {
        return error;
    }
    let Some((kind, path)) = File::open(program).ok().and_then(|it| interpreter(&it)) else {
        return error;
    };
    if path.exists() {
        return error;
    }
    let hint = match kind {
        Kind::Loader => "the binary was built for another C library or system",
        Kind::Interpreter => "the first line of the script names it",
    };
    let path = path.display();
    let text = format!("the file exists, but its {kind} {path} does not: {hint}");
    io::Error::new(io::ErrorKind::NotFound, text)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Loader,
    Interpreter,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Loader => "loader",
            Self::Interpreter => "interpreter",
        })
    }
}

fn interpreter(file: &File) -> Option<(Kind, PathBuf)> {
    let start = read(file, 0, LIMIT)?;
    if let Some(line) = start.strip_prefix(b"#!") {
        let line = line.split(|it| *it == b'\n').next()?.trim_ascii_start();
        let path = line.split(|it| matches!(it, b' ' | b'\t')).next()?;
        return Some((Kind::Interpreter, to_path(path)));
    }
    let (offset, length) = loader_segment(file, &start)?;
    let path = read(file, offset, usize::try_from(length).ok()?.min(LIMIT))?;
    let path = path.split(|it| *it == 0).next()?;
    Some((Kind::Loader, to_path(path)))
}

/// Returns the offset and length of the loader's path in an ELF file.
fn loader_segment(file: &File, head: &[u8]) -> Option<(u64, u64)> {
    let is_64 = match head.strip_prefix(b"\x7fELF")?.first()? {
        1 => false,
        2 => true,
        _ => return None,
    };
    let is_little = *head.get(5)? == 1;
    let number = |bytes: &[u8], at: usize, size: usize| {
        let bytes = bytes.get(at..at + size)?.iter();
        let add = |sum: u64, byte: &u8| (sum << 8) | u64::from(*byte);
        Some(match is_little {
            true => bytes.rev().fold(0, add),
            false => bytes.fold(0, add),
        })
    };
    let (table, size, count) = match is_64 {
        true => (number(head, 32, 8)?, 54, 56),
        false => (number(head, 28, 4)?, 42, 44),
    };
    let (size, count) = (number(head, size, 2)?, number(head, count, 2)?);
    let segments = read(file, table, usize::try_from(size * count).ok()?)?;
    let mut segments = segments.chunks_exact(usize::try_from(size.max(1)).ok()?);
    let segment = segments.find(|it| number(it, 0, 4) == Some(PT_INTERP))?;
    match is_64 {
        true => Some((number(segment, 8, 8)?, number(segment, 32, 8)?)),
        false => Some((number(segment, 4, 4)?, number(segment, 16, 4)?)),
    }
}

/// Reads up to `length` bytes.
fn read(file: &File, offset: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    let mut filled = 0;
    while filled < length {
        match file.read_at(&mut bytes[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(_) => return None,
        }
    }
    bytes.truncate(filled);
    Some(bytes)
}

fn to_path(bytes: &[u8]) -> PathBuf {
    std::ffi::OsString::from_vec(bytes.to_vec()).into()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_of_a_32_bit_big_endian_binary_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cli");
        let mut elf = b"\x7fELF\x01\x02\x01".to_vec();
        elf.resize(52 + 2 * 32, 0);
        elf[28..32].copy_from_slice(&52_u32.to_be_bytes());
        elf[42..44].copy_from_slice(&32_u16.to_be_bytes());
        elf[44..46].copy_from_slice(&2_u16.to_be_bytes());
        let (segment, loader) = (52 + 32, b"/lib/ld.so.9\0");
        elf[segment..segment + 4].copy_from_slice(&3_u32.to_be_bytes());
        elf[segment + 4..segment + 8].copy_from_slice(&116_u32.to_be_bytes());
        elf[segment + 16..segment + 20].copy_from_slice(&13_u32.to_be_bytes());
        elf.extend(loader);
        std::fs::write(&path, elf).unwrap();
        let found = interpreter(&File::open(&path).unwrap());
        assert_eq!(found, Some((Kind::Loader, "/lib/ld.so.9".into())));
    }
}
