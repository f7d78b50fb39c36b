"""What a stranger might write: values, texts and files that are not what they should be."""

from __future__ import annotations

import gzip
import json
import os
import pickle
from pathlib import Path
from random import Random
from typing import Any, Callable, Mapping

#: A command, an attribute of LaTeX, a formula: whatever runs one of these makes this file.
CANARY = "canary"


class _Runs:
    """Unpickled, it runs a command."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (self.command,)


def pickled(place: Path) -> bytes:
    return pickle.dumps(_Runs(f"touch '{place / CANARY}'"))


def lay_traps(place: Path) -> None:
    """Files in the working directory that some program would run or believe."""
    canary = place / CANARY
    python = f"open({str(canary)!r}, 'w')\n"
    r_code = f'cat("x", file = "{canary}")\n'
    for name in ("sitecustomize.py", "usercustomize.py", "theirs.py", "rich.py", "joblib.py"):
        (place / name).write_text(python)
    (place / ".Rprofile").write_text(r_code)
    (place / ".Renviron").write_text(f"R_PROFILE_USER={place / '.Rprofile'}\n")
    (place / "model.ser").write_bytes(pickled(place))
    (place / "cache").mkdir()
    (place / "cache" / "output.pkl").write_bytes(pickled(place))
    (place / "net.xml").write_text(
        f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{place / "precious"}">]><BIF>&e;</BIF>'
    )
    (place / "precious").write_text("precious")


def texts(place: Path) -> list[str]:
    """Texts that somebody might obey."""
    canary = place / CANARY
    return [
        f"$(touch {canary})",
        f"`touch {canary}`",
        f"; touch {canary} #",
        f"| touch {canary}",
        f"system('touch {canary}')",
        f"__import__('os').system('touch {canary}')",
        f"\\immediate\\write18{{touch {canary}}}",
        f"{{{{ cycler.__init__.__globals__.os.system('touch {canary}') }}}}",
        f"=cmd|' /C touch {canary}'!A0",
        f"!!python/object/apply:os.system ['touch {canary}']",
        "theirs:Learner",
        "os:system",
        "subprocess:Popen",
        "base::system",
        "cache",
        "model.ser",
        "precious",
        "net.xml",
        "../precious",
        "/dev/zero",
        "/dev/stdin",
        "/proc/self/mem",
        "/proc/self/environ",
        "-",
        "",
        " ",
        ".",
        "..",
        "~",
        "~root",
        "~nobody-of-this-name",
        "a\0b",
        "a\nb",
        "\x1b]0;title\x07\u202eevil",
        "\ud800",
        "'",
        '"',
        "'; drop table fits; --",
        "%s%n%d{0}{name}",
        "<script>alert(1)</script>",
        "\\input{precious}",
        "x" * 5000,
        "é" * 300,
        "\U0001f600",
        "NaN",
        "inf",
        "1e999",
        "0x" + "f" * 300,
        "null",
        "yes",
        "2001-01-01",
        "1:30",
        "punycode",
        "undefined",
        "http://[::1",
        "http://127.0.0.1:9/",
        "file:///etc/passwd",
    ]


NUMBERS: tuple[Any, ...] = (
    *(0, -1, 1, 2, 3, 10**6, 10**9, 10**12, 2**31, 2**63, 2**64, 10**30, -(10**30)),
    *(0.0, -0.0, 0.5, 1.0, 1.5, 1e-300, 1e300, -1e300, float("nan"), float("inf"), -float("inf")),
    *(True, False, None),
)


#: What might stand in a spec, if not there: the nearer to sense, the further it gets.
PLAUSIBLE: tuple[Any, ...] = (
    *(2, 3, 4, 5, 7, 10, 12, 60, 119, 120, 121, 0.05, 0.1, 0.3, 0.9, 1e-9, 1 / 3),
    *("kfold", "repeated_kfold", "repeated_holdout", "blocked_mx2", "random_mx2", "loo", "auto"),
    *("kfold_t", "cvci_z", "blocked_3x2_t", "combined_5x2_f", "all", "recommended", "holm", "none"),
    *("SVC", "GaussianNB", "GridSearchCV", "StackingClassifier", "StandardScaler", "mean", "lda"),
    *("sklearn", "builtin", "r", "rweka", "csv", "arff", "predictions", "synthetic", "iris"),
    *("data.csv", "data.arff", "splits.csv", "class", "u", "v", "a", "b", "utf-8", "latin-1"),
)


def value(draw: Random, place: Path, depth: int = 0) -> Any:
    """Any value that YAML or JSON can hold."""
    if draw.random() < 0.4:
        return draw.choice(PLAUSIBLE)
    kind = draw.random()
    if kind < 0.4:
        return draw.choice(texts(place))
    if kind < 0.75 or depth > 2:
        return draw.choice(NUMBERS)
    if kind < 0.87:
        return [value(draw, place, depth + 1) for _ in range(draw.choice((0, 1, 2, 5)))]
    return {
        draw.choice(
            ("learner", "engine", "name", "path", "params", "x", "n", "options", "")
        ): value(draw, place, depth + 1)
        for _ in range(draw.choice((0, 1, 2, 3)))
    }


# --- changes of a structure -----------------------------------------------------------------------


def _spots(node: Any) -> list[tuple[Any, Any]]:
    """Every place of a structure that can be changed: its holder and its key."""
    found: list[tuple[Any, Any]] = []
    if isinstance(node, dict):
        entries: list[tuple[Any, Any]] = list(node.items())
    elif isinstance(node, list):
        entries = list(enumerate(node))
    else:
        return found
    for key, each in entries:
        found.append((node, key))
        found += _spots(each)
    return found


def changed(node: Any, draw: Random, place: Path) -> Any:
    """A structure with some of its nodes replaced, removed, renamed, doubled or moved."""
    new = json.loads(json.dumps(node))
    if draw.random() < 0.4:
        _change_slightly(new, draw, place)
        return new
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        spots = _spots(new)
        if not spots:
            return value(draw, place)
        holder, key = draw.choice(spots)
        kind = draw.random()
        if kind < 0.6:
            holder[key] = value(draw, place)
        elif kind < 0.7:
            del holder[key]
        elif kind < 0.8:
            other, name = draw.choice(spots)
            try:
                holder[key] = json.loads(json.dumps(other[name]))
            except (KeyError, IndexError):
                continue
        elif isinstance(holder, dict):
            holder[str(value(draw, place))[:300]] = holder.pop(key)
        else:
            holder += [json.loads(json.dumps(holder[key]))] * draw.choice((1, 2, 50))
    return new


def _change_slightly(node: Any, draw: Random, place: Path) -> None:
    """One value becomes another of its kind, which comes further before it is found out."""
    spots = [(holder, key) for holder, key in _spots(node) if not _spots(holder[key])]
    if not spots:
        return
    holder, key = draw.choice(spots)
    old = holder[key]
    if isinstance(old, bool) or old is None:
        holder[key] = draw.choice((True, False, None))
    elif isinstance(old, (int, float)):
        holder[key] = draw.choice((old + 1, old - 1, old * 2, old / 2, -old, old * 1000, 0, 1, 2))
    elif isinstance(old, str):
        others = (old + draw.choice(texts(place)), old[:-1], old.upper(), old + " ", old * 50)
        holder[key] = draw.choice((*others, draw.choice(PLAUSIBLE)))


# --- changes of a text ----------------------------------------------------------------------------


def _flip(data: bytearray, draw: Random, place: Path) -> None:
    for _ in range(draw.choice((1, 3, 20))):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)


def _cut(data: bytearray, draw: Random, place: Path) -> None:
    del data[draw.randrange(len(data)) :]


def _insert(data: bytearray, draw: Random, place: Path) -> None:
    text = draw.choice(texts(place)).encode("utf-8", "surrogatepass")
    at = draw.randrange(len(data))
    data[at:at] = draw.choice((text, draw.randbytes(8), b"\0" * 50, b"\xef\xbb\xbf", b"\r", b"'"))


def _lines(data: bytearray, draw: Random, place: Path) -> None:
    lines = bytes(data).split(b"\n")
    at = draw.randrange(len(lines))
    kind = draw.choice(("drop", "double", "swap", "many", "empty"))
    if kind == "drop":
        del lines[at]
    elif kind == "double":
        lines.insert(at, lines[at])
    elif kind == "swap":
        other = draw.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == "many":
        lines[at:at] = [lines[at]] * 5000
    else:
        lines[at] = b""
    data[:] = b"\n".join(lines)


def _cells(data: bytearray, draw: Random, place: Path) -> None:
    """Some cells between commas hold something else."""
    cells = bytes(data).split(b",")
    for _ in range(draw.choice((1, 1, 5))):
        other = draw.choice([*texts(place), *map(str, NUMBERS)])
        cells[draw.randrange(len(cells))] = other.encode("utf-8", "surrogatepass")
    data[:] = b",".join(cells)


def _nest(data: bytearray, draw: Random, place: Path) -> None:
    at = draw.randrange(len(data))
    data[at:at] = draw.choice((b"[", b"{", b"(", b'"', b"&a [*a, ", b"- ")) * draw.choice(
        (50, 5000)
    )


TEXT_CHANGES: tuple[Callable[[bytearray, Random, Path], None], ...] = (
    *(_flip, _cut, _insert, _lines, _cells, _cells, _nest),
)


def garbled(text: bytes, draw: Random, place: Path) -> bytes:
    data = bytearray(text)
    for _ in range(draw.choice((1, 1, 2, 4))):
        if data:
            draw.choice(TEXT_CHANGES)(data, draw, place)
    return bytes(data)


# --- files that are none, or another kind ---------------------------------------------------------


def _pipe(path: Path, text: bytes, draw: Random) -> None:
    os.mkfifo(path)


def _bomb(path: Path, text: bytes, draw: Random) -> None:
    with gzip.open(path, "wb", compresslevel=6) as stream:
        for _ in range(40):
            stream.write(b"0,1,2\n" * (1 << 17))


def _sparse(path: Path, text: bytes, draw: Random) -> None:
    with open(path, "wb") as stream:
        stream.truncate(3 << 30)


def _half_packed(path: Path, text: bytes, draw: Random) -> None:
    packed = gzip.compress(text)
    path.write_bytes(packed[: draw.randrange(2, len(packed))])


def _bytes(made: Callable[[Path, bytes, Random], bytes]) -> Callable[[Path, bytes, Random], None]:
    def written(path: Path, text: bytes, draw: Random) -> None:
        path.write_bytes(made(path, text, draw))

    return written


def _utf16(path: Path, text: bytes, draw: Random) -> bytes:
    return text.decode("utf-8", "replace").encode("utf-16")


OTHERS: Mapping[str, Callable[[Path, bytes, Random], None]] = {
    "a pipe": _pipe,
    "a folder": lambda path, text, draw: path.mkdir(),
    "a link to itself": lambda path, text, draw: path.symlink_to(path.name),
    "a link to a device": lambda path, text, draw: path.symlink_to("/dev/zero"),
    "a link to /proc": lambda path, text, draw: path.symlink_to("/proc/self/mem"),
    "nothing": lambda path, text, draw: None,
    "empty": lambda path, text, draw: path.touch(),
    "a bomb": _bomb,
    "sparse": _sparse,
    "half packed": _half_packed,
    "packed": _bytes(lambda path, text, draw: gzip.compress(text)),
    "a pickle": _bytes(lambda path, text, draw: pickled(path.parent)),
    "utf-16": _bytes(_utf16),
    "no line ends": _bytes(lambda path, text, draw: text.replace(b"\n", b" ")),
    "a long line": _bytes(lambda path, text, draw: text + b"z" * 10**6),
    "many columns": _bytes(lambda path, text, draw: text + b"1," * 50_000),
    "random": _bytes(lambda path, text, draw: draw.randbytes(5000)),
}
