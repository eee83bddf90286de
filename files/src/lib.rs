//! The files of an agent CLI: names of projects and sessions, transcripts as entries, and
//! files that only this user can read.
//!
//! The agent stores sessions in its configuration directory ([`Configuration`]). Each project
//! has a folder there, and each session a transcript in it and a folder beside it
//! ([`TranscriptKey`]). [`transcripts`] reads them, and [`write_transcripts`] writes them.
//! Changes follow no links below the folder of all projects ([`private_file`]).

mod configuration;
mod key;
pub mod private_file;
mod private_folder;
mod transcripts;

pub use configuration::Configuration;
pub use key::{
    InvalidKey, KeyPart, LONGEST_NAME, TranscriptKey, dashed, given_name, is_session_id, project,
    project_name,
};
pub use private_folder::{PrivateFolder, WriteError};
pub use transcripts::{
    EntryHead, Transcript, entry_of_line, merge_transcripts, transcripts, write_transcript,
    write_transcripts,
};
