"""The Python packages that cvinfer uses: how each is called, where it is had, what it is for."""

from __future__ import annotations

import importlib.util
import platform
from typing import NamedTuple, Optional


class Package(NamedTuple):
    """A Python package: module, name for pip, Debian's name if there is one, what it is for."""

    module: str
    name: str
    debian: str = ""
    use: str = ""
    needed: bool = True

    def reason(self) -> Optional[str]:
        """Why it cannot be used, as far as can be told without importing it."""
        if importlib.util.find_spec(self.module) is None:
            return f"the package {self.name} is not installed"
        return None


NUMPY = Package("numpy", "numpy", "python3-numpy", "everything")
SCIPY = Package("scipy", "scipy", "python3-scipy", "p-values")
SKLEARN = Package("sklearn", "scikit-learn", "python3-sklearn", "learners")
PANDAS = Package("pandas", "pandas", "python3-pandas", "labels in data frames", False)
ARFF = Package("arff", "liac-arff", "python3-liac-arff", "arff files", False)
PYARROW = Package("pyarrow", "pyarrow", "", "parquet files", False)
RPY2 = Package("rpy2", "rpy2", "python3-rpy2", "learners of R and Weka", False)

DASK = Package("distributed", "distributed", "python3-distributed", "many machines", False)

#: All of them but rpy2, which is of no use without R.
PACKAGES = (
    NUMPY,
    SCIPY,
    SKLEARN,
    Package("yaml", "pyyaml", "python3-yaml", "reading specs"),
    Package("jsonschema", "jsonschema", "python3-jsonschema", "checking specs"),
    Package("click", "click", "python3-click", "this command"),
    Package("rich", "rich", "python3-rich", "progress and tables on a terminal"),
    Package("jinja2", "jinja2", "python3-jinja2", "LaTeX tables"),
    PANDAS,
    ARFF,
    PYARROW,
    DASK,
    Package("psutil", "psutil", "python3-psutil", "telling how much memory there is", False),
)


def own_versions() -> dict[str, str]:
    """What every result depends on, whichever learners it has."""
    import numpy
    import scipy

    from cvinfer import __version__

    return {
        "cvinfer": __version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
    }
