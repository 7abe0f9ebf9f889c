"""One RSA-2048 signature. Python does not reach it alone, so `benches/signing.rs` measures it."""

from subprocess import run

from benches import rust
from benches.measure import Goal, Results, Row

DIRECT = "aws-lc-rs called directly"


def measure(seconds: float, results: Results) -> None:
    """Measure signing."""
    output = run([rust.programs()["signing"], str(seconds)], check=True, capture_output=True, text=True).stdout
    lines = [line.split("\t") for line in output.splitlines()]
    table = results.table(
        "Signing alone",
        "The payload of a GET request to its signature, RSASSA-PKCS1-v1_5 with SHA-256: botdesk's in Base64, the "
        "other bare.",
        [Row(name, [float(time) / 1e9 for time in times]) for name, *times in lines],
    )
    results.goals.append(
        Goal("signing alone, against aws-lc-rs called directly", 1 / table.ratio(DIRECT), at_most=1.05)
    )
