#include "core/metrics/table.h"

const struct metric_row metric_rows[METRIC_COUNT] = {
    [METRIC_BUILD_INFO] = {"crigate_build_info", METRIC_GAUGE, "Always 1; the version of crigate.", {"version"}},
    [METRIC_WORKER_UP] = {"crigate_worker_up",
                          METRIC_GAUGE,
                          "Whether the thread that serves calls answers. At 0, everything that only it knows is missing.",
                          {NULL}},
    [METRIC_RPC_REQUESTS] = {"crigate_rpc_requests_total",
                             METRIC_COUNTER,
                             "Calls of callers that have ended.",
                             {"method", "runtime", "caller_api", "runtime_api", "code"}},
    [METRIC_RPC_DURATION] = {"crigate_rpc_duration_seconds",
                             METRIC_HISTOGRAM,
                             "From the arrival of a call to its reply.",
                             {"method", "runtime"}},
    [METRIC_RPC_IN_FLIGHT] = {"crigate_rpc_in_flight", METRIC_GAUGE, "Calls of callers that have not ended.", {NULL}},
    [METRIC_RPC_OLDEST] = {"crigate_rpc_oldest_seconds",
                           METRIC_GAUGE,
                           "The age of the oldest call that the runtime has not answered, by method.",
                           {"runtime", "method"}},
    [METRIC_SOCKET_CONNECTIONS] = {"crigate_socket_connections",
                                   METRIC_GAUGE,
                                   "Connections of callers to a socket of the runtime map.",
                                   {"socket"}},
    [METRIC_SOCKET_IN_FLIGHT] = {"crigate_socket_in_flight", METRIC_GAUGE, "Calls on a socket that have not ended.", {"socket"}},
    [METRIC_SOCKET_CALLS] = {"crigate_socket_calls_total", METRIC_COUNTER, "Calls that arrived on a socket.", {"socket"}},
    [METRIC_UPSTREAM_DURATION] = {"crigate_upstream_duration_seconds",
                                  METRIC_HISTOGRAM,
                                  "From sending a caller's request to a runtime to the end of its answer.",
                                  {"method", "runtime"}},
    [METRIC_UPSTREAM_IN_FLIGHT] = {"crigate_upstream_in_flight",
                                   METRIC_GAUGE,
                                   "Requests that the runtime has not answered.",
                                   {"runtime"}},
    [METRIC_RUNTIME_UP] = {"crigate_runtime_up",
                           METRIC_GAUGE,
                           "Whether calls go to the runtime: it is ready, or the only one and answers late.",
                           {"runtime"}},
    [METRIC_RUNTIME_HANGING] = {"crigate_runtime_hanging",
                                METRIC_GAUGE,
                                "Whether the runtime is connected but does not answer within its budget.",
                                {"runtime"}},
    [METRIC_RUNTIME_PRIMARY] = {"crigate_runtime_primary", METRIC_GAUGE, "Whether the runtime is the primary.", {"runtime"}},
    [METRIC_RUNTIME_INFO] = {"crigate_runtime_info",
                             METRIC_GAUGE,
                             "Always 1; what the runtime reports of itself, and the dialect in which crigate speaks to it.",
                             {"runtime", "name", "version", "api"}},
    [METRIC_RUNTIME_RECONNECTS] = {"crigate_runtime_reconnects_total",
                                   METRIC_COUNTER,
                                   "Connections to the runtime after the first.",
                                   {"runtime"}},
    [METRIC_LIST_STALE] = {"crigate_list_stale_seconds",
                           METRIC_GAUGE,
                           "The age of the last-known lists that replace the runtime's own while it is unavailable; otherwise 0.",
                           {"runtime"}},
    [METRIC_PODS] = {"crigate_pods", METRIC_GAUGE, "Pods that the runtime is known to hold.", {"runtime"}},
    [METRIC_TRANSLATION_DROPPED] = {"crigate_translation_dropped_total",
                                    METRIC_COUNTER,
                                    "Fields that were left out because the other side's dialect lacks them.",
                                    {"field", "runtime"}},
    [METRIC_TRANSLATION_IGNORED] = {"crigate_translation_ignored_total",
                                    METRIC_COUNTER,
                                    "Fields in requests that the runtime is known to ignore.",
                                    {"field", "runtime"}},
    [METRIC_TRANSLATION_REFUSED] = {"crigate_translation_refused_total",
                                    METRIC_COUNTER,
                                    "Requests that were refused because of a field that the runtime cannot express.",
                                    {"field", "runtime"}},
    [METRIC_HOOK_DURATION] = {"crigate_hook_duration_seconds",
                              METRIC_HISTOGRAM,
                              "From sending a hook to a plugin to its answer.",
                              {"plugin", "stage", "result"}},
    [METRIC_PLUGIN_UP] = {"crigate_plugin_up", METRIC_GAUGE, "Whether hooks go to the plugin.", {"plugin"}},
    [METRIC_EVENTS] = {"crigate_events_total", METRIC_COUNTER, "Events of runtimes that were passed to callers.", {NULL}},
    [METRIC_CONFIG_LAST_RELOAD] = {"crigate_config_last_reload_successful",
                                   METRIC_GAUGE,
                                   "Whether the newest runtime map is in force.",
                                   {NULL}},
    [METRIC_CONFIG_HASH] = {"crigate_config_hash",
                            METRIC_GAUGE,
                            "48 bits of a hash of the runtime map in force: nodes with equal maps have equal values.",
                            {NULL}},
    [METRIC_MEMORY_LIMIT] = {"crigate_memory_limit_bytes", METRIC_GAUGE, "The map's limits.memory.", {NULL}},
    [METRIC_PROCESS_CPU] = {"process_cpu_seconds_total", METRIC_COUNTER, "User and system CPU time.", {NULL}},
    [METRIC_PROCESS_RESIDENT] = {"process_resident_memory_bytes", METRIC_GAUGE, "Resident memory.", {NULL}},
    [METRIC_PROCESS_VIRTUAL] = {"process_virtual_memory_bytes", METRIC_GAUGE, "Virtual memory.", {NULL}},
    [METRIC_PROCESS_OPEN_FDS] = {"process_open_fds", METRIC_GAUGE, "Open file descriptors.", {NULL}},
    [METRIC_PROCESS_MAX_FDS] = {"process_max_fds", METRIC_GAUGE, "The most file descriptors that may be open.", {NULL}},
    [METRIC_PROCESS_THREADS] = {"process_threads", METRIC_GAUGE, "Threads.", {NULL}},
    [METRIC_PROCESS_START] = {"process_start_time_seconds",
                              METRIC_GAUGE,
                              "When the process started, in seconds since 1970.",
                              {NULL}},
};

const char *metric_type_name(enum metric_type type)
{
    static const char *const names[] = {[METRIC_GAUGE] = "gauge", [METRIC_COUNTER] = "counter", [METRIC_HISTOGRAM] = "histogram"};
    return names[type];
}

size_t metric_label_count(enum metric metric)
{
    size_t count = 0;
    while (count < METRIC_LABELS && metric_rows[metric].labels[count]) {
        count++;
    }
    return count;
}

void metric_table_print(FILE *out)
{
    fputs("| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n", out);
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        const struct metric_row *row = &metric_rows[i];
        fprintf(out, "| `%s` | %s | ", row->name, metric_type_name(row->type));
        for (size_t label = 0; label < metric_label_count((enum metric)i); label++) {
            fprintf(out, "%s`%s`", label > 0 ? ", " : "", row->labels[label]);
        }
        fprintf(out, " | %s |\n", row->help);
    }
}
