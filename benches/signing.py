"""One signature of a key of each kind. Python does not reach it alone, so `benches/signing.rs` measures it."""

from subprocess import run

from benches import rust
from benches.measure import Goal, Results, Row

DIRECT = "aws-lc-rs called directly"
LOOKUP = "botdesk, a lookup in the signature cache"

# The title and the description of the table of each kind.
TABLES = {
    "rsa": (
        "Signing alone",
        "The payload of a GET request to its signature, RSASSA-PKCS1-v1_5 with SHA-256 and 2048 bits, in Base64.",
    ),
    "hmac": (
        "Signing alone, with a secret",
        "The payload of a GET request to its signature, HMAC-SHA256, in hexadecimal. botdesk does not cache these.",
    ),
}


def measure(seconds: float, results: Results) -> None:
    """Measure signing."""
    output = run([rust.programs()["signing"], str(seconds)], check=True, capture_output=True, text=True).stdout
    lines = [line.split("\t") for line in output.splitlines()]
    tables = {
        kind: results.table(
            title,
            description,
            [Row(name, [float(time) / 1e9 for time in times]) for found, name, *times in lines if found == kind],
        )
        for kind, (title, description) in TABLES.items()
    }
    results.goals += [
        Goal("signing alone, against aws-lc-rs called directly", 1 / tables["rsa"].ratio(DIRECT), at_most=1.05),
        Goal(
            "signing with a secret, against a lookup of a cached signature",
            1 / tables["hmac"].ratio(LOOKUP),
            at_most=1.5,
        ),
    ]
