# What recipes of peers may use. Sourced by `build`.
# shellcheck shell=bash

recipes=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

# read_recipe PEER: its recipe's names, and its functions. A recipe sets `module`, whose version is the peer's, or `package`, Debian's; it may set
# `uses`, the folder whose go.mod and go.sum it builds with if it has none; and it defines `make_programs`.
read_recipe() {
    recipe_folder=$recipes/$1
    module='' package='' uses=$1
    # shellcheck disable=SC1091
    source "$recipe_folder/recipe"
    module_folder=$(readlink -f "$recipes/$uses")
}

# pinned_version: the one in go.mod. What is unpacked from a package has the version that Debian has on that day.
pinned_version() {
    if [ -z "$module" ]; then
        echo "Debian's"
    else
        awk -v module="$module" '{ sub(/^require/, "") } $1 == module && $2 != "=>" { print $2; exit }' "$module_folder/go.mod"
    fi
}

# built_version: that of the package that was unpacked, else the pinned one.
built_version() {
    if [ -n "$module" ]; then
        pinned_version
    else
        apt-cache show --no-all-versions "$package" | sed -n 's/^Version: //p'
    fi
}

# make_peer PEER TOOLS: makes its programs in $PEERS_INTO, with the Go that its module needs, which may be put into TOOLS.
make_peer() {
    shopt -s inherit_errexit
    read_recipe "$1"
    into=$PEERS_INTO
    if [ -n "$module" ]; then
        use_go "$2" "$module_folder"
    fi
    mkdir "$into/work"
    make_programs
}

# go_build NAME PACKAGE [ARGUMENT OF GO]...: one program, of what `edit` has left.
# Where that is, is not compiled in: another folder takes the same from Go's cache.
go_build() {
    local edited=()
    [ ! -f "$into/work/go.mod" ] || edited=(-trimpath -modfile "$into/work/go.mod")
    (cd "$module_folder" && go build -p "${CRIGATE_PEERS_JOBS:-2}" "${edited[@]}" "${@:3}" -o "$into/$1" "$2")
}

# go_folder MODULE: where its source is.
go_folder() {
    (cd "$module_folder" && go mod download "$1" && go list -m -f '{{.Dir}}' "$1")
}

# local_copy MODULE: prints where a copy of its source is that may be edited, which later calls of go_build take in its place.
local_copy() {
    local copy=$into/work/modules/$1
    if [ ! -d "$copy" ]; then
        mkdir -p "${copy%/*}"
        cp -r --no-preserve=mode "$(go_folder "$1")" "$copy"
        # A module of the time before modules has none, but Go's cache does.
        [ -f "$copy/go.mod" ] || cp --no-preserve=mode "$(cd "$module_folder" && go list -m -f '{{.GoMod}}' "$1")" "$copy/go.mod"
        [ -f "$into/work/go.mod" ] || cp "$module_folder"/go.{mod,sum} "$into/work/"
        go mod edit -replace "$1=$copy" "$into/work/go.mod"
    fi
    echo "$copy"
}

# edit MODULE FILE SED_SCRIPT: has later calls of go_build see this file as sed makes it. It is a failure if sed changes nothing.
edit() {
    local file
    file=$(local_copy "$1")/$2
    sed -E "$3" "$file" >"$file.edited"
    ! cmp --quiet "$file" "$file.edited" || { echo "edit: nothing to change in $1 $2: $3" && return 1; }
    mv "$file.edited" "$file"
}

# staging_modules: for a release of Kubernetes from before Go modules, makes modules of the folders in its staging/.
staging_modules() {
    local folder copy
    copy=$(local_copy k8s.io/kubernetes)
    for folder in "$copy"/staging/src/k8s.io/*; do
        echo "module k8s.io/${folder##*/}" >"$folder/go.mod"
        go mod edit -require "k8s.io/${folder##*/}@v0.0.0" -replace "k8s.io/${folder##*/}=$folder" "$into/work/go.mod"
    done
}

# moved_import MODULE OLD NEW: the same for all files that import a package which has moved.
moved_import() {
    local file files
    mapfile -t files < <(cd "$(local_copy "$1")" && grep -rlF --include='*.go' "\"$2\"" .)
    [ ${#files[@]} != 0 ] || { echo "moved_import: nothing in $1 imports $2" && return 1; }
    for file in "${files[@]}"; do
        edit "$1" "$file" "s,\"$2\",\"$3\","
    done
}

# unpack PACKAGE FILE...: these files of a Debian package, which is not installed: it may start a service.
unpack() {
    local file
    mkdir -p "$into/work/$1"
    (cd "$into/work/$1" && apt-get download --quiet=2 -o APT::Sandbox::User=root "$1") || {
        echo "apt-get cannot download $1; its lists may be old: apt-get update"
        return 1
    }
    dpkg-deb --extract "$into/work/$1"/*.deb "$into/work/$1/files"
    for file in "${@:2}"; do
        install -m 755 "$into/work/$1/files/$file" "$into/${file##*/}"
    done
}

# kubernetes_ldflags [PACKAGE]: has a program of Kubernetes say its release, by variables of k8s.io/component-base/version or that package.
kubernetes_ldflags() {
    local release major minor variables=${1:-k8s.io/component-base/version}
    release=$(pinned_version)
    IFS=. read -r major minor _ <<<"${release#v}"
    echo "-s -w -X $variables.gitVersion=$release -X $variables.gitMajor=$major -X $variables.gitMinor=$minor"
}
