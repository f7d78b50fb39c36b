"""`cvinfer plan`: how many fits a spec takes."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import click

from cvinfer.commands._options import JSON, SPEC, place_options, spec_options
from cvinfer.foreign import say, say_json


@click.command("plan", short_help="Count the fits, per learner and test.")
@SPEC
@spec_options
@place_options
@JSON
def command(
    spec: Path,
    overrides: tuple[str, ...],
    allow_code: bool,
    output: Optional[Path],
    store: Optional[Path],
    as_json: bool,
) -> None:
    """Show how many fits a spec takes, per learner and test.

    naive: fits if every test made its own; distinct: those that no test above needs as well;
    stored: how many of these are finished already.

    Of a study it tells the fits of each learner, what is stored, and the seconds that the rest
    takes, estimated from those stored or from a replication that is made and stored for it.

    \b
      cvinfer plan spec.yaml
      cvinfer plan spec.yaml --json
    """
    from cvinfer import runner
    from cvinfer.commands._fit_counts import costs, costs_text
    from cvinfer.execute import places
    from cvinfer.spec.load import is_study_file

    if is_study_file(spec):
        from cvinfer.studies.costs import study_costs, study_costs_text

        told = study_costs(spec, overrides, allow_code, output, store)
        say_json(told) if as_json else say(study_costs_text(told))
        return
    checked, sets = runner.load(spec, overrides, allow_code)
    path = places.store_path(checked, output, store)
    found = costs(checked, sets, runner.run_plans(checked, sets), path)
    if as_json:
        say_json(found)
    else:
        say(costs_text(found))
