"""A desk for automated trading bots.

`Client` asks the service; `Sandbox` runs the service on this machine. All errors are in `botdesk.errors`.
"""

import atexit

from botdesk import errors
from botdesk._native import Client, DcaBot, Deal, Sandbox, Strategy, TakeProfitStep, _shutdown
from botdesk._records import Records
from botdesk.errors import *  # noqa: F403

__all__ = ["Client", "DcaBot", "Deal", "Records", "Sandbox", "Strategy", "TakeProfitStep", "errors", *errors.__all__]

# Threads that outlive the interpreter crash it.
atexit.register(_shutdown)
