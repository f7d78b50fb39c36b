"""One module per scheme, found by its place here."""
