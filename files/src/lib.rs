//! The files of an agent CLI: names of projects and sessions, transcripts, and private files.
//!
//! The agent stores sessions in its configuration directory ([`Configuration`]). Each project has a
//! folder there; each session has a transcript in it and a folder next to the transcript
//! ([`TranscriptKey`]). [`transcripts`] reads and [`write_transcripts`] writes them. Changes follow
//! no links below the folder `projects` ([`private_file`]).

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
