/* What is shown while the thread that serves calls is stuck. */
#include <stdlib.h>
#include <string.h>

#include "core/control/protocol.h"
#include "core/daemon/exposition.h"
#include "core/events/hub.h"
#include "core/map/read.h"
#include "tests/cmocka.h"

static const char map_text[] = "listen: /run/l.sock\nruntimes:\n- {name: a, endpoint: /run/a.sock, primary: true}\n";

static struct runtime_map *map_of(const char *text)
{
    struct runtime_map_problems problems;
    struct runtime_map_text file = {.path = "f", .text = text, .size = strlen(text)};
    struct runtime_map *map = runtime_map_parse_files(&file, 1, &problems);
    runtime_map_problems_clear(&problems);
    assert_non_null(map);
    return map;
}

static void assert_shows(struct exposition *exposition, const char *const *lines, bool shown)
{
    struct error error = {0};
    const struct control_reporter reporters[] = {{exposition_reports, exposition, NULL}, {0}};
    struct json_object *answer = control_report_make(reporters, CONTROL_METRICS, "", &error), *text = NULL;
    assert_true(json_object_object_get_ex(answer, "metrics", &text));
    for (; *lines; lines++) {
        assert_int_equal(strstr(json_object_get_string(text), *lines) != NULL, shown);
    }
    json_object_put(answer);
}

TEST(a_stuck_worker_is_said)
{
    struct gateway *gateway = calloc(1, sizeof *gateway);
    struct exposition exposition = {0};
    struct runtime_map *map = map_of(map_text);
    grpc_init();
    worker_init(&gateway->worker); /* and nobody runs it */
    exposition_begin(&exposition, gateway, map, false);
    assert_shows(&exposition,
                 (const char *[]){"\ncrigate_worker_up 0\n", "crigate_build_info{version=\"",
                                  "\ncrigate_config_last_reload_successful 1\n", "\ncrigate_config_hash ", NULL},
                 true);
    assert_shows(&exposition, (const char *[]){"crigate_runtime_up", "crigate_rpc_in_flight", NULL}, false);
    exposition_map_refused(&exposition);
    assert_shows(&exposition, (const char *[]){"\ncrigate_config_last_reload_successful 0\n", NULL}, true);
    for (int i = 0; i < 10; i++) { /* not all of them wait */
        assert_shows(&exposition, (const char *[]){"\ncrigate_worker_up 0\n", NULL}, true);
    }
    assert_true(atomic_load(&exposition.waiting) > 0);
    exposition_end(&exposition);
    /* It goes on, though nobody waits any more. */
    gateway->events = event_hub_new(&gateway->server);
    worker_close(&gateway->worker);
    assert_true(worker_run(&gateway->worker));
    assert_int_equal(atomic_load(&exposition.waiting), 0);
    event_hub_free(gateway->events);
    runtime_map_free(map);
    free(gateway);
    grpc_shutdown();
}
