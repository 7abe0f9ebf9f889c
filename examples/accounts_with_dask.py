"""A thousand accounts, refreshed by the workers of a dask cluster; needs `pip install 'dask[distributed]'`.

A client of an environment, a profile or a key file travels to the workers as a reference: each reads the key itself.
One key may ask a hundred times a minute, over all workers: the rate limit that a client keeps is that of its own
process, so each worker gets its share.

Runs against the embedded sandbox, so it needs no account and touches nobody's money.
"""

# dask has types for some of its functions.
# mypy: disable-error-code="no-untyped-call"

import logging
import os
import tempfile
import time
from pathlib import Path

from dask.distributed import Client as Cluster
from dask.distributed import LocalCluster

import botdesk

ACCOUNTS = 1000
WORKERS = 2
# The sandbox has no limit; the service has one of 100 a minute for a key.
REQUESTS_A_MINUTE = 1_000_000


def usd_amount(client: botdesk.Client, account_id: int) -> tuple[int, str | botdesk.BotdeskError]:
    """Load the balances of an account: the task that a worker runs. One that fails does not spoil the others."""
    try:
        account = client.accounts.load_balances(account_id)
    except botdesk.BotdeskError as error:
        return account_id, error
    return account_id, str(account.usd_amount)


def main() -> None:
    """Refresh all accounts and tell how long it took."""
    with botdesk.Sandbox() as sandbox, tempfile.TemporaryDirectory() as folder:
        for number in range(ACCOUNTS):
            sandbox.add_account(id=5000 + number)
        key = botdesk.PrivateKey.generate(bits=2048)
        key.save(Path(folder) / "private.pem")
        # The workers find the same there, as they are started from here.
        os.environ["BOTDESK_API_KEY"] = sandbox.add_key(key.public_key_pem)
        os.environ["BOTDESK_PRIVATE_KEY_FILE"] = f"{folder}/private.pem"
        os.environ["BOTDESK_BASE_URL"] = sandbox.url
        client = botdesk.Client.from_env().with_options(
            rate_limit=botdesk.RateLimit(REQUESTS_A_MINUTE // WORKERS, per=60)
        )
        with (
            # A worker that is told to end in the middle of a heartbeat complains of it.
            LocalCluster(
                n_workers=WORKERS, threads_per_worker=4, dashboard_address=None, silence_logs=logging.CRITICAL
            ) as cluster,
            Cluster(cluster) as dask,
        ):
            begun = time.perf_counter()
            tasks = dask.map(
                lambda account_id: usd_amount(client, account_id), range(5000, 5000 + ACCOUNTS), pure=False
            )
            amounts = dict(dask.gather(tasks))
            took = time.perf_counter() - begun
        failed = sum(isinstance(amount, botdesk.BotdeskError) for amount in amounts.values())
        done = len(amounts) - failed
        print(
            f"{done} accounts by {WORKERS} workers in {took:.1f} s, {failed} failed, {len(sandbox.requests)} requests"
        )


if __name__ == "__main__":
    main()
