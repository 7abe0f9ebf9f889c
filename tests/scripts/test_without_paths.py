"""Wheels without the paths of the machine that built them."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from typing import TYPE_CHECKING

import without_paths

if TYPE_CHECKING:
    from pathlib import Path

SBOM = "botdesk-0.1.0.dist-info/sboms/botdesk.cyclonedx.json"
RECORD = "botdesk-0.1.0.dist-info/RECORD"


def test_the_list_of_crates_names_no_folder_and_stays_recorded(tmp_path: Path) -> None:
    wheel = tmp_path / "botdesk-0.1.0-cp311-abi3-manylinux_2_28_x86_64.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("botdesk/py.typed", b"")
        archive.writestr(SBOM, b'{"bom-ref": "path+file:///home/me/botdesk/crates/api#botdesk-api@0.1.0"}')
        archive.writestr(RECORD, f"botdesk/py.typed,sha256=47DEQ,0\n{SBOM},sha256=old,72\n{RECORD},,\n")
    without_paths.rewrite(wheel)
    with zipfile.ZipFile(wheel) as archive:
        content = archive.read(SBOM)
        assert content == b'{"bom-ref": "workspace#botdesk-api@0.1.0"}'
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        line = f"{SBOM},sha256={digest},{len(content)}"
        assert archive.read(RECORD).decode().splitlines() == ["botdesk/py.typed,sha256=47DEQ,0", line, f"{RECORD},,"]
        assert archive.getinfo(SBOM).compress_type == zipfile.ZIP_DEFLATED
