//! The profiles file, for the command line.

use std::path::PathBuf;

use pyo3::prelude::*;

use crate::client::Client;
use crate::private_key::Secret;
use crate::raise::OrPyErr as _;
use botdesk_client::credentials::choice;
use botdesk_client::credentials::profiles::{self, ListedProfile, NewProfile, Profiles};

/// Return the path of the profiles file.
#[pyfunction]
pub(super) fn _profiles_file() -> PyResult<PathBuf> {
    profiles::path().or_py_err()
}

/// A profile without its secrets: its name, its base URL and where its private key is.
type ProfileSummary = (String, Option<String>, Option<String>);

/// List the profiles.
#[pyfunction]
pub(super) fn _profiles() -> PyResult<Vec<ProfileSummary>> {
    let listed = Profiles::read().or_py_err()?.list();
    Ok(listed.into_iter().map(|ListedProfile { name, base_url, private_key }| (name, base_url, private_key)).collect())
}

// All strings are read as `Secret`, so that one that is not Unicode, such as a path, raises a `ConfigurationError` without showing it.

/// Check that a profile of this name can be added.
#[pyfunction]
pub(super) fn _check_profile_name(name: Secret) -> PyResult<()> {
    Profiles::check_new(&name.0).or_py_err()
}

/// Add a profile to the file.
#[pyfunction]
pub(super) fn _add_profile(
    name: Secret,
    api_key: Secret,
    private_key: Secret,
    base_url: Secret,
    password: Option<Secret>,
) -> PyResult<()> {
    let password = password.as_ref().map(|password| password.0.as_str());
    let (api_key, private_key, base_url) = (&api_key.0, &private_key.0, &base_url.0);
    let profile = NewProfile { name: &name.0, api_key, private_key, base_url, password };
    Profiles::read_to_add(&name.0).or_py_err()?.add(&profile).or_py_err()
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
