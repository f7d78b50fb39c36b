"""OpenML's interface, against a real server on this machine."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from cvinfer.data import Dataset, load, sources
from cvinfer.data.registry import Request
from cvinfer.data.sources import openml
from cvinfer.errors import UserError

needs_arff = pytest.mark.skipif(
    importlib.util.find_spec("arff") is None, reason="liac-arff is not installed"
)

ARFF = b"""@relation tiny
@attribute id integer
@attribute size numeric
@attribute colour {red, blue, green}
@attribute grade numeric
@attribute class {good, bad}
@data
1, 1.5, red, 1, good
2, ?, blue, 2, bad
3, 4, red, 1, bad
4, -1, blue, 2, good
"""


def feature(at: int, name: str, kind: str, **more: Any) -> dict[str, Any]:
    flags = {"is_target": "false", "is_ignore": "false", "is_row_identifier": "false", **more}
    flags["number_of_missing_values"] = "1" if name == "size" else "0"
    return {"index": str(at), "name": name, "data_type": kind, **flags}


FEATURES = [
    feature(0, "id", "numeric", is_row_identifier="true"),
    feature(1, "size", "numeric"),
    feature(2, "colour", "nominal", nominal_value=["red", "blue", "green"]),
    feature(3, "grade", "numeric"),
    feature(4, "class", "nominal", nominal_value=["good", "bad"], is_target="true"),
]


def parquet() -> bytes:
    """The records of ARFF as OpenML's own conversion has them."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow.parquet import write_table  # type: ignore[import]

    columns = {
        "id": pyarrow.array([1.0, 2.0, 3.0, 4.0]),
        "size": pyarrow.array([1.5, None, 4.0, -1.0]),
        "colour": pyarrow.array(["red", "blue", "red", "blue"]).dictionary_encode(),
        "grade": pyarrow.array([1.0, 2.0, 1.0, 2.0]),
        "class": pyarrow.array(["good", "bad", "bad", "good"]).dictionary_encode(),
    }
    made = io.BytesIO()
    write_table(pyarrow.table(columns), made)
    return made.getvalue()


class Server(ThreadingHTTPServer):
    """What it offers: a description that can be changed, and files by their paths."""

    asked: list[str]
    description: dict[str, Any]
    files: dict[str, bytes]
    faults: list[int]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Answers(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        status, content = self.answer()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def answer(self) -> tuple[int, bytes]:
        if self.server.faults:
            return self.server.faults.pop(), b""
        if self.path in self.server.files:
            return 200, self.server.files[self.path]
        if self.path == "/api/v1/json/data/61":
            return 200, json.dumps({"data_set_description": self.server.description}).encode()
        if self.path == "/api/v1/json/data/features/61":
            return 200, json.dumps({"data_features": {"feature": FEATURES}}).encode()
        if "json/data" in self.path:
            return 412, b'{"error": {"code": "111", "message": "Unknown dataset"}}'
        return 404, b""

    def log_message(self, *args: object) -> None:
        return


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(openml, "_PAUSE", 0.01)
    found = Server(("127.0.0.1", 0), Answers)
    found.asked, found.faults = [], []
    found.files = {"/data/v1/download/710/tiny.arff": ARFF}
    found.description = {
        "id": "61",
        "name": "tiny",
        "version": "1",
        "status": "active",
        "format": "ARFF",
        "file_id": "710",
        "url": f"{found.address}/data/v1/download/710/tiny.arff",
        "md5_checksum": hashlib.md5(ARFF).hexdigest(),
        "description": "four records",
    }
    thread = threading.Thread(target=found.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield found
    found.shutdown()
    found.server_close()
    thread.join()


def asking(address: str, **more: Any) -> dict[str, Any]:
    return {"source": "openml", "id": 61, "cache": "c", "server": address, **more}


@needs_arff
def test_fetch_once_then_from_the_cache(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec: dict[str, Any] = {"source": "openml", "id": 61, "cache": "kept"}
    imputed = {**spec, "server": server.address, "missing": "impute"}
    assert not sources["openml"].ready(Request(imputed, tmp_path, 0)) and server.asked == []
    data = load(imputed, tmp_path, 1)
    assert isinstance(data, Dataset) and data.name == "tiny"
    size, colour, grade = data.features
    assert size.kind == "numeric" and size.missing.tolist() == [False, True, False, False]
    assert colour.levels == ("blue", "red") and colour.values.tolist() == [1, 0, 1, 0]
    assert grade.values.tolist() == [1, 2, 1, 2]
    assert [data.classes[code] for code in data.target] == ["good", "bad", "bad", "good"]
    asked = len(server.asked)
    assert asked >= 3 and (tmp_path / "kept").is_dir()

    again = load(imputed, tmp_path, 1)
    assert sources["openml"].ready(Request(imputed, tmp_path, 0))
    assert isinstance(again, Dataset) and again.sha256 == data.sha256
    assert len(server.asked) == asked

    # By the environment; and a class of numbers has no decimal point of its own.
    monkeypatch.setenv("CVINFER_OPENML_SERVER", server.address + "/")
    numbers = load({**spec, "target": "grade", "missing": "drop"}, tmp_path, 1)
    assert isinstance(numbers, Dataset)
    assert numbers.classes == ("1", "2") and numbers.n == 3

    # A column says which records belong together, be it of numbers or of words.
    for column in ("grade", "colour"):
        grouped = load({**imputed, "groups": column}, tmp_path, 1)
        assert isinstance(grouped, Dataset) and grouped.groups is not None
        assert column not in [each.name for each in grouped.features]
        assert (grouped.groups == grouped.groups[[2, 3, 0, 1]]).all()
        assert grouped.groups[0] != grouped.groups[1]
    assert [column.name for column in numbers.features] == ["size", "colour", "class"]


@needs_arff
@pytest.mark.parametrize(
    "change, path, words",
    [
        ({"id": 62}, ("id",), "412"),
        ({"id": 0}, ("id",), "counts from 1"),
        ({"target": "clas"}, ("target",), "did you mean 'class'?"),
        ({"server": "openml"}, ("server",), "no http address"),
        ({}, ("missing",), "'size' in 1"),
    ],
)
def test_faults(
    tmp_path: Path, server: Server, change: dict[str, Any], path: tuple[object, ...], words: str
) -> None:
    with pytest.raises(UserError) as caught:
        load({**asking(server.address), **change}, tmp_path, 1)
    assert words in str(caught.value) and caught.value.path == path


def spoil_json(server: Server) -> None:
    server.files["/api/v1/json/data/61"] = b"<html>"


def lose_features(server: Server) -> None:
    server.files["/api/v1/json/data/features/61"] = b'{"data_features": {}}'


def add_feature(server: Server) -> None:
    more = [*FEATURES, feature(5, "weight", "numeric")]
    answer = json.dumps({"data_features": {"feature": more}}).encode()
    server.files["/api/v1/json/data/features/61"] = answer


def change_file(server: Server) -> None:
    server.files["/data/v1/download/710/tiny.arff"] = ARFF + b"5, 1, red, 1, bad\n"


def break_file(server: Server) -> None:
    server.files["/data/v1/download/710/tiny.arff"] = b"@relation r\n"
    server.description["md5_checksum"] = ""


def lose_file(server: Server) -> None:
    server.files.clear()


def point_to_a_file(server: Server) -> None:
    server.description["url"] = "file:///etc/hostname"


def offer_nothing(server: Server) -> None:
    del server.description["url"]


@needs_arff
@pytest.mark.parametrize(
    "spoil, words",
    [
        (spoil_json, "no JSON"),
        (lose_features, "lacks 'data_features'"),
        (add_feature, "has no column 'weight'"),
        (change_file, "came damaged"),
        (break_file, "no @data line"),
        (lose_file, "answered 404"),
        (point_to_a_file, "no http address"),
        (offer_nothing, "neither as parquet nor as arff"),
    ],
)
def test_servers_that_do_not_keep_the_rules(
    tmp_path: Path, server: Server, spoil: Callable[[Server], None], words: str
) -> None:
    spoil(server)
    for _ in range(2):  # nothing of it is taken for good from the cache
        with pytest.raises(UserError) as caught:
            load(asking(server.address, missing="drop"), tmp_path, 1)
        assert words in str(caught.value) and caught.value.path == ("id",)
    assert not list((tmp_path / "c").rglob("*.part"))


@needs_arff
def test_a_passing_fault_is_asked_again(tmp_path: Path, server: Server) -> None:
    server.faults += [503, 500]
    assert load(asking(server.address, missing="drop"), tmp_path, 1).name == "tiny"
    server.faults += 3 * [503]
    with pytest.raises(UserError, match="answered 503"):
        load(asking(server.address, cache="d"), tmp_path, 1)


@needs_arff
def test_what_openml_says_against_a_set_is_noted(tmp_path: Path, server: Server) -> None:
    server.description.update(status="deactivated", version="3", warning="odd numbers")
    data = load(asking(server.address, missing="drop"), tmp_path, 1)
    assert isinstance(data, Dataset)
    assert data.notes[:2] == (
        "OpenML: version 3 of this data set is deactivated",
        "OpenML: warning: odd numbers",
    )


def test_a_server_that_is_not_there(tmp_path: Path, server: Server) -> None:
    address = server.address
    server.shutdown()
    server.server_close()
    with pytest.raises(UserError, match="cannot be reached"):
        load({"source": "openml", "id": 61, "cache": "c", "server": address}, tmp_path, 1)


# --- parquet --------------------------------------------------------------------------------------


def offer_parquet(server: Server, content: bytes) -> None:
    server.description["parquet_url"] = f"{server.address}/61.pq"
    server.files["/61.pq"] = content


def without(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    """As if these were not installed."""
    monkeypatch.setattr(openml, "_readable", lambda form: form.package.module not in modules)


@needs_arff
def test_parquet_is_taken_where_it_is_offered_and_gives_the_same(
    tmp_path: Path, server: Server
) -> None:
    spec = asking(server.address, missing="impute")
    plain = load(spec, tmp_path, 1)
    grades = load({**spec, "target": "grade"}, tmp_path, 1)
    assert not [path for path in server.asked if path.endswith(".pq")]
    offer_parquet(server, parquet())
    server.asked.clear()
    found = load({**spec, "cache": "d"}, tmp_path, 1)
    assert server.asked[-1] == "/61.pq"
    assert isinstance(plain, Dataset) and isinstance(found, Dataset)
    assert isinstance(grades, Dataset)
    assert found.sha256 == plain.sha256 and found.classes == ("bad", "good")
    again = load({**spec, "cache": "d", "target": "grade"}, tmp_path, 1)
    assert isinstance(again, Dataset)
    assert again.sha256 == grades.sha256 and again.classes == ("1", "2")


@needs_arff
def test_a_parquet_file_that_was_never_made_costs_nothing(tmp_path: Path, server: Server) -> None:
    offer_parquet(server, b"")
    del server.files["/61.pq"]
    assert load(asking(server.address, missing="drop"), tmp_path, 1).name == "tiny"


@needs_arff
def test_without_pyarrow_the_arff_file_is_taken(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer_parquet(server, b"PAR1 not asked for")
    without(monkeypatch, "pyarrow")
    assert load(asking(server.address, missing="drop"), tmp_path, 1).name == "tiny"
    assert "/61.pq" not in server.asked


def test_a_server_without_arff_says_what_is_needed(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer_parquet(server, b"PAR1 not asked for")
    del server.description["url"]
    without(monkeypatch, "pyarrow")
    with pytest.raises(UserError, match="needs the package pyarrow, which is not installed"):
        load(asking(server.address), tmp_path, 1)


def test_files_may_write_declared_values_in_their_own_way() -> None:
    nominal = {"data_type": "nominal", "nominal_value": ["TRUE", "FALSE", "1", "2.50"]}
    written = ["true", "False", "1.0", "2.50", "other", None]
    assert openml._texts(written, nominal) == ["TRUE", "FALSE", "1", "2.50", "other", None]
    # Without a list of values nobody knows better than the file.
    assert openml._texts(["007", "1.0"], {"data_type": "nominal"}) == ["007", "1.0"]
    assert openml._texts(["007", "1.50"], {"data_type": "numeric"}) == ["7", "1.5"]


@needs_arff
def test_a_missing_label_is_no_class(tmp_path: Path, server: Server) -> None:
    spec = asking(server.address, target="size", drop=["grade"])
    with pytest.raises(
        UserError, match="missing in 1 of 4 records.*missing_target: drop"
    ) as caught:
        load(spec, tmp_path, 1)
    assert caught.value.path == ("missing_target",)
    data = load({**spec, "missing_target": "drop"}, tmp_path, 1)
    assert isinstance(data, Dataset) and data.n == 3
    assert "1 of 4 records left out: they have no class label" in data.notes


class Endless(Answers):
    """Says nothing of the length, and does not end."""

    sent = 0

    def do_GET(self) -> None:
        if not self.path.endswith(".arff"):
            super().do_GET()
            return
        self.send_response(200)
        self.end_headers()
        while Endless.sent < 50_000_000:
            try:
                self.wfile.write(b"% nothing\n" * 1000)
            except OSError:
                return
            Endless.sent += 10_000


@needs_arff
@pytest.mark.parametrize("told", [True, False], ids=["told", "endless"])
def test_a_download_has_the_limit_of_other_files(
    server: Server, tmp_path: Path, told: bool
) -> None:
    from cvinfer import limits

    path = "/data/v1/download/710/tiny.arff"
    server.files[path] = ARFF + b"% more\n" * 100_000
    server.description.pop("md5_checksum")
    if not told:
        Endless.sent = 0
        server.RequestHandlerClass = Endless
    with limits.limited(max_bytes=200_000), pytest.raises(UserError) as caught:
        load(asking(server.address), tmp_path, 1)
    assert "--max-bytes" in str(caught.value) and "200,000" in str(caught.value)
    assert caught.value.path == ("id",)
    assert sorted(each.suffix for each in (tmp_path / "c").rglob("*.*") if each.is_file()) == [
        ".json",
        ".json",
    ]
    if told:
        with limits.limited(max_bytes=20_000_000):
            assert load(asking(server.address, missing="drop"), tmp_path, 1).n == 3
    else:
        assert Endless.sent < 20_000_000


@needs_arff
def test_a_description_has_the_limit_too(server: Server, tmp_path: Path) -> None:
    from cvinfer import limits

    server.description["description"] = "x" * 50_000
    with limits.limited(max_bytes=10_000), pytest.raises(UserError, match="--max-bytes"):
        load(asking(server.address), tmp_path, 1)
    # Nor is one that lies in the cache read beyond it.
    assert isinstance(load(asking(server.address, missing="drop"), tmp_path, 1), Dataset)
    with limits.limited(max_bytes=10_000), pytest.raises(UserError, match="--max-bytes"):
        load(asking(server.address), tmp_path, 1)


@needs_arff
def test_licence_and_citation_are_among_the_notes(server: Server, tmp_path: Path) -> None:
    server.description |= {"licence": "CC BY 4.0", "citation": "Tiny,\n  A. (2001). " + "x" * 900}
    notes = load(asking(server.address, missing="keep"), tmp_path, 0).notes
    assert "OpenML: licence: CC BY 4.0" in notes
    (cited,) = (each for each in notes if "citation" in each)
    assert cited.startswith("OpenML: citation: Tiny, A. (2001).") and len(cited) < 600
