"""Leases are written in memory."""

from instances.in_memory import tmp_path

__all__ = ["tmp_path"]
