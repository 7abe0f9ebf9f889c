"""The forms that a private key may come in."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Fingerprint


@pytest.mark.parametrize("name", ["rsa_2048.pem", "pkcs1.pem"])
@pytest.mark.shows("fact forms of keys")
def test_a_key_is_read_in_either_form_of_pem(keys: Path, fingerprint: Fingerprint, expected: str, name: str) -> None:
    assert fingerprint((keys / name).read_text()) == expected


@pytest.mark.parametrize(
    ("name", "label", "other_label"),
    [("rsa_2048.pem", "PRIVATE KEY", "RSA PRIVATE KEY"), ("pkcs1.pem", "RSA PRIVATE KEY", "PRIVATE KEY")],
)
def test_a_key_is_read_in_a_block_with_the_label_of_the_other_form(
    keys: Path, fingerprint: Fingerprint, expected: str, tmp_path: Path, *, name: str, label: str, other_label: str
) -> None:
    pem = (keys / name).read_text()
    relabelled = pem.replace(f"BEGIN {label}", f"BEGIN {other_label}").replace(f"END {label}", f"END {other_label}")
    assert relabelled != pem
    assert fingerprint(relabelled) == expected
    (tmp_path / "key.pem").touch(mode=0o600)
    (tmp_path / "key.pem").write_text(relabelled)
    assert fingerprint(tmp_path / "key.pem") == expected


@pytest.mark.parametrize("name", ["encrypted_aes256.pem", "encrypted_3des_sha1.pem", "encrypted_scrypt.pem"])
@pytest.mark.shows("fact forms of keys")
def test_an_encrypted_key_is_read_with_its_password(
    keys: Path, fingerprint: Fingerprint, expected: str, password: str, name: str
) -> None:
    assert fingerprint((keys / name).read_text(), password) == expected


@pytest.mark.parametrize("name", ["encrypted_3des_sha1.pem", "encrypted_pkcs12.pem", "encrypted_old.pem"])
@pytest.mark.shows("promise old encrypted keys")
def test_an_old_encrypted_key_is_encrypted_again_by_the_documented_command(
    keys: Path, fingerprint: Fingerprint, expected: str, password: str, *, tmp_path: Path, name: str
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text()
    command = re.search(r"openssl pkcs8 -topk8 -in old\.pem .+", page)
    assert command
    shutil.copy(keys / name, tmp_path / "old.pem")
    passwords = ["-passin", f"pass:{password}", "-passout", "pass:another-one"]
    subprocess.run([*command[0].split(), *passwords], cwd=tmp_path, check=True)
    assert fingerprint((tmp_path / "private.pem").read_text(), "another-one") == expected


@pytest.mark.parametrize("bits", [2048, 3072, 4096, 8192])
@pytest.mark.shows("fact sizes of keys")
def test_a_key_of_each_size_is_read(keys: Path, fingerprint: Fingerprint, bits: int) -> None:
    pem = (keys / f"rsa_{bits}.pem").read_bytes()
    # The checks of a key of 8192 bits take seconds.
    public_key = load_pem_private_key(pem, None, unsafe_skip_rsa_key_validation=True).public_key()
    digest = hashlib.sha256(public_key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()
    assert fingerprint(pem) == "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def test_a_key_may_be_given_as_bytes(private_key: str, fingerprint: Fingerprint, expected: str) -> None:
    assert fingerprint(private_key.encode()) == expected


def test_a_key_may_be_given_as_the_name_of_its_file(keys: Path, fingerprint: Fingerprint, expected: str) -> None:
    assert fingerprint(str(keys / "rsa_2048.pem")) == expected


@pytest.mark.shows("fact formats of pasted keys")
def test_a_key_may_be_given_as_a_path(keys: Path, fingerprint: Fingerprint, expected: str) -> None:
    assert fingerprint(keys / "rsa_2048.pem") == expected


@pytest.mark.parametrize("name", ["id_rsa", "my key.txt", "ключ.pem"])
def test_the_file_of_a_key_may_have_any_name(
    private_key: str, fingerprint: Fingerprint, expected: str, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).touch(mode=0o600)
    (tmp_path / name).write_text(private_key)
    assert fingerprint(str(tmp_path / name)) == expected
    assert fingerprint(tmp_path / name) == expected


def test_an_encrypted_key_may_be_given_as_a_path(
    keys: Path, fingerprint: Fingerprint, expected: str, password: str
) -> None:
    assert fingerprint(keys / "encrypted_aes256.pem", password) == expected


CHANGES: dict[str, Callable[[str], str]] = {
    "CRLF": lambda pem: pem.replace("\n", "\r\n"),
    "CR": lambda pem: pem.replace("\n", "\r"),
    "a byte order mark": lambda pem: "\ufeff" + pem,
    r"\n": lambda pem: pem.replace("\n", r"\n"),
    r"\r\n": lambda pem: pem.replace("\n", r"\r\n"),
    r"\n in quotes": lambda pem: '"' + pem.replace("\n", r"\n") + '"',
    "one line": lambda pem: pem.replace("\n", " "),
    "one line without spaces": lambda pem: pem.replace("\n", ""),
    "no line end at the end": lambda pem: pem.rstrip(),
    "blank lines": lambda pem: "\n\n" + pem.replace("\n", "\n\n"),
    "indentation": lambda pem: textwrap.indent(pem, "    \t"),
    "spaces at the ends of lines": lambda pem: pem.replace("\n", "  \n"),
    "text around": lambda pem: f"Here is the key:\n\n{pem}\nBest regards\n",
    "a digit before": lambda pem: f"01 my key\n{pem}",
    "a comment before": lambda pem: f"# botdesk -- production\n{pem}",
    "long lines": lambda pem: "\n".join(
        ["-----BEGIN PRIVATE KEY-----", *_rewrapped(pem, 200), "-----END PRIVATE KEY-----"]
    ),
    "short lines": lambda pem: "\n".join(
        ["-----BEGIN PRIVATE KEY-----", *_rewrapped(pem, 7), "-----END PRIVATE KEY-----"]
    ),
}


def _rewrapped(pem: str, width: int) -> list[str]:
    return textwrap.wrap("".join(pem.splitlines()[1:-1]), width)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.shows("fact formats of pasted keys")
def test_a_key_may_be_pasted_in_any_shape(
    private_key: str, fingerprint: Fingerprint, expected: str, change: Callable[[str], str]
) -> None:
    assert fingerprint(change(private_key)) == expected


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_the_file_of_a_key_may_have_any_shape(
    private_key: str, fingerprint: Fingerprint, expected: str, tmp_path: Path, change: Callable[[str], str]
) -> None:
    (tmp_path / "key.pem").touch(mode=0o600)
    (tmp_path / "key.pem").write_bytes(change(private_key).encode())
    assert fingerprint(tmp_path / "key.pem") == expected


def test_an_encrypted_key_may_be_pasted_in_one_line(
    keys: Path, fingerprint: Fingerprint, expected: str, password: str
) -> None:
    assert fingerprint((keys / "encrypted_aes256.pem").read_text().replace("\n", r"\n"), password) == expected


@pytest.mark.parametrize("other", ["certificate.pem", "public.pem"])
def test_the_key_is_found_beside_its_public_half(
    private_key: str, keys: Path, fingerprint: Fingerprint, expected: str, other: str
) -> None:
    beside = (keys / other).read_text()
    assert fingerprint(beside + private_key) == expected
    assert fingerprint(private_key + beside) == expected


def test_a_password_that_is_not_needed_does_no_harm(
    private_key: str, fingerprint: Fingerprint, expected: str, password: str
) -> None:
    assert fingerprint(private_key, password) == expected
