"""Settings of the property tests."""

from hypothesis import settings

# A busy machine is no fault of the code: examples are not timed.
settings.register_profile("partitions", deadline=None)
settings.load_profile("partitions")
