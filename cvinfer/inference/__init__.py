"""Tests and intervals as plain functions: arrays in, a frozen result out.

`tests()` and `intervals()` list what is registered, `infer(name, ...)` calls by name, and every
registered function is an attribute of this package too: `cvinfer.inference.kfold_t(d)`.
"""

from __future__ import annotations

from typing import Any

from cvinfer.inference.across import mean_ranks, ranks
from cvinfer.inference.across_registry import Across, AcrossTest, across_tests
from cvinfer.inference.bayes import CorrelatedT, bayes_correlated_t
from cvinfer.inference.cautions import Caution, caution, interval_caution
from cvinfer.inference.checks import InputError, ShapeError
from cvinfer.inference.f1 import F1Distribution, f1_scores
from cvinfer.inference.mcnemar import effective_factor, effective_table
from cvinfer.inference.measured import (
    MeasuredRate,
    MeasuredSetting,
    measured_by,
    measured_coverage,
    measured_level,
    measured_measures,
    measured_rates,
    measured_settings,
)
from cvinfer.inference.measures import (
    Rate,
    Skewness,
    degree_of_confidence,
    disagreement_variance,
    interval_length,
    rejection_rate,
    replicability,
    skewness,
)
from cvinfer.inference.nulls import Null
from cvinfer.inference.posteriors import table_posteriors
from cvinfer.inference.records import (
    class_confusions,
    code_confusions,
    compare,
    compare_differences,
    compare_losses,
    compare_values,
    confusion_matrices,
    contingency_tables,
    error_counts,
    macro_f1,
    micro_confusions,
    record_losses,
    split_differences,
    split_losses,
    split_means,
    value_arguments,
    zero_one_losses,
)
from cvinfer.inference.references import bibliography, citation_keys
from cvinfer.inference.registry import (
    ANY_MEASURE,
    Need,
    Procedure,
    UnknownNameError,
    infer,
    intervals,
    procedure,
    tests,
)
from cvinfer.inference.result import ConfidenceInterval, Inference, Interval
from cvinfer.inference.t_tests import rho_alpha
from cvinfer.inference.variance import (
    ThetaEstimates,
    VarianceComponents,
    al_estimator,
    block_rho_to_rho,
    l_estimator,
    mx2_variance,
    political_ratio,
    rho_to_block_rho,
    theta_estimates,
    variance_components,
)

__all__ = [
    "ANY_MEASURE",
    "Across",
    "AcrossTest",
    "Caution",
    "ConfidenceInterval",
    "CorrelatedT",
    "F1Distribution",
    "Inference",
    "InputError",
    "Interval",
    "MeasuredRate",
    "MeasuredSetting",
    "Need",
    "Null",
    "Procedure",
    "Rate",
    "ShapeError",
    "Skewness",
    "ThetaEstimates",
    "UnknownNameError",
    "VarianceComponents",
    "across_tests",
    "al_estimator",
    "bayes_correlated_t",
    "bibliography",
    "block_rho_to_rho",
    "caution",
    "citation_keys",
    "class_confusions",
    "code_confusions",
    "compare",
    "compare_differences",
    "compare_losses",
    "compare_values",
    "confusion_matrices",
    "contingency_tables",
    "degree_of_confidence",
    "disagreement_variance",
    "effective_factor",
    "effective_table",
    "error_counts",
    "f1_scores",
    "infer",
    "interval_caution",
    "interval_length",
    "intervals",
    "l_estimator",
    "macro_f1",
    "mean_ranks",
    "measured_by",
    "measured_coverage",
    "measured_level",
    "measured_measures",
    "measured_rates",
    "measured_settings",
    "micro_confusions",
    "mx2_variance",
    "political_ratio",
    "procedure",
    "ranks",
    "record_losses",
    "rejection_rate",
    "replicability",
    "rho_alpha",
    "rho_to_block_rho",
    "skewness",
    "split_differences",
    "split_losses",
    "split_means",
    "table_posteriors",
    "tests",
    "theta_estimates",
    "value_arguments",
    "variance_components",
    "zero_one_losses",
]


def __getattr__(name: str) -> Any:
    # Registered procedures are found, not listed: adding one needs no edit here.
    if name.startswith("_"):
        raise AttributeError(name)
    found = tests().get(name) or intervals().get(name) or across_tests().get(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found.function


def __dir__() -> list[str]:
    return sorted({*__all__, *tests(), *intervals(), *across_tests()})
