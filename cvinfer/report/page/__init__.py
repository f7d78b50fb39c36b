"""A document as a page: one HTML file that needs no network, no script and nothing beside it.

`sections` has one file for each part of the page, `figures` small pure functions from numbers to
SVG; `markup` escapes every text, `paper` puts all of it together.
"""
