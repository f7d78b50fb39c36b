"""Text as LaTeX shows it, in plain ASCII, and how wide it is."""

from __future__ import annotations

import re
import unicodedata

from cvinfer.report.tables.layout import wrap
from cvinfer.report.tables.model import BREAK

#: Widths in pt of characters at \footnotesize in Computer Modern (T1), measured by LaTeX.
_WIDTHS = {
    2.4: "!',.:;[]il|",
    2.8: "fj- ",
    3.3: "I()rt",
    3.4: "s",
    3.8: "cez",
    4.2: '`?"$*/0123456789\\ago{}',
    4.5: "Jkqvxy",
    4.7: "Sbdhnpu",
    5.3: "ZL^~",
    5.8: "FEP",
    6.1: "BCTw",
    6.5: "RAHNUVXYD",
    6.7: "&+<=>@KOQ_G×−αβ∘•",
    7.2: "#%m",
    7.8: "M",
    8.7: "W",
}
WIDTHS = {character: width for width, group in _WIDTHS.items() for character in group}
WIDEST = 8.7
#: Bold letters are up to this much wider.
BOLD = 1.17

ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "#$%&_{}"},
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    # A straight quotation mark in T1, and never a shorthand of babel.
    '"': r"\char34{}",
    "`": r"\`{}",
}
#: At the start of a row these would be taken for an argument of what stands before.
AT_START = {"[": "{[}", "*": "{*}"}
#: Two of these in a row would become another character.
NOT_TWICE = "-',"

SYMBOLS = {
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
    "§": r"\S{}",
    "£": r"\pounds{}",
    "©": r"\copyright{}",
    "¡": "!`",
    "¿": "?`",
    "–": "--",
    "—": "---",
    "‘": r"\textquoteleft{}",
    "’": "'{}",
    "“": r"\textquotedblleft{}",
    "”": "''",
    "…": r"\ldots{}",
    "°": r"$^\circ$",
    "×": r"$\times$",
    "÷": r"$\div$",
    "±": r"$\pm$",
    "·": r"$\cdot$",
    "¬": r"$\neg$",
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "≈": r"$\approx$",
    "∞": r"$\infty$",
    "√": r"$\surd$",
    "∈": r"$\in$",
    "∘": r"$\circ$",
    "•": r"$\bullet$",
    "→": r"$\rightarrow$",
    "←": r"$\leftarrow$",
    "∑": r"$\sum$",
    "μ": r"$\mu$",
    "ς": r"$\varsigma$",
    "ο": "o",
    "⁻": "$^-$",
    **{digit: f"$^{at}$" for at, digit in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    **{digit: f"$_{at}$" for at, digit in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    # Greek capitals that look like Latin ones have no name of their own.
    **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧ", "ABEZHIKMNOPTX")),
    "Υ": r"$\Upsilon$",
}

ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0323": "d",
    "\u0327": "c",
    "\u0331": "b",
}


def escape(text: str) -> str:
    """Any text as LaTeX that shows it, in ASCII; what LaTeX cannot show becomes U+ and its code."""
    made = _inside(text)
    return AT_START[made[0]] + made[1:] if made[:1] in AT_START else made


def escape_breakable(text: str) -> str:
    """The same inside a paragraph; long words may be broken, so that no line sticks out."""
    words = []
    for word in str(text).split():
        pieces = wrap(word, 60.0, width) if width(word) > 90.0 else [word]
        words.append(r"\allowbreak{}".join(_inside(piece) for piece in pieces))
    return " ".join(words)


def _inside(text: str) -> str:
    """`escape` of what does not stand at the start of a cell; braces only where they are needed."""
    made = ""
    for character in unicodedata.normalize("NFC", " ".join(str(text).split())):
        if character in NOT_TWICE and made.endswith(character):
            made += "{}"
        made += _escaped(character)
    return made


def width(text: str) -> float:
    """Width in pt of a text at \\footnotesize; an upper bound for what is not ASCII.

    Of several lines it is that of the widest.
    """
    return max(_line_width(line) for line in text.split(BREAK))


def _line_width(line: str) -> float:
    total = 0.0
    for character in unicodedata.normalize("NFC", line):
        if character in WIDTHS:
            total += WIDTHS[character]
        elif _escaped(character).startswith("U+"):
            total += width(_escaped(character))
        else:
            total += WIDEST
    return total


def bold_width(text: str) -> float:
    return BOLD * width(text)


def label(name: str) -> str:
    """A label for \\ref: ASCII letters, digits, dots and hyphens of the name."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9.]+", "-", plain).strip("-.") or "result"


def _escaped(character: str) -> str:
    if character in ESCAPES:
        return ESCAPES[character]
    if " " <= character <= "~":
        return character
    if character in SYMBOLS:
        return SYMBOLS[character]
    name = unicodedata.name(character, "")
    if name.startswith("GREEK ") and " LETTER " in name and " WITH " not in name:
        return _greek(name)
    base, *marks = list(unicodedata.normalize("NFD", character))
    if marks and base.isascii() and all(mark in ACCENTS for mark in marks):
        made = {"i": r"\i", "j": r"\j"}.get(base, base)
        for mark in marks:
            made = f"\\{ACCENTS[mark]}{{{made}}}"
        return made
    simple = unicodedata.normalize("NFKC", character)
    if simple != character and all(" " <= each <= "~" for each in simple):
        return _inside(simple)
    return f"U+{ord(character):04X}"


def _greek(name: str) -> str:
    letter = name.rpartition(" ")[2].lower().replace("lamda", "lambda")
    if name.startswith("GREEK CAPITAL LETTER "):
        letter = letter.capitalize()
    return rf"$\{letter}$" if name.count(" ") == 3 else f"U+{ord(unicodedata.lookup(name)):04X}"
