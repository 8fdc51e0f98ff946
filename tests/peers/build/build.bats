#!/usr/bin/env bats
# The builder of peers, with small modules in place of real ones: no network, but for a Go that is new enough where there is none.

bats_require_minimum_version 1.5.0

setup() {
    export GOPROXY=off GOFLAGS='' GOTOOLCHAIN=local
    build=$BATS_TEST_TMPDIR/tests/peers/build/build
    recipes=${build%/*}
    folder=$BATS_TEST_TMPDIR/out
    mkdir -p "$recipes"
    cp "$BATS_TEST_DIRNAME"/../../go_toolchain.bash "$BATS_TEST_TMPDIR/tests"
    cp "$BATS_TEST_DIRNAME"/{build,recipes.bash} "$recipes"
}

# toy NAME STATEMENT: a peer that does that.
toy() {
    mkdir -p "$recipes/$1/source"
    printf 'module example.com/peers\n\ngo 1.19\n\nrequire example.com/toy v1.2.3\n\nreplace example.com/toy => ./source\n' >"$recipes/$1/go.mod"
    printf 'module example.com/toy\n\ngo 1.19\n' >"$recipes/$1/source/go.mod"
    printf 'package main\n\nvar version = "none"\n\nfunc main() {\n\t%s\n}\n' "$2" >"$recipes/$1/source/main.go"
    touch "$recipes/$1/go.sum"
    cat >"$recipes/$1/recipe" <<'END'
module=example.com/toy

make_programs() {
    go_build toy "$module" -ldflags "-X main.version=$(pinned_version)"
}
END
}

# about PEER FILTER: of its build.json.
about() {
    jq --raw-output "$2" "$folder/peers/$1/build.json"
}

@test "--help and wrong usage" {
    run -0 "$build" --help
    [[ $output == "usage: build FOLDER [PEER...]"*"--list"* ]]
    run -2 --separate-stderr "$build"
    [[ -z $output && $stderr == "usage: "* ]]
    run -2 "$build" --frobnicate
    toy one 'println(version)'
    run -2 "$build" "$folder" one two
    [[ $output == *"no such peer: two"* ]]
    [ ! -e "$folder/peers/one" ]
}

@test "--list shows every folder with a go.mod, each with a version" {
    run -0 "$BATS_TEST_DIRNAME/build" --list
    local peers listed=$output
    peers=$(cd "$BATS_TEST_DIRNAME" && printf '%s\n' */ | tr -d /)
    [ "$(awk '{ print $1 }' <<<"$listed" | sort)" = "$(sort <<<"$peers")" ]
    [ -z "$(awk '$NF !~ /^v[0-9]+\.[0-9]+\.[0-9]+$|^Debian/' <<<"$listed")" ]
}

@test "every folder has a recipe, and pins what it builds by go.mod and go.sum" {
    local recipe folder
    for recipe in "$BATS_TEST_DIRNAME"/*/; do
        [ -s "$recipe/recipe" ]
        # What no proxy has has no checksum, and is known not to be built.
        grep -q -e '^package=' "$recipe/recipe" || [ -f "$recipe/known" ] && continue
        folder=$(sed -n 's/^uses=//p' "$recipe/recipe")
        folder=$recipe${folder:+/../$folder}
        [ -s "$folder/go.mod" ] && [ -s "$folder/go.sum" ] || { echo "not pinned: $recipe" && false; }
    done
}

@test "a peer is built, and not again from the same recipe" {
    toy one 'println(version)'
    run -0 "$build" "$folder"
    [[ $output == *"one: building example.com/toy v1.2.3"*"one: built in "* ]]
    run -0 "$folder/peers/one/toy"
    [ "$output" = v1.2.3 ]
    [ "$(about one '[.peer, .version, .module, has("error"), has("known")] | join(" ")')" = "one v1.2.3 example.com/toy false false" ]
    run -0 "$build" "$folder" one
    [ "$output" = "one: v1.2.3 is built already" ]
    echo "# changed" >>"$recipes/one/recipe"
    run -0 "$build" "$folder" one
    [[ $output == *"one: built in "* ]]
}

@test "a failed build leaves the compiler's error, the others are built, and it is tried again" {
    toy bad 'return 7 // no such thing'
    toy good 'println(version)'
    run -1 "$build" "$folder"
    [[ $output == *"bad: cannot be built; see "*"good: built in "*"not built: bad" ]]
    [[ $(about bad .error) == *"main.go:6:"*"too many return values"* ]]
    [ "$(about bad 'has("known")')" = false ]
    [ ! -e "$folder/peers/bad/toy" ]
    run -1 "$build" "$folder"
    [[ $output == *"bad: cannot be built"*"good: v1.2.3 is built already"* ]]
    toy bad 'println(version)'
    run -0 "$build" "$folder" bad
    [ "$(about bad 'has("error")')" = false ]
}

@test "a failure that is known is no failure of the whole, and the reason is kept" {
    toy bad 'return 7'
    echo "example.com never made it for this Go" >"$recipes/bad/known"
    run -0 "$build" "$folder"
    [[ $output == *"bad: cannot be built, as is known: example.com never made it for this Go" ]]
    [ "$(about bad .known)" = "example.com never made it for this Go" ]
    [[ $(about bad .error) == *"too many return values"* ]]
}

@test "a peer with another's go.mod" {
    toy one 'println(version)'
    mkdir "$recipes/two"
    sed 's,^module=.*,&\nuses=one,; s/go_build toy/go_build two/' "$recipes/one/recipe" >"$recipes/two/recipe"
    run -0 "$build" "$folder" two
    run -0 "$folder/peers/two/two"
    [ "$output" = v1.2.3 ]
    [ ! -e "$folder/peers/one" ]
}

@test "a recipe edits what it builds, not the module; an edit that changes nothing is a failure" {
    toy one 'println("before")'
    sed -i '/go_build/i edit example.com/toy main.go "s/before/after/"' "$recipes/one/recipe"
    run -0 "$build" "$folder"
    run -0 "$folder/peers/one/toy"
    [ "$output" = after ]
    grep -q before "$recipes/one/source/main.go"
    sed -i 's/before/elsewhere/' "$recipes/one/recipe"
    run -1 "$build" "$folder"
    [[ $(about one .error) == *"edit: nothing to change in example.com/toy main.go"* ]]
}

# published MODULE VERSION FILE...: puts that version of a module, with these files of the current folder, where Go looks for modules.
published() {
    local at=$BATS_TEST_TMPDIR/proxy/$1/@v
    mkdir -p "$at"
    echo "{\"Version\": \"$2\"}" >"$at/$2.info"
    cp go.mod "$at/$2.mod"
    python3 - "$at/$2.zip" "$1@$2" "${@:3}" <<'END'
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for name in sys.argv[3:]:
        archive.write(name, sys.argv[2] + "/" + name)
END
}

@test "pin-kubernetes: staging modules are replaced by the versions of the release, other modules as the release has it" {
    # The Go that recipes are made with, whichever this machine has.
    unset GOPROXY
    source "$BATS_TEST_DIRNAME/../../go_toolchain.bash"
    use_go "$BATS_TEST_TMPDIR" "$BATS_TEST_DIRNAME/kubelet-1.37"
    PATH=$(cd "$BATS_TEST_DIRNAME/kubelet-1.37" && go env GOROOT)/bin:$PATH
    export GOTOOLCHAIN=local GOPROXY=file://$BATS_TEST_TMPDIR/proxy GONOSUMDB='*' GOMODCACHE=$BATS_TEST_TMPDIR/cache GOFLAGS=-modcacherw
    mkdir "$BATS_TEST_TMPDIR/source"
    cd "$BATS_TEST_TMPDIR/source"
    printf 'module k8s.io/api\n\ngo 1.17\n' >go.mod
    echo 'package api' >api.go
    published k8s.io/api v0.99.1 go.mod api.go
    printf 'module example.com/other\n\ngo 1.17\n' >go.mod
    echo 'package other' >other.go
    published example.com/other v1.0.0 go.mod other.go
    published example.com/other v1.5.0 go.mod other.go
    cat >go.mod <<'END'
module k8s.io/kubernetes

go 1.16

require (
	example.com/other v1.5.0
	k8s.io/api v0.0.0
)

replace (
	example.com/other => example.com/other v1.0.0
	k8s.io/api => ./staging/src/k8s.io/api
)
END
    mkdir -p cmd/kubelet
    printf 'package main\n\nimport (\n\t_ "example.com/other"\n\t_ "k8s.io/api"\n)\n\nfunc main() {}\n' >cmd/kubelet/main.go
    published k8s.io/kubernetes v1.99.1 go.mod cmd/kubelet/main.go
    run -0 "$BATS_TEST_DIRNAME/pin-kubernetes" 1.99.1 "$BATS_TEST_TMPDIR/kubelet-1.99"
    cd "$BATS_TEST_TMPDIR/kubelet-1.99"
    run -0 go mod edit -json
    [ "$(jq -c '[.Replace[] | [.Old.Path, .New.Path, .New.Version]]' <<<"$output")" = \
        '[["example.com/other","example.com/other","v1.0.0"],["k8s.io/api","k8s.io/api","v0.99.1"]]' ]
    [ "$(jq -r '.Go, .Tool[0].Path' <<<"$output" | paste -s)" = $'1.17\tk8s.io/kubernetes/cmd/kubelet' ]
    go build -mod=readonly -o /dev/null k8s.io/kubernetes/cmd/kubelet
    run -1 "$BATS_TEST_DIRNAME/pin-kubernetes" 1.99.1 .
    [[ $output == *"go.mod is there already" ]]
}
