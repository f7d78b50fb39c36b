"""Places where work is done; `base` says what one is."""
