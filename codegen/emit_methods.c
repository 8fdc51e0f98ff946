#include "codegen/emit_files.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/memory.h"

/* A peek of translate/schema/method.h: its word in methods.yaml, and the path that is appended to the word's path. */
static const struct {
    const char *constant;
    enum place_word place;
    const char *below;
} peeks[] = {
    {"PEEK_POD", PLACE_POD, NULL},
    {"PEEK_CONTAINER", PLACE_CONTAINER, NULL},
    {"PEEK_IMAGE", PLACE_IMAGE, "image"},
    {"PEEK_IMAGE_ANNOTATIONS", PLACE_IMAGE, "annotations"},
    {"PEEK_IMAGE_HANDLER", PLACE_IMAGE, "runtime_handler"},
    {"PEEK_SANDBOX_ANNOTATIONS", PLACE_SANDBOX, "annotations"},
    {"PEEK_SANDBOX_UID", PLACE_SANDBOX, "metadata.uid"},
    {"PEEK_HANDLER", PLACE_HANDLER, NULL},
    {"PEEK_VERBOSE", PLACE_VERBOSE, NULL},
};

static void emit_peek(const struct method_row *row, const struct rpc *rpc, size_t index, FILE *output)
{
    const char *path = row->places[peeks[index].place];
    if (path == NULL) {
        return;
    }
    if (peeks[index].below != NULL) {
        path = memory_format("%s.%s", path, peeks[index].below);
    }
    struct peek_numbers found = methods_resolve(rpc->request, path, NULL);
    if (found.depth == 0) {
        return;
    }
    fprintf(output, "[%s] = {%u, {", peeks[index].constant, found.depth);
    for (size_t i = 0; i < found.depth; i++) {
        fprintf(output, "%s%u", i == 0 ? "" : ", ", found.numbers[i]);
    }
    fputs("}}, ", output);
}

static const char *rpc_path(const struct dialect *dialect, const struct rpc *rpc)
{
    return memory_format("/%s.%s/%s", dialect->package, rpc->service, rpc->name);
}

static void emit_in_dialect(const struct dialect *dialect, const struct method_row *row, FILE *output)
{
    const struct rpc *rpc = dialect_rpc(dialect, row->service, row->name);
    if (rpc == NULL) {
        return;
    }
    fprintf(output, "        .in[%s] = {.path = \"%s\", .request = &%s, .response = &%s, .peeks = {",
            emit_dialect_constant(dialect), rpc_path(dialect, rpc), emit_symbol("schema", dialect, rpc->request->name),
            emit_symbol("schema", dialect, rpc->response->name));
    for (size_t i = 0; i < sizeof(peeks) / sizeof(peeks[0]); i++) {
        emit_peek(row, rpc, i, output);
    }
    fputs("}},\n", output);
}

/* The list that the row streams, or the stream of this list. */
static void emit_list(const struct methods *methods, const struct method_row *row, FILE *output)
{
    for (size_t i = 0; i < methods->count; i++) {
        const struct method_row *other = &methods->rows[i];
        if (row->list != NULL && strcmp(row->list, other->name) == 0) {
            fprintf(output, "        .list = &methods[%zu],\n", i);
        }
        if (other->list != NULL && strcmp(other->list, row->name) == 0) {
            fprintf(output, "        .stream = &methods[%zu],\n", i);
        }
    }
}

static const char *service_constant(const char *service)
{
    return strcmp(service, "ImageService") == 0 ? "SERVICE_IMAGE" : "SERVICE_RUNTIME";
}

static void emit_row(const struct emission *emission, const struct method_row *row, FILE *output)
{
    const struct schema *schema = emission->schema;
    fprintf(output, "    {\n        .name = \"%s\",\n        .service = %s,\n        .route = %s,\n        .merge = %s,\n",
            row->name, service_constant(row->service), row->route, row->merge);
    fprintf(output, "        .lacking = %s,\n        .away = %s,\n        .remember = %s,\n        .hook = %s,\n", row->lacking,
            row->away, row->remember, row->hook);
    fprintf(output, "        .access = %s,\n        .log_level = %d,\n        .server_stream = %s,\n", row->access,
            row->log_level, methods_newest(row, schema)->server_stream ? "true" : "false");
    fprintf(output, "        .shared = %s,\n        .may_last = %s,\n", row->shared ? "true" : "false",
            row->may_last ? "true" : "false");
    emit_list(emission->methods, row, output);
    for (size_t i = 0; i < schema->dialect_count; i++) {
        emit_in_dialect(&schema->dialects[i], row, output);
    }
    fputs("    },\n", output);
}

struct path {
    const char *text;
    size_t method;
    const struct dialect *caller;
};

static int compare_paths(const void *a, const void *b)
{
    return strcmp(((const struct path *)a)->text, ((const struct path *)b)->text);
}

/* All paths. A path that several dialects share is read with the newest of them. */
static size_t collect_paths(const struct emission *emission, struct path **paths)
{
    size_t count = 0;
    for (size_t method = 0; method < emission->methods->count; method++) {
        const struct method_row *row = &emission->methods->rows[method];
        const char *previous = NULL;
        for (size_t i = emission->schema->dialect_count; i > 0; i--) {
            const struct dialect *dialect = &emission->schema->dialects[i - 1];
            const struct rpc *rpc = dialect_rpc(dialect, row->service, row->name);
            if (rpc == NULL || (previous != NULL && strcmp(previous, dialect->package) == 0)) {
                continue;
            }
            previous = dialect->package;
            *paths = memory_grow(*paths, count, sizeof(**paths));
            (*paths)[count++] = (struct path){rpc_path(dialect, rpc), method, dialect};
        }
    }
    return count;
}

static void emit_paths(const struct emission *emission, FILE *output)
{
    struct path *paths = NULL;
    size_t count = collect_paths(emission, &paths);
    qsort(paths, count, sizeof(*paths), compare_paths);
    fputs("const struct method_path method_paths[] = {\n", output);
    for (size_t i = 0; i < count; i++) {
        fprintf(output, "    {\"%s\", %zu, %s},\n", paths[i].text, paths[i].method, emit_dialect_constant(paths[i].caller));
    }
    fprintf(output, "};\nconst uint16_t method_path_count = %zu;\n\n", count);
}

static void emit_names(const struct emission *emission, FILE *output)
{
    size_t count = emission->methods->count;
    struct path *names = memory_new(count, sizeof(*names));
    for (size_t i = 0; i < count; i++) {
        names[i] = (struct path){emission->methods->rows[i].name, i, NULL};
    }
    qsort(names, count, sizeof(*names), compare_paths);
    fputs("const uint16_t methods_by_name[] = {\n", output);
    for (size_t i = 0; i < count; i++) {
        fprintf(output, "    %zu, /* %s */\n", names[i].method, names[i].text);
    }
    fputs("};\n\n", output);
}

/* The services of each package, each once: the RPCs of one service are adjacent in a descriptor. */
static void emit_services(const struct emission *emission, FILE *output)
{
    size_t count = 0;
    fputs("const struct method_service method_services[] = {\n", output);
    for (size_t i = 0; i < emission->schema->dialect_count; i++) {
        const struct dialect *dialect = &emission->schema->dialects[i];
        for (size_t j = 0; dialect->caller == i && j < dialect->rpc_count; j++) {
            if (j == 0 || strcmp(dialect->rpcs[j].service, dialect->rpcs[j - 1].service) != 0) {
                fprintf(output, "    {\"/%s.%s/\", %s, %s},\n", dialect->package, dialect->rpcs[j].service,
                        emit_dialect_constant(dialect), service_constant(dialect->rpcs[j].service));
                count++;
            }
        }
    }
    fprintf(output, "};\nconst uint16_t method_service_count = %zu;\n", count);
}

void emit_methods(const struct emission *emission, FILE *output)
{
    fputs("#include \"translate/schema/method.h\"\n\n#include \"generated/schema_tables.h\"\n"
          "#include \"translate/schema/method_index.h\"\n\nconst struct method methods[] = {\n",
          output);
    for (size_t i = 0; i < emission->methods->count; i++) {
        emit_row(emission, &emission->methods->rows[i], output);
    }
    fprintf(output, "};\nconst uint16_t method_count = %zu;\n\n", emission->methods->count);
    emit_paths(emission, output);
    emit_names(emission, output);
    emit_services(emission, output);
}
