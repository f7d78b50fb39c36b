"""The forms in which other programs write scores: one module each, found by itself."""
