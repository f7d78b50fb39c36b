#!/usr/bin/env bash
# Sets up what cvinfer is developed with: system packages through apt-get, Python packages in the
# virtual environment .venv, and the project itself in that environment, editable.
#
#   tools/setup.sh           set up, or see in seconds that all is in place
#   tools/setup.sh --again   begin anew, for example after the network came back
#
# Python packages come from the package index that pip is configured for, where it answers, and
# from Debian's packages otherwise. What cannot be had is named with what that costs; only
# something indispensable stops the set-up.

set -u -o pipefail

# ---- what the project needs -----------------------------------------------------------------
#
# A new need is a new line:
#
#   level | name | check | Debian packages | what it costs if it is missing
#
# level is "required" (set-up fails without it) or "optional".

# check: a shell command that succeeds where the thing is there.
SYSTEM_NEEDS=(
    "required|Python 3.10 or newer|first_python 'import venv'|python3|nothing can be installed or run"
    "optional|pip in environments|find_python|python3-venv python3-pip|only Python packages that the interpreter has can be used"
    "optional|make|command -v make|make|the commands of the Makefile have to be typed by hand"
    "optional|R|command -v Rscript|r-base-core|golden numbers made with R are compared as written down; recomputing them is skipped"
    "optional|LaTeX|command -v pdflatex && kpsewhich booktabs.sty|texlive-latex-base texlive-latex-recommended|result.tex is written all the same, but cannot be compiled here, and the tests that compile it are skipped"
    "optional|pdftotext|command -v pdftotext|poppler-utils|the tests do not read compiled tables back"
)

# check: the module that is imported. From a package index pip takes the project's dependencies
# and its extras "test" and "lint", so a new line here has its twin in pyproject.toml.
PYTHON_NEEDS=(
    "required|numpy|numpy|python3-numpy|cvinfer cannot be imported"
    "required|scipy|scipy|python3-scipy|no test of cvinfer can compute a p-value"
    "required|scikit-learn|sklearn|python3-sklearn|there are no learners"
    "optional|pandas|pandas|python3-pandas|OpenML data sets cannot be read"
    "required|PyYAML|yaml|python3-yaml|no spec can be read"
    "required|jsonschema|jsonschema|python3-jsonschema|no spec can be checked"
    "required|click|click|python3-click|there is no command cvinfer"
    "required|rich|rich|python3-rich|there is no progress bar and no table on a terminal"
    "required|Jinja2|jinja2|python3-jinja2|no LaTeX table can be written"
    "required|Pebble|pebble|python3-pebble|nothing can be fitted"
    "optional|liac-arff|arff|python3-liac-arff|arff files cannot be read"
    "optional|psutil|psutil|python3-psutil|cvinfer doctor cannot tell how much memory there is"
    "optional|setuptools|setuptools|python3-setuptools|no wheel can be built, and the packaging test is skipped"
    "optional|wheel|wheel|python3-wheel|no wheel can be built, and the packaging test is skipped"
    "optional|pytest|pytest|python3-pytest|make test cannot run"
    "optional|hypothesis|hypothesis|python3-hypothesis|make test cannot run the property tests"
    "optional|black|black|black|make lint does not check the formatting"
    "optional|flake8|flake8|flake8|make lint does not look for unused names and long lines"
    "optional|mypy|mypy|mypy|make lint does not check the types"
)

# ---------------------------------------------------------------------------------------------

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
ROOT=$(pwd -P)
VENV=$ROOT/.venv
VENV_PYTHON=$VENV/bin/python
STAMP=$VENV/set-up-by-cvinfer
LOG=$ROOT/.setup.log
SETUP_FILES=(tools/setup.sh tools/constraints.txt pyproject.toml)

export DEBIAN_FRONTEND=noninteractive PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONNOUSERSITE=1
unset PYTHONHOME PYTHONPATH

say() { printf '%s\n' "$*"; }

fail() {
    say "set-up failed: $*" >&2
    exit 1
}

# field NUMBER NEED: one field of a line of the lists above.
field() { cut -d'|' -f"$1" <<<"$2"; }

# logged COMMAND...: run it with its output in the log; the lock is not handed down.
logged() {
    printf '\n$ %s\n' "$*" >>"$LOG"
    "$@" >>"$LOG" 2>&1 </dev/null 9<&-
}

# ---- looking --------------------------------------------------------------------------------

# Debian's own interpreter comes first: it is the one that sees Debian's Python packages, and the
# first python3 on PATH may be another.
python_candidates() {
    local name
    for name in /usr/bin/python3 python3 python3.14 python3.13 python3.12 python3.11 python3.10; do
        command -v "$name"
    done
}

# first_python CODE: print the first interpreter of a supported version that runs CODE.
first_python() {
    local candidate
    while read -r candidate; do
        if "$candidate" -I -c "import sys; assert sys.version_info >= (3, 10); $1" \
            >/dev/null 2>&1 </dev/null; then
            say "$candidate"
            return 0
        fi
    done < <(python_candidates)
    return 1
}

find_python() { first_python "import ensurepip, venv"; }

# missing_modules PYTHON: print the modules of PYTHON_NEEDS that PYTHON lacks. numpy and scipy are
# really imported, since a compiled package can be there and not work.
missing_modules() {
    local need modules=()
    for need in "${PYTHON_NEEDS[@]}"; do
        modules+=("$(field 3 "$need")")
    done
    "$1" -I -c '
import importlib, importlib.util, sys
for name in sys.argv[1:]:
    try:
        if name in ("numpy", "scipy"):
            importlib.import_module(name)
        elif importlib.util.find_spec(name) is None:
            print(name)
    except Exception:
        print(name)
' "${modules[@]}" 2>>"$LOG" </dev/null
}

# project_is_installed: the environment works, and in it cvinfer is this tree. cvinfer is not
# imported: an error in the code being written is no reason to set up again.
project_is_installed() {
    [ -x "$VENV_PYTHON" ] && (cd / && "$VENV_PYTHON" -I -c '
import importlib.util, os, sys
venv, root = sys.argv[1:]
spec = importlib.util.find_spec("cvinfer")
assert os.path.realpath(sys.prefix) == os.path.realpath(venv), "not our environment"
assert spec is not None and spec.submodule_search_locations, "cvinfer is not installed"
places = [os.path.realpath(place) for place in spec.submodule_search_locations]
assert os.path.realpath(os.path.join(root, "cvinfer")) in places, "another cvinfer is installed"
' "$VENV" "$ROOT") >>"$LOG" 2>&1 </dev/null
}

# missing_needs PYTHON: print the lines of both lists that are not satisfied now, the modules as
# PYTHON sees them.
missing_needs() {
    local need absent
    for need in "${SYSTEM_NEEDS[@]}"; do
        eval "$(field 3 "$need")" >/dev/null 2>&1 || say "$need"
    done
    absent=$(missing_modules "$1") || absent=$(cut -d'|' -f3 <<<"$(printf '%s\n' "${PYTHON_NEEDS[@]}")")
    for need in "${PYTHON_NEEDS[@]}"; do
        grep -qxF -- "$(field 3 "$need")" <<<"$absent" && say "$need"
    done
    return 0
}

# fingerprint: changes with the set-up's own files and with the place of the tree.
fingerprint() { (say "$ROOT" && cat "${SETUP_FILES[@]}") | sha256sum | cut -d' ' -f1; }

# ---- system packages ------------------------------------------------------------------------

APT=()
APT_UPDATED=no
APT_INSTALLED=()
WHY_NO_APT=""

# find_apt: fill APT with the command that may install packages, or WHY_NO_APT with the reason.
find_apt() {
    if ! command -v apt-get >/dev/null; then
        WHY_NO_APT="this machine has no apt-get"
    elif [ "$(id -u)" = 0 ]; then
        APT=(apt-get)
    elif ! command -v sudo >/dev/null; then
        WHY_NO_APT="apt-get needs root, and there is no sudo"
    elif sudo -n true 2>/dev/null; then
        APT=(sudo -n env "DEBIAN_FRONTEND=$DEBIAN_FRONTEND" apt-get)
    elif [ -t 0 ] && [ -z "${CI:-}" ] && sudo -v; then
        APT=(sudo env "DEBIAN_FRONTEND=$DEBIAN_FRONTEND" apt-get)
    else
        WHY_NO_APT="apt-get needs root, and sudo asks for a password"
    fi
}

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null)" = "ii " ]; }

# apt_install PACKAGE...: install those that are not there; all at once, and one by one if that
# fails, so that one package that cannot be had does not cost the others.
apt_install() {
    local package wanted=()
    for package in "$@"; do
        is_installed "$package" || wanted+=("$package")
    done
    if [ ${#wanted[@]} = 0 ]; then return 0; fi
    if [ ${#APT[@]} = 0 ]; then return 1; fi
    say "installing with apt-get: ${wanted[*]}"
    if [ "$APT_UPDATED" = no ]; then
        logged "${APT[@]}" update || say "  apt-get update failed; going on with the lists that are there"
        APT_UPDATED=yes
    fi
    local install=("${APT[@]}" -o DPkg::Lock::Timeout=300 install -y --no-install-recommends)
    if logged "${install[@]}" "${wanted[@]}"; then
        APT_INSTALLED+=("${wanted[@]}")
        return 0
    fi
    for package in "${wanted[@]}"; do
        if logged "${install[@]}" "$package"; then
            APT_INSTALLED+=("$package")
        else
            say "  apt-get could not install $package"
        fi
    done
}

install_system_needs() {
    local need packages=()
    for need in "${SYSTEM_NEEDS[@]}"; do
        if ! eval "$(field 3 "$need")" >/dev/null 2>&1; then
            read -r -a more <<<"$(field 4 "$need")"
            packages+=("${more[@]}")
        fi
    done
    if [ ${#packages[@]} -gt 0 ]; then apt_install "${packages[@]}"; fi
    return 0
}

# ---- Python packages ------------------------------------------------------------------------

venv_pip() { logged "$VENV_PYTHON" -m pip "$@"; }

# index_answers: fetch a package of a few kB through pip as the user configured it. No retry and a
# short time-out: a machine without a package index is the usual case here, not a fault.
index_answers() {
    local place answer
    place=$(mktemp -d) || return 1
    venv_pip download --timeout 5 --retries 0 --no-deps --no-cache-dir --dest "$place" iniconfig
    answer=$?
    rm -rf "$place"
    return $answer
}

install_from_index() {
    local python
    python=$(find_python) || return 1
    logged "$python" -m venv --clear "$VENV" || return 1
    if ! index_answers; then
        WHY_NOT_INDEX="pip's package index does not answer"
        return 1
    fi
    say "installing Python packages from pip's package index"
    local install=(install --no-user --timeout 30 --constraint tools/constraints.txt)
    if venv_pip "${install[@]}" setuptools wheel &&
        venv_pip "${install[@]}" --no-build-isolation --editable ".[test,lint]"; then
        ROUTE="pip's package index"
        return 0
    fi
    WHY_NOT_INDEX="pip's package index answers but did not give all of them"
    return 1
}

install_from_debian() {
    local need packages=() python
    if [ -x /usr/bin/python3 ] && command -v dpkg-query >/dev/null; then
        local absent
        absent=$(missing_modules /usr/bin/python3)
        for need in "${PYTHON_NEEDS[@]}"; do
            if grep -qxF -- "$(field 3 "$need")" <<<"$absent"; then
                read -r -a more <<<"$(field 4 "$need")"
                packages+=("${more[@]}")
            fi
        done
        if [ ${#packages[@]} -gt 0 ]; then apt_install "${packages[@]}"; fi
    fi
    python=$(first_python "import venv, numpy, scipy") || return 1
    if [ "$python" = /usr/bin/python3 ]; then
        ROUTE="Debian's packages"
    else
        ROUTE="what $python has"
    fi
    # The environment sees the interpreter's own pip; one of its own is needed only without that.
    local options=(--clear --system-site-packages)
    if "$python" -I -m pip --version >/dev/null 2>&1; then options+=(--without-pip); fi
    logged "$python" -m venv "${options[@]}" "$VENV" ||
        logged "$python" -m venv --clear --system-site-packages --without-pip "$VENV" || return 1
    if ! venv_pip install --no-user --no-index --no-deps --no-build-isolation --editable .; then
        say "  pip or setuptools is missing: .venv gets a path entry in place of an installed project"
        link_project
    fi
}

# link_project: what an editable installation comes down to for a package of plain Python.
link_project() {
    "$VENV_PYTHON" -I -c '
import pathlib, sys, sysconfig
pathlib.Path(sysconfig.get_path("purelib"), "cvinfer.pth").write_text(sys.argv[1] + "\n")
command = pathlib.Path(sysconfig.get_path("scripts"), "cvinfer")
command.write_text("#!/bin/sh\nexec \"$(dirname \"$0\")/python\" -m cvinfer \"$@\"\n")
command.chmod(0o755)
' "$ROOT"
}

# ---- telling --------------------------------------------------------------------------------

versions() {
    "$VENV_PYTHON" -I -c '
import sys
from importlib.metadata import PackageNotFoundError, version
found = []
for name in sys.argv[1:]:
    try:
        found.append(name + " " + version(name))
    except PackageNotFoundError:
        pass
print(", ".join(found))
' "$@" 2>/dev/null </dev/null
}

# tell_missing NEEDS: each with its cost and the command that adds it.
tell_missing() {
    local need packages=()
    if [ -z "$1" ]; then return 0; fi
    say "Not there, and what that costs:"
    while IFS= read -r need; do
        say "  $(field 2 "$need"): $(field 5 "$need")."
        read -r -a more <<<"$(field 4 "$need")"
        packages+=("${more[@]}")
    done <<<"$1"
    if [ -n "$WHY_NO_APT" ]; then say "  Why: $WHY_NO_APT."; fi
    say "  To add it: apt-get install ${packages[*]} (as root), then tools/setup.sh --again."
}

# fail_for_missing NEEDS: name those of them that set-up cannot do without.
fail_for_missing() {
    say "$(tell_missing "$(grep ^required <<<"$1")")" >&2
    fail "without that, nothing works${WHY_NOT_INDEX:+ ($WHY_NOT_INDEX)}"
}

tell_summary() {
    local need names=()
    for need in "${PYTHON_NEEDS[@]}"; do names+=("$(field 2 "$need")"); done
    say "cvinfer is set up in .venv: Python $("$VENV_PYTHON" -I -c 'import platform; print(platform.python_version())')," \
        "packages from $ROUTE${WHY_NOT_INDEX:+ ($WHY_NOT_INDEX)}."
    say "  $(versions "${names[@]}")"
    if [ ${#APT_INSTALLED[@]} -gt 0 ]; then say "  installed with apt-get: ${APT_INSTALLED[*]}"; fi
    tell_missing "$1"
}

# ---- the set-up -----------------------------------------------------------------------------

ROUTE=""
WHY_NOT_INDEX=""

# in_place: the last set-up was for these files and this place, the environment works, and nothing
# is gone since. What could not be had then is named again, but not asked for again.
in_place() {
    [ -f "$STAMP" ] && [ "$(head -n 1 "$STAMP")" = "$(fingerprint)" ] && project_is_installed || return 1
    local missing need
    missing=$(missing_needs "$VENV_PYTHON")
    while IFS= read -r need; do
        if [ -n "$need" ] && ! grep -qxF -- "$need" "$STAMP"; then return 1; fi
    done <<<"$missing"
    say "set-up: all in place in .venv"
    tell_missing "$missing"
}

set_up() {
    local missing
    : >"$LOG"
    say "setting up; details go to .setup.log"
    find_apt
    install_system_needs
    install_from_index || install_from_debian || fail_for_missing "$(missing_needs /usr/bin/python3)"
    project_is_installed || fail "cvinfer could not be installed in .venv; .setup.log says why"
    missing=$(missing_needs "$VENV_PYTHON")
    if grep -q ^required <<<"$missing"; then fail_for_missing "$missing"; fi
    (fingerprint && say "$missing") >"$STAMP"
    tell_summary "$missing"
}

case "${1:-}" in
"" | --again) ;;
*)
    sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 2
    ;;
esac

# Two set-ups of one tree wait for each other.
exec 9<.
if command -v flock >/dev/null; then flock 9; fi

if [ "${1:-}" = --again ] || ! in_place; then set_up; fi
