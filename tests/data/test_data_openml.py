"""OpenML through scikit-learn's fetcher, against a real server on this machine."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from cvinfer.data import Dataset, describe, load
from cvinfer.errors import UserError

pytest.importorskip("sklearn")
pytest.importorskip("pandas")

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


def feature(at: int, name: str, kind: str, **more: str) -> dict[str, str]:
    flags = {"is_target": "false", "is_ignore": "false", "is_row_identifier": "false", **more}
    flags["number_of_missing_values"] = "1" if name == "size" else "0"
    return {"index": str(at), "name": name, "data_type": kind, **flags}


class Server(ThreadingHTTPServer):
    asked: list[str]

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
        path = self.path.split("?")[0]
        if path.endswith(("/61", "/download/710", "/tiny.arff")):
            if "features" in path:
                features = [
                    feature(0, "id", "numeric", is_row_identifier="true"),
                    feature(1, "size", "numeric"),
                    feature(2, "colour", "nominal"),
                    feature(3, "grade", "numeric"),
                    feature(4, "class", "nominal", is_target="true"),
                ]
                return 200, json.dumps({"data_features": {"feature": features}}).encode()
            if "qualities" in path:
                quality = [{"name": "NumberOfInstances", "value": "4.0"}]
                return 200, json.dumps({"data_qualities": {"quality": quality}}).encode()
            if "json/data" in path:
                description = {
                    "id": "61",
                    "name": "tiny",
                    "version": "1",
                    "status": "active",
                    "format": "ARFF",
                    "file_id": "710",
                    "url": f"{self.server.address}/data/v1/download/710/tiny.arff",
                    "md5_checksum": hashlib.md5(ARFF).hexdigest(),
                    "description": "four records",
                }
                return 200, json.dumps({"data_set_description": description}).encode()
            return 200, ARFF
        if "json/data" in path:
            return 412, b'{"error": {"code": "111", "message": "Unknown dataset"}}'
        return 404, b""

    def log_message(self, *args: object) -> None:
        return


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server(("127.0.0.1", 0), Answers)
    found.asked = []
    thread = threading.Thread(target=found.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield found
    found.shutdown()
    found.server_close()
    thread.join()


def test_fetch_once_then_from_the_cache(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec: dict[str, Any] = {"source": "openml", "id": 61, "cache": "kept"}
    imputed = {**spec, "server": server.address, "missing": "impute"}
    assert describe(imputed, tmp_path) is None and server.asked == []
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
    facts = describe(imputed, tmp_path)
    assert isinstance(again, Dataset) and again.sha256 == data.sha256
    assert facts is not None and facts.features["colour"] == "categorical"
    assert len(server.asked) == asked

    # By the environment; and a class of numbers has no decimal point of its own.
    monkeypatch.setenv("CVINFER_OPENML_SERVER", server.address + "/")
    numbers = load({**spec, "target": "grade", "missing": "drop"}, tmp_path, 1)
    assert isinstance(numbers, Dataset)
    assert numbers.classes == ("1", "2") and numbers.n == 3
    assert [column.name for column in numbers.features] == ["size", "colour", "class"]


@pytest.mark.parametrize(
    "change, path, words",
    [
        ({"id": 62}, ("id",), "62"),
        ({"id": 0}, ("id",), "counts from 1"),
        ({"target": "clas"}, ("target",), "clas"),
        ({"server": "openml"}, ("server",), "no http address"),
        ({}, ("missing",), "'size' in 1"),
    ],
)
def test_faults(
    tmp_path: Path, server: Server, change: dict[str, Any], path: tuple[object, ...], words: str
) -> None:
    spec: dict[str, Any] = {"source": "openml", "id": 61, "cache": "kept"}
    spec.update({"server": server.address, **change})
    with pytest.raises(UserError) as caught:
        load(spec, tmp_path, 1)
    assert words in str(caught.value) and caught.value.path == path


def test_the_fetcher_is_left_as_it_was(tmp_path: Path, server: Server) -> None:
    import socket

    from sklearn.datasets import _openml  # type: ignore[import]

    before = dict(vars(_openml)), socket.getdefaulttimeout()
    load(
        {"source": "openml", "id": 61, "cache": "c", "server": server.address, "missing": "drop"},
        tmp_path,
        1,
    )
    assert (dict(vars(_openml)), socket.getdefaulttimeout()) == before


def test_a_server_that_is_not_there(tmp_path: Path, server: Server) -> None:
    address = server.address
    server.shutdown()
    server.server_close()
    with pytest.raises(UserError, match="cannot be reached"):
        load({"source": "openml", "id": 61, "cache": "c", "server": address}, tmp_path, 1)
