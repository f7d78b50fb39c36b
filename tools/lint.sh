#!/usr/bin/env bash
# Runs black, flake8 and mypy over the tree and fails if one of them finds something. A tool that
# set-up could not get is named and left out; under CI that is a failure too.

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

# black's style changes with the year's release. The code is written in this one's; what another
# would write differently is shown, but is no fault.
BLACK_STYLE=23

failed=0

# check TOOL ARGUMENT...
check() {
    if ! .venv/bin/python -I -c "import $1" 2>/dev/null; then
        echo "lint: $1 is not installed, so its checks were left out"
        if [ -n "${CI:-}" ]; then failed=1; fi
    elif .venv/bin/python -m "$@"; then
        echo "lint: $1 is content"
    elif [ "$1" = black ] && ! .venv/bin/python -m black --version | grep -q " $BLACK_STYLE\."; then
        echo "lint: this black's style differs from black $BLACK_STYLE's, which counts here"
    else
        echo "lint: $1 found faults"
        failed=1
    fi
}

check black --quiet --check --diff .
check flake8 .
check mypy

exit $failed
