"""Libraries that only some features need: loaded when one is used, and a missing one is one form of error."""

from importlib import import_module
from typing import Any, NamedTuple

from sfumato.errors import MissingExtra


class Library(NamedTuple):
    """An optional library: what people call it, and the extra that installs it."""

    name: str
    extra: str


LIBRARIES = {
    "ortools": Library("OR-tools", "attacks"),
    "pandas": Library("pandas", "pandas"),
    "polars": Library("polars", "polars"),
    "psycopg": Library("psycopg", "postgres"),
    "pyspark": Library("PySpark", "spark"),
    "pyarrow": Library("pyarrow", "arrow"),
    "yaml": Library("PyYAML", "yaml"),
}
"""Every library that may be missing, by the name under which it is imported."""


def library(module: str, what: str) -> Any:
    """The module, or an error that says what needs it and how it is installed.

    >>> library("yaml", "reading YAML").__name__
    'yaml'
    """
    name, extra = LIBRARIES[module.partition(".")[0]]
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra(what, name, extra) from None
