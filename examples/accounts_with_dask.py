"""Refresh two hundred accounts with the workers of a dask cluster; needs `pip install 'dask[distributed]'`.

A client from the environment, a profile or a key file is pickled as a reference: each worker reads the key itself. The
rate limit of 100 requests a minute applies to the key, so workers on several machines share it through a Redis or
Valkey server: pass its URL, such as redis://localhost:6379. Without one, each worker gets an equal share.

Runs against the sandbox, so it needs no account and risks no money.
"""

# dask has types for some of its functions.
# mypy: disable-error-code="no-untyped-call"

import logging
import os
import sys
import tempfile
import time
from pathlib import Path

from dask.distributed import Client as Cluster
from dask.distributed import LocalCluster

import botdesk

ACCOUNTS = 200
WORKERS = 2
# The sandbox has no limit; at the service, use 100.
REQUESTS_A_MINUTE = 1_000_000


def usd_amount(client: botdesk.Client, account_id: int) -> tuple[int, str | botdesk.BotdeskError]:
    """Load the balances of an account; return an error, so that it does not affect other accounts."""
    try:
        account = client.accounts.load_balances(account_id)
    except botdesk.BotdeskError as error:
        return account_id, error
    return account_id, str(account.usd_amount)


def rate_limit(redis_url: str | None = None) -> botdesk.RateLimit:
    """Return the rate limit of a worker: that of all workers, or an equal share of it."""
    if redis_url is None:
        return botdesk.RateLimit(REQUESTS_A_MINUTE // WORKERS, per=60, shared=False)
    return botdesk.RateLimit(REQUESTS_A_MINUTE, per=60, shared=redis_url)


def main() -> None:
    """Refresh all accounts and print how long it took."""
    with botdesk.Sandbox() as sandbox, tempfile.TemporaryDirectory() as folder:
        for number in range(ACCOUNTS):
            sandbox.add_account(id=5000 + number)
        key = botdesk.PrivateKey.generate(bits=2048)
        key.save(Path(folder) / "private.pem")
        # The workers inherit this environment.
        os.environ["BOTDESK_API_KEY"] = sandbox.add_key(key.public_key_pem)
        os.environ["BOTDESK_PRIVATE_KEY_FILE"] = f"{folder}/private.pem"
        os.environ["BOTDESK_BASE_URL"] = sandbox.url
        client = botdesk.Client.from_env().with_options(rate_limit=rate_limit(*sys.argv[1:]))
        with (
            # Workers that stop during a heartbeat would log an error.
            LocalCluster(
                n_workers=WORKERS, threads_per_worker=4, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL
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
