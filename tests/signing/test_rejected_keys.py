"""Keys that can't be used: the error says what was passed and what is needed, and shows nothing of the key."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import ErrorMessage

SECRET = "s3cret-0123456789abcdef"

NEEDED = "RSA private key"


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("public.pem", "a public key"),
        ("rsa_public.pem", "a public key"),
        ("certificate.pem", "a certificate"),
        ("ec_pkcs8.pem", "an EC key"),
        ("ec_sec1.pem", "an EC key"),
        ("ed25519.pem", "an Ed25519 key"),
        ("rsa_pss.pem", "an RSA-PSS key"),
        ("openssh.pem", "OpenSSH"),
        ("encrypted_old.pem", "old encrypted format"),
        ("der.der", "DER"),
    ],
)
@pytest.mark.shows("fact a public key is pasted")
def test_anything_but_an_rsa_private_key_in_pem_is_named(
    keys: Path, error_message: ErrorMessage, name: str, given: str
) -> None:
    content = (keys / name).read_bytes()
    for private_key in (content, keys / name, str(keys / name)):
        message = error_message(private_key)
        assert given in message
        assert NEEDED in message


@pytest.mark.parametrize("name", ["openssh.pem", "encrypted_old.pem", "der.der"])
def test_a_key_in_another_form_comes_with_the_command_that_converts_it(
    keys: Path, error_message: ErrorMessage, name: str
) -> None:
    message = error_message(keys / name)
    assert "convert" in message
    assert "openssl " in message or "ssh-keygen " in message


def test_another_key_in_a_block_with_the_label_of_an_rsa_key_is_named(keys: Path, error_message: ErrorMessage) -> None:
    relabelled = (keys / "ec_pkcs8.pem").read_text().replace(" PRIVATE KEY", " RSA PRIVATE KEY")
    assert "an EC key" in error_message(relabelled)


@pytest.mark.parametrize("bits", [1024, 16384])
def test_a_key_of_another_size_is_rejected_with_its_size(keys: Path, error_message: ErrorMessage, bits: int) -> None:
    message = error_message(keys / f"rsa_{bits}.pem")
    assert f"{bits} bits" in message
    assert "2048 to 8192 bits" in message


ENCRYPTED = ["encrypted_aes256.pem", "encrypted_3des_sha1.pem", "encrypted_scrypt.pem"]


@pytest.mark.parametrize("name", ENCRYPTED)
def test_an_encrypted_key_needs_its_password(keys: Path, error_message: ErrorMessage, name: str) -> None:
    message = error_message(keys / name)
    assert "encrypted" in message
    assert "password" in message


@pytest.mark.parametrize("name", ENCRYPTED)
@pytest.mark.parametrize("wrong", ["", SECRET, "correct-horse ", "пароль", "\x00"])
def test_a_wrong_password_is_reported_and_not_repeated(
    keys: Path, error_message: ErrorMessage, name: str, wrong: str
) -> None:
    message = error_message(keys / name, wrong)
    assert "the password is wrong" in message
    assert SECRET not in message
    assert "correct-horse" not in message


def test_an_encrypted_key_of_another_algorithm_is_named(keys: Path, error_message: ErrorMessage, password: str) -> None:
    assert "an EC key" in error_message(keys / "encrypted_ec.pem", password)


def test_an_encryption_that_cannot_be_read_comes_with_the_command_that_changes_it(
    keys: Path, error_message: ErrorMessage, password: str
) -> None:
    message = error_message(keys / "encrypted_pkcs12.pem", password)
    assert "encrypted in an unsupported format" in message
    assert "openssl pkey -in key.pem -aes256 -out new.pem" in message


@pytest.mark.parametrize(
    "text",
    ["", " \n", SECRET, f"0{SECRET}", "-" * 100, "-----BEGIN PRIVATE KEY", "{}", "\ufeff", "https://service.example"],
)
def test_a_string_without_a_key_is_rejected_and_not_repeated(error_message: ErrorMessage, text: str) -> None:
    for given in (text, text.encode()):
        message = error_message(given)
        assert NEEDED in message
        assert "PEM" in message
        assert "DER" not in message
        assert SECRET not in message


@pytest.mark.parametrize("given", [b"\x00" * 100, b"\xff\xfe-\x00-\x00", bytes(range(256))])
def test_bytes_that_are_not_text_are_rejected(error_message: ErrorMessage, given: bytes) -> None:
    message = error_message(given)
    assert NEEDED in message or "PEM" in message


@pytest.mark.parametrize("name", ["rsa_2048.pem", "pkcs1.pem", "encrypted_aes256.pem"])
def test_a_key_that_is_cut_off_is_reported(keys: Path, error_message: ErrorMessage, password: str, name: str) -> None:
    pem = (keys / name).read_text()
    for cut in (pem[: len(pem) // 2], pem.rpartition("-----END")[0]):
        assert "cut off" in error_message(cut, password)


@pytest.mark.parametrize(
    "body",
    ["", "====", "MIIE", "TUlJ" * 400, "!" * 64, "\u00a0", SECRET],
    ids=["empty", "padding", "four letters", "another content", "no Base64", "a no-break space", "a secret"],
)
@pytest.mark.parametrize("label", ["PRIVATE KEY", "RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY"])
def test_a_block_that_holds_no_key_is_called_damaged(error_message: ErrorMessage, label: str, body: str) -> None:
    message = error_message(f"-----BEGIN {label}-----\n{body}\n-----END {label}-----\n", "a password")
    assert "damaged" in message
    assert SECRET not in message


def test_a_key_with_lines_missing_is_called_damaged(private_key: str, error_message: ErrorMessage) -> None:
    lines = private_key.splitlines()
    assert "damaged" in error_message("\n".join(lines[:5] + lines[8:]))


def test_a_key_whose_numbers_do_not_fit_is_called_damaged(private_key: str, error_message: ErrorMessage) -> None:
    lines = private_key.splitlines()
    assert "damaged" in error_message("\n".join([*lines[:8], lines[8][::-1], *lines[9:]]))


def test_a_file_that_is_not_there_is_named(error_message: ErrorMessage, tmp_path: Path) -> None:
    for given in (tmp_path / "missing", tmp_path / "missing.pem", str(tmp_path / "missing.pem")):
        message = error_message(given)
        assert str(given) in message
        assert "can't be read" in message


def test_a_folder_is_not_a_key(error_message: ErrorMessage, tmp_path: Path) -> None:
    for given in (tmp_path, str(tmp_path)):
        assert "can't be read: it is a directory" in error_message(given)


def test_an_empty_file_is_not_a_key(error_message: ErrorMessage, tmp_path: Path) -> None:
    (tmp_path / "key.pem").touch()
    assert NEEDED in error_message(tmp_path / "key.pem")


@pytest.mark.parametrize("given", [5, 5.0, True, [], {}, bytearray(b"-----BEGIN"), object(), str])
def test_a_value_that_is_not_a_string_bytes_or_path_is_rejected(error_message: ErrorMessage, given: object) -> None:
    assert error_message(given) == "private_key must be a str, bytes, a path or a botdesk.PrivateKey"


def test_a_damaged_pem_with_its_key_where_its_label_should_be_is_not_repeated(
    private_key: str, error_message: ErrorMessage
) -> None:
    body = "".join(private_key.splitlines()[1:-1])
    message = error_message(f"-----BEGIN PRIVATE KEY\n{body}\n-----END PRIVATE KEY-----\n-----END PRIVATE KEY-----\n")
    assert body[:20] not in message


def test_a_key_with_half_a_surrogate_pair_is_rejected_and_not_kept(
    private_key: str, error_message: ErrorMessage
) -> None:
    message = error_message(private_key + "\udc80")
    assert private_key.splitlines()[1] not in message


def test_no_error_shows_a_part_of_the_key(keys: Path) -> None:
    for path in keys.glob("*.pem"):
        lines = path.read_text().splitlines()[1:-1]
        for password in (None, SECRET):
            try:
                botdesk.Client("an-api-key", path.read_text(), base_url="https://service.example", password=password)
            except botdesk.ConfigurationError as error:
                output = f"{error!r} {vars(error)}" + "".join(traceback.format_exception(error))
                assert not [line for line in lines if line and line in output]
                assert SECRET not in output
