"""Names of encodings and addresses of servers, looked at before a library stumbles over them."""

from __future__ import annotations

import codecs
from urllib.parse import urlsplit

from cvinfer.foreign import quoted

#: Python has them among its encodings, but they are none of files.
_NO_CHARACTERS = ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape")


def encoding_fault(name: str) -> str | None:
    """What is wrong with the name of an encoding; None if nothing."""
    common = "utf-8, latin-1, cp1252 and utf-16 are common"
    try:
        found = codecs.lookup(name)
        b"".decode(name)  # what turns bytes into bytes is found too, but refused here
    except (LookupError, ValueError):
        return f"there is no encoding {quoted(name)}; {common}"
    if found.name.replace("_", "-") in _NO_CHARACTERS:
        return f"{quoted(name)} is no encoding of files; {common}"
    return None


def address_fault(address: str) -> str | None:
    """What is wrong with the address of a server; None if nothing."""
    try:
        parts = urlsplit(address)
        fine = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        fine = False
    if fine and address.isprintable() and " " not in address:
        return None
    return f"server {quoted(address)} is no http address such as http://host/"
