"""The archive: an SQLite file that keeps every deal, trade, grid profit and bot that the service ever listed."""

from botdesk._archive.archive import Archive
from botdesk._archive.results import ArchiveTable, SyncReport

__all__ = ["Archive", "ArchiveTable", "SyncReport"]
