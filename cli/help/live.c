#include "cli/help/live.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "base/options/output.h"
#include "core/map/load.h"
#include "core/transport/grpc_client.h"
#include "translate/json/json.h"
#include "translate/schema/method.h"

/* After more than this, the shell seems to hang. */
#define MOST_MICROSECONDS 500000

/* A list that is longer is not worth the wait. */
#define MOST_BYTES ((size_t)16 * 1024 * 1024)

/* The command line so far. */
struct words {
    int count;
    char **list;
};

static void on_alarm(int number)
{
    (void)number;
    _exit(EXIT_SUCCESS);
}

/* Nothing is printed on standard error, and the process ends in time whatever it waits for. */
static void be_quiet_and_quick(void)
{
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing >= 0) {
        dup2(nothing, STDERR_FILENO);
    }
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = MOST_MICROSECONDS}, NULL);
}

/* The value of an option, in one word with its name or in the next one. NULL: it was not given. */
static const char *value_of(const struct words *words, const char *name)
{
    size_t len = strlen(name);
    const char *value = NULL;
    for (int i = 0; i < words->count; i++) {
        const char *word = words->list[i];
        if (strcmp(word, name) == 0 && i + 1 < words->count) {
            value = words->list[++i];
        } else if (strncmp(word, name, len) == 0 && word[len] == '=') {
            value = word + len + 1;
        }
    }
    return value;
}

static void print_name(const char *name)
{
    command_print_text(name, stdout);
    putc('\n', stdout);
}

static struct runtime_map *load_map(const struct words *words)
{
    const char *path = value_of(words, "--config") ? value_of(words, "--config") : value_of(words, "-c");
    return runtime_map_load_good(path ? path : RUNTIME_MAP_DEFAULT_PATH);
}

static void print_runtimes(const struct words *words)
{
    struct runtime_map *map = load_map(words);
    for (size_t i = 0; map && i < map->runtime_count; i++) {
        print_name(map->runtimes[i].name);
    }
    runtime_map_free(map);
}

/* Those of the dialect that the command line names, else of the newest. */
static void print_methods(const struct words *words)
{
    enum dialect dialect = DIALECT_V1;
    const char *name = value_of(words, "--api") ? value_of(words, "--api") : value_of(words, "--from");
    if (name && !dialect_from_name(bytes_of_string(name), &dialect)) {
        return;
    }
    for (uint16_t i = 0; i < method_count; i++) {
        if (methods[i].in[dialect].path) {
            print_name(methods[i].name);
        }
    }
}

/* ---- ids ---- */

/* A list whose items have ids. */
struct id_list {
    const struct schema_message *response;
    const char *member; /* of the response, as JSON has it */
};

static bool print_ids_of(void *state, struct bytes message)
{
    const struct id_list *list = state;
    struct error error = {0};
    struct json_object *json = json_from_message(list->response, message, JSON_EXACT, &error);
    struct json_object *items = json_member(json, list->member);
    size_t count = json_count(items);
    for (size_t i = 0; i < count; i++) {
        print_name(command_text_member(json_object_array_get_idx(items, i), "id"));
    }
    json_object_put(json);
    return true;
}

static void print_list(const char *endpoint, const char *method_name, const char *member)
{
    const struct method_in_dialect *method = &method_by_name(method_name)->in[DIALECT_V1];
    struct id_list list = {.response = method->response, .member = member};
    const struct client_request call = {
        .endpoint = endpoint,
        .path = method->path,
        .timeout = MOST_MICROSECONDS / 1000,
        .max_message = MOST_BYTES,
        .on_message = print_ids_of,
        .state = &list,
    };
    struct client_status status = client_run(&call);
    free(status.message);
    fflush(stdout); /* what came in time counts */
}

static void print_ids(const struct words *words)
{
    struct runtime_map *map = load_map(words);
    const char *given = value_of(words, "--endpoint");
    const char *endpoint = given ? given : map ? map->listen.address : "unix:///run/crigate/crigate.sock";
    print_list(endpoint, "ListPodSandbox", "items");
    print_list(endpoint, "ListContainers", "containers");
    runtime_map_free(map);
}

int live_command(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(const struct words *words);
    } kinds[] = {{"runtime", print_runtimes}, {"method", print_methods}, {"id", print_ids}};
    be_quiet_and_quick();
    struct words words = {.count = argc > 2 ? argc - 2 : 0, .list = argv + 2};
    for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(argv[1], kinds[i].name) == 0) {
            kinds[i].print(&words);
        }
    }
    fflush(stdout);
    return EXIT_SUCCESS;
}
