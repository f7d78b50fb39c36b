"""Small pictures as SVG: pure functions from numbers to elements.

Places along the width are per cent, so that a picture fits whatever room it gets; heights are
pixels. Colours come from the classes of the page's style sheet, for light and for dark.
"""
