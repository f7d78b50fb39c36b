#!/usr/bin/env bash
# Sets up what cvinfer is developed with: system packages through apt-get, Python packages in the
# virtual environment .venv, the project itself in that environment, editable, and R packages in
# the library .r-library, among them the project's own from r_bridge.
#
#   tools/setup.sh           set up, or see in seconds that all is in place
#   tools/setup.sh --again   begin anew, for example after the network came back
#
# Python packages come from the package index that pip is configured for, where it answers, and
# from Debian's packages otherwise; R packages from Debian and, where it lacks them, from the
# repository that R is configured for. What cannot be had is named with what that costs; only
# something indispensable stops the set-up.

set -u -o pipefail

# ---- what the project needs -----------------------------------------------------------------
#
# A new need is a new line:
#
#   level | name | check | Debian packages | what it costs if it is missing
#
# level is "required" (set-up fails without it), "optional", or "extra": taken where it can be had,
# and not missed elsewhere.

# check: a shell command that succeeds where the thing is there.
SYSTEM_NEEDS=(
    "required|Python 3.10 or newer|first_python 'import venv'|python3|nothing can be installed or run"
    "optional|pip in environments|find_python|python3-venv python3-pip|only Python packages that the interpreter has can be used"
    "optional|make|command -v make|make|the commands of the Makefile have to be typed by hand"
    "optional|R|command -v R && command -v Rscript|r-base-core|no learner of the engines r and rweka (R and Weka) can be used, no data set of R can be read, and golden numbers made with R are compared as written down, not recomputed"
    "optional|compilers for R packages|command -v gcc && command -v g++ && command -v gfortran && command -v make|r-base-dev|the R packages tree and kknn, which come as source code, cannot be built"
    "optional|Java with its compiler|command -v java && command -v javac|default-jdk-headless|no learner of Weka (engine rweka: J48, JRip, SMO and all others) can be used"
    "optional|LaTeX|command -v pdflatex && kpsewhich booktabs.sty|texlive-latex-base texlive-latex-recommended|result.tex is written all the same, but cannot be compiled here, and the tests that compile it are skipped"
    "extra|LaTeX of papers|kpsewhich IEEEtran.cls acmart.cls siunitx.sty threeparttable.sty lmodern.sty|texlive-latex-extra texlive-science texlive-publishers lmodern|tables are not tried in the classes that papers are written in"
    "optional|Chromium|command -v chromium|chromium|the tests do not try report.html in a browser"
    "optional|pdftotext|command -v pdftotext|poppler-utils|the tests do not read compiled tables back"
)

# check: the module that is imported. From a package index pip takes the project's dependencies
# and its extras "test", "lint", "docs", "plot", "dask" and "r", so a new line here has its twin in
# pyproject.toml.
PYTHON_NEEDS=(
    "required|numpy|numpy|python3-numpy|cvinfer cannot be imported"
    "required|scipy|scipy|python3-scipy|no test of cvinfer can compute a p-value"
    "required|scikit-learn|sklearn|python3-sklearn|there are no learners"
    "optional|pandas|pandas|python3-pandas|tests with data frames are skipped"
    "required|PyYAML|yaml|python3-yaml|no spec can be read"
    "required|jsonschema|jsonschema|python3-jsonschema|no spec can be checked"
    "required|click|click|python3-click|there is no command cvinfer"
    "required|rich|rich|python3-rich|there is no progress bar and no table on a terminal"
    "required|Jinja2|jinja2|python3-jinja2|no LaTeX table can be written"
    "optional|liac-arff|arff|python3-liac-arff|arff files cannot be read, nor data sets of OpenML without pyarrow"
    "extra|pyarrow|pyarrow|python3-pyarrow|parquet files cannot be read, and data sets of OpenML as arff only"
    "optional|distributed|distributed|python3-distributed|there is no option --cluster, and the tests on clusters are skipped"
    "optional|matplotlib|matplotlib|python3-matplotlib|a study writes its tables and no plots, and says so; the tests that draw are skipped"
    "optional|psutil|psutil|python3-psutil|cvinfer doctor cannot tell how much memory there is"
    "optional|rpy2|rpy2|python3-rpy2|no learner of the engines r and rweka (R and Weka) can be used, and no data set of R can be read"
    "optional|setuptools|setuptools|python3-setuptools|no wheel can be built, and the packaging test is skipped"
    "optional|wheel|wheel|python3-wheel|no wheel can be built, and the packaging test is skipped"
    "optional|myst-parser|myst_parser|python3-sphinx python3-myst-parser|make docs writes the generated pages and builds no site of them, and the test of the site is skipped"
    "optional|pytest|pytest|python3-pytest|make test cannot run"
    "optional|pytest-xdist|xdist|python3-pytest-xdist|make test takes about twice as long"
    "optional|hypothesis|hypothesis|python3-hypothesis|make test cannot run the property tests"
    "optional|black|black|black|make lint does not check the formatting"
    "optional|flake8|flake8|flake8|make lint does not look for unused names and long lines"
    "optional|mypy|mypy|mypy|make lint does not check the types"
)

# check: the R package that is loaded. What Debian's packages do not bring is taken from R's own
# repository; the Debian packages of something that is only there are those that it builds on.
R_NEEDS=(
    "optional|rJava|rJava|r-cran-rjava|no learner of Weka (engine rweka: J48, JRip, SMO and all others) can be used"
    "optional|RWeka|RWeka|r-cran-rjava|no learner of Weka (engine rweka: J48, JRip, SMO and all others) can be used"
    "optional|mlbench|mlbench|r-cran-mlbench|its data sets cannot be read, and tests that need them are skipped"
    "optional|testthat|testthat|r-cran-testthat|the R package's own tests are not run"
    "optional|knitr|knitr|r-cran-knitr|the vignette of the R package is not made, and the tests do not run its code"
    "optional|markdown|markdown|r-cran-markdown|the vignette of the R package is not made, and the tests do not run its code"
)

# The packages of R's learners are declared in r_bridge/R/learners.R and become needs below. Those of
# them that every R has are none; those that Debian lacks have the Debian packages they build on.
WITH_R=(stats)
NOT_IN_DEBIAN=("tree|" "kknn|r-cran-igraph")

# The project's own R package is built from r_bridge into the same library, its Java part only where
# Java's compiler and Weka are there. What keeps them from being built is in the log.
OWN_JAVA_NEED="optional|Java part of cvinfer's own R package|cvinfer||no learner of Weka (engine rweka: J48, JRip, SMO and all others) can be used"
OWN_R_NEED="optional|cvinfer's own R package|cvinfer||no learner of the engines r and rweka (R and Weka) can be used, and no data set of R can be read"

# ---------------------------------------------------------------------------------------------

# A place that the user gave counts from where the user stands.
if [ -n "${CVINFER_R_LIBRARY:-}" ] && [ "${CVINFER_R_LIBRARY#/}" = "$CVINFER_R_LIBRARY" ]; then
    CVINFER_R_LIBRARY=$PWD/$CVINFER_R_LIBRARY
    CVINFER_R_LIBRARY=$(realpath -m -- "$CVINFER_R_LIBRARY" 2>/dev/null || echo "$CVINFER_R_LIBRARY")
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
ROOT=$(pwd -P)
VENV=$ROOT/.venv
VENV_PYTHON=$VENV/bin/python
STAMP=$VENV/set-up-by-cvinfer
LOG=$ROOT/.setup.log
SETUP_FILES=(tools/setup.sh tools/r-packages.R tools/constraints.txt pyproject.toml)
# Beside .venv, so that an environment made anew does not cost the R packages. cvinfer looks for
# r-library in its environment, which is a link to it, or where CVINFER_R_LIBRARY says.
R_LIBRARY=${CVINFER_R_LIBRARY:-$ROOT/.r-library}
R_SOURCES=r_bridge
R_STAMP=$R_LIBRARY/.made-from

export DEBIAN_FRONTEND=noninteractive PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONNOUSERSITE=1
# What make was called with is not for the makes that build packages.
unset PYTHONHOME PYTHONPATH MAKEFLAGS MFLAGS MAKELEVEL
export R_LIBS=$R_LIBRARY${R_LIBS:+:$R_LIBS}

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

# limited SECONDS COMMAND...: end it after that time, where the machine can. In the foreground, so
# that Ctrl-C reaches it.
limited() {
    if command -v timeout >/dev/null; then
        timeout --foreground --kill-after=10 "$@"
    else
        "${@:2}"
    fi
}

# learner_needs: a line, in the form of the lists above, for each R package that learners are of.
learner_needs() {
    local declared package names each debian plural
    declared=$(sed -n 's/^learner("\([^"]*\)", *"\([^"]*\)".*/\2 \1/p' "$R_SOURCES/R/learners.R")
    for package in $(cut -d' ' -f1 <<<"$declared" | LC_ALL=C sort -u); do
        if [[ " ${WITH_R[*]} " == *" $package "* ]]; then continue; fi
        debian=r-cran-${package,,}
        for each in "${NOT_IN_DEBIAN[@]}"; do
            if [ "$(field 1 "$each")" = "$package" ]; then debian=$(field 2 "$each"); fi
        done
        names=$(sed -n "s/^$package //p" <<<"$declared")
        plural=${names//[!$'\n']/}
        say "optional|$package|$package|$debian|engine r lacks the learner${plural:+s} ${names//$'\n'/ and }"
    done
}

if [ -d "$R_SOURCES" ]; then
    while IFS= read -r need; do R_NEEDS+=("$need"); done < <(learner_needs)
fi

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

# missing_modules PYTHON: print the modules of PYTHON_NEEDS that PYTHON lacks. numpy, scipy and rpy2
# are really imported, since a compiled package can be there and not work.
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
        elif name == "rpy2":
            importlib.import_module("rpy2.rinterface")  # finds R and its library; does not start it
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

# missing_needs PYTHON ABSENT: print the lines of all lists that are not satisfied now, the modules
# as PYTHON sees them, the R packages that are "absent" (quick) or "broken" (loads them all).
missing_needs() {
    local need absent
    for need in "${SYSTEM_NEEDS[@]}"; do
        eval "$(field 3 "$need")" >/dev/null 2>&1 || say "$need"
    done
    absent=$(missing_modules "$1") || absent=$(cut -d'|' -f3 <<<"$(printf '%s\n' "${PYTHON_NEEDS[@]}")")
    for need in "${PYTHON_NEEDS[@]}"; do
        [ "$(field 1 "$need")" != extra ] && grep -qxF -- "$(field 3 "$need")" <<<"$absent" && say "$need"
    done
    # Where there is no R, the line for R says it all.
    if have_r; then
        absent=$(r_packages "$2")
        for need in "${R_NEEDS[@]}"; do
            grep -qxF -- "$(field 3 "$need")" <<<"$absent" && say "$need"
        done
        if [ -d "$R_SOURCES" ] && ! own_r_package_is_current; then
            say "$OWN_R_NEED"
        elif [ -e "$R_LIBRARY/cvinfer/java/MISSING" ]; then
            say "$OWN_JAVA_NEED"
        fi
    fi
    return 0
}

have_r() { command -v R >/dev/null && command -v Rscript >/dev/null; }

r_version() { LC_ALL=C R --version 2>/dev/null </dev/null | sed -n '1s/^R version \([0-9.]*\).*/\1/p'; }

# r_packages absent|broken: print the R packages of R_NEEDS that are not there, or cannot be used.
# R starts as cvinfer starts it: without profiles, which may hide libraries.
r_packages() {
    local need names=() found
    for need in "${R_NEEDS[@]}"; do names+=("$(field 3 "$need")"); done
    if [ "$1" = broken ]; then names=("$R_LIBRARY" "${names[@]}"); fi
    if found=$(limited 300 Rscript --no-init-file --no-site-file tools/r-packages.R "$1" \
        "${names[@]}" 2>>"$LOG" </dev/null 9<&-); then
        sed -n 's/^> //p' <<<"$found"
    else
        cut -d'|' -f3 <<<"$(printf '%s\n' "${R_NEEDS[@]}")"
    fi
}

# r_sources_sum: changes with the sources of the R package, and with the R, Java and Weka that it is
# built by. Of its files only those that a build writes are left out.
r_sources_sum() {
    (
        r_version
        command -v javac
        cat "$R_LIBRARY/RWekajars/DESCRIPTION" 2>/dev/null
        find "$R_SOURCES" -type f ! -path "$R_SOURCES/inst/java/*" ! -name '.*' -exec sha256sum {} + |
            LC_ALL=C sort
    ) | sha256sum | cut -d' ' -f1
}

own_r_package_is_current() {
    [ -d "$R_LIBRARY/cvinfer" ] && [ "$(cat "$R_STAMP" 2>/dev/null)" = "$(r_sources_sum)" ]
}

# fingerprint: changes with the set-up's own files, the place of the tree and of R's library, the
# version of R and the packages of R's learners.
fingerprint() {
    (say "$ROOT" "$R_LIBRARY" "$(r_version)" "${R_NEEDS[@]}" && cat "${SETUP_FILES[@]}") | sha256sum | cut -d' ' -f1
}

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
        is_installed "$package" || [[ " ${wanted[*]} " == *" $package "* ]] || wanted+=("$package")
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

# debian_r: R is Debian's, or will be. Another R does not see Debian's R packages.
debian_r() { ! have_r || is_installed r-base-core; }

install_system_needs() {
    local need absent packages=()
    for need in "${SYSTEM_NEEDS[@]}"; do
        if ! eval "$(field 3 "$need")" >/dev/null 2>&1; then
            read -r -a more <<<"$(field 4 "$need")"
            packages+=("${more[@]}")
        fi
    done
    if debian_r; then
        if have_r; then absent=$(r_packages absent); fi
        for need in "${R_NEEDS[@]}"; do
            if ! have_r || grep -qxF -- "$(field 3 "$need")" <<<"$absent"; then
                read -r -a more <<<"$(field 4 "$need")"
                packages+=("${more[@]}")
            fi
        done
    fi
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

# rpy2_for_r: what pip is asked for. From 3.6 on rpy2 uses a function that R has since 4.5.
rpy2_for_r() {
    if [ "$(printf '%s\n' 4.5 "$(r_version)" | sort -V | head -n 1)" = 4.5 ]; then
        say "rpy2>=3.5"
    else
        say "rpy2>=3.5,<3.6"
    fi
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
        venv_pip "${install[@]}" --no-build-isolation --editable ".[test,lint,docs,plot,dask]"; then
        ROUTE="pip's package index"
        # By itself: it is compiled against R, and its failure must not cost the others.
        if have_r && ! venv_pip "${install[@]}" "$(rpy2_for_r)"; then
            say "  rpy2 could not be installed; .setup.log says why"
        fi
        local need
        for need in "${PYTHON_NEEDS[@]}"; do
            if [ "$(field 1 "$need")" = extra ]; then venv_pip "${install[@]}" "$(field 2 "$need")"; fi
        done
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
                if [ "$(field 1 "$need")" = extra ] && ! logged apt-cache show "${more[@]}"; then continue; fi
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
    # shellcheck disable=SC2016  # the shell of the command written here expands that
    "$VENV_PYTHON" -I -c '
import pathlib, sys, sysconfig
pathlib.Path(sysconfig.get_path("purelib"), "cvinfer.pth").write_text(sys.argv[1] + "\n")
command = pathlib.Path(sysconfig.get_path("scripts"), "cvinfer")
command.write_text("#!/bin/sh\nexec \"$(dirname \"$0\")/python\" -m cvinfer \"$@\"\n")
command.chmod(0o755)
' "$ROOT"
}

# ---- R packages -----------------------------------------------------------------------------

WHY_NOT_CRAN=""

set_up_r() {
    if ! have_r; then return 0; fi
    if ! logged mkdir -p "$R_LIBRARY"; then
        say "  $R_LIBRARY cannot be made; .setup.log says why"
        return 0
    fi
    logged ln -sfn "$R_LIBRARY" "$VENV/r-library"
    install_from_cran
    install_own_r_package
}

# install_from_cran: what Debian did not bring, from the repository that R is configured for. It
# is asked for its list first, with a short time-out: a machine without network must not wait for
# each package.
install_from_cran() {
    local names=() name
    while IFS= read -r name; do
        if [ -n "$name" ]; then names+=("$name"); fi
    done < <(r_packages broken)
    if [ ${#names[@]} = 0 ]; then return 0; fi
    # Locks of a set-up that was ended; no other one is at work, since this one has the tree's lock.
    rm -rf "$R_LIBRARY"/00LOCK*
    if ! logged limited 60 Rscript tools/r-packages.R answers; then
        WHY_NOT_CRAN="R's package repository does not answer"
        return 0
    fi
    say "installing with R: ${names[*]}"
    logged limited 3600 Rscript tools/r-packages.R install "$R_LIBRARY" "${names[@]}"
    if [ -n "$(r_packages broken)" ]; then
        WHY_NOT_CRAN="R's package repository answers but did not give all of them, or they could not be built; .setup.log says why"
    fi
}

# install_own_r_package: from a copy, since a build leaves files beside its sources. If it fails,
# the one before must not stay: it would be tested and used in place of the sources.
install_own_r_package() {
    local copy
    if [ ! -d "$R_SOURCES" ] || own_r_package_is_current; then return 0; fi
    say "installing cvinfer's own R package"
    rm -rf "$R_STAMP" "$R_LIBRARY"/00LOCK*
    copy=$(mktemp -d) || return 0
    if cp -R "$R_SOURCES" "$copy/cvinfer" &&
        logged limited 900 R CMD INSTALL --preclean --library="$R_LIBRARY" "$copy/cvinfer"; then
        r_sources_sum >"$R_STAMP"
    else
        rm -rf "$R_LIBRARY/cvinfer"
    fi
    rm -rf "$copy"
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
    local need package needs=() packages=() cran=no
    if [ -z "$1" ]; then return 0; fi
    say "Not there, and what that costs:"
    while IFS= read -r need; do
        say "  $(field 2 "$need"): $(field 5 "$need")."
        needs+=("$need")
        if printf '%s\n' "${R_NEEDS[@]}" | grep -qxF -- "$need"; then cran=yes; fi
    done <<<"$1"
    # Where there is no R, there are none of its packages.
    if ! have_r; then needs+=("${R_NEEDS[@]}"); fi
    for need in "${needs[@]}"; do
        read -r -a more <<<"$(field 4 "$need")"
        for package in "${more[@]}"; do
            is_installed "$package" || [[ " ${packages[*]} " == *" $package "* ]] || packages+=("$package")
        done
    done
    if [ ${#packages[@]} -gt 0 ] && [ -n "$WHY_NO_APT" ]; then say "  Why: $WHY_NO_APT."; fi
    if [ $cran = yes ] && [ -n "$WHY_NOT_CRAN" ]; then say "  Why: $WHY_NOT_CRAN."; fi
    if grep -qxF -- "$OWN_R_NEED" <<<"$1"; then
        say "  Why: $R_SOURCES could not be built; .setup.log says why."
    elif grep -qxF -- "$OWN_JAVA_NEED" <<<"$1"; then
        say "  Why: $(head -n 1 "$R_LIBRARY/cvinfer/java/MISSING")."
    fi
    if [ ${#packages[@]} -gt 0 ]; then
        say "  To add it: apt-get install ${packages[*]} (as root), then tools/setup.sh --again."
    else
        say "  To add it: tools/setup.sh --again."
    fi
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
    if have_r; then say "  R $(r_version), R packages of the project in ${R_LIBRARY#"$ROOT"/}"; fi
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
    local missing need look=absent
    if have_r; then
        [ "$(readlink "$VENV/r-library")" = "$R_LIBRARY" ] && [ -d "$R_LIBRARY" ] || return 1
        # Changed sources of the R package are no reason to set up all the rest again.
        install_own_r_package
        # Loading every package takes seconds; only where some did not load then, it is done again.
        if printf '%s\n' "${R_NEEDS[@]}" | grep -qxF -f "$STAMP"; then look=broken; fi
    fi
    missing=$(missing_needs "$VENV_PYTHON" "$look")
    while IFS= read -r need; do
        case "$need" in
        "" | "$OWN_R_NEED" | "$OWN_JAVA_NEED") ;; # built above, as far as it can be
        *) if ! grep -qxF -- "$need" "$STAMP"; then return 1; fi ;;
        esac
    done <<<"$missing"
    say "set-up: all in place in .venv"
    WHY_NO_APT=$(sed -n 's/^why no apt: //p' "$STAMP")
    WHY_NOT_CRAN=$(sed -n 's/^why not CRAN: //p' "$STAMP")
    tell_missing "$missing"
}

# axe-core looks for faults of accessibility in report.html. It is npm's, and only tests want it.
get_axe() {
    if [ -f .axe/package/axe.min.js ] || ! command -v npm >/dev/null; then return; fi
    mkdir -p .axe
    (
        cd .axe &&
            timeout 120 npm pack --silent axe-core@4 &&
            tar xzf axe-core-4*.tgz package/axe.min.js package/LICENSE
    ) >>"$LOG" 2>&1 </dev/null || rm -rf .axe
}

set_up() {
    local missing
    : >"$LOG"
    rm -f "$R_STAMP"
    say "setting up; details go to .setup.log"
    find_apt
    install_system_needs
    install_from_index || install_from_debian || fail_for_missing "$(missing_needs /usr/bin/python3 absent)"
    project_is_installed || fail "cvinfer could not be installed in .venv; .setup.log says why"
    set_up_r
    get_axe
    missing=$(missing_needs "$VENV_PYTHON" broken)
    if grep -q ^required <<<"$missing"; then fail_for_missing "$missing"; fi
    {
        fingerprint
        say "$missing"
        if [ -n "$WHY_NO_APT" ]; then say "why no apt: $WHY_NO_APT"; fi
        if [ -n "$WHY_NOT_CRAN" ]; then say "why not CRAN: $WHY_NOT_CRAN"; fi
    } >"$STAMP"
    tell_summary "$missing"
}

case "${1:-}" in
"" | --again) ;;
*)
    sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 2
    ;;
esac

# Some programs end as if nothing had been when they are interrupted; half a set-up must not pass
# for one that could not be had.
trap 'say "set-up interrupted" >&2; exit 130' INT TERM

# Two set-ups of one tree wait for each other.
exec 9<.
if command -v flock >/dev/null; then flock 9; fi

if [ "${1:-}" = --again ] || ! in_place; then set_up; fi
