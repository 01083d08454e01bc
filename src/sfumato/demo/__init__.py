"""People who do not exist: a hospital to try things on, and a few rows for audits and lessons."""

from sfumato.demo import few_rows, hospital

__all__ = ["few_rows", "hospital"]
