"""One module per kind of source. A module dropped in here is found; nobody edits a list."""
