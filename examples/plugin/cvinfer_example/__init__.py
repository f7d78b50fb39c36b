"""What this plug-in adds to cvinfer: importing a file adds what it declares."""

from cvinfer_example import learner, scheme, source, test

__all__ = ["learner", "scheme", "source", "test"]
