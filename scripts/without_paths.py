"""Take the paths of the builder out of the lists of crates (SBOM) in wheels: `without_paths.py WHEEL...`.

They name the project's own crates by the folder in which they were built.
"""

import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path

# The identifier of a crate in a folder; its name and version follow.
FOLDER = re.compile(rb"path\+file://[^\"#]*#")


def main() -> None:
    """Rewrite the wheels named on the command line."""
    if not sys.argv[1:]:
        sys.exit("usage: without_paths.py WHEEL...")
    for name in sys.argv[1:]:
        rewrite(Path(name))


def rewrite(wheel: Path) -> None:
    """Rewrite a wheel; all other files stay as they are."""
    with zipfile.ZipFile(wheel) as archive:
        files = {info: archive.read(info) for info in archive.infolist()}
    changed: dict[str, bytes] = {}
    for info, content in files.items():
        if ".dist-info/sboms/" in info.filename:
            changed[info.filename] = files[info] = FOLDER.sub(b"workspace#", content)
    for info, content in files.items():
        if info.filename.endswith(".dist-info/RECORD"):
            files[info] = "".join(record(line, changed) for line in content.decode().splitlines(keepends=True)).encode()
    with zipfile.ZipFile(wheel, "w") as archive:
        for info, content in files.items():
            archive.writestr(info, content)


def record(line: str, changed: dict[str, bytes]) -> str:
    """Return the line of a file in `RECORD`: its name, its digest and its length."""
    name = line.split(",", 1)[0]
    if name not in changed:
        return line
    digest = base64.urlsafe_b64encode(hashlib.sha256(changed[name]).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(changed[name])}\n"


if __name__ == "__main__":
    main()
