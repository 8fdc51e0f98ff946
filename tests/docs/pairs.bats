#!/usr/bin/env bats
# The tables of which kubelet works with which runtime, in README and docs/pairs.md.

bats_require_minimum_version 1.5.0

: "${CRIGATE_BUILD:?names the folder of the programs}"
REPOSITORY=$BATS_TEST_DIRNAME/../..

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# copied: what tools/pairs reads, in this folder.
copied() {
    mkdir docs tools
    cp "$REPOSITORY"/tools/pairs tools
    cp "$REPOSITORY"/docs/pairs.{md,toml} docs
    cp "$REPOSITORY"/README.md .
}

# dialect_package DIALECT
dialect_package() {
    case $1 in
        v1_9) echo runtime ;;
        v1_12 | v1alpha2) echo runtime.v1alpha2 ;;
        *) echo "runtime.$1" ;;
    esac
}

@test "the tables are what docs/pairs.toml says" {
    run -0 "$REPOSITORY"/tools/pairs --check
    [ -z "$output" ]
}

@test "crigate explain knows the same of each release" {
    local release package header checked=0
    while read -r release package; do
        case $release in
            kubelet-*)
                header=$("$CRIGATE_BUILD/crigate" explain --from "$release" --to v1 | sed -n '1s/^Calls from kubelet [0-9.]* (\([^)]*\)).*/\1/p')
                ;;
            # Not one of those that it knows by release.
            virtlet-*) continue ;;
            *)
                header=$("$CRIGATE_BUILD/crigate" explain --from v1 --to "$release" | sed -n '1s/.* (\([^)]*\))\. .*/\1/p')
                ;;
        esac
        [ "$release $(dialect_package "$header")" = "$release $package" ]
        checked=$((checked + 1))
    done < <("$REPOSITORY"/tools/pairs --newest)
    [ "$checked" -ge 20 ]
}

@test "a pair starts if, and only if, the kubelet calls something that the runtime serves" {
    copied
    run -0 tools/pairs --check
    grep -q '^| runtime | kubelet 1.10 to 1.22 | kubelet 1.23 to 1.25 | kubelet 1.26 and later |$' README.md
    grep -q '^| containerd 2.0 and later<br>CRI-O 1.26 and later<br>cri-dockerd [^|]* | \*\*stops\*\* | starts | starts |$' README.md
    grep -q '^| containerd 1.1 to 1.5<br>CRI-O 1.10 to 1.20<br>cri-dockerd 0.2 | starts | starts | \*\*stops\*\* |$' README.md
    # shellcheck disable=SC2016
    grep -q '^| containerd 1.1 to 1.5 | `runtime.v1alpha2` | 1.9; 1.26 and later |' docs/pairs.md
}

@test "a table that is not current is reported, and renewed" {
    copied
    sed -i 's/^releases = "1.1 to 1.5"/releases = "1.1 to 1.4"/' docs/pairs.toml
    run -1 tools/pairs --check
    [ "$output" = "README.md is not what docs/pairs.toml says. Run make docs, and commit it
docs/pairs.md is not what docs/pairs.toml says. Run make docs, and commit it" ]
    run -0 tools/pairs
    run -0 tools/pairs --check
    grep -q '^| containerd 1.1 to 1.4<br>' README.md
}

@test "errors in docs/pairs.toml and in the pages are reported" {
    copied
    sed -i 's/^calls = \["runtime"\]/calls = ["runtime.v2"]/' docs/pairs.toml
    run -2 tools/pairs
    [[ $output == "docs/pairs.toml: kubelet 1.9: calls has to name packages of"* ]]
    cp "$REPOSITORY"/docs/pairs.toml docs
    sed -i 's/"cri-o v1.9.0 /"cri-o 1.9 /' docs/pairs.toml
    run -2 tools/pairs
    [[ $output == *'is not a project, a tag and a file' ]]
    cp "$REPOSITORY"/docs/pairs.toml docs
    sed -i '/^<!-- end of pairs/d' README.md
    run -2 tools/pairs
    [ "$output" = 'README.md: the table "summary" does not end' ]
}
