#include "sim/hooks/plugin_file.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* With the one that has no method and is never called. */
#define ALL_HOOKS                                                                                                                \
    "PreRunPodSandbox,PostStopPodSandbox,PreCreateContainer,PreStartContainer,PostStartContainer,PreUpdateContainerResources,"   \
    "PostStopContainer,PreRemoveRunPodSandbox"

static void write_text(FILE *file, const char *text, size_t length)
{
    struct json_object *string = json_object_new_string_len(text, (int)length);
    fputs(json_object_to_json_string_ext(string, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE), file);
    json_object_put(string);
}

static void write_member(FILE *file, const char *key, const char *value)
{
    fprintf(file, "\t\"%s\": ", key);
    write_text(file, value, strlen(value));
    fputs(",\n", file);
}

static void write_hooks(FILE *file, const char *names)
{
    fputs("\t\"runtime-hooks\": [", file);
    while (*names) {
        size_t length = strcspn(names, ",");
        fputs("\n\t\t", file);
        write_text(file, names, length);
        names += length;
        if (*names) {
            names++;
            fputs(",", file);
        }
    }
    fputs("\n\t]\n", file);
}

bool plugin_file_write(const struct hook_options *options, struct error *error)
{
    char path[PATH_MAX];
    const char *place = options->write_file;
    const char *colon = strrchr(place, ':');
    if (colon) {
        snprintf(path, sizeof path, "%.*s/%s", (int)(colon - place), place, colon + 1);
    } else {
        snprintf(path, sizeof path, "%s/%s.json", place, options->name);
    }
    FILE *file = fopen(path, "we");
    if (!file) {
        return error_set(error, STATUS_UNAVAILABLE, "%s: %s", path, strerror(errno));
    }
    fputs("{\n", file);
    write_member(file, "remote-endpoint", options->listen);
    write_member(file, "failure-policy", options->policy);
    write_hooks(file, options->hooks ? options->hooks : ALL_HOOKS);
    fputs("}", file);
    return fclose(file) == 0 || error_set(error, STATUS_UNAVAILABLE, "%s: %s", path, strerror(errno));
}
