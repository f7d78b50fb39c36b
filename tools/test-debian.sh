#!/usr/bin/env bash
# Runs this tree on a bare Debian of a given release: debootstrap makes a chroot with nothing but
# apt, make and certificates in it, the tree is copied there, and the command runs in the copy.
#
#   tools/test-debian.sh RELEASE              make test and make run
#   tools/test-debian.sh RELEASE COMMAND...   that command, for example: tools/test-debian.sh sid bash
#
# RELEASE is a name that debootstrap knows, such as bookworm, trixie or sid. Needs root, some 4 GB of
# disk and an hour. The chroot is made in TMPDIR (else /var/tmp) and removed at the end; where KEEP
# names a directory, it stays there as KEEP/RELEASE, and the next run goes on from it.
#
# Package sources, proxies, certificates and R's repository are taken from this machine's own
# configuration. All mounts are made in a mount namespace of their own and end with its processes:
# nothing stays mounted, however the run ends.

set -u -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

say() { printf '%s\n' "$*"; }

fail() {
    say "test-debian: $*" >&2
    exit 1
}

# ---- inside the namespace: $1 is the chroot, $2 the release, the rest a command ----------------

# mirror: where this machine gets Debian's packages from; nothing where that cannot be told.
mirror() {
    # shellcheck disable=SC2016  # apt-get expands that
    apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
        sed -n 's/^Debian|Debian|//p' | head -n 1
}

# bootstrap CHROOT RELEASE: an interrupted one is begun anew.
bootstrap() {
    local root=$1 release=$2 from
    if [ -e "$root/.bootstrapped" ]; then return 0; fi
    from=$(mirror)
    say "test-debian: making a bare $release in $root"
    rm -rf --one-file-system "$root" && mkdir -p "$root" || return 1
    # shellcheck disable=SC2086  # no argument at all where there is no mirror
    debootstrap --variant=minbase --include=ca-certificates,make "$release" "$root" $from \
        >"$root.log" 2>&1 || {
        tail -n 5 "$root.log" >&2
        return 1
    }
    rm -f "$root.log"
    : >"$root/.bootstrapped"
}

# configure CHROOT: what this machine needs to reach package sources is needed in there too.
configure() {
    local root=$1 profile
    # dpkg keeps the files that were put here before the package that owns them.
    {
        apt-config dump | grep -E '^Acquire::(https?|ftp|Check-Valid|Retries|ForceIPv)'
        say 'Dpkg::Options { "--force-confdef"; "--force-confold"; };'
    } >"$root/etc/apt/apt.conf.d/90machine"
    cp -L /etc/resolv.conf "$root/etc/resolv.conf" || return 1
    if [ ! -e "$root/etc/hosts" ]; then say "127.0.0.1 localhost" >"$root/etc/hosts"; fi
    if [ -d /usr/local/share/ca-certificates ]; then
        mkdir -p "$root/usr/local/share/ca-certificates" &&
            cp -RL /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/" || return 1
    fi
    chroot "$root" update-ca-certificates >/dev/null 2>&1 || return 1
    if [ -f /etc/pip.conf ]; then cp -L /etc/pip.conf "$root/etc/pip.conf" || return 1; fi
    if command -v R >/dev/null; then
        profile=$(R RHOME)/etc/Rprofile.site
        if [ -f "$profile" ]; then
            mkdir -p "$root/etc/R" && cp -L "$profile" "$root/etc/R/Rprofile.site" || return 1
        fi
    fi
}

# copy_tree CHROOT: the tree as it stands, without what git ignores. What set-up left in an older
# copy stays.
copy_tree() {
    local copy=$1/root/cvinfer
    mkdir -p "$copy" &&
        find "$copy" -mindepth 1 -maxdepth 1 ! -name .venv ! -name .r-library ! -name .setup.log \
            -exec rm -rf {} + || return 1
    if git rev-parse --git-dir >/dev/null 2>&1; then
        git ls-files -z --cached --others --exclude-standard
    else
        find . -mindepth 1 \( -path ./.venv -o -path ./.r-library -o -path ./results -o -name __pycache__ \) \
            -prune -o -type f -print0
    fi | while IFS= read -r -d '' file; do
        if [ -e "$file" ]; then printf '%s\0' "$file"; fi
    done | tar --null -T - -cf - | tar -C "$copy" --no-same-owner -xf -
}

mount_all() {
    local root=$1
    mount -t proc proc "$root/proc" &&
        mount --rbind /sys "$root/sys" &&
        mount --rbind /dev "$root/dev" &&
        { [ ! -d "$root/dev/shm" ] || mount -t tmpfs tmpfs "$root/dev/shm"; }
}

# in_chroot CHROOT COMMAND...: in the copied tree, with nothing of this shell's environment but what
# the network needs.
in_chroot() {
    local root=$1 name keep=()
    shift
    while IFS= read -r name; do
        keep+=("$name=${!name}")
    done < <(compgen -e | grep -iE '^(https?_proxy|ftp_proxy|all_proxy|no_proxy|PIP_(EXTRA_)?INDEX_URL|CI)$')
    # shellcheck disable=SC2016  # the shell in the chroot expands that
    chroot "$root" /usr/bin/env -i "${keep[@]}" HOME=/root TERM="${TERM:-dumb}" LANG=C.UTF-8 \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        /bin/bash -c 'cd /root/cvinfer && exec "$@"' - "$@"
}

# verdict CHROOT WORD...: run that target of make there and say how it went.
verdict() {
    local root=$1 status
    shift
    in_chroot "$root" "$@"
    status=$?
    if [ $status = 0 ]; then SAID+=("$* passes"); else SAID+=("$* FAILS (exit code $status)"); fi
    return $status
}

inside() {
    local root=$1 release=$2 failed=0
    shift 2
    # The first process of a namespace ignores signals that it does not handle.
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    bootstrap "$root" "$release" || fail "debootstrap could not make $release; ${root}.log says why"
    mount_all "$root" || fail "proc, sys and dev cannot be mounted in $root"
    configure "$root" || fail "this machine's configuration could not be copied into $root"
    copy_tree "$root" || fail "the tree could not be copied into $root"
    if [ $# -gt 0 ]; then
        in_chroot "$root" "$@"
        exit $?
    fi
    SAID=()
    verdict "$root" make test || failed=1
    verdict "$root" make run || failed=1
    say "test-debian: $release $(cat "$root/etc/debian_version"): $(printf '%s; ' "${SAID[@]}")" | sed 's/; $//'
    exit $failed
}

if [ "${1:-}" = --inside ]; then
    shift
    inside "$@"
fi

# ---- outside ------------------------------------------------------------------------------------

if [ $# = 0 ] || [ "${1#-}" != "$1" ]; then
    sed -n '2,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 2
fi
RELEASE=$1
case "$RELEASE" in
*[!a-z0-9-]*) fail "$RELEASE is no name of a release; bookworm, trixie and sid are" ;;
esac
[ "$(id -u)" = 0 ] || fail "chroots need root"
for tool in debootstrap unshare setpriv flock; do
    command -v "$tool" >/dev/null || fail "$tool is missing; apt-get install debootstrap util-linux adds it"
done

if [ -n "${KEEP:-}" ]; then
    mkdir -p "$KEEP" || fail "KEEP=$KEEP cannot be made"
    PLACE=$(realpath "$KEEP")
    exec 8>"$PLACE/$RELEASE.lock"
    flock -n 8 || fail "another run is using $PLACE/$RELEASE"
else
    PLACE=$(mktemp -d "${TMPDIR:-/var/tmp}/cvinfer-debian.XXXXXX") || exit 1
fi

# finish: end all that runs in the namespace, wait until it has ended, and clear away. The mounts
# were never seen out here, so that removing the chroot cannot reach through them.
finish() {
    local status=$? first
    trap '' INT TERM HUP
    if [ -n "${NAMESPACE:-}" ] && kill -0 "$NAMESPACE" 2>/dev/null; then
        first=$(cat "/proc/$NAMESPACE/task/$NAMESPACE/children" 2>/dev/null)
        # shellcheck disable=SC2086  # one number, or none
        kill -KILL ${first:-$NAMESPACE} 2>/dev/null
        wait "$NAMESPACE" 2>/dev/null
    fi
    if [ -z "${KEEP:-}" ]; then rm -rf --one-file-system "$PLACE"; fi
    exit $status
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# In the background, since a shell answers no signal while a command in the foreground runs; what it
# has background commands ignore is undone. It ends when this shell is killed, and all in the
# namespace with it.
env --default-signal=INT,QUIT setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --mount-proc \
    "$BASH" "tools/test-debian.sh" --inside "$PLACE/$RELEASE" "$@" <&0 8>&- &
NAMESPACE=$!
wait "$NAMESPACE"
