"""One RSA-2048 signature. Python does not reach it alone, so `benches/signing.rs` measures it, run by cargo."""

from functools import cache
from pathlib import Path
from subprocess import run

from benches.measure import Row, Table

ROOT = Path(__file__).parents[1]

ABOUT = (
    "The payload of a GET request to its signature, RSASSA-PKCS1-v1_5 with SHA-256: botdesk's in Base64, the others' "
    "bare."
)


def tables(seconds: float) -> list[Table]:
    """Measure signing."""
    command = ["cargo", "bench", "--quiet", "--no-default-features", "--bench", "signing", "--", str(seconds)]
    output = run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    lines = [line.split("\t") for line in output.splitlines()]
    rows = [Row(name, [float(time) / 1e9 for time in times]) for name, *times in lines]
    return [Table("Signing alone", ABOUT, rows)]


@cache
def rust_version() -> str:
    """Tell which Rust measured it."""
    version = run(["rustc", "--version"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return " ".join(version.split()[:2])
