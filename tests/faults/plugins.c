#include "tests/faults/plugins.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/control/client.h"
#include "sim/common/fields.h"

/* Much later than the timeout: milliseconds that answers come late while a plugin is told so. */
#define LATE_MS "700"

#define TEXT_OF(number) #number
#define TEXT(macro) TEXT_OF(macro)

const char *const stage_names[STAGE_COUNT] = {
    [STAGE_PRE_RUN_POD] = "PreRunPodSandbox",
    [STAGE_PRE_CREATE] = "PreCreateContainer",
    [STAGE_PRE_START] = "PreStartContainer",
    [STAGE_POST_START] = "PostStartContainer",
    [STAGE_PRE_UPDATE] = "PreUpdateContainerResources",
    [STAGE_POST_STOP] = "PostStopContainer",
    [STAGE_POST_STOP_POD] = "PostStopPodSandbox",
};

const char *const plugin_names[PLUGIN_COUNT] = {"10-ignore", "20-fail"};

static const char *const policies[PLUGIN_COUNT] = {"Ignore", "Fail"};

/* An answer that takes its time shows a call that does not wait for it, and a hook after a start that takes long shows a hook
   after a stop that does not. */
#define MOST_CHANGES 16
static const char *const changes[PLUGIN_COUNT][MOST_CHANGES] = {
    {"--delay", "PostStartContainer=120", "--delay", "*=15", "--set", "PreRunPodSandbox:labels[" PLUGIN_LABEL "10-ignore]=yes",
     "--set", "PreRunPodSandbox:annotations[" PLUGIN_LABEL "10-ignore]=yes", "--set",
     "PreCreateContainer:container_annotations[" PLUGIN_LABEL "10-ignore]=yes", "--set",
     "PreUpdateContainerResources:container_resources.memory_limit_in_bytes=1000000", NULL},
    {"--delay", "*=5", "--set", "PreRunPodSandbox:labels[" PLUGIN_LABEL "20-fail]=yes", "--set",
     "PreRunPodSandbox:cgroup_parent=" PLUGIN_CGROUP_PARENT, "--set",
     "PreCreateContainer:container_annotations[" PLUGIN_LABEL "20-fail]=yes", "--set",
     "PreCreateContainer:container_resources.memory_limit_in_bytes=2000000", "--set",
     "PreUpdateContainerResources:container_resources.cpu_quota=" TEXT(PLUGIN_QUOTA), NULL},
};

void plugin_path(const struct node *node, unsigned plugin, unsigned place, const char *suffix, char path[NODE_PATH_SIZE])
{
    snprintf(path, NODE_PATH_SIZE, "%s/%s-%u.%s", node->folder, plugin_names[plugin], place, suffix);
}

void plugin_start(struct node *node, unsigned plugin)
{
    struct node_plugin *own = &node->plugins[plugin];
    char path[NODE_PATH_SIZE];
    char listen[NODE_PATH_SIZE + 8];
    char journal[NODE_PATH_SIZE];
    plugin_path(node, plugin, own->place, "sock", path);
    snprintf(listen, sizeof listen, "unix://%s", path);
    plugin_path(node, plugin, own->place, "journal", journal);
    const char *arguments[12 + MOST_CHANGES] = {"hooksim",   "--listen", listen,   "--name", plugin_names[plugin],
                                                "--journal", journal,    "--late", LATE_MS};
    size_t count = 9;
    for (size_t i = 0; changes[plugin][i]; i++) {
        arguments[count++] = changes[plugin][i];
    }
    own->pid = node_start_program(node, "hooksim", plugin_names[plugin], arguments);
}

bool plugin_listens(const struct node *node, unsigned plugin)
{
    char path[NODE_PATH_SIZE];
    plugin_path(node, plugin, node->plugins[plugin].place, "sock", path);
    return node_listens(path);
}

/* ---- its file ---- */

static void file_path(const struct node *node, unsigned plugin, char path[NODE_PATH_SIZE])
{
    snprintf(path, NODE_PATH_SIZE, "%s/" NODE_PLUGIN_FOLDER "/%s.json", node->folder, plugin_names[plugin]);
}

/* Half a file would be a bad one. */
static void put_file(const struct node *node, unsigned plugin, const char *text)
{
    char path[NODE_PATH_SIZE];
    char draft[NODE_PATH_SIZE];
    file_path(node, plugin, path);
    node_path(node, plugin_names[plugin], "draft", draft);
    FILE *file = fopen(draft, "we");
    if (!file || fputs(text, file) == EOF || fclose(file) != 0 || rename(draft, path) != 0) {
        perror(path);
        abort();
    }
}

void plugin_write_file(struct node *node, unsigned plugin, unsigned stages)
{
    char socket[NODE_PATH_SIZE];
    plugin_path(node, plugin, node->plugins[plugin].place, "sock", socket);
    struct json_object *file = json_object_new_object();
    field_set_text(file, "remote-endpoint", socket);
    field_set_text(file, "failure-policy", policies[plugin]);
    struct json_object *hooks = field_new_array(file, "runtime-hooks");
    for (unsigned stage = 0; stage < STAGE_COUNT; stage++) {
        if (stages & (1U << stage)) {
            json_object_array_add(hooks, json_object_new_string(stage_names[stage]));
        }
    }
    put_file(node, plugin, json_object_to_json_string(file));
    json_object_put(file);
    node->plugins[plugin].stages = stages;
}

void plugin_spoil_file(struct node *node, unsigned plugin, const char *text)
{
    char path[NODE_PATH_SIZE];
    file_path(node, plugin, path);
    if (text) {
        put_file(node, plugin, text);
    } else {
        unlink(path);
    }
    node->plugins[plugin].stages = 0;
}

/* ---- what is in force ---- */

static unsigned stages_of(struct json_object *names)
{
    unsigned stages = 0;
    for (size_t i = 0; names && i < json_object_array_length(names); i++) {
        const char *name = json_object_get_string(json_object_array_get_idx(names, i));
        for (unsigned stage = 0; stage < STAGE_COUNT; stage++) {
            stages |= strcmp(name, stage_names[stage]) == 0 ? 1U << stage : 0;
        }
    }
    return stages;
}

bool plugin_stages_in_force(const struct node *node, unsigned stages[PLUGIN_COUNT])
{
    char path[NODE_PATH_SIZE];
    struct error error = {0};
    snprintf(path, sizeof path, "%s/state/" CONTROL_SOCKET_NAME, node->folder);
    struct json_object *answer = control_ask(path, CONTROL_HOOKS, &error);
    struct json_object *plugins = field_child(answer, "plugins");
    for (unsigned i = 0; i < PLUGIN_COUNT; i++) {
        stages[i] = 0;
    }
    for (size_t i = 0; plugins && i < json_object_array_length(plugins); i++) {
        struct json_object *plugin = json_object_array_get_idx(plugins, i);
        for (unsigned own = 0; own < PLUGIN_COUNT; own++) {
            char file[32];
            snprintf(file, sizeof file, "%s.json", plugin_names[own]);
            if (strcmp(field_text(plugin, "name"), file) == 0) {
                stages[own] = stages_of(field_child(plugin, "stages"));
            }
        }
    }
    json_object_put(answer);
    return plugins != NULL;
}
