/* Which plugins the files of a folder name, what is said of each mistake in them, and what then stays in force. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/plugins/file.h"
#include "core/plugins/folder.h"
#include "core/plugins/registry.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"
#include "tests/unit/socket_fixture.h"
#include "translate/koordinator/koordinator.h"

#define TIMEOUT 2000
#define ENDPOINT "\"remote-endpoint\": \"/run/p.sock\""
#define HOOKS "\"runtime-hooks\": [\"PreRunPodSandbox\"]"
#define GOOD "{" ENDPOINT ", " HOOKS "}"

static uint32_t stage(const char *name)
{
    uint32_t bit = 0;
    assert_true(koordinator_stage_by_name(bytes_of_string(name), &bit));
    return bit;
}

/* ---- one file ---- */

static char *printed(const struct runtime_map_problems *problems)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    runtime_map_problems_print(problems, "f", out);
    fclose(out);
    return text;
}

/* An expected text that ends in "*" may go on as json-c words it, which differs from release to release. */
static void assert_says(const char *found, const char *expected)
{
    size_t size = strlen(expected);
    if (size > 0 && expected[size - 1] == '*') {
        assert_memory_equal(found, expected, size - 1);
        assert_string_equal(found + strcspn(found, "\n"), "\n");
    } else {
        assert_string_equal(found, expected);
    }
}

/* Reads a text, which must have these problems. The memory must be freed by the caller. */
static struct plugin_settings read_text(struct bytes text, const char *expected, struct arena **memory)
{
    struct runtime_map_problems problems = {0};
    const char *name = "f";
    *memory = arena_new(1 << 20);
    assert_non_null(*memory);
    problems_set_files(&problems, &name, 1);
    struct plugin_settings plugin = {.timeout = TIMEOUT};
    bool good = plugin_file_read(&(struct plugin_file){.text = text, .memory = *memory, .problems = &problems}, &plugin);
    char *found = printed(&problems);
    assert_says(found, expected);
    assert_int_equal(good, problems.errors == 0);
    free(found);
    runtime_map_problems_clear(&problems);
    return plugin;
}

static void check_text(const char *text, const char *endpoint, bool fail, uint32_t stages, unsigned timeout, const char *problems)
{
    struct arena *memory;
    struct plugin_settings plugin = read_text(bytes_of_string(text), problems, &memory);
    assert_string_equal(plugin.endpoint, endpoint);
    assert_int_equal(plugin.fail, fail);
    assert_int_equal(plugin.stages, stages);
    assert_int_equal(plugin.timeout, timeout);
    assert_ptr_equal(plugin.protocol, &koordinator_protocol);
    arena_unref(memory);
}

TEST(a_file_as_koordlet_writes_it)
{
    check_text("{\n\t\"remote-endpoint\": \"/var/run/koordlet/koordlet.sock\",\n\t\"failure-policy\": \"Ignore\",\n"
               "\t\"runtime-hooks\": [\n\t\t\"PreRemoveRunPodSandbox\",\n\t\t\"PreUpdateContainerResources\",\n"
               "\t\t\"PreRunPodSandbox\",\n\t\t\"PreCreateContainer\"\n\t]\n}",
               "unix:///var/run/koordlet/koordlet.sock", false,
               stage("PreRunPodSandbox") | stage("PreCreateContainer") | stage("PreUpdateContainerResources"), TIMEOUT, "");
}

TEST(values)
{
    uint32_t run_pod = stage("PreRunPodSandbox");
    check_text(GOOD, "unix:///run/p.sock", false, run_pod, TIMEOUT, "");
    check_text("{" ENDPOINT "," HOOKS ",\"failure-policy\":\"Fail\"}", "unix:///run/p.sock", true, run_pod, TIMEOUT, "");
    check_text("{" ENDPOINT "," HOOKS ",\"failure-policy\":\"\"}", "unix:///run/p.sock", false, run_pod, TIMEOUT, "");
    check_text("{" ENDPOINT "," HOOKS ",\"failure-policy\":null}", "unix:///run/p.sock", false, run_pod, TIMEOUT, "");
    check_text("{" ENDPOINT "," HOOKS ",\"timeout\":500}", "unix:///run/p.sock", false, run_pod, 500, "");
    check_text("{" ENDPOINT "," HOOKS ",\"timeout\":\"500ms\"}", "unix:///run/p.sock", false, run_pod, 500, "");
    check_text("{" ENDPOINT "," HOOKS ",\"timeout\":\"1m\"}", "unix:///run/p.sock", false, run_pod, 60000, "");
    check_text("{" HOOKS ",\"remote-endpoint\":\"unix:\\/\\/\\/run//./p\\u002esock\"}", "unix:///run/p.sock", false, run_pod,
               TIMEOUT, "");
    check_text("{" ENDPOINT ",\"runtime-hooks\":[\"PreRunPodSandbox\",\"PostStopPodSandbox\",\"PreCreateContainer\","
               "\"PreStartContainer\",\"PostStartContainer\",\"PreUpdateContainerResources\",\"PostStopContainer\"]}",
               "unix:///run/p.sock", false,
               run_pod | stage("PostStopPodSandbox") | stage("PreCreateContainer") | stage("PreStartContainer") |
                   stage("PostStartContainer") | stage("PreUpdateContainerResources") | stage("PostStopContainer"),
               TIMEOUT, "");
}

#define NO_HOOK "f:1:1: warning: \"runtime-hooks\" names no hook that is called: the plugin does nothing\n"
#define KNOWN_HOOKS                                                                                                              \
    "known hooks: PreRunPodSandbox, PostStopPodSandbox, PreCreateContainer, PreStartContainer, PostStartContainer, "             \
    "PreUpdateContainerResources, PostStopContainer\n"
#define KNOWN_KEYS "which is ignored; known keys: remote-endpoint, failure-policy, runtime-hooks, timeout\n"

TEST(warnings)
{
    uint32_t run_pod = stage("PreRunPodSandbox");
    const char *endpoint = "unix:///run/p.sock";
    check_text("{" ENDPOINT "}", endpoint, false, 0, TIMEOUT, NO_HOOK);
    check_text("{" ENDPOINT ", \"runtime-hooks\": null}", endpoint, false, 0, TIMEOUT, NO_HOOK);
    check_text("{" ENDPOINT ", \"runtime-hooks\": []}", endpoint, false, 0, TIMEOUT, NO_HOOK);
    check_text("{" ENDPOINT ",\n" HOOKS ",\n\"failure-policy\": \"fail\"}", endpoint, false, run_pod, TIMEOUT,
               "f:3:19: warning: failure-policy: \"fail\" is neither Fail nor Ignore, and counts as Ignore; write one of them\n");
    check_text("{" ENDPOINT ",\n\t\"runtime-hooks\": [\"PreRunPodSandbox\",\n\"PreX\"]}", endpoint, false, run_pod, TIMEOUT,
               "f:3:1: warning: runtime-hooks: unknown hook \"PreX\", which is never called; " KNOWN_HOOKS);
    check_text("{\"x\": {\"a\": [1, \"]}\"], \"b\": {}}, " ENDPOINT ", " HOOKS "}", endpoint, false, run_pod, TIMEOUT,
               "f:1:2: warning: unknown key \"x\", " KNOWN_KEYS);
    check_text("{" ENDPOINT ", " HOOKS ", \"Timeout\": 5}", endpoint, false, run_pod, TIMEOUT,
               "f:1:75: warning: unknown key \"Timeout\", " KNOWN_KEYS);
}

struct row {
    const char *text;
    const char *problems;
};

TEST(mistakes)
{
    static const struct row rows[] = {
        {"", "f:1:1: the file is empty\n"},
        {" \n\t\n", "f:1:1: the file is empty\n"},
        {"{" ENDPOINT ",\n " HOOKS, "f:2:39: not JSON: the text ends too early\n"},
        {"{" ENDPOINT ",\n " HOOKS ",}", "f:2:40: not JSON: *"},
        {"{\n  remote-endpoint: 1}", "f:2:3: not JSON: *"},
        {"{\"\xC3\xA4\": 1,\n \"\xC3\xA4\" 2}", "f:2:6: not JSON: *"},
        {GOOD " x", "f:1:75: not JSON: *"},
        {GOOD GOOD, "f:1:74: not JSON: *"},
        {"{\"a\": \"\xFF\"}", "f:1:8: not UTF-8; save the file as UTF-8\n"},
        {"{\"\xC3\xA4\": 1,\n \"\xC0\x80\" 2}", "f:2:3: not UTF-8; save the file as UTF-8\n"},
        {"[]\n", "f:1:1: an object is expected here: {\"remote-endpoint\": ...}\n"},
        {"\n null\n", "f:2:2: an object is expected here: {\"remote-endpoint\": ...}\n"},
        {"{\"x\": NaN, " ENDPOINT ", " HOOKS "}", "f:1:7: not JSON: unexpected word\n"},
        {"{" HOOKS "}", "f:1:1: \"remote-endpoint\" is missing; write the path of the plugin's socket\n"},
        {"{" HOOKS ", \"remote-endpoint\": 5}", "f:1:60: remote-endpoint: text in quotes is expected here\n"},
        {"{" HOOKS ", \"remote-endpoint\": \"p.sock\"}",
         "f:1:60: remote-endpoint: \"p.sock\" is a relative path; write an absolute one, such as unix:///p.sock\n"},
        {"{" HOOKS ", \"remote-endpoint\": \"tcp://1.2.3.4:5\"}",
         "f:1:60: remote-endpoint: \"tcp://1.2.3.4:5\" is not a Unix socket; write unix:///absolute/path.sock\n"},
        {"{" HOOKS ", \"remote-endpoint\": \"/run/../p.sock\"}",
         "f:1:60: remote-endpoint: \"/run/../p.sock\" has \"..\" in it; write the path without it\n"},
        {"{" HOOKS ", \"remote-endpoint\": \"/run/\\u0000.sock\"}",
         "f:1:60: remote-endpoint: only printable ASCII characters are allowed\n"},
        {"{" HOOKS ", \"remote-endpoint\": \"/run/\xC3\xA4.sock\"}",
         "f:1:60: remote-endpoint: only printable ASCII characters are allowed\n"},
        {"{" ENDPOINT ", " HOOKS ", \"failure-policy\": true}", "f:1:93: failure-policy: text in quotes is expected here\n"},
        {"{" ENDPOINT ", \"runtime-hooks\": \"PreRunPodSandbox\"}",
         "f:1:53: runtime-hooks: a list is expected here, such as [\"PreRunPodSandbox\"]\n" NO_HOOK},
        {"{" ENDPOINT ", " HOOKS ",\n" HOOKS "}", "f:2:1: \"runtime-hooks\" appears twice; keep one\n"},
        {"{" ENDPOINT ", \"runtime-hooks\": [\"PreRunPodSandbox\", 7]}",
         "f:1:74: runtime-hooks: text in quotes is expected here\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct arena *memory;
        read_text(bytes_of_string(rows[i].text), rows[i].problems, &memory);
        arena_unref(memory);
    }
}

#define BOUNDS " is out of bounds; write a time from 10ms to 1m\n"
#define WHOLE "f:1:86: timeout: write milliseconds as a whole number, or a duration such as \"500ms\"\n"

TEST(timeout_mistakes)
{
    static const struct row rows[] = {
        {"9", "f:1:86: timeout: \"9ms\"" BOUNDS},
        {"60001", "f:1:86: timeout: \"60001ms\"" BOUNDS},
        {"\"61s\"", "f:1:86: timeout: \"61s\"" BOUNDS},
        {"1.5", WHOLE},
        {"-5", WHOLE},
        {"1e3", WHOLE},
        {"true", WHOLE},
        {"{}", WHOLE},
        {"99999999999999999999", WHOLE},
        {"\"500\"", "f:1:86: timeout: \"500\" is not a duration; write a whole number with ms, s or m, such as 5s\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        struct arena *memory;
        snprintf(text, sizeof text, "{" ENDPOINT ", " HOOKS ", \"timeout\": %s}", rows[i].text);
        read_text(bytes_of_string(text), rows[i].problems, &memory);
        arena_unref(memory);
    }
}

/* A text that repeats `part` this many times, with what is before and behind it. */
static char *repeated(const char *before, const char *part, size_t times, const char *behind)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs(before, out);
    for (size_t i = 0; i < times; i++) {
        fputs(part, out);
    }
    fputs(behind, out);
    fclose(out);
    return text;
}

static void check_repeated(const char *before, const char *part, size_t times, const char *behind, const char *problems)
{
    struct arena *memory;
    char *text = repeated(before, part, times, behind);
    read_text(bytes_of_string(text), problems, &memory);
    arena_unref(memory);
    free(text);
}

TEST(sizes_are_bounded)
{
    struct arena *memory;
    check_repeated(GOOD, " ", PLUGIN_FILE_SIZE - strlen(GOOD), "", "");
    check_repeated(GOOD, " ", PLUGIN_FILE_SIZE - strlen(GOOD) + 1, "", "f: it is larger than 64 KiB; a plugin's file is short\n");
    check_repeated("{\"x\":", "[", 14, "]]]]]]]]]]]]]], " ENDPOINT "," HOOKS "}",
                   "f:1:2: warning: unknown key \"x\", " KNOWN_KEYS);
    check_repeated("{\"x\":", "[", 60000, "", "f:1:21: objects and lists are nested deeper than 16\n");
    check_repeated("{" ENDPOINT ", \"runtime-hooks\": [", "\"PreRunPodSandbox\",", 64, "\"PreRunPodSandbox\"]}",
                   "f:1:1270: runtime-hooks: more than 64\n");
    check_repeated("{\"remote-endpoint\": \"/", "x", 5000, "\", " HOOKS "}",
                   "f:1:21: remote-endpoint: the path has 5001 characters, but a socket's path can have at most 107; choose a "
                   "shorter one\n");
    read_text(bytes_of("{}\0", 3), "f:1:3: not JSON: a NUL byte\n", &memory);
    arena_unref(memory);
}

/* ---- a folder ---- */

static char folder[FOLDER_SIZE];

static int begin(void **state)
{
    umask(022);
    return make_folder(folder);
}

static int end(void **state)
{
    chmod(folder, 0700);
    return remove_folder(folder);
}

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* What the folder says: the names and stages of the plugins, and the problems, without the path of the folder. */
static void check_folder(struct plugin_list **list, const char *expected)
{
    struct runtime_map_problems problems;
    struct plugin_list *before = *list;
    *list = plugin_folder_read(folder, TIMEOUT, before, &problems);
    plugin_list_free(before);
    assert_non_null(*list);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (size_t i = 0; i < (*list)->count; i++) {
        const struct plugin_settings *plugin = &(*list)->plugins[i];
        fprintf(out, "%s %s\n", plugin->name, plugin_hooks_text(plugin->stages).text);
    }
    for (size_t i = 0; i < problems.count; i++) {
        const struct runtime_map_problem *problem = &problems.items[i];
        assert_int_equal(strncmp(problem->file, folder, strlen(folder)), 0);
        fprintf(out, "%s:%u: %s\n", problem->file + strlen(folder), problem->line, problem->message);
    }
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
    runtime_map_problems_clear(&problems);
}

EACH_TEST(begin, end)

TEST(files_are_read_by_name)
{
    struct plugin_list *list = NULL;
    check_folder(&list, "");
    write_text(path_of("b.json"), GOOD);
    write_text(path_of("10.json"), GOOD);
    write_text(path_of("9.json"), GOOD);
    write_text(path_of("B.json"), GOOD);
    write_text(path_of(".hidden.json"), "x");
    write_text(path_of("b.json~"), "x");
    write_text(path_of("xjson"), "x");
    write_text(path_of(".json"), "x");
    check_folder(&list, "10.json PreRunPodSandbox\n9.json PreRunPodSandbox\nB.json PreRunPodSandbox\nb.json PreRunPodSandbox\n");
    unlink(path_of("B.json"));
    unlink(path_of("10.json"));
    check_folder(&list, "9.json PreRunPodSandbox\nb.json PreRunPodSandbox\n");
    plugin_list_free(list);
}

TEST(a_bad_file_keeps_what_was_said_before)
{
    struct plugin_list *list = NULL;
    write_text(path_of("a.json"), GOOD);
    write_text(path_of("b.json"), "{\n\"x\"");
    check_folder(&list, "a.json PreRunPodSandbox\n/b.json:2: not JSON: the text ends too early\n");
    write_text(path_of("a.json"), "{" ENDPOINT ", \"runtime-hooks\": [\"PreCreateContainer\"]");
    check_folder(&list, "a.json PreRunPodSandbox\n/a.json:1: not JSON: the text ends too early\n"
                        "/b.json:2: not JSON: the text ends too early\n");
    write_text(path_of("b.json"), GOOD);
    check_folder(&list, "a.json PreRunPodSandbox\nb.json PreRunPodSandbox\n/a.json:1: not JSON: the text ends too early\n");
    write_text(path_of("a.json"), "{" ENDPOINT ", \"runtime-hooks\": [\"PreCreateContainer\"]}");
    check_folder(&list, "a.json PreCreateContainer\nb.json PreRunPodSandbox\n");
    assert_string_equal(list->plugins[0].endpoint, "unix:///run/p.sock");
    write_text(path_of("a.json"), "");
    check_folder(&list, "a.json PreCreateContainer\nb.json PreRunPodSandbox\n/a.json:1: the file is empty\n");
    unlink(path_of("a.json"));
    check_folder(&list, "b.json PreRunPodSandbox\n");
    plugin_list_free(list);
}

TEST(only_files_are_read)
{
    struct plugin_list *list = NULL;
    assert_int_equal(mkfifo(path_of("a.json"), 0644), 0);
    assert_int_equal(mkdir(path_of("b.json"), 0755), 0);
    assert_int_equal(symlink("nowhere", path_of("c.json")), 0);
    assert_int_equal(symlink("/dev/null", path_of("d.json")), 0);
    assert_int_equal(symlink("e.json", path_of("e.json")), 0);
    close(listen_at(path_of("f.json")));
    write_text(path_of("g\xC3\xA4\n.json"), GOOD);
    check_folder(&list, "/a.json:0: not used: it is a FIFO; put the plugin's settings in a file\n"
                        "/b.json:0: not used: it is a folder; put the plugin's settings in a file\n"
                        "/c.json:0: not used: it is a link to something that does not exist; correct or remove it\n"
                        "/d.json:0: not used: it is a device; put the plugin's settings in a file\n"
                        "/e.json:0: cannot be read: Too many levels of symbolic links\n"
                        "/f.json:0: not used: it is a socket; write a file with the path of the socket\n"
                        "/g???.json:0: not used: its name contains characters other than printable ASCII; rename it\n");
    plugin_list_free(list);
}

TEST(links_as_in_a_config_map)
{
    struct plugin_list *list = NULL;
    assert_int_equal(mkdir(path_of("..1"), 0755), 0);
    assert_int_equal(mkdir(path_of("..2"), 0755), 0);
    write_text(path_of("..1/a.json"), GOOD);
    write_text(path_of("..2/a.json"), "{" ENDPOINT ", \"runtime-hooks\": [\"PostStopContainer\"]}");
    assert_int_equal(symlink("..1", path_of("..data")), 0);
    assert_int_equal(symlink("..data/a.json", path_of("a.json")), 0);
    check_folder(&list, "a.json PreRunPodSandbox\n");
    unlink(path_of("..data"));
    assert_int_equal(symlink("..2", path_of("..data")), 0);
    check_folder(&list, "a.json PostStopContainer\n");
    unlink(path_of("..data"));
    check_folder(&list, "/a.json:0: not used: it is a link to something that does not exist; correct or remove it\n");
    plugin_list_free(list);
}

TEST(what_others_may_write_is_not_used)
{
    struct plugin_list *list = NULL;
    write_text(path_of("a.json"), GOOD);
    write_text(path_of("b.json"), GOOD);
    write_text(path_of("target"), GOOD);
    assert_int_equal(symlink("target", path_of("c.json")), 0);
    chmod(path_of("target"), 0602);
    chmod(path_of("b.json"), 0664);
    check_folder(
        &list,
        "a.json PreRunPodSandbox\n"
        "/b.json:0: not used: with mode 0664, users other than its owner may write to it; remove that permission (chmod go-w)\n"
        "/c.json:0: not used: with mode 0602, users other than its owner may write to it; remove that permission (chmod go-w)\n");
    chmod(path_of("a.json"), 0666);
    chmod(path_of("b.json"), 0640);
    unlink(path_of("c.json"));
    check_folder(
        &list,
        "b.json PreRunPodSandbox\n"
        "/a.json:0: not used: with mode 0666, users other than its owner may write to it; remove that permission (chmod go-w)\n");
    chmod(folder, 01777);
    check_folder(
        &list, ":0: not used: with mode 1777, users other than its owner may write to it; remove that permission (chmod go-w)\n");
    plugin_list_free(list);
}

TEST(what_belongs_to_others_is_not_used)
{
    struct plugin_list *list = NULL;
    if (geteuid() != 0) {
        skip();
    }
    write_text(path_of("a.json"), GOOD);
    write_text(path_of("b.json"), GOOD);
    assert_int_equal(chown(path_of("a.json"), 1000, 0), 0);
    check_folder(&list, "b.json PreRunPodSandbox\n/a.json:0: not used: it belongs to user 1000; give it to root (chown root)\n");
    assert_int_equal(chown(folder, 1000, 0), 0);
    check_folder(&list, ":0: not used: it belongs to user 1000; give it to root (chown root)\n");
    plugin_list_free(list);
}

TEST(the_number_of_files_is_bounded)
{
    struct plugin_list *list;
    struct runtime_map_problems problems;
    for (unsigned i = 0; i < PLUGIN_FOLDER_MOST + 2; i++) {
        char name[32];
        snprintf(name, sizeof name, "%02u.json", i);
        write_text(path_of(name), GOOD);
    }
    list = plugin_folder_read(folder, TIMEOUT, NULL, &problems);
    assert_non_null(list);
    assert_int_equal(list->count, 64);
    assert_string_equal(list->plugins[63].name, "63.json");
    assert_int_equal(problems.count, 1);
    assert_string_equal(problems.items[0].message, "66 files, of which only the first 64 are used; remove some");
    runtime_map_problems_clear(&problems);
    plugin_list_free(list);
}

TEST(folders_that_are_none)
{
    struct runtime_map_problems problems;
    struct plugin_list *before = NULL;
    write_text(path_of("a.json"), GOOD);
    check_folder(&before, "a.json PreRunPodSandbox\n");
    struct plugin_list *list = plugin_folder_read("/nonexistent/folder", TIMEOUT, before, &problems);
    assert_non_null(list);
    assert_int_equal(list->count, 0);
    assert_int_equal(problems.count, 0);
    runtime_map_problems_clear(&problems);
    plugin_list_free(list);
    list = plugin_folder_read(path_of("a.json"), TIMEOUT, before, &problems);
    assert_non_null(list);
    assert_int_equal(list->count, 1);
    assert_string_equal(list->plugins[0].name, "a.json");
    assert_int_equal(problems.count, 1);
    assert_string_equal(problems.items[0].message, "cannot be read: Not a directory");
    runtime_map_problems_clear(&problems);
    plugin_list_free(list);
    plugin_list_free(before);
}

TEST(the_folder_is_made)
{
    struct stat status;
    umask(077);
    plugin_folder_make(path_of("a/b.d"));
    plugin_folder_make(path_of("a/b.d"));
    umask(022);
    assert_int_equal(stat(path_of("a"), &status), 0);
    assert_int_equal(status.st_mode & 07777U, 0755);
    assert_int_equal(stat(path_of("a/b.d"), &status), 0);
    assert_int_equal(status.st_mode & 07777U, 0755);
    plugin_folder_make("/proc/none/b.d");
    assert_int_equal(stat("/proc/none", &status), -1);
}

TEST(the_registry_tells_changes)
{
    struct plugin_registry registry = {0};
    assert_null(plugin_registry_share(&registry));
    assert_true(plugin_registry_read(&registry, folder, TIMEOUT));
    assert_false(plugin_registry_read(&registry, folder, TIMEOUT));
    write_text(path_of("a.json"), GOOD);
    assert_true(plugin_registry_read(&registry, folder, TIMEOUT));
    struct plugin_list *share = plugin_registry_share(&registry);
    assert_false(plugin_registry_read(&registry, folder, TIMEOUT));
    assert_true(plugin_registry_read(&registry, folder, TIMEOUT + 1));
    write_text(path_of("a.json"), "{");
    assert_false(plugin_registry_read(&registry, folder, TIMEOUT + 1));
    assert_true(plugin_registry_read(&registry, "/nonexistent/folder", TIMEOUT));
    assert_true(plugin_registry_read(&registry, folder, TIMEOUT));
    struct plugin_list *none = plugin_registry_share(&registry);
    assert_int_equal(none->count, 0);
    plugin_registry_clear(&registry);
    assert_int_equal(share->count, 1);
    assert_string_equal(share->plugins[0].name, "a.json");
    plugin_list_free(none);
    plugin_list_free(share);
}
