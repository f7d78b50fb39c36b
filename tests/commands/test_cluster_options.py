"""What is said of --cluster and of workers before anything is connected."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.execute.cluster.real_cluster import NEEDS_DASK
from tests.execute.run_examples import spec_of

from cvinfer.cli import cli

pytestmark = NEEDS_DASK


def said(*words: object) -> "tuple[int, str]":
    found = CliRunner().invoke(cli, [str(each) for each in words])
    return found.exit_code, found.output


@pytest.mark.parametrize(
    "options, why",
    [
        (("--cluster", "local:2", "--jobs", "2"), "--jobs is for this machine"),
        (("--cluster", "local:no"), "local:N with N from 1 to 256"),
        (("--cluster", "there.json"), "no such scheduler file"),
        (("--cluster", "tls://host:1"), "--tls-ca, --tls-cert and --tls-key"),
        (("--cluster", "tcp://host:1", "--tls-ca", "spec.json"), "are needed together"),
    ],
)
def test_what_is_refused_at_once(tmp_path: Path, options: "tuple[str, ...]", why: str) -> None:
    code, text = said("run", spec_of(tmp_path), *options)
    assert code == 2 and why in text and "Traceback" not in text


def test_workers_that_could_not_be_reached_are_refused() -> None:
    code, text = said("workers", "tcp://10.1.2.3:8786")
    assert code == 2 and "--host" in text
