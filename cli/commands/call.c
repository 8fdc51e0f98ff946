#include "cli/commands/call.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/options/output.h"
#include "cli/commands/call_options.h"
#include "cli/commands/input.h"
#include "core/transport/grpc_client.h"
#include "translate/json/json.h"
#include "translate/schema/method.h"

/* Room for a request of the largest size that gRPC can send. */
#define ARENA_CAP ((size_t)INT_MAX)

/* What is called. */
struct target {
    const char *path;
    const struct schema_message *request;  /* NULL when crigate does not know the method */
    const struct schema_message *response; /* likewise */
    bool server_stream;
};

/* Where responses go. */
struct printer {
    const struct call_command_options *options;
    const struct target *target;
    struct error error; /* why printing failed */
};

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "crigate call: %s: %s\n", what, why);
    return EX_USAGE;
}

static int list_methods(enum dialect api)
{
    for (uint16_t i = 0; i < method_count; i++) {
        if (methods[i].in[api].path) {
            printf("%-26s %s%s\n", methods[i].name, methods[i].in[api].path, methods[i].server_stream ? " (stream)" : "");
        }
    }
    return EX_OK;
}

/* The package in a path determines the dialect. If two dialects share the package, --api may choose the older one. */
static void find_path(const struct call_command_options *options, struct target *target)
{
    enum dialect dialect;
    *target = (struct target){.path = options->method};
    const struct method *method = method_find(bytes_of_string(options->method), &dialect);
    if (!method) {
        return;
    }
    const char *path = method->in[options->api].path;
    if (path && strcmp(path, options->method) == 0) {
        dialect = options->api;
    }
    target->request = method->in[dialect].request;
    target->response = method->in[dialect].response;
    target->server_stream = method->server_stream;
}

static bool find_target(const struct call_command_options *options, struct target *target)
{
    if (options->method[0] == '/') {
        find_path(options, target);
        return true;
    }
    const struct method *method = method_by_name(options->method);
    if (!method) {
        complain(options->method, "no such method; --list lists them");
        return false;
    }
    const struct method_in_dialect *found = &method->in[options->api];
    if (!found->path) {
        fprintf(stderr, "crigate call: %s: %s has no such method; --list lists them\n", options->method,
                dialects[options->api].name);
        return false;
    }
    *target = (struct target){
        .path = found->path, .request = found->request, .response = found->response, .server_stream = method->server_stream};
    return true;
}

static int print_template(const struct target *target)
{
    if (!target->request) {
        return complain(target->path, "no such method; --list lists them");
    }
    struct json_object *json = json_template(target->request);
    bool printed = json && command_print_json(json, false);
    json_object_put(json);
    return printed ? EX_OK : complain("standard output", strerror(errno));
}

static bool print_raw(struct bytes message)
{
    return (message.len == 0 || fwrite(message.data, message.len, 1, stdout) == 1) && command_is_printed();
}

static bool print_message(void *state, struct bytes message)
{
    struct printer *printer = state;
    bool printed;
    if (printer->options->raw) {
        printed = print_raw(message);
    } else {
        struct json_object *json = json_from_message(printer->target->response, message, JSON_EXACT, &printer->error);
        if (!json) {
            printer->error.code = STATUS_INTERNAL;
            return error_wrap(&printer->error, "crigate: cannot decode the response");
        }
        printed = command_print_json(json, printer->options->compact || printer->target->server_stream);
        json_object_put(json);
    }
    return printed || error_set(&printer->error, STATUS_INTERNAL, "crigate: standard output: %s", strerror(errno));
}

static bool read_file(const char *name, struct arena *arena, struct bytes *bytes)
{
    struct error error = {0};
    if (command_read_file(name, arena, bytes, &error)) {
        return true;
    }
    fprintf(stderr, "crigate call: %s\n", error.message);
    return false;
}

static bool read_json_text(const char *request, struct arena *arena, struct bytes *text)
{
    *text = bytes_of_string(request ? request : "{}");
    if (!request || (request[0] != '@' && strcmp(request, "-") != 0)) {
        return true;
    }
    return read_file(request[0] == '@' ? request + 1 : request, arena, text);
}

static bool read_request(const struct call_command_options *options, const struct target *target, struct arena *arena,
                         struct bytes *request)
{
    if (options->no_message) {
        return true;
    }
    if (options->raw_request) {
        return read_file(options->raw_request, arena, request);
    }
    struct bytes text;
    if (!read_json_text(options->request, arena, &text)) {
        return false;
    }
    struct error error = {0};
    if (!command_read_message(target->request, text, arena, request, &error)) {
        complain("request", error.message);
        return false;
    }
    return true;
}

/* The message comes from outside: it must not control the terminal. */
static void print_status(enum status_code code, const char *message)
{
    fprintf(stderr, "%s: ", status_code_name(code));
    for (; message && *message; message++) {
        bool control = (unsigned char)*message < ' ' && *message != '\n' && *message != '\t';
        putc(control || *message == 0x7F ? '?' : *message, stderr);
    }
    putc('\n', stderr);
}

static int make_call(const struct call_command_options *options, const struct target *target, struct bytes request)
{
    struct printer printer = {.options = options, .target = target};
    const struct client_request call = {
        .endpoint = options->endpoint,
        .path = target->path,
        .timeout = options->timeout,
        .max_message = options->max_message,
        .metadata = options->metadata,
        .metadata_count = options->metadata_count,
        .no_message = options->no_message,
        .message = request,
        .on_message = print_message,
        .state = &printer,
    };
    struct client_status status = client_run(&call);
    enum status_code code = status.code;
    if (printer.error.code != STATUS_OK) {
        code = printer.error.code;
        print_status(code, printer.error.message);
    } else if (code != STATUS_OK) {
        print_status(code, status.message);
    }
    free(status.message);
    return (int)code;
}

int call_command(int argc, char **argv)
{
    struct call_command_options options;
    struct target target;
    if (!call_command_options_read(&options, argc, argv)) {
        return EX_USAGE;
    }
    if (options.help) {
        options_print_help(&call_command_line, stdout);
        return EX_OK;
    }
    if (options.list) {
        return list_methods(options.api);
    }
    if (!find_target(&options, &target)) {
        return EX_USAGE;
    }
    if (options.template) {
        return print_template(&target);
    }
    bool knows_request = target.request || options.raw_request || options.no_message;
    if (!knows_request || (!target.response && !options.raw)) {
        return complain(target.path, "crigate does not know this method; use --raw and --raw-request FILE");
    }
    struct arena *arena = arena_new(ARENA_CAP);
    struct bytes request = {0};
    int status = EX_USAGE;
    if (!arena) {
        print_status(STATUS_RESOURCE_EXHAUSTED, "crigate: out of memory");
        return STATUS_RESOURCE_EXHAUSTED;
    }
    if (read_request(&options, &target, arena, &request)) {
        status = make_call(&options, &target, request);
    }
    arena_unref(arena);
    return status;
}
