"""Private keys: generated, saved, loaded, and never shown."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

import botdesk

if TYPE_CHECKING:
    from pathlib import Path

BITS = [2048, 3072, 4096]


@pytest.fixture(scope="module")
def key() -> botdesk.PrivateKey:
    """Make a key."""
    return botdesk.PrivateKey.generate(bits=2048)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a file that does not exist."""
    return tmp_path / "private.pem"


def modulus_of(path: Path) -> int:
    private = load_pem_private_key(path.read_bytes(), None)
    assert isinstance(private, rsa.RSAPrivateKey)
    return private.public_key().public_numbers().n


class TestMade:
    @pytest.mark.parametrize("bits", BITS)
    def test_a_key_has_the_requested_length(self, bits: int) -> None:
        public = load_pem_public_key(botdesk.PrivateKey.generate(bits=bits).public_key_pem.encode())
        assert isinstance(public, rsa.RSAPublicKey)
        assert (public.key_size, public.public_numbers().e) == (bits, 65537)

    def test_it_has_4096_bits_by_default(self) -> None:
        public = load_pem_public_key(botdesk.PrivateKey.generate().public_key_pem.encode())
        assert isinstance(public, rsa.RSAPublicKey)
        assert public.key_size == 4096

    def test_no_two_are_the_same(self, key: botdesk.PrivateKey) -> None:
        assert botdesk.PrivateKey.generate(bits=2048).fingerprint != key.fingerprint

    @pytest.mark.parametrize("bits", [0, 512, 1024, 2047, 2049, 16384, -1, 2**63 - 1])
    def test_other_sizes_are_rejected(self, bits: int) -> None:
        message = f"^a key has 2048, 3072, 4096 or 8192 bits, not {bits}$"
        with pytest.raises(botdesk.ConfigurationError, match=message):
            botdesk.PrivateKey.generate(bits=bits)

    @pytest.mark.parametrize("bits", [2**63, 2**70, -(2**70)])
    def test_sizes_past_all_measure_are_rejected(self, bits: int) -> None:
        with pytest.raises(botdesk.ConfigurationError, match=f"^bits={bits} is out of range$"):
            botdesk.PrivateKey.generate(bits=bits)

    def test_it_works_with_a_client(self, key: botdesk.PrivateKey, sandbox: botdesk.Sandbox) -> None:
        client = botdesk.Client(sandbox.add_key(key.public_key_pem), key, base_url=sandbox.url)
        assert client.dca_bots.get(41).id == 41
        assert key.fingerprint in repr(client)


class TestSaved:
    def test_what_was_saved_is_read_as_the_same_key(self, key: botdesk.PrivateKey, path: Path) -> None:
        key.save(path)
        for given in (path, str(path), path.read_text(), path.read_bytes()):
            assert botdesk.PrivateKey.load(given).fingerprint == key.fingerprint

    @pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
    @pytest.mark.parametrize("umask", [0o000, 0o022, 0o077], ids=oct)
    def test_nobody_else_can_read_the_file(self, key: botdesk.PrivateKey, path: Path, umask: int) -> None:
        import os

        before = os.umask(umask)
        try:
            key.save(path)
        finally:
            os.umask(before)
        assert path.stat().st_mode & 0o7777 == 0o600

    def test_a_file_that_is_there_is_never_written_over(self, key: botdesk.PrivateKey, path: Path) -> None:
        path.write_text("something of value")
        with pytest.raises(botdesk.ConfigurationError, match="never overwritten: choose another name") as caught:
            key.save(path)
        assert str(path) in str(caught.value)
        assert path.read_text() == "something of value"

    def test_saving_twice_leaves_the_first_key(self, key: botdesk.PrivateKey, path: Path) -> None:
        key.save(path)
        first = path.read_bytes()
        with pytest.raises(botdesk.ConfigurationError):
            botdesk.PrivateKey.generate(bits=2048).save(path)
        assert path.read_bytes() == first

    @pytest.mark.skipif(sys.platform == "win32", reason="a link needs a privilege there")
    def test_a_link_is_not_followed(self, key: botdesk.PrivateKey, path: Path, tmp_path: Path) -> None:
        path.symlink_to(tmp_path / "elsewhere")
        with pytest.raises(botdesk.ConfigurationError, match="never overwritten"):
            key.save(path)
        assert not (tmp_path / "elsewhere").exists()

    def test_a_folder_that_is_not_there_is_reported(self, key: botdesk.PrivateKey, tmp_path: Path) -> None:
        with pytest.raises(botdesk.ConfigurationError, match="can't be written to"):
            key.save(tmp_path / "nothing" / "private.pem")

    def test_the_path_may_begin_at_home(
        self, key: botdesk.PrivateKey, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HOME", str(path.parent))
        key.save("~/private.pem")
        assert path.exists()
        assert botdesk.PrivateKey.load("~/private.pem").fingerprint == key.fingerprint

    def test_another_library_reads_the_file(self, key: botdesk.PrivateKey, path: Path) -> None:
        key.save(path)
        public = load_pem_public_key(key.public_key_pem.encode())
        assert isinstance(public, rsa.RSAPublicKey)
        assert modulus_of(path) == public.public_numbers().n

    def test_openssl_reads_the_file_and_gives_the_same_public_half(self, key: botdesk.PrivateKey, path: Path) -> None:
        key.save(path)
        checked = subprocess.run(
            ["openssl", "pkey", "-in", path, "-check", "-noout"], capture_output=True, check=True, text=True
        )
        assert "Key is valid" in checked.stdout
        public = subprocess.run(["openssl", "pkey", "-in", path, "-pubout"], capture_output=True, check=True, text=True)
        assert public.stdout == key.public_key_pem

    def test_a_client_takes_the_file(self, key: botdesk.PrivateKey, path: Path, sandbox: botdesk.Sandbox) -> None:
        key.save(path)
        client = botdesk.Client(sandbox.add_key(key.public_key_pem), path, base_url=sandbox.url)
        assert client.dca_bots.get(41).id == 41


class TestRead:
    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ("nothing.pem", "nothing.pem can't be read"),
            ("nothing", "is neither a PEM block nor the path of a file"),
            ("", "is neither a PEM block nor the path of a file"),
            (b"", "is neither a PEM block nor the path of a file"),
            (5, "private_key must be a str, bytes, a path or a botdesk.PrivateKey"),
            (None, "private_key must be a str, bytes, a path or a botdesk.PrivateKey"),
        ],
        ids=repr,
    )
    def test_a_value_that_is_not_a_key_is_rejected(self, given: Any, message: str) -> None:  # noqa: ANN401
        with pytest.raises(botdesk.ConfigurationError, match=message):
            botdesk.PrivateKey.load(given)

    def test_a_key_is_not_made_by_its_class(self) -> None:
        made: Any = botdesk.PrivateKey
        with pytest.raises(TypeError):
            made()


class TestShown:
    def test_it_shows_its_fingerprint_alone(self, key: botdesk.PrivateKey) -> None:
        assert repr(key) == str(key) == f"<PrivateKey {key.fingerprint}>"

    def test_nothing_of_it_gives_the_private_half(self, key: botdesk.PrivateKey) -> None:
        assert {name for name in dir(key) if not name.startswith("_")} == {
            "fingerprint",
            "generate",
            "load",
            "public_key_pem",
            "save",
        }
        assert "PRIVATE" not in key.public_key_pem

    def test_the_public_half_is_as_the_service_wants_it(self, key: botdesk.PrivateKey) -> None:
        lines = key.public_key_pem.splitlines()
        assert (lines[0], lines[-1]) == ("-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----")
        assert max(map(len, lines[1:-1])) == 64
        assert key.public_key_pem.endswith("-\n")

    @pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
    def test_it_is_never_pickled(self, key: botdesk.PrivateKey, protocol: int) -> None:
        with pytest.raises(botdesk.ConfigurationError, match="never pickled; save"):
            pickle.dumps(key, protocol)

    def test_a_copy_is_the_key_itself(self, key: botdesk.PrivateKey) -> None:
        assert copy.copy(key) is key
        assert copy.deepcopy(key) is key
