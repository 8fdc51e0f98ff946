# What metrics cost: the group `metrics`. Sourced by `run`, as groups.bash is.

# start_counting NAME COUNT RUNTIME…: as start_crigates, with a socket for metrics each.
start_counting() {
    local name=$1 count=$2 i
    shift 2
    for i in $(seq "$count"); do
        more_of_map="metrics: {listen: \"$(address "${name}_$i.metrics")\"}" write_map "${name}_$i" "$@" >"$work/${name}_$i.yaml"
        start "${name}_$i" "$build/crigate" --config "$work/${name}_$i.yaml"
    done
}

# wait_for_metrics CRIGATE: until it has made their socket.
wait_for_metrics() {
    for _ in $(seq 100); do
        if [ -S "$work/$1.metrics.sock" ]; then
            return
        fi
        sleep 0.1
    done
    echo "$1 does not serve its metrics" >&2
    return 1
}

# scraping CRIGATE TIMES: puts into `scraper` the curl that scrapes, on a connection each, ten times a second. crigate looks at its
# counters at most 20 times a second: scrapes that come faster would get the same look.
scraping() {
    scraper=(curl --silent --show-error --fail --fail-early --max-time 20 --rate 10/s --output /dev/null
        --unix-socket "$work/$1.metrics.sock" "http://localhost/metrics#[1-$2]")
}

# scrape CRIGATE TIMES [OPTION…]: of curl.
scrape() {
    local -a scraper
    scraping "$1" "$2"
    "${scraper[@]}" "${@:3}"
}

# can_scrape: whether there is a curl that keeps a rate.
can_scrape() {
    curl --help all 2>/dev/null | grep -q -e '--rate '
}

# start_scraper CRIGATE: until `stop` ends it.
start_scraper() {
    local -a scraper
    wait_for_metrics "$1"
    scraping "$1" 1000000
    "${scraper[@]}" >"$work/scraper_$1.log" 2>&1 &
    pids[scraper_$1]=$!
}

# stop NAME: fails if it has ended by itself.
stop() {
    kill "${pids[$1]}"
    wait "${pids[$1]}" || true
    unset "pids[$1]"
}

# Small calls: with metrics off (crigate), on (metrics), and scraped ten times a second (scraped).
group_metrics() {
    local process
    start_runtime counted v1 100
    start_passthroughs 3 counted
    if [ -n "${before-}" ]; then
        crigate=$before start_crigates before_counted 3 counted
    fi
    start_crigates off_counted 3 counted
    start_counting on_counted 3 counted
    start_counting scraped 3 counted
    wait_for_all
    for process in $(numbered scraped 3); do
        start_scraper "$process"
    done
    echo "scenario metrics_100 100 v1 caller, v1 runtime with 100 containers, metrics" >>"$plan"
    way target direct runtime.v1 counted
    way target passthrough runtime.v1 $(numbered passthrough_counted 3)
    if [ -n "${before-}" ]; then
        way target before runtime.v1 $(numbered before_counted 3)
    fi
    way target crigate runtime.v1 $(numbered off_counted 3)
    way target metrics runtime.v1 $(numbered on_counted 3)
    way target scraped runtime.v1 $(numbered scraped 3)
    rpc Version 1,8
    rpc ContainerStatus 1,8
}

# ---- the time of a scrape ----

# What is asked of each runtime, for one of its pods and a container in it.
asked_of_each() {
    cat <<'LIST'
PodSandboxStatus {"podSandboxId":"POD"}
ListPodSandbox {"filter":{"id":"POD"}}
PodSandboxStats {"podSandboxId":"POD"}
ListPodSandboxStats {"filter":{"id":"POD"}}
UpdatePodSandboxResources {"podSandboxId":"POD","resources":{"cpuShares":"512"}}
PortForward {"podSandboxId":"POD","port":[80]}
CreateContainer {"podSandboxId":"POD","sandboxConfig":{"metadata":{"name":"pod"}},"config":{"metadata":{"name":"more"},"image":{"image":"IMAGE"}}}
ContainerStatus {"containerId":"CONTAINER"}
ListContainers {"filter":{"podSandboxId":"POD"}}
ContainerStats {"containerId":"CONTAINER"}
ListContainerStats {"filter":{"podSandboxId":"POD"}}
UpdateContainerResources {"containerId":"CONTAINER","linux":{"cpuShares":"512"}}
ReopenContainerLog {"containerId":"CONTAINER"}
ExecSync {"containerId":"CONTAINER","cmd":["true"],"timeout":"5"}
Exec {"containerId":"CONTAINER","cmd":["sh"],"stdout":true}
Attach {"containerId":"CONTAINER","stdout":true}
CheckpointContainer {"containerId":"CONTAINER","location":"/tmp/c.tar"}
StopContainer {"containerId":"CONTAINER"}
RemoveContainer {"containerId":"CONTAINER"}
StopPodSandbox {"podSandboxId":"POD"}
RemovePodSandbox {"podSandboxId":"POD"}
LIST
}

# ask_everything CRIGATE PRIMARY RUNTIME…: all of that to each runtime, and lists of all, so that there are many series.
ask_everything() {
    local gateway runtime prefix pod container image method request
    gateway=$(address "$1")
    for runtime in "${@:2}"; do
        prefix=""
        [ "$runtime" = "$2" ] || prefix=${runtime}__
        read -r pod container image < <("$build/crigate" call --endpoint "$(address "$runtime")" ListContainers |
            jq -r '.containers[-1] | "\(.podSandboxId) \(.id) \(.imageRef)"')
        while read -r method request; do
            request=${request//POD/$prefix$pod}
            request=${request//CONTAINER/$prefix$container}
            "$build/crigate" call --endpoint "$gateway" "$method" "${request//IMAGE/$image}" >/dev/null
        done < <(asked_of_each)
    done
    for method in Status ListImages ImageFsInfo ListContainers ListPodSandbox ListContainerStats ListPodSandboxStats; do
        "$build/crigate" call --endpoint "$gateway" "$method" >/dev/null
    done
}

# count_lines CRIGATE: of its metrics, which must be thousands.
count_lines() {
    local lines
    lines=$(curl --silent --show-error --fail --unix-socket "$work/$1.metrics.sock" http://localhost/metrics | wc -l)
    if [ "$lines" -lt 5000 ]; then
        echo "$1 has only $lines lines of metrics" >&2
        return 1
    fi
    echo "$lines"
}

# scrape_row LABEL CRIGATE LINES: a row of the table, and an object of the JSON.
scrape_row() {
    scrape "$2" "$scrapes" --write-out '%{time_total} %{size_download}\n' >"$work/$2.scrapes"
    sort -n "$work/$2.scrapes" | awk -v name="$1" -v lines="$3" '
        { milliseconds[NR] = $1 * 1000; bytes = $2 }
        function quantile(part, place, below) {
            place = 1 + part * (NR - 1)
            below = int(place)
            return milliseconds[below] + (below < NR ? (place - below) * (milliseconds[below + 1] - milliseconds[below]) : 0)
        }
        END {
            printf "{\"name\":\"%s\",\"scrapes\":%d,\"lines\":%d,\"bytes\":%d,\"median_ms\":%.3f,\"p99_ms\":%.3f,\"most_ms\":%.3f}\n",
                name, NR, lines, bytes, quantile(0.5), quantile(0.99), milliseconds[NR]
        }' >"$work/scrape.row"
    cat "$work/scrape.row" >>"$work/scrapes.rows"
    jq -r '[.name, .lines, .bytes, .median_ms, .p99_ms, .most_ms] | @tsv' "$work/scrape.row" |
        awk -F '\t' '{ printf "  %-44s %9d %9d %9.2f %9.2f %9.2f\n", $1, $2, $3, $4, $5, $6 }' | tee -a "$build/bench.txt"
}

# threads PROCESS: nanoseconds of processor time that each of its threads has had.
threads() {
    local task
    for task in "/proc/${pids[$1]}/task"/*; do
        echo "${task##*/} $(cut -d ' ' -f 1 "$task/schedstat")"
    done
}

# thread_row CRIGATE BEFORE AFTER: what a scrape took of the processor, from `threads` before and after them. The first thread serves
# calls.
thread_row() {
    awk -v scrapes="$scrapes" -v first="${pids[$1]}" '
        NR == FNR { before[$1] = $2; next }
        { used = ($2 - before[$1]) / scrapes / 1e6; all += used; if ($1 == first) serving = used }
        END { printf "{\"name\":\"processor time\",\"cpu_ms\":%.3f,\"serving_thread_ms\":%.3f}\n", all, serving }' "$2" "$3" >"$work/thread.row"
    cat "$work/thread.row" >>"$work/scrapes.rows"
    jq -r '"  processor time without calls: \(.cpu_ms) ms a scrape, \(.serving_thread_ms) of it on the thread that serves calls"' \
        "$work/thread.row" | tee -a "$build/bench.txt"
}

# start_callers CRIGATE: eight, of small calls, until `stop` ends them.
start_callers() {
    plan=$work/callers.plan
    echo "scenario callers 160 callers" >"$plan"
    way target crigate runtime.v1 "$1"
    rpc ContainerStatus 8
    start callers "$build/bench" --seconds 3600 --samples "$here/samples" "$plan"
}

# Scrapes of a gateway with eight runtimes that has much to tell, with nothing else to do and with calls.
measure_metrics() {
    local process lines
    local -a runtimes
    for process in $(numbered scraped 3); do
        stop "scraper_$process"
    done
    mapfile -t runtimes < <(numbered scrape 8)
    for process in "${runtimes[@]}"; do
        start_runtime "$process" v1 20
    done
    start_counting eight 1 "${runtimes[@]}"
    wait_for_metrics eight_1
    ask_everything eight_1 "${runtimes[@]}"
    lines=$(count_lines eight_1)
    printf '\nScrapes of a gateway with 8 runtimes: %d, ten a second, from the connect to the last byte\n  %-44s %9s %9s %9s %9s %9s\n' \
        "$scrapes" "" lines bytes "median ms" "p99 ms" "most ms" | tee -a "$build/bench.txt"
    threads eight_1 >"$work/threads.before"
    scrape_row "no calls" eight_1 "$lines"
    threads eight_1 >"$work/threads.after"
    start_callers eight_1
    scrape_row "8 callers" eight_1 "$lines"
    stop callers
    thread_row eight_1 "$work/threads.before" "$work/threads.after"
}
