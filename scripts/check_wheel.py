"""Check the contents of wheels: `python scripts/check_wheel.py WHEEL...`."""

import re
import sys
import zipfile
from email import message_from_bytes
from pathlib import Path

# A larger wheel needs a reason.
LARGEST = 15_000_000

# The contents of every wheel, besides the compiled module.
NEEDED = ("botdesk/py.typed", "botdesk/_native.pyi", "botdesk/errors.py", "botdesk/THIRD_PARTY_LICENSES.txt")

# The paths of sources in the folders of users and of runners.
PATHS = re.compile(rb"path\+file://|(?:/root|/home/|/Users/|[A-Z]:\\Users\\)[^\0\n ]{0,200}(?:registry|\.rs\b)")


def problems(wheel: Path) -> list[str]:
    """Return what is wrong with a wheel."""
    found: list[str] = []
    size = wheel.stat().st_size
    if size > LARGEST:
        found.append(f"it has {size:,} bytes; {LARGEST:,} are the most")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        found += [
            f"{name} has paths of the machine that built it" for name in names if PATHS.search(archive.read(name))
        ]
        metadata_file = next(name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(archive.read(metadata_file))
    found += [f"{name} is missing" for name in NEEDED if name not in names]
    if not any(".dist-info/sboms/" in name for name in names):
        found.append("the list of what it is made of (SBOM) is missing")
    if not any(".dist-info/licenses/" in name for name in names):
        found.append("the licences are missing")
    required = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    if required:
        found.append(f"it needs other packages: {', '.join(required)}")
    return found


def main() -> int:
    """Check the wheels named on the command line."""
    wheels = [Path(name) for name in sys.argv[1:]]
    if not wheels:
        sys.exit("usage: check_wheel.py WHEEL...")
    found = {wheel: problems(wheel) for wheel in wheels}
    for wheel, wrong in found.items():
        print(f"{wheel.name}: {wheel.stat().st_size:,} bytes", *(f"    {problem}" for problem in wrong), sep="\n")
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
