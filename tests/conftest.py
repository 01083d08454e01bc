"""One profile for every property test: the same examples on every run, and no clock."""

from hypothesis import settings

settings.register_profile("house", derandomize=True, deadline=None)
settings.load_profile("house")
