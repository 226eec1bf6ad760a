"""Packages of the extra `learn`, which are read when they are needed."""

from importlib import import_module
from types import ModuleType

from dpcert.audit.errors import DpcertError

EXTRA = "learn"


def needed(module: str) -> ModuleType:
    """A module of a package of the extra.

    Raises: DpcertError: it is not installed; the line says how it is.
    """
    try:
        return import_module(module)
    except ImportError:
        package = {"sklearn": "scikit-learn"}.get(module.partition(".")[0], module.partition(".")[0])
        raise DpcertError(
            f"Expected the package {package} but it is not installed: pip install 'dpcert[{EXTRA}]'"
        ) from None
