//! The profiles file, for the command line.

use std::path::PathBuf;

use pyo3::prelude::*;

use crate::client::Client;
use crate::private_key::Secret;
use crate::raise::OrPyErr as _;
use botdesk_client::credentials::choice;
use botdesk_client::credentials::profiles::{self, ListedProfile, NewKey, NewProfile, Profiles};

/// Return the path of the profiles file.
#[pyfunction]
pub(super) fn _profiles_file() -> PyResult<PathBuf> {
    profiles::path().or_py_err()
}

/// A profile without its secrets: its name, its base URL, where its private key is, and whether it has a secret instead.
type ProfileSummary = (String, Option<String>, Option<String>, bool);

/// List the profiles.
#[pyfunction]
pub(super) fn _profiles() -> PyResult<Vec<ProfileSummary>> {
    let listed = Profiles::read().or_py_err()?.list();
    let summary = |listed: ListedProfile| (listed.name, listed.base_url, listed.private_key, listed.has_secret);
    Ok(listed.into_iter().map(summary).collect())
}

// All strings are read as `Secret`, so that one that is not Unicode, such as a path, raises a `ConfigurationError` without showing it.

/// Check that a profile of this name can be added.
#[pyfunction]
pub(super) fn _check_profile_name(name: Secret) -> PyResult<()> {
    Profiles::check_new(&name.0).or_py_err()
}

/// Add a profile with the path of a private key to the file.
#[pyfunction]
#[pyo3(signature = (name, api_key, private_key, base_url, password))]
pub(super) fn _add_profile(
    name: Secret,
    api_key: Secret,
    private_key: Secret,
    base_url: Secret,
    password: Option<Secret>,
) -> PyResult<()> {
    let password = password.as_ref().map(|password| password.0.as_str());
    let key = NewKey::PrivateKey(&private_key.0, password);
    add(&NewProfile { name: &name.0, api_key: &api_key.0, key, base_url: &base_url.0 })
}

/// Add a profile with the secret of a system-generated key to the file.
#[pyfunction]
pub(super) fn _add_secret_profile(name: Secret, api_key: Secret, secret: Secret, base_url: Secret) -> PyResult<()> {
    // The white space that a client removes.
    let key = NewKey::Secret(secret.0.trim());
    add(&NewProfile { name: &name.0, api_key: &api_key.0, key, base_url: &base_url.0 })
}

fn add(profile: &NewProfile<'_>) -> PyResult<()> {
    Profiles::read_to_add(profile.name).or_py_err()?.add(profile).or_py_err()
}

/// Remove a profile from the file.
#[pyfunction]
pub(super) fn _remove_profile(name: Secret) -> PyResult<()> {
    Profiles::read_to_change().or_py_err()?.remove(&name.0).or_py_err()
}

/// Return the name of the default profile, if the file has one.
#[pyfunction]
pub(super) fn _default_profile() -> PyResult<Option<String>> {
    Ok(Profiles::read().or_py_err()?.default_name().or_py_err()?.map(str::to_owned))
}

/// Set the default profile, or remove it.
#[pyfunction]
#[pyo3(signature = (name))]
pub(super) fn _set_default_profile(name: Option<Secret>) -> PyResult<()> {
    let name = name.as_ref().map(|name| name.0.as_str());
    Profiles::read_to_change().or_py_err()?.set_default(name).or_py_err()
}

/// Return the client of a profile. Without a name, return that of the environment if it has keys, otherwise that of `BOTDESK_PROFILE`
/// or of the default profile.
#[pyfunction]
#[pyo3(signature = (profile))]
pub(super) fn _chosen_client(py: Python<'_>, profile: Option<String>) -> PyResult<Client> {
    if profile.is_none() && choice::is_environment_chosen().or_py_err()? {
        return Client::from_env(py);
    }
    Client::from_profile(py, profile)
}
