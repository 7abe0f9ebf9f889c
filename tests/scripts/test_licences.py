"""The licences of the crates in the compiled module."""

from __future__ import annotations

import licences


def test_each_crate_in_the_module_comes_with_its_licence() -> None:
    crates = licences.crates()
    names = {crate["name"] for crate in crates}
    assert {"pyo3", "tokio", "serde_json", "aws-lc-sys"} <= names
    # Only tests use it, and the project's own have the licence of the package.
    assert names.isdisjoint({"proptest", "botdesk", "botdesk-client"})
    assert [crate["name"] for crate in crates if not licences.texts(crate)] == []


def test_a_text_that_several_crates_share_is_printed_once() -> None:
    text = licences.licences(licences.crates())
    assert text.count("TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION") < len(licences.crates()) / 2
    assert "\nserde_json 1." in text
