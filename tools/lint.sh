#!/usr/bin/env bash
# Runs black, flake8 and mypy over the tree and fails if one of them finds something. A tool that
# set-up could not get is named and left out; under CI that is a failure too.

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

# What these tools find changes with each year's release, and mypy also reads numpy's annotations.
# The verdict must not: one version of each decides, Debian 12's. What another one finds is shown,
# but is no fault.
declare -A DECIDES=([black]="black 23" [flake8]="flake8 5" [mypy]="mypy 1.0 with numpy 1")

failed=0

# version TOOL: as the package is installed in the environment.
version() {
    .venv/bin/python -I -c "from importlib.metadata import version; print(version('$1'))" 2>/dev/null
}

# decides TOOL: whether the versions that are installed are those that decide.
decides() {
    local words at
    read -r -a words <<<"${DECIDES[$1]}"
    for ((at = 0; at < ${#words[@]}; at += 3)); do
        case "$(version "${words[at]}")." in
        "${words[at + 1]}".*) ;;
        *) return 1 ;;
        esac
    done
}

# check TOOL ARGUMENT...: fails where there is something to be shown
check() {
    local found=0
    if ! .venv/bin/python -I -c "import $1" 2>/dev/null; then
        echo "lint: $1 is not installed, so its checks were left out"
        if [ -n "${CI:-}" ]; then failed=1; fi
    elif .venv/bin/python -m "$@"; then
        echo "lint: $1 is content"
    elif decides "$1"; then
        echo "lint: $1 found faults"
        failed=1 found=1
    else
        echo "lint: $1 $(version "$1") found something, which is no fault: ${DECIDES[$1]} decides here"
        found=1
    fi
    return "$found"
}

# With --diff black would look at every file each time, also at those that it has seen.
check black --quiet --check . || .venv/bin/python -m black --quiet --diff .
check flake8 .
check mypy

exit $failed
