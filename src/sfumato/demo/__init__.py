"""People who do not exist: a hospital to try things on, and a few rows for audits and lessons."""
