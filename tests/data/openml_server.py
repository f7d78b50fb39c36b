"""A server with OpenML's interface and stored answers, in the forms of its JSON API, version 1."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

#: Records of each data set, by its number.
SIZES = {3: 60, 11: 45, 12: 30}
NAMES = {3: "kr-vs-kp", 11: "balance-scale", 12: "half"}
#: Tasks and their data sets; 5 is a regression.
TASKS = {3: 3, 11: 11, 12: 12, 5: 3}


def arff(number: int) -> bytes:
    """Two classes that two columns tell apart, but for some noise."""
    n = SIZES[number]
    random = np.random.default_rng(number)
    codes = random.integers(0, 2, n)
    x, y = random.normal(codes, 0.8), random.normal(0, 1, n)
    rows = [f"{a:.4f},{b:.4f},{'won' if c else 'lost'}" for a, b, c in zip(x, y, codes)]
    head = f"@relation d{number}\n@attribute x real\n@attribute y real\n"
    return (head + "@attribute class {won,lost}\n@data\n" + "\n".join(rows) + "\n").encode()


def splits(n: int, repeats: int = 1, folds: int = 5) -> str:
    """As OpenML writes them: a row for each record, split and role."""
    lines = [
        "@relation openml_task_1_splits\n@attribute type {TRAIN,TEST}\n@attribute rowid "
        "numeric\n@attribute repeat numeric\n@attribute fold numeric\n\n@data"
    ]
    for repeat in range(repeats):
        fold_of = np.random.default_rng(repeat).permutation(n) % folds
        for fold in range(folds):
            for row in range(n):
                kind = "TEST" if fold_of[row] == fold else "TRAIN"
                lines.append(f"{kind},{row},{repeat},{fold}")
    return "\n".join(lines) + "\n"


@dataclass
class Stored:
    """Answers by path; a path that is not there is refused as OpenML refuses it."""

    address: str = ""
    answers: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def put(self, path: str, content: Any, status: int = 200) -> None:
        if not isinstance(content, bytes):
            content = (content if isinstance(content, str) else json.dumps(content)).encode()
        self.answers[path] = status, content

    def answer(self, path: str) -> tuple[int, bytes]:
        self.asked.append(path)
        for begin, code, said in (
            ("/api/v1/json/study/", "601", "Unknown study"),
            ("/api/v1/json/task/", "151", "Unknown task"),
            ("/api/v1/json/data/", "111", "Unknown dataset"),
        ):
            if path.startswith(begin) and path not in self.answers:
                return 412, json.dumps({"error": {"code": code, "message": said}}).encode()
        return self.answers.get(path, (404, b""))

    def task(
        self, number: int, procedure: str = "crossvalidation", content: str | None = None
    ) -> None:
        """Put a task of classification there, and its splits."""
        data = TASKS[number]
        address = f"/api_splits/get/{number}/Task_{number}_splits.arff"
        classify = number != 5
        estimation = {
            "id": "1",
            "type": procedure,
            "data_splits_url": self.address + address,
            "parameter": [
                {"name": "number_repeats", "value": "1"},
                {"name": "number_folds", "value": "5"},
                {"name": "percentage"},
                {"name": "stratified_sampling", "value": "true"},
            ],
        }
        kind = "Supervised Classification" if classify else "Supervised Regression"
        found = {
            "task_id": str(number),
            "task_name": f"Task {number}: {NAMES[data]} ({kind})",
            "task_type_id": "1" if classify else "2",
            "task_type": kind,
            "input": [
                {
                    "name": "source_data",
                    "data_set": {"data_set_id": str(data), "target_feature": "class"},
                },
                {"name": "estimation_procedure", "estimation_procedure": estimation},
                {"name": "cost_matrix", "cost_matrix": []},
                {"name": "evaluation_measures", "evaluation_measures": {"evaluation_measure": ""}},
            ],
            "output": [{"name": "predictions"}],
        }
        self.put(f"/api/v1/json/task/{number}", {"task": found})
        self.put(address, splits(SIZES[data]) if content is None else content)

    def data_set(self, number: int, **more: Any) -> None:
        """Put a data set there; `more` goes into its description."""
        records, file = arff(number), f"/data/v1/download/{number}/d.arff"
        description = {
            "id": str(number),
            "name": NAMES[number],
            "version": "1",
            "status": "active",
            "format": "ARFF",
            "licence": "Public",
            "citation": f"Author of {NAMES[number]} (1989)",
            "url": self.address + file,
            "md5_checksum": hashlib.md5(records).hexdigest(),
            **more,
        }
        self.put(f"/api/v1/json/data/{number}", {"data_set_description": description})
        flags = {"is_ignore": "false", "is_row_identifier": "false"}
        features = [
            {"index": "0", "name": "x", "data_type": "numeric", "is_target": "false", **flags},
            {"index": "1", "name": "y", "data_type": "numeric", "is_target": "false", **flags},
            {
                "index": "2",
                "name": "class",
                "data_type": "nominal",
                "nominal_value": ["won", "lost"],
                "is_target": "true",
                **flags,
            },
        ]
        listed = {"data_features": {"feature": features}}
        self.put(f"/api/v1/json/data/features/{number}", listed)
        self.put(file, records)

    def suite(self, number: int, tasks: Sequence[int], data: Sequence[int] = ()) -> None:
        """Put a suite there: of tasks, or of data sets alone."""
        found = {
            "id": str(number),
            "alias": "small",
            "main_entity_type": "task",
            "name": "A small suite",
            "data": {
                "data_id": [str(each) for each in data or [TASKS.get(task, 1) for task in tasks]]
            },
            **({"tasks": {"task_id": [str(each) for each in tasks]}} if tasks else {}),
        }
        self.put(f"/api/v1/json/study/{number}", {"study": found})


@contextmanager
def serving() -> Iterator[Stored]:
    """A server on this machine with three data sets, their tasks and the suite 99 of them."""
    stored = Stored()

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, content = stored.answer(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    stored.address = f"http://127.0.0.1:{server.server_address[1]}"
    for number in NAMES:
        stored.data_set(number)
    for number in TASKS:
        stored.task(number)
    stored.suite(99, [3, 11, 12])
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield stored
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
