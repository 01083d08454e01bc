"""The profiles of property tests: the same examples on every run and no clock, or other examples on every run."""

import os

from hypothesis import settings

settings.register_profile("house", derandomize=True, deadline=None)
settings.register_profile("fast", settings.get_profile("house"), max_examples=25)
settings.register_profile("explore", deadline=None, max_examples=500, print_blob=True)
settings.load_profile(os.environ.get("SFUMATO_EXAMPLES", "house"))
