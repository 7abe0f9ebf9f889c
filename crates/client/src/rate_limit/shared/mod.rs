//! The count of requests that all processes of a user share: files in the user's state folder.

mod ban;
pub(crate) mod budget;
mod codec;
mod folder;
mod state;

pub use folder::STATE_FOLDER_VARIABLE;
