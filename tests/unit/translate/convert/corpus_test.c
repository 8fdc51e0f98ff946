/* Recorded calls, each carried from its dialect to every other and back. */
#include <stdio.h>
#include <stdlib.h>

#include <fts.h>
#include <limits.h>

#include "tests/cmocka.h"
#include "tests/unit/translate/hooks/hook_echo.h"
#include "tests/unit/translate/message_fixture.h"
#include "translate/hooks/facts.h"
#include "translate/json/json.h"
#include "translate/schema/method.h"

#define MOST_BYTES ((size_t)1024 * 1024)

/* One recorded message, by the folder and name of its file. */
struct recording {
    const char *file;
    const struct method *method;
    enum dialect dialect;
    bool request;
    struct bytes bytes;
};

/* ---- a node that knows every filesystem, both ways ---- */

#define MOUNTPOINT_PREFIX "/by-uuid/"
#define UUID_PREFIX "of-"

/* `prefix` off when it is there, else `other` in front. */
static struct bytes swap_prefix(struct bytes text, const char *prefix, const char *other, struct arena *arena)
{
    struct bytes known = bytes_of_string(prefix);
    if (bytes_start_with(text, known)) {
        return bytes_after(text, known.len);
    }
    size_t len = strlen(other);
    uint8_t *data = arena_alloc(arena, len + text.len);
    assert_non_null(data);
    memcpy(data, other, len);
    memcpy(data + len, text.data, text.len);
    return bytes_of(data, len + text.len);
}

static struct bytes mountpoint_of_uuid(void *state, struct bytes uuid, struct arena *arena)
{
    return swap_prefix(uuid, UUID_PREFIX, MOUNTPOINT_PREFIX, arena);
}

static struct bytes uuid_of_directory(void *state, struct bytes directory, struct arena *arena)
{
    return swap_prefix(directory, MOUNTPOINT_PREFIX, UUID_PREFIX, arena);
}

static const struct node all_knowing = {.mountpoint_of_uuid = mountpoint_of_uuid, .uuid_of_directory = uuid_of_directory};

/* ---- reading the recordings ---- */

/* "runtime.v1.RuntimeService.Version" to the method and the caller's dialect. */
static bool find_method(const char *folder, struct recording *recording)
{
    const char *dot = strrchr(folder, '.');
    char path[PATH_MAX];
    if (!dot) {
        return false;
    }
    snprintf(path, sizeof path, "/%.*s/%s", (int)(dot - folder), folder, dot + 1);
    recording->method = method_find(bytes_of_string(path), &recording->dialect);
    return recording->method != NULL;
}

static struct bytes read_file(const char *path, struct arena *arena)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    uint8_t *data = arena_alloc(arena, MOST_BYTES);
    assert_non_null(data);
    size_t len = fread(data, 1, MOST_BYTES, file);
    assert_true(len < MOST_BYTES);
    fclose(file);
    arena_trim(arena, data, MOST_BYTES, len);
    return bytes_of(data, len);
}

typedef void check_recording(struct exchange *exchange, const struct recording *recording);

/* Calls `check` with each recording, in an arena of its own. */
static void for_each_recording(struct exchange *exchange, check_recording *check)
{
    char *roots[] = {(char *)(uintptr_t)CRIGATE_CORPUS, NULL};
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    assert_non_null(tree);
    size_t count = 0;
    exchange->node = &all_knowing;
    for (FTSENT *entry = fts_read(tree); entry; entry = fts_read(tree)) {
        const char *extension = strrchr(entry->fts_name, '.');
        bool request = extension && strcmp(extension, ".req") == 0;
        if (entry->fts_info != FTS_F || (!request && (!extension || strcmp(extension, ".resp") != 0))) {
            continue;
        }
        exchange_cap(exchange, (size_t)64 * 1024 * 1024);
        struct recording recording = {.file = entry->fts_path + strlen(CRIGATE_CORPUS) + 1, .request = request};
        if (!find_method(entry->fts_parent->fts_name, &recording)) {
            fail_msg("%s: no such method", recording.file);
        }
        recording.bytes = read_file(entry->fts_path, exchange->arena);
        check(exchange, &recording);
        count++;
    }
    fts_close(tree);
    exchange->node = NULL;
    assert_true(count > 400);
}

/* ---- what must hold ---- */

#define NO_SHARED_PID                                                                                                            \
    "config.linux.security_context.namespace_options.pid: the runtime's dialect v1_9 has only NODE and CONTAINER, and POD"
#define NO_UNMASKED "config.linux.security_context.masked_paths: the runtime's dialect v1_9 lacks it: the list is empty"

/* What recorded requests ask for and v1_9 cannot say: pods that share their processes, and containers of test suites that are
   neither privileged nor have masked paths. All else passes. */
static const struct {
    const char *file;
    const char *refusal;
} refused_by_v1_9[] = {
    {"1.12-caller/runtime.v1alpha2.RuntimeService.CreateContainer/00.req", NO_UNMASKED},
    {"1.12-caller/runtime.v1alpha2.RuntimeService.CreateContainer/03.req", NO_UNMASKED},
    {"1.12-caller/runtime.v1alpha2.RuntimeService.CreateContainer/05.req", NO_SHARED_PID},
    {"1.12-caller/runtime.v1alpha2.RuntimeService.CreateContainer/07.req", NO_UNMASKED},
    {"1.12-caller/runtime.v1alpha2.RuntimeService.RunPodSandbox/05.req", NO_SHARED_PID},
    {"1.26-caller/runtime.v1.ImageService.PullImage/02.req", "sandbox_" NO_SHARED_PID},
    {"1.26-caller/runtime.v1.RuntimeService.CreateContainer/04.req", "sandbox_" NO_SHARED_PID},
    {"1.26-caller/runtime.v1.RuntimeService.RunPodSandbox/02.req", NO_SHARED_PID},
};

/* The refusal that a recording must meet, or NULL. */
static const char *expected_refusal(const struct recording *recording, enum dialect from, enum dialect to)
{
    for (size_t i = 0; i < sizeof refused_by_v1_9 / sizeof refused_by_v1_9[0]; i++) {
        if (to == DIALECT_V1_9 && from == recording->dialect && strcmp(refused_by_v1_9[i].file, recording->file) == 0) {
            return refused_by_v1_9[i].refusal;
        }
    }
    return NULL;
}

/* The message as JSON; the caller puts it. */
static struct json_object *decoded(const struct recording *recording, enum dialect dialect, struct bytes bytes)
{
    const struct method_in_dialect *in = &recording->method->in[dialect];
    struct error error = {0};
    struct json_object *json = json_from_message(recording->request ? in->request : in->response, bytes, JSON_EXACT, &error);
    if (!json) {
        fail_msg("%s in %s: %s", recording->file, dialects[dialect].name, error.message);
    }
    return json;
}

/* Between two dialects, to a message that decodes there; false when it was refused as it must be. */
static bool convert(struct exchange *exchange, const struct recording *recording, enum dialect from, enum dialect to,
                    struct bytes in, struct bytes *out)
{
    const char *name = recording->method->name;
    const char *refusal = expected_refusal(recording, from, to);
    bool done = recording->request ? exchange_request(exchange, name, from, to, in, out)
                                   : exchange_response(exchange, name, from, to, in, out);
    bool as_expected = done ? !refusal : refusal && strncmp(exchange->error.message, refusal, strlen(refusal)) == 0;
    if (!as_expected) {
        fail_msg("%s from %s to %s: %s", recording->file, dialects[from].name, dialects[to].name,
                 done ? "should be refused" : exchange->error.message);
    }
    if (done) {
        json_object_put(decoded(recording, to, *out));
    }
    return done;
}

static void check_there_and_back(struct exchange *exchange, const struct recording *recording)
{
    for (int to = 0; to < DIALECT_COUNT; to++) {
        struct bytes there, back;
        if (!recording->method->in[to].path) {
            continue;
        }
        if (convert(exchange, recording, recording->dialect, (enum dialect)to, recording->bytes, &there)) {
            convert(exchange, recording, (enum dialect)to, recording->dialect, there, &back);
        }
    }
}

ALL_TESTS(exchange_begin, exchange_end)

TEST(every_recording_goes_to_every_dialect_and_back)
{
    for_each_recording(*state, check_there_and_back);
}

/* A newer dialect can say all that a response of an older one says. */
static void check_up_and_down(struct exchange *exchange, const struct recording *recording)
{
    if (recording->request || strcmp(recording->method->name, "Version") == 0) {
        return;
    }
    for (int to = (int)recording->dialect; to < DIALECT_COUNT; to++) {
        struct bytes up, down;
        assert_true(convert(exchange, recording, recording->dialect, (enum dialect)to, recording->bytes, &up));
        assert_int_equal(exchange->report.dropped, 0);
        assert_true(convert(exchange, recording, (enum dialect)to, recording->dialect, up, &down));
        struct json_object *before = decoded(recording, recording->dialect, recording->bytes);
        struct json_object *after = decoded(recording, recording->dialect, down);
        if (!json_object_equal(before, after)) {
            fail_msg("%s by way of %s: %s", recording->file, dialects[to].name, json_object_to_json_string(after));
        }
        json_object_put(before);
        json_object_put(after);
    }
}

TEST(responses_survive_the_way_up_and_down)
{
    for_each_recording(*state, check_up_and_down);
}

/* Version; and pods and containers in a dialect that has profiles as a string and as a message: both are written. */
static bool is_written_anew(const struct recording *recording)
{
    const char *name = recording->method->name;
    bool has_profiles = strcmp(name, "CreateContainer") == 0 || strcmp(name, "RunPodSandbox") == 0;
    return strcmp(name, "Version") == 0 || (recording->request && has_profiles && recording->dialect >= DIALECT_V1ALPHA2);
}

static void check_identity(struct exchange *exchange, const struct recording *recording)
{
    if (is_written_anew(recording)) {
        return;
    }
    struct bytes out;
    assert_true(convert(exchange, recording, recording->dialect, recording->dialect, recording->bytes, &out));
    if (!bytes_equal(out, recording->bytes)) {
        fail_msg("%s is not what it was", recording->file);
    }
}

TEST(recordings_in_one_dialect_stay_byte_for_byte)
{
    for_each_recording(*state, check_identity);
}

/* ---- plugins that echo what they are sent ---- */

/* The configurations in requests, by the name of their field. */
static const struct {
    const char *method;
    const char *field;
    enum model_kind kind;
} configurations[] = {
    {"RunPodSandbox", "config", MODEL_POD},
    {"CreateContainer", "config", MODEL_CONTAINER},
    {"CreateContainer", "sandbox_config", MODEL_POD},
    {"UpdateContainerResources", "linux", MODEL_RESOURCES},
};

static size_t echoed[MODEL_KIND_COUNT];

static void check_echo_of(struct exchange *exchange, const struct recording *recording, enum model_kind kind, struct bytes config)
{
    struct bytes before, out;
    struct hook_changes changes = {0};
    assert_true(hook_facts_of(kind, config, exchange->arena, &before, &exchange->error));
    bool pod = kind == MODEL_POD;
    struct hook_facts original = {.pod = pod ? before : (struct bytes){0}, .container = pod ? (struct bytes){0} : before};
    struct hook_facts facts = original, answer = hook_echo(exchange, &original);
    if (kind != MODEL_RESOURCES) {
        struct hook_facts whole = {.pod = pod ? config : (struct bytes){0}, .container = pod ? (struct bytes){0} : config};
        assert_true(hook_sends_the_same(exchange, &whole, &original));
    }
    if (!hook_facts_merge(&original, &facts, &answer, exchange->arena, &changes, &exchange->error)) {
        fail_msg("%s: %s", recording->file, exchange->error.message);
    }
    assert_string_equal(changes.text, "");
    struct bytes after = pod ? facts.pod : facts.container;
    assert_true(hook_facts_apply(kind, config, before, after, exchange->arena, &out, &exchange->error));
    assert_ptr_equal(out.data, config.data);
    assert_int_equal(out.len, config.len);
    echoed[kind] += config.len > 0;
}

static void check_echo(struct exchange *exchange, const struct recording *recording)
{
    struct bytes request;
    for (size_t i = 0; recording->request && i < sizeof configurations / sizeof configurations[0]; i++) {
        if (strcmp(recording->method->name, configurations[i].method) != 0 ||
            !convert(exchange, recording, recording->dialect, DIALECT_MODEL, recording->bytes, &request)) {
            continue;
        }
        uint32_t number = schema_number_by_name(recording->method->in[DIALECT_MODEL].request, configurations[i].field);
        assert_int_not_equal(number, 0);
        check_echo_of(exchange, recording, configurations[i].kind, wire_last_payload(request, number));
    }
}

TEST(a_plugin_that_echoes_changes_no_recorded_request)
{
    for_each_recording(*state, check_echo);
    for (size_t i = 0; i < MODEL_KIND_COUNT; i++) {
        assert_true(echoed[i] > 0);
    }
}
