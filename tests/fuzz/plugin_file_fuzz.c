/* Any bytes as the file that names a plugin: it is refused with reasons, or gives a plugin that can be called. */
#include <string.h>

#include "core/plugins/file.h"
#include "tests/fuzz/fuzz.h"
#include "translate/koordinator/koordinator.h"

#define TIMEOUT 2000

/* In the text, and with a message that a log can have. */
static void check_problem(const struct runtime_map_problem *problem, struct bytes text)
{
    unsigned lines = 1;
    for (size_t i = 0; i < text.len; i++) {
        lines += text.data[i] == '\n';
    }
    must(problem->line <= lines && problem->column <= text.len + 1);
    must((problem->line == 0) == (problem->column == 0));
    must(problem->message && *problem->message);
    for (const char *letter = problem->message; *letter; letter++) {
        must(*letter >= ' ' && *letter <= '~');
    }
}

static void check_plugin(const struct plugin_settings *plugin)
{
    must(plugin->protocol == &koordinator_protocol);
    must(strncmp(plugin->endpoint, "unix:///", strlen("unix:///")) == 0);
    must((plugin->stages & ~plugin->protocol->stages) == 0);
    must(plugin->timeout >= 10 && plugin->timeout <= 60000);
    must(*plugin_hooks_text(plugin->stages).text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct runtime_map_problems problems = {0};
    struct arena *memory = arena_new(1 << 20);
    struct plugin_settings plugin = {.timeout = TIMEOUT};
    struct bytes text = bytes_of(data, size);
    const char *name = "fuzz";
    must(memory);
    problems_set_files(&problems, &name, 1);
    bool good = plugin_file_read(&(struct plugin_file){.text = text, .memory = memory, .problems = &problems}, &plugin);
    must(good == (problems.errors == 0));
    for (size_t i = 0; i < problems.count; i++) {
        check_problem(&problems.items[i], text);
    }
    if (good) {
        check_plugin(&plugin);
    }
    runtime_map_problems_clear(&problems);
    arena_unref(memory);
    return 0;
}
