"""Measure the time from the start of a process to its first response: the import, and the first page of bots."""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from subprocess import run

from cryptography.hazmat.primitives.asymmetric import rsa

from benches import peers, responses, rust
from benches.measure import Goal, Results, in_turns

BARE = "bare Python"

# The arguments of the scripts: the base URL, and the file with the private key.
FIRST_PAGE = {
    "botdesk": """
import sys
import botdesk
client = botdesk.Client("key", sys.argv[2], base_url=sys.argv[1], rate_limit=None)
print(client.dca_bots.list(limit=100)[-1].id)
""",
    "httpx + cryptography": """
import base64, sys
from pathlib import Path
import httpx
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key
key = load_pem_private_key(Path(sys.argv[2]).read_bytes(), None)
target = "/public/api/ver1/bots?limit=100"
signature = base64.b64encode(key.sign(target.encode(), padding.PKCS1v15(), SHA256())).decode()
with httpx.Client(trust_env=False) as client:
    answer = client.get(sys.argv[1] + target, headers={"Apikey": "key", "Signature": signature})
print(answer.json()[-1]["id"])
""",
}
HTTPX = "httpx + cryptography"


def measure(seconds: float, results: Results) -> None:
    """Measure processes."""
    imports(seconds, results)
    first_page(seconds, results)


def imports(seconds: float, results: Results) -> None:
    """Measure imports."""
    scripts = {
        BARE: "pass",
        "import botdesk": "import botdesk",
        "import httpx": "import httpx",
    }
    bare, *rows = in_turns({name: process("-c", script) for name, script in scripts.items()}, seconds)
    about = (
        f"A process that imports the package and exits, minus one that imports nothing ({bare.median * 1e3:.3g} ms)."
    )
    table = results.table("Import", about, rows, floor=bare)
    ours = (table.rows[0].median - bare.median) * 1e3
    results.goals.append(Goal("`import botdesk` over bare Python", ours, at_most=10, unit=" ms"))


def first_page(seconds: float, results: Results) -> None:
    """Measure the time from the start of a process to a page of bots."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    with rust.serving(responses.bot(), responses.bots_with_deals()) as url, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "private.pem"
        path.write_bytes(peers.Account(url, "key", key).pem)
        # The mode that botdesk requires of a key file.
        path.chmod(0o600)
        contenders = {name: process("-c", script, url, str(path)) for name, script in FIRST_PAGE.items()}
        table = results.table(
            "From the start of a process to its first signed page of 100 bots",
            "A process imports its packages, reads the key, signs, sends a request, decodes the response, and exits.",
            in_turns(contenders, seconds),
        )
    results.goals.append(
        Goal(
            "process start to the first signed list of 100 bots, against httpx + cryptography",
            table.ratio(HTTPX),
            at_least=4,
        )
    )


def process(*arguments: str) -> Callable[[], object]:
    """Run a new Python process."""
    # With compiled bytecode, as users have it.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return lambda: run([sys.executable, *arguments], check=True, capture_output=True, env=environment)
