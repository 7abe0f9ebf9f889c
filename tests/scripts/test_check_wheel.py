"""Wheels that the release rejects."""

from __future__ import annotations

import secrets
import zipfile
from typing import TYPE_CHECKING

import check_wheel
import pytest

if TYPE_CHECKING:
    from pathlib import Path

CONTENTS = {
    "botdesk/_native.abi3.so": b"\x7fELF",
    "botdesk/THIRD_PARTY_LICENSES.txt": b"",
    "botdesk/_native.pyi": b"",
    "botdesk/errors.py": b"",
    "botdesk/py.typed": b"",
    "botdesk-0.1.0.dist-info/METADATA": b'Name: botdesk\nRequires-Dist: rich ; extra == "cli"\n',
    "botdesk-0.1.0.dist-info/licenses/LICENSE": b"",
    "botdesk-0.1.0.dist-info/sboms/botdesk.cyclonedx.json": b"{}",
}


def problems(folder: Path, changes: dict[str, bytes | None]) -> list[str]:
    """Return what is wrong with a wheel that has these contents changed, or left out."""
    wheel = folder / "botdesk-0.1.0-cp311-abi3-manylinux_2_28_x86_64.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**CONTENTS, **changes}.items():
            if content is not None:
                archive.writestr(name, content)
    return check_wheel.problems(wheel)


def test_a_complete_wheel_is_accepted(tmp_path: Path) -> None:
    assert problems(tmp_path, {}) == []


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"botdesk/_native.abi3.so": secrets.token_bytes(15_000_000)}, "15,000,000 are the most"),
        ({"botdesk/py.typed": None}, "botdesk/py.typed is missing"),
        ({"botdesk-0.1.0.dist-info/licenses/LICENSE": None}, "the licences are missing"),
        ({"botdesk-0.1.0.dist-info/sboms/botdesk.cyclonedx.json": None}, "SBOM) is missing"),
        ({"botdesk/THIRD_PARTY_LICENSES.txt": None}, "THIRD_PARTY_LICENSES.txt is missing"),
        ({"botdesk/_native.abi3.so": b"at /home/me/.cargo/registry/src/tokio.rs:1"}, "has paths of the machine"),
        ({"botdesk/_native.pyd": b"at C:\\Users\\me\\.cargo\\registry\\src\\tokio.rs"}, "has paths of the machine"),
        ({"botdesk-0.1.0.dist-info/METADATA": b"Requires-Dist: rich\n"}, "it needs other packages: rich"),
    ],
)
def test_a_wheel_with_a_problem_is_rejected(tmp_path: Path, changes: dict[str, bytes | None], problem: str) -> None:
    (found,) = problems(tmp_path, changes)
    assert problem in found
