/* The handlers of commands and streams in containers and pods. */
#include "sim/handlers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/common/fields.h"
#include "sim/common/memory.h"
#include "sim/ids.h"

static const struct container *running_container(const struct exchange *exchange, struct error *error)
{
    const struct container *container = requested_container(exchange, error);
    if (!container) {
        error_wrap(error, "failed to find container \"%s\" in store", field_text(exchange->request, "containerId"));
        return NULL;
    }
    if (container->state != CONTAINER_RUNNING) {
        error_set(error, STATUS_UNKNOWN, "container is in %s state", container_state_name(container->state));
        return NULL;
    }
    return container;
}

static const char *word_of(struct json_object *words, size_t index)
{
    const char *word = json_object_get_string(json_object_array_get_idx(words, index));
    return word ? word : "";
}

/* The words from `first` on, separated by blanks, with a newline at the end. */
static void print_words(struct exchange *exchange, struct json_object *words, size_t first)
{
    size_t size = 1;
    size_t count = json_object_array_length(words);
    for (size_t i = first; i < count; i++) {
        size += strlen(word_of(words, i)) + 1;
    }
    char *text = sim_zeroed(size + 1, 1);
    char *end = text;
    for (size_t i = first; i < count; i++) {
        end += sprintf(end, "%s%s", i > first ? " " : "", word_of(words, i));
    }
    end += sprintf(end, "\n");
    field_set_bytes(exchange->response, "stdout", text, (size_t)(end - text));
    free(text);
}

/* Waits, unless the request's timeout comes first. */
static bool run_sleep(struct exchange *exchange, const char *seconds_text, struct error *error)
{
    long seconds = strtol(seconds_text, NULL, 10);
    int64_t timeout = field_number(exchange->request, "timeout");
    if (timeout > 0 && seconds > timeout) {
        exchange->delay = (unsigned)timeout * 1000;
        return error_set(error, STATUS_DEADLINE_EXCEEDED,
                         "failed to exec in container: timeout %llds exceeded: context deadline exceeded", (long long)timeout);
    }
    exchange->delay = seconds > 0 ? (unsigned)seconds * 1000 : 0;
    return true;
}

/* Understands a few commands, and prints the command line of any other. */
bool exec_sync(struct exchange *exchange, struct error *error)
{
    if (!running_container(exchange, error)) {
        return error_wrap(error, "failed to exec in container");
    }
    struct json_object *words = field_child(exchange->request, "cmd");
    if (!words || json_object_array_length(words) == 0) {
        return error_set(error, STATUS_UNKNOWN, "failed to exec in container: no command was given");
    }
    const char *program = word_of(words, 0);
    if (strcmp(program, "sleep") == 0) {
        return run_sleep(exchange, word_of(words, 1), error);
    }
    if (strcmp(program, "false") == 0) {
        field_set_number(exchange->response, "exitCode", 1);
    } else if (strcmp(program, "true") != 0) {
        print_words(exchange, words, strcmp(program, "echo") == 0 ? 1 : 0);
    }
    return true;
}

/* The URL of a stream of that kind ("exec"), with a token of its own. */
static void put_url(struct exchange *exchange, const char *kind)
{
    char token[ID_SIZE];
    id_random(token);
    token[8] = '\0';
    const struct simulation_settings *settings = exchange->simulation->settings;
    char url[128] = "";
    switch (settings->stream_url_style) {
    case STREAM_URL_FULL:
        snprintf(url, sizeof url, "http://127.0.0.1:%u/%s/%s", settings->stream_port, kind, token);
        break;
    case STREAM_URL_HOST:
        snprintf(url, sizeof url, "//[::]:%u/cri/%s/%s", settings->stream_port, kind, token);
        break;
    case STREAM_URL_PATH:
        snprintf(url, sizeof url, "/cri/%s/%s", kind, token);
        break;
    }
    field_set_text(exchange->response, "url", url);
}

bool exec(struct exchange *exchange, struct error *error)
{
    if (!running_container(exchange, error)) {
        return false;
    }
    put_url(exchange, "exec");
    return true;
}

bool attach(struct exchange *exchange, struct error *error)
{
    if (!running_container(exchange, error)) {
        return false;
    }
    put_url(exchange, "attach");
    return true;
}

bool port_forward(struct exchange *exchange, struct error *error)
{
    const struct pod *pod = requested_pod(exchange, error);
    if (!pod) {
        return error_wrap(error, "failed to find sandbox \"%s\"", field_text(exchange->request, "podSandboxId"));
    }
    if (!pod->ready) {
        return error_set(error, STATUS_UNKNOWN, "sandbox container is not running");
    }
    put_url(exchange, "portforward");
    return true;
}
