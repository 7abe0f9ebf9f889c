"""Sweep the settings of a bot on a dask cluster; needs `pip install 'dask[distributed]'`.

`get_executor()` makes a `concurrent.futures` executor of any cluster. Each worker needs botdesk. The candles travel
with the jobs, and a worker reads them once. Nothing is sent, and no account is needed.
"""

# dask has types for some of its functions.
# mypy: disable-error-code="no-untyped-call"

import logging

from dask.distributed import Client as Cluster
from dask.distributed import LocalCluster

import botdesk

WORKERS = 2
BOT = {"base_order_volume": 100, "safety_order_volume": 100, "safety_order_step_percentage": 2}


def days() -> botdesk.Candles:
    """Return a year of days whose price swings."""
    return botdesk.Candles([[day * 86_400_000, 98, 100 + day % 20, 90 + day % 7, 99] for day in range(360)])


def main() -> None:
    """Print the best combinations."""
    settings = {"take_profit": [1, 2, 3, 4], "max_safety_orders": range(1, 6)}
    with (
        # Workers that stop during a heartbeat would log an error.
        LocalCluster(
            n_workers=WORKERS, threads_per_worker=2, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL
        ) as cluster,
        Cluster(cluster) as dask,
    ):
        sweep = botdesk.sweep(BOT, days(), settings, executor=dask.get_executor())
    print(sweep.best(3))


if __name__ == "__main__":
    main()
