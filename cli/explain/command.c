#include "cli/explain/command.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "base/json/build.h"
#include "base/options/output.h"
#include "cli/commands/input.h"
#include "cli/explain/list.h"
#include "cli/explain/peer.h"
#include "cli/explain/request.h"

/* Room for a request of the largest size that gRPC can send. */
#define ARENA_CAP ((size_t)INT_MAX)

#define DIALECTS "v1_9 v1_12 v1alpha2 v1 runtime runtime.v1alpha2 runtime.v1"
#define KUBELETS "kubelet-1.9 kubelet-1.12 kubelet-1.18 kubelet-1.22 kubelet-1.24 kubelet-1.30 kubelet-1.36 kubelet-1.37"
#define RUNTIMES                                                                                                                 \
    "containerd-1.2 containerd-1.5 containerd-1.6 containerd-1.7 containerd-2.0 containerd-2.1 containerd-2.2 containerd-2.3 "   \
    "cri-o-1.9 cri-o-1.12 cri-o-1.18 cri-o-1.24 cri-o-1.30 cri-o-1.36 cri-dockerd dockershim"

enum { FROM = 256, TO, RAW_REQUEST };

struct options {
    enum command_output output;
    const char *from; /* NULL: missing */
    const char *to;
    struct peer caller;
    struct peer runtime;
    const struct method *method; /* NULL: all */
    const char *request;         /* the argument; NULL: none */
    const char *raw_request;     /* a file with the bytes of the message; NULL: none */
};

static const struct option_row rows[] = {
    {FROM, "from", "CALLER",
     "a kubelet by its release: kubelet-1.36; or a dialect: v1_9, v1_12, v1alpha2 or v1; or a package: runtime, runtime.v1alpha2 "
     "or runtime.v1",
     COMPLETE_WORDS, KUBELETS " " DIALECTS, OPTION_TEXT(struct options, from)},
    {TO, "to", "RUNTIME",
     "a runtime by its release: containerd-1.7, cri-o-1.24.6, cri-dockerd; or a dialect or package. For a release, what it "
     "accepts but ignores is listed as well",
     COMPLETE_WORDS, RUNTIMES " " DIALECTS, OPTION_TEXT(struct options, to)},
    {RAW_REQUEST, "raw-request", "FILE", "the bytes of the request; - is standard input", COMPLETE_FILE, NULL,
     OPTION_TEXT(struct options, raw_request)},
    {'o', "output", "FORMAT", "text (default) or json; with a REQUEST, the JSON has in `translated` what the runtime gets",
     COMPLETE_WORDS, "text json", OPTION_WORD(struct options, output, "the output must be text or json")},
    {OPTION_ROW_HELP},
};

const struct command_line explain_command_line = {
    .command = "explain",
    .synopsis = "crigate explain --from CALLER --to RUNTIME [-o text|json] [RPC [REQUEST]]\n"
                "crigate explain --from CALLER --to RUNTIME [-o text|json] --raw-request FILE RPC",
    .about = "Shows how calls are translated from a caller of one dialect of CRI to a runtime of another: what is refused, left "
             "out, or\n"
             "expressed by other means, and why. With an RPC, only for that one. With a REQUEST, for exactly that request.\n"
             "Both sides are dialects, or releases of kubelets and runtimes.\n"
             "REQUEST is a file with JSON as `crigate call` takes it, - for standard input, or the JSON itself.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .operand = COMPLETE_METHOD,
    .operands_after = COMPLETE_FILE,
    .after =
        "The runtime map is not applied: ids, images and handlers are the caller's, and `translation` has no effect.\n"
        "Exit status, with a REQUEST: 0 it passes whole, 1 something is left out or ignored, 2 it is refused; else 0. 64 wrong\n"
        "arguments, or a malformed REQUEST.",
};

/* ---- arguments ---- */

static bool parse_peer(const char *option, enum release_side side, const char *name, struct peer *peer)
{
    struct error error = {0};
    if (!name) {
        fprintf(stderr, "crigate explain: %s is missing; name a %s, or a dialect such as v1\n", option,
                side == RELEASE_CALLER ? "kubelet, such as kubelet-1.36" : "runtime, such as containerd-1.7");
        return false;
    }
    if (!peer_read(side, name, peer, &error)) {
        fprintf(stderr, "crigate explain: %s ", option);
        command_print_text(error.message, stderr);
        fputc('\n', stderr);
        return false;
    }
    return true;
}

/* "RunPodSandbox", or a path, whose last part counts. */
static bool parse_method(struct options *options, const char *name)
{
    const char *slash = strrchr(name, '/');
    options->method = method_by_name(slash ? slash + 1 : name);
    if (!options->method) {
        command_usage_error("explain", "no such RPC in any dialect: %s", name);
        return false;
    }
    if (!options->method->in[options->caller.dialect].path) {
        fprintf(stderr, "crigate explain: %s has no %s, so such a caller cannot call it\n",
                dialects[options->caller.dialect].name, options->method->name);
        return false;
    }
    return true;
}

static bool parse_operands(struct options *options, int count, char **operands)
{
    if (options->raw_request && count == 0) {
        command_usage_error("explain", "--raw-request needs an RPC");
        return false;
    }
    options->request = count > 1 ? operands[1] : NULL;
    return parse_peer("--from", RELEASE_CALLER, options->from, &options->caller) &&
           parse_peer("--to", RELEASE_RUNTIME, options->to, &options->runtime) &&
           (count == 0 || parse_method(options, operands[0]));
}

/* -1 to continue, else the exit status. */
static int read_arguments(struct options *options, int argc, char **argv)
{
    int status = options_read(&explain_command_line, options, argc, argv, argc);
    if (status < 0) {
        status = options_check_operands(&explain_command_line, argc, argv, options->raw_request ? 1 : 2);
    }
    return status < 0 && !parse_operands(options, argc - optind, argv + optind) ? EX_USAGE : status;
}

/* ---- running ---- */

static bool print_json(struct json_object *json)
{
    bool good = command_print_json(json, false);
    json_object_put(json);
    return good;
}

static bool read_request(const struct options *options, struct arena *arena, struct bytes *request, struct error *error)
{
    if (options->raw_request) {
        return command_read_file(options->raw_request, arena, request, error);
    }
    struct bytes text = bytes_of_string(options->request);
    const char *file = options->request[0] == '@' ? options->request + 1 : options->request;
    if (options->request[0] != '{' && !command_read_file(file, arena, &text, error)) {
        return false;
    }
    return command_read_message(options->method->in[options->caller.dialect].request, text, arena, request, error);
}

static int explain_one(const struct options *options, struct arena *arena)
{
    struct bytes request;
    struct request_explained explained;
    struct error error = {0};
    if (!read_request(options, arena, &request, &error)) {
        fprintf(stderr, "crigate explain: %s: %s\n", options->method->in[options->caller.dialect].request->name, error.message);
        return EX_USAGE;
    }
    if (!explain_request(options->method, &options->caller, &options->runtime, request, arena, &explained, &error)) {
        fprintf(stderr, "crigate explain: %s\n", error.message);
        return EX_USAGE;
    }
    bool good = true;
    if (options->output == COMMAND_OUTPUT_JSON) {
        struct json_object *json = json_object_new_object();
        json_add(json, "rpc", json_object_new_string(options->method->name));
        peers_add(&options->caller, &options->runtime, json);
        explain_request_add(&explained, json);
        good = print_json(json);
    } else {
        printf("%s from %s to %s: ", options->method->name, options->caller.text, options->runtime.text);
        explain_request_print(&explained, stdout);
        good = command_is_printed();
    }
    json_object_put(explained.translated);
    return good ? (int)explained.status : EX_IOERR;
}

static int explain_all(const struct options *options)
{
    if (options->output == COMMAND_OUTPUT_JSON) {
        return print_json(explain_list_json(&options->caller, &options->runtime, options->method)) ? EX_OK : EX_IOERR;
    }
    explain_list_print(&options->caller, &options->runtime, options->method, stdout);
    return command_is_printed() ? EX_OK : EX_IOERR;
}

int explain_command(int argc, char **argv)
{
    struct options options = {0};
    int status = read_arguments(&options, argc, argv);
    if (status >= 0) {
        return status;
    }
    if (!options.request && !options.raw_request) {
        return explain_all(&options);
    }
    struct arena *arena = arena_new(ARENA_CAP);
    if (!arena) {
        fputs("crigate explain: out of memory\n", stderr);
        return EX_USAGE;
    }
    status = explain_one(&options, arena);
    arena_unref(arena);
    return status;
}
