"""Tests of cvinfer: the folders are those of the package, and beside them a second axis."""
