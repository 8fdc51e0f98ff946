#include "core/plugins/registry.h"

#include <stdlib.h>
#include <string.h>

#include "base/json/build.h"
#include "base/log/log.h"
#include "core/plugins/file.h"
#include "core/plugins/folder.h"

static const char *policy_of(const struct plugin_settings *plugin)
{
    return plugin->fail ? "Fail" : "Ignore";
}

static bool is_same(const struct plugin_settings *a, const struct plugin_settings *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->endpoint, b->endpoint) == 0 && a->protocol == b->protocol &&
           a->stages == b->stages && a->fail == b->fail && a->timeout == b->timeout;
}

static bool is_same_list(const struct plugin_list *a, const struct plugin_list *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        same = is_same(&a->plugins[i], &b->plugins[i]);
    }
    return same;
}

/* ---- problems ---- */

/* Whether `lines`, which may be NULL, have that one. */
static bool has_line(const char *lines, const char *line)
{
    size_t len = strlen(line);
    while (lines && *lines) {
        if (strncmp(lines, line, len) == 0 && lines[len] == '\n') {
            return true;
        }
        lines += strcspn(lines, "\n");
        lines += *lines == '\n';
    }
    return false;
}

static void print_problem(const struct runtime_map_problem *problem, bool of_folder, FILE *out)
{
    const char *file = problem->file ? problem->file : "";
    fprintf(out, of_folder ? "plugins: %s" : "plugin %s", of_folder ? file : basename(file));
    if (problem->line > 0) {
        fprintf(out, ":%u:%u", problem->line, problem->column);
    }
    fprintf(out, ": %s%s\n", problem->warning ? "warning: " : "", problem->message);
}

/* What a mistake means for the plugin, after the last one of a file. */
static void print_consequence(const struct runtime_map_problem *problem, const struct plugin_list *list, FILE *out)
{
    if (problem->file && problem->file_number > 0) {
        const char *name = basename(problem->file);
        fprintf(out, "plugin %s: %s\n", name,
                plugin_list_find(list, name) ? "the file's previous content stays in force until it is corrected"
                                             : "none of its hooks is called until the file is corrected");
    }
}

/* All problems as lines of the log; NULL: none, or no memory. */
static char *problem_lines(const struct runtime_map_problems *problems, const struct plugin_list *list)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = problems->count > 0 ? open_memstream(&text, &size) : NULL;
    bool mistake = false;
    for (size_t i = 0; out && i < problems->count; i++) {
        const struct runtime_map_problem *problem = &problems->items[i];
        mistake = mistake || !problem->warning;
        print_problem(problem, problem->file_number == 0, out);
        bool last = i + 1 == problems->count || problems->items[i + 1].file_number != problem->file_number;
        if (last && mistake) {
            print_consequence(problem, list, out);
        }
        mistake = mistake && !last;
    }
    if (out) {
        fclose(out);
    }
    return text;
}

/* Logs those that were not there the last time, and keeps them all for the next. Takes over the lines. */
static void log_problems(struct plugin_registry *registry, char *lines)
{
    char *copy = lines ? strdup(lines) : NULL;
    char *rest = copy;
    for (char *line = strsep(&rest, "\n"); line && *line; line = strsep(&rest, "\n")) {
        if (!has_line(registry->problems, line)) {
            log_line(LOG_SERIOUS, "%s", line);
        }
    }
    free(copy);
    free(registry->problems);
    registry->problems = lines;
}

/* ---- plugins ---- */

static void log_plugin(const struct plugin_settings *plugin, const char *what)
{
    log_notice("plugin %s: %s: %s at %s, failure-policy %s, timeout %u ms", plugin->name, what,
               plugin_hooks_text(plugin->stages).text, plugin->endpoint, policy_of(plugin), plugin->timeout);
}

static void log_changes(const struct plugin_list *before, const struct plugin_list *after)
{
    for (size_t i = 0; i < after->count; i++) {
        const struct plugin_settings *plugin = &after->plugins[i];
        const struct plugin_settings *known = plugin_list_find(before, plugin->name);
        if (!known || !is_same(plugin, known)) {
            log_plugin(plugin, known ? "its file has changed" : "registered");
        }
    }
    for (size_t i = 0; before && i < before->count; i++) {
        const char *name = before->plugins[i].name;
        if (!plugin_list_find(after, name)) {
            log_notice("plugin %s: removed: none of its hooks is called any more", name);
        }
    }
}

bool plugin_registry_read(struct plugin_registry *registry, const char *folder, unsigned timeout)
{
    if (registry->folder && strcmp(registry->folder, folder) != 0) {
        plugin_registry_clear(registry);
    }
    struct runtime_map_problems problems;
    struct plugin_list *list = plugin_folder_read(folder, timeout, registry->list, &problems);
    registry->folder = registry->folder ? registry->folder : strdup(folder);
    if (!list || !registry->folder) {
        log_line(LOG_SERIOUS, "plugins: %s: out of memory", folder);
        runtime_map_problems_clear(&problems);
        plugin_list_free(list);
        return false;
    }
    log_problems(registry, problem_lines(&problems, list));
    log_changes(registry->list, list);
    runtime_map_problems_clear(&problems);
    bool changed = !registry->list || !is_same_list(registry->list, list);
    plugin_list_free(registry->list);
    registry->list = list;
    return changed;
}

struct plugin_list *plugin_registry_share(const struct plugin_registry *registry)
{
    if (registry->list) {
        arena_ref(registry->list->memory);
    }
    return registry->list;
}

void plugin_registry_clear(struct plugin_registry *registry)
{
    plugin_list_free(registry->list);
    free(registry->folder);
    free(registry->problems);
    registry->list = NULL;
    registry->folder = NULL;
    registry->problems = NULL;
}

struct plugin_list *plugin_registry_check(const char *folder, unsigned timeout, FILE *problems, FILE *plugins, size_t *errors)
{
    struct runtime_map_problems found;
    struct plugin_list *list = plugin_folder_read(folder, timeout, NULL, &found);
    runtime_map_problems_print(&found, folder, problems);
    *errors = found.errors;
    runtime_map_problems_clear(&found);
    for (size_t i = 0; list && i < list->count; i++) {
        const struct plugin_settings *plugin = &list->plugins[i];
        fprintf(plugins, "plugin %s: %s at %s, failure-policy %s, timeout %u ms\n", plugin->name,
                plugin_hooks_text(plugin->stages).text, plugin->endpoint, policy_of(plugin), plugin->timeout);
    }
    return list;
}

struct json_object *plugin_registry_problems(const struct plugin_registry *registry)
{
    struct json_object *lines = json_object_new_array();
    const char *at = registry->problems ? registry->problems : "";
    while (*at) {
        size_t length = strcspn(at, "\n");
        json_append(lines, json_object_new_string_len(at, (int)length));
        at += length + (at[length] == '\n');
    }
    return lines;
}
