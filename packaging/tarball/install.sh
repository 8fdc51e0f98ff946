#!/bin/sh
# Installs crigate from this folder, or removes it. Nothing is enabled or started, and no file of a kubelet is touched: `crigate install`
# does that. A crigate that is already running is replaced by the new program, without a failed call.
#
# usage: install.sh [--prefix FOLDER] [--uninstall]
#
# FOLDER: by default /usr/local. With DESTDIR in the environment, everything goes below that folder, and nothing is run.
# /etc/crigate/crigate.yaml is written if it does not exist, and never removed.
# PREFIX/share/crigate/installed lists the files, and the folders that were made for them, for --uninstall and for the next version.
set -eu
umask 022

here=$(dirname "$(readlink -f "$0")")
prefix=/usr/local
uninstall=false
destination=${DESTDIR:-}

usage() {
    echo "usage: install.sh [--prefix FOLDER] [--uninstall]" >&2
    exit 64
}

while [ $# -gt 0 ]; do
    case $1 in
    --prefix)
        [ $# -gt 1 ] || usage
        prefix=$2
        shift
        ;;
    --prefix=*) prefix=${1#--prefix=} ;;
    --uninstall) uninstall=true ;;
    -h | --help)
        sed -n '/^# usage/,/^set/{s/^# \{0,1\}//p}' "$0"
        exit 0
        ;;
    *) usage ;;
    esac
    shift
done
prefix=${prefix%/}
case $prefix in
/*[!-A-Za-z0-9._/+]* | [!/]*)
    echo "install.sh: the prefix must be an absolute path of letters, digits and -._+/: $prefix" >&2
    exit 64
    ;;
esac

# Where systemd looks for units and tmpfiles: below these prefixes, else in /etc.
case $prefix in
"" | /usr | /usr/local) units=${prefix:-/usr}/lib/systemd/system tmpfiles=${prefix:-/usr}/lib/tmpfiles.d ;;
*) units=/etc/systemd/system tmpfiles=/etc/tmpfiles.d ;;
esac
list=$destination$prefix/share/crigate/installed

# target FILE: where a file of this folder goes.
target() {
    case $1 in
    lib/systemd/system/*) echo "$units/${1##*/}" ;;
    lib/tmpfiles.d/*) echo "$tmpfiles/${1##*/}" ;;
    *) echo "$prefix/$1" ;;
    esac
}

# make_folder PATH: with those above it; prints each that did not exist, with a slash at its end.
make_folder() {
    [ -d "$destination$1" ] || {
        make_folder "$(dirname "$1")"
        mkdir "$destination$1"
        echo "$1/"
    }
}

# put FILE TARGET: in one step, as the program may be running. Units name the program and the manual by their paths, and so does what
# node-problem-detector reads. Prints what was made.
put() {
    make_folder "$(dirname "$2")"
    case $1 in
    lib/systemd/system/* | share/crigate/node-problem-detector/*)
        sed -E "s,/usr/(bin|libexec|share)/,$prefix/\1/,g" "$here/$1" >"$destination$2.new"
        ;;
    *) cp -p "$here/$1" "$destination$2.new" ;;
    esac
    [ -n "$destination" ] || chown 0:0 "$2.new"
    mv -f "$destination$2.new" "$destination$2"
    echo "$2"
}

# remove: what is listed on standard input, of folders those that are empty.
remove() {
    sort --reverse | while read -r path; do
        case $path in
        */) [ ! -d "$destination$path" ] || rmdir --ignore-fail-on-non-empty "$destination$path" ;;
        *) rm -f "$destination$path" ;;
        esac
    done
}

systemd_runs() {
    [ -z "$destination" ] && [ -d /run/systemd/system ]
}

if $uninstall; then
    [ -e "$list" ] || { echo "install.sh: $list does not exist: nothing of crigate is installed there" >&2 && exit 1; }
    if [ -z "$destination" ]; then
        "$prefix/libexec/crigate/check-removal"
    fi
    if systemd_runs; then
        systemctl disable --quiet --now crigate.service crigate.socket crigate-docker.service crigate-dockershim.service crigate-docker-proxy.service
    fi
    installed=$(cat "$list")
    rm "$list"
    printf '%s\n' "$installed" | remove
    ! systemd_runs || systemctl daemon-reload
    echo "removed; /etc/crigate and /var/lib/crigate are kept"
    exit 0
fi

# make_folder stops here.
mkdir -p "$destination/"
old=
[ ! -e "$list" ] || old=$(cat "$list")
new=$(
    make_folder "$prefix/share/crigate"
    cd "$here"
    find bin libexec lib share -type f | sort | while read -r file; do
        put "$file" "$(target "$file")"
    done
)
# Files of the previous version are removed; its folders stay in use.
printf '%s\n%s\n' "$new" "$(printf '%s\n' "$old" | grep '/$')" | grep . | sort --unique >"$list.new"
printf '%s\n' "$old" | grep -vxF -f "$list.new" | grep . | remove
mv -f "$list.new" "$list"
[ -e "$destination/etc/crigate/crigate.yaml" ] || {
    mkdir -p "$destination/etc/crigate"
    cp "$here/etc/crigate/crigate.yaml" "$destination/etc/crigate/crigate.yaml"
}
if [ -z "$destination" ]; then
    mkdir -p /var/lib/crigate
fi
if systemd_runs; then
    "$prefix/libexec/crigate/check-systemd" || true
    systemd-tmpfiles --create "$tmpfiles/crigate.conf"
    systemctl daemon-reload
    "$prefix/libexec/crigate/replace-running"
fi
echo "installed below ${prefix:-/}; '$prefix/bin/crigate install' connects it to this node's kubelet"
