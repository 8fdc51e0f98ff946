#include "probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "core/transport/loop_mark.h"
#include "core/transport/query.h"
#include "translate/explain/release.h"
#include "translate/json/json.h"
#include "translate/schema/method.h"

#define PROBE_MEMORY ((size_t)256 * 1024)

/* An image service has shown what matters before it is asked for its release. */
#define RELEASE_MS 1000

struct probe {
    bool images;   /* of an image service */
    bool only_one; /* the entry has `api` set */
    enum dialect api;
    struct channel *channel;
    probe_done *done;
    void *state;
    const struct method *version;
    const struct method *question; /* the RPC that is being asked */
    struct arena *arena;
    struct bytes version_request;
    enum dialect asking;
    int64_t milliseconds; /* that each question has */
    struct query *query;
};

static void release(struct probe *probe)
{
    arena_unref(probe->arena);
    free(probe);
}

static void finish(struct probe *probe, const struct probe_result *result)
{
    probe->done(probe->state, result);
    release(probe);
}

static void fail(struct probe *probe, enum status_code code, bool leads_back, const char *text)
{
    struct probe_result result = {.unsuitable = code == STATUS_UNIMPLEMENTED, .leads_back = leads_back};
    error_set(&result.error, code, "%s", text);
    finish(probe, &result);
}

/* The package to ask after this one; false when there is none. */
static bool next_package(struct probe *probe)
{
    if (probe->only_one) {
        return false;
    }
    while (probe->asking > 0) {
        probe->asking--;
        if (dialects[probe->asking].caller == probe->asking) {
            return true;
        }
    }
    return false;
}

static void copy_text(struct json_object *answer, const char *key, char *text, size_t size)
{
    struct json_object *value = json_member(answer, key);
    if (value) {
        snprintf(text, size, "%s", json_object_get_string(value));
    }
}

static void take_answer(struct probe *probe, struct bytes bytes)
{
    struct error error = {0};
    struct probe_result result = {.found = true};
    struct json_object *answer = json_from_message(probe->version->in[probe->asking].response, bytes, JSON_EXACT, &error);
    if (!answer) {
        fail(probe, STATUS_INTERNAL, false, "its answer to Version cannot be decoded");
        return;
    }
    copy_text(answer, "runtimeName", result.name, sizeof result.name);
    copy_text(answer, "runtimeVersion", result.version, sizeof result.version);
    json_object_put(answer);
    result.dialect = probe->only_one ? probe->api : release_dialect_of(probe->asking, result.name, result.version);
    finish(probe, &result);
}

/* An image service serves that package, and nothing more is known of it. */
static void take_package(struct probe *probe)
{
    const struct probe_result result = {.found = true, .dialect = probe->only_one ? probe->api : probe->asking};
    finish(probe, &result);
}

static void on_answered(void *state, const struct error *error, struct bytes answer);

static bool ask(struct probe *probe, const struct method *question)
{
    const char *path = question->in[probe->asking].path;
    struct bytes request = question == probe->version ? probe->version_request : (struct bytes){0};
    probe->question = question;
    int64_t most = probe->images && question == probe->version ? RELEASE_MS : probe->milliseconds;
    probe->query = query_start(probe->channel, path, request, most, on_answered, probe);
    return probe->query != NULL;
}

static const struct method *first_question(const struct probe *probe)
{
    return probe->images ? method_by_name("ListImages") : probe->version;
}

/* Asks what follows after an answer with that code. false: nothing does. */
static bool ask_further(struct probe *probe, enum status_code code)
{
    if (probe->question != first_question(probe)) {
        return false;
    }
    if (code == STATUS_OK) {
        return ask(probe, probe->version);
    }
    return code == STATUS_UNIMPLEMENTED && next_package(probe) && ask(probe, probe->question);
}

static void on_answered(void *state, const struct error *error, struct bytes answer)
{
    struct probe *probe = state;
    bool is_version = probe->question == probe->version;
    if (error->code == STATUS_OK && is_version) {
        take_answer(probe, answer);
        return;
    }
    bool leads_back = loop_mark_is_refusal(error->code, bytes_of_string(error->message));
    if (!leads_back && ask_further(probe, error->code)) {
        return;
    }
    if (probe->images && (is_version || error->code == STATUS_OK) && !leads_back) {
        take_package(probe);
        return;
    }
    char text[256];
    if (error->code == STATUS_DEADLINE_EXCEEDED && strncmp(error->message, QUERY_TOO_LATE, strlen(QUERY_TOO_LATE)) == 0) {
        snprintf(text, sizeof text, "%s was %.200s; trying again", probe->question->name, error->message);
    } else {
        snprintf(text, sizeof text, "%s answered %s: %.200s", probe->question->name, status_code_name(error->code),
                 error->message);
    }
    fail(probe, error->code, leads_back, text);
}

static bool encode_request(struct probe *probe)
{
    struct json_object *request = json_object_new_object();
    json_add(request, "version", json_object_new_string("0.1.0"));
    struct error error;
    bool encoded = probe->arena && json_to_message(probe->version->in[probe->asking].request, request, false, probe->arena,
                                                   &probe->version_request, &error);
    json_object_put(request);
    return encoded;
}

struct probe *probe_start(const struct runtime_entry *entry, struct channel *channel, int64_t milliseconds, probe_done *done,
                          void *state)
{
    struct probe *probe = calloc(1, sizeof *probe);
    if (!probe) {
        return NULL;
    }
    *probe = (struct probe){
        .images = entry->only_images,
        .only_one = entry->api_set,
        .api = entry->api,
        .channel = channel,
        .done = done,
        .state = state,
        .version = method_by_name("Version"),
        .arena = arena_new(PROBE_MEMORY),
        .asking = entry->api_set ? entry->api : DIALECT_MODEL,
        .milliseconds = milliseconds,
    };
    if (!encode_request(probe) || !ask(probe, first_question(probe))) {
        release(probe);
        return NULL;
    }
    return probe;
}

const char *probe_question(const struct runtime_entry *entry)
{
    return entry->only_images ? "ListImages" : "Version";
}

void probe_cancel(struct probe *probe)
{
    query_cancel(probe->query);
    release(probe);
}
