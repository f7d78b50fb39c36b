"""Options of a Weka classifier: from a mapping, a text or a list to the flags that Weka reads."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence, Union

Options = Union[Mapping[str, Any], str, Sequence[Any], None]


class FlagError(ValueError):
    """An option that cannot be written as a flag; `path` leads to it from the options."""

    def __init__(self, message: str, path: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.path = path


def flags(options: Options, resolve: Callable[[str], str] = str) -> list[str]:
    """The flags, each word by itself.

    A text is split as Weka does. In a mapping `C: 0.25` becomes -C 0.25, `U: true` becomes -U,
    false and null are left out, a list repeats the flag. `{Name: {option: value}}` as a value names
    another Weka class with options of its own: behind -- where the flag is W (the base classifier
    of a meta classifier), and as one quoted text elsewhere (SMO's kernel K). `resolve` makes full
    class names of short ones.
    """
    if options is None:
        return []
    if isinstance(options, str):
        return split(options)
    if not isinstance(options, (Mapping, list, tuple)):
        raise FlagError(f"{options!r} is no set of options; write a mapping, a text or a list")
    if not isinstance(options, Mapping):
        return [_word(each, (at,)) for at, each in enumerate(options)]
    words: list[str] = []
    behind: list[str] = []
    for name, value in options.items():
        flag = "-" + str(name).lstrip("-")
        if flag == "-":
            raise FlagError("an option without a name", (name,))
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if each is None or each is False:
                continue
            if each is True:
                words.append(flag)
            elif isinstance(each, Mapping):
                inner, own = _nested(each, (name,), resolve)
                if flag == "-W":
                    words += [flag, inner]
                    behind = own
                else:
                    words += [flag, join([inner, *own])]
            else:
                text = _word(each, (name,))
                words += [flag, resolve(text) if flag == "-W" else text]
    return words + (["--", *behind] if behind else [])


def _nested(
    value: Mapping[str, Any], path: tuple[Any, ...], resolve: Callable[[str], str]
) -> tuple[str, list[str]]:
    if len(value) != 1:
        raise FlagError("a class with its options is written {Name: {option: value}}", path)
    ((name, options),) = value.items()
    try:
        return resolve(str(name)), flags(options, resolve)
    except FlagError as error:
        raise FlagError(str(error), (*path, name, *error.path)) from None


def _word(value: Any, path: tuple[Any, ...]) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise FlagError(f"{value!r} cannot be written as a flag; use text or a number", path)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))  # where Weka reads a whole number, 2.0 is none
    return str(value)


def split(text: str) -> list[str]:
    """The words of a text as Weka's own Utils.splitOptions finds them; only " is a quote."""
    words: list[str] = []
    rest = text.strip()
    while rest:
        if rest[0] == '"':
            end = 1
            while end < len(rest) and rest[end] != '"':
                end += 2 if rest[end] == "\\" else 1
            if end >= len(rest):
                raise FlagError("a quote is opened and never closed")
            words.append(_unescaped(rest[1:end]))
            rest = rest[end + 1 :].strip()
        else:
            word, _, rest = rest.replace("\t", " ").replace("\n", " ").partition(" ")
            words.append(word)
            rest = rest.strip()
    return words


def join(words: Sequence[str]) -> str:
    """One text that `split` takes apart again."""
    return " ".join(_quoted(word) for word in words)


_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _quoted(word: str) -> str:
    if word and not any(char.isspace() or char in _ESCAPES for char in word):
        return word
    return '"' + "".join(_ESCAPES.get(char, char) for char in word) + '"'


def _unescaped(text: str) -> str:
    known = {escaped[1]: char for char, escaped in _ESCAPES.items()}
    made = []
    chars = iter(text)
    for char in chars:
        if char == "\\":
            after = next(chars, "")
            made.append(known.get(after, "\\" + after))
        else:
            made.append(char)
    return "".join(made)
