//! The names of secret fields.

use super::view::decoded;

/// The names of the fields, parameters and headers whose values are secrets.
#[derive(Clone, Copy, Debug)]
pub struct SecretNames(&'static [&'static str]);

impl SecretNames {
    /// Returns the set of these names.
    pub const fn new(names: &'static [&'static str]) -> Self {
        Self(names)
    }

    /// Returns the names.
    pub fn iter(self) -> impl Iterator<Item = &'static str> + Clone {
        self.0.iter().copied()
    }

    /// Returns true if a field with exactly this name is secret.
    pub const fn contains(self, name: &str) -> bool {
        let mut names = self.0;
        while let [first, rest @ ..] = names {
            if is_same(first.as_bytes(), name.as_bytes()) {
                return true;
            }
            names = rest;
        }
        false
    }

    /// Returns the matching name, ignoring case and escapes.
    pub fn find(self, name: &str) -> Option<&'static str> {
        find_name(name, &self.iter())
    }
}

/// Returns the one of some names that matches, ignoring case and escapes.
pub fn find_name(name: &str, names: &(impl Iterator<Item = &'static str> + Clone)) -> Option<&'static str> {
    find_decoded(name, |name| names.clone().find(|known| known.eq_ignore_ascii_case(name)))
}

/// Looks a name up as it is, and with its escapes resolved.
fn find_decoded<T>(name: &str, find: impl Fn(&str) -> Option<T>) -> Option<T> {
    if !name.contains(['\\', '%', '&']) {
        return find(name);
    }
    decoded(name).iter().find_map(|name| find(std::str::from_utf8(name).ok()?))
}

/// Compares bytes in a constant, where `==` is not available.
const fn is_same(mut left: &[u8], mut right: &[u8]) -> bool {
    while let ([first, left_rest @ ..], [other, right_rest @ ..]) = (left, right) {
        if *first != *other {
            return false;
        }
        (left, right) = (left_rest, right_rest);
    }
    left.is_empty() && right.is_empty()
}
