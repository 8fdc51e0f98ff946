# A Go that is new enough for what the tests build with it. Sourced.
#
# Debian 12's (1.19) is too old and cannot fetch a newer one by itself as Go can since 1.21, but it can download a Go toolchain as
# what it is to the module proxy, a module, and check it against the checksum database.

# at_least HAVE WANT: whether version HAVE is WANT or later.
at_least() {
    printf '%s\n%s\n' "$2" "$1" | sort --check=quiet --version-sort
}

# fetch_toolchain FOLDER VERSION: puts that Go into FOLDER/go with the help of an older one. Several may call it at once.
fetch_toolchain() {
    local module source lock
    exec {lock}>"$1/go.lock"
    flock "$lock"
    if [ -x "$1/go/bin/go" ]; then
        exec {lock}>&-
        return
    fi
    module=golang.org/toolchain@v0.0.1-go$2.linux-$(go env GOARCH)
    source=$(cd "$1" && go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
    rm -rf "$1/go.part"
    cp -r --no-preserve=mode "$source" "$1/go.part"
    # A module can hold neither go.mod files of others nor executables: undo what was done about that.
    find "$1/go.part" -name _go.mod -execdir mv {} go.mod \;
    chmod +x "$1"/go.part/bin/* "$1"/go.part/pkg/tool/*/*
    mv "$1/go.part" "$1/go"
    exec {lock}>&-
}

# wanted_go MODULE: the version that the go.mod in that folder asks for.
wanted_go() {
    awk '$1 == "toolchain" { sub(/^go/, "", $2); wanted = $2 }  $1 == "go" && wanted == "" { wanted = $2 }  END { print wanted }' "$1/go.mod"
}

# use_go FOLDER MODULE: puts a Go on PATH that can build the module in that folder, and keeps to the versions that it pins. FOLDER
# gets the Go, if the one on PATH is too old and cannot fetch it by itself.
use_go() {
    local have wanted
    have=$(go env GOVERSION)
    wanted=$(wanted_go "$2")
    if ! at_least "${have#go}" 1.21 && ! at_least "${have#go}" "$wanted"; then
        fetch_toolchain "$1" "$wanted"
        PATH=$1/go/bin:$PATH
    fi
    export GOFLAGS=-mod=readonly GOTOOLCHAIN=auto
}
