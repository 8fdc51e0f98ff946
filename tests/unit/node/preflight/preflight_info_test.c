/* What preflight reads off texts from outside: containerd's configuration, verbose statuses, CRI-O's HTTP, and any text for a
   terminal. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes/shown.h"
#include "node/preflight/containerd_config.h"
#include "node/preflight/runtime_info.h"
#include "node/preflight/socket.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"

static unsigned line_of(const char *text)
{
    return containerd_config_disables_cri(bytes_of_string(text));
}

EACH_TEST(arena_begin, arena_end)

TEST(the_line_that_disables_cri_is_found)
{
    assert_int_equal(line_of("disabled_plugins = [\"cri\"]"), 1);
    assert_int_equal(line_of("# Docker's\nversion = 2\ndisabled_plugins = ['cri']\n"), 3);
    assert_int_equal(line_of("\"disabled_plugins\"=[ \"aufs\", \"io.containerd.grpc.v1.cri\" ]\n"), 1);
    assert_int_equal(
        line_of("imports = [\"/a=b\"]\r\n\r\n  disabled_plugins\t= [\r\n \"aufs\", # not \"cri\"\r\n  'cri',\r\n]\r\n"), 5);
    assert_int_equal(
        line_of("text = \"\"\"\ndisabled_plugins = ['no']\n\"\"\"\ndisabled_plugins = [\"io.containerd.cri.v1.runtime\"]"), 4);
    assert_int_equal(line_of("version = 3\ndisabled_plugins = ['io.containerd.cri.v1.images']\n"), 2);
    assert_int_equal(line_of("a = {b = ['x', \"]\"]}\ndisabled_plugins = [['cri']]\n"), 2);
    assert_int_equal(line_of("quoted = \"say \\\" = \"\ndisabled_plugins = [\"cri\"]\n"), 2);
}

TEST(cri_is_not_disabled_by_other_texts)
{
    assert_int_equal(line_of(""), 0);
    assert_int_equal(line_of("disabled_plugins = []\n"), 0);
    assert_int_equal(line_of("disabled_plugins = [\"aufs\", \"cri-o\"]\n"), 0);
    assert_int_equal(line_of("disabled_plugins = [ # \"cri\"\n]\n"), 0);
    assert_int_equal(line_of("# disabled_plugins = [\"cri\"]\n"), 0);
    assert_int_equal(line_of("required_plugins = [\"cri\"]\n"), 0);
    assert_int_equal(line_of("[plugins]\ndisabled_plugins = [\"cri\"]\n"), 0);
    assert_int_equal(line_of("text = '''\ndisabled_plugins = [\"cri\"]\n'''\n"), 0);
    /* No TOML: nothing is claimed. */
    assert_int_equal(line_of("disabled_plugins = [\"cri\""), 0);
    assert_int_equal(line_of("disabled_plugins = [\"cri"), 0);
    assert_int_equal(line_of("disabled_plugins = ["), 0);
    assert_int_equal(line_of("disabled_plugins"), 0);
    assert_int_equal(line_of("= ="), 0);
    assert_int_equal(line_of("]\ndisabled_plugins = [\"cri\"]"), 0);
    assert_int_equal(line_of("a = \"\\"), 0);
}

/* A main file with these imports, and two that patterns lead to; the second has another import, of the first file. */
TEST(disabled_plugins_are_found_in_imports)
{
    static const char *const names[] = {"config.toml", "conf.d", "conf.d/10.toml", "conf.d/20.toml"};
    char folder[FOLDER_SIZE], paths[4][96];
    const char *found = NULL;
    assert_int_equal(make_folder(folder), 0);
    for (size_t i = 0; i < 4; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
    }
    assert_int_equal(mkdir(paths[1], 0700), 0);
    write_text(paths[0], "version = 2\nimports = ['conf.d/*.toml', \"/none/x.toml\"]\ndisabled_plugins = []\n");
    write_text(paths[2], "disabled_plugins = ['aufs']\n[plugins]\n");
    write_text(paths[3], "imports = [\n'../config.toml',\n'../none.toml']\n");
    assert_int_equal(containerd_config_search(paths[0], arena, &found), 0);
    write_text(paths[3], "imports = ['../config.toml']\n\ndisabled_plugins = ['io.containerd.cri.v1.images']\n");
    assert_int_equal(containerd_config_search(paths[0], arena, &found), 3);
    assert_string_equal(found, paths[3]);
    assert_int_equal(containerd_config_search("/none/config.toml", arena, &found), 0);
    assert_int_equal(remove_folder(folder), 0);
}

static struct runtime_info info_of(const char *config)
{
    struct runtime_info info = {.nri = true};
    struct json_object *status = json_object_new_object();
    struct json_object *map = json_object_new_object();
    json_object_object_add(map, "config", config ? json_object_new_string(config) : NULL);
    json_object_object_add(status, "info", map);
    runtime_info_read(status, &info);
    json_object_put(status);
    return info;
}

#define CONTAINERD(systemd)                                                                                                      \
    "{\"containerd\":{\"defaultRuntimeName\":\"runc\",\"runtimes\":{\"kata\":{\"options\":{\"SystemdCgroup\":false}},"           \
    "\"runc\":{\"options\":{\"SystemdCgroup\":" systemd "}}}}"

TEST(containerds_driver_is_that_of_its_default_runtime)
{
    assert_int_equal(info_of(CONTAINERD("true") "}").cgroup_driver, CGROUP_DRIVER_SYSTEMD);
    assert_int_equal(info_of(CONTAINERD("false") "}").cgroup_driver, CGROUP_DRIVER_CGROUPFS);
    assert_int_equal(info_of(CONTAINERD("1") "}").cgroup_driver, CGROUP_DRIVER_NOT_SAID);
    assert_int_equal(info_of("{\"sandboxImage\":\"pause\"}").cgroup_driver, CGROUP_DRIVER_NOT_SAID);
    assert_int_equal(info_of("no JSON").cgroup_driver, CGROUP_DRIVER_NOT_SAID);
    assert_int_equal(info_of(NULL).cgroup_driver, CGROUP_DRIVER_NOT_SAID);
    struct runtime_info info;
    runtime_info_read(NULL, &info);
    assert_int_equal(info.cgroup_driver, CGROUP_DRIVER_NOT_SAID);
}

TEST(nri_is_on_only_if_it_is_said)
{
    assert_true(info_of(CONTAINERD("true") ",\"nri\":{\"disable\":false}}").nri);
    assert_true(info_of("{\"nri\":{\"enable\":true}}").nri);
    assert_false(info_of("{\"nri\":{\"disable\":true}}").nri);
    assert_false(info_of("{\"nri\":{\"enable\":false}}").nri);
    assert_false(info_of("{\"nri\":{}}").nri);
    assert_false(info_of("{\"nri\":true}").nri);
    assert_false(info_of(CONTAINERD("true") "}").nri);
}

static enum cgroup_driver driver_in(const char *response)
{
    struct json_object *json = json_tokener_parse(response);
    enum cgroup_driver driver = runtime_config_driver(json);
    json_object_put(json);
    return driver;
}

TEST(runtime_config_names_the_driver)
{
    assert_int_equal(driver_in("{\"linux\":{\"cgroupDriver\":\"CGROUPFS\"}}"), CGROUP_DRIVER_CGROUPFS);
    assert_int_equal(driver_in("{\"linux\":{}}"), CGROUP_DRIVER_SYSTEMD);
    assert_int_equal(driver_in("{\"linux\":{\"cgroupDriver\":7}}"), CGROUP_DRIVER_NOT_SAID);
    assert_int_equal(driver_in("{}"), CGROUP_DRIVER_NOT_SAID);
}

static enum cgroup_driver driver_by_http(const char *answer)
{
    return runtime_http_driver(bytes_of_string(answer));
}

TEST(docker_names_its_log_driver_by_http)
{
    static const struct {
        const char *answer, *driver;
    } rows[] = {
        {"HTTP/1.1 200 OK\r\nServer: Docker/20.10.24\r\n\r\n{\"LoggingDriver\":\"journald\",\"CgroupDriver\":\"systemd\"}",
         "journald"},
        {"HTTP/1.0 200 OK\r\n\r\n{\"LoggingDriver\":\"a\\u001b[2J\"}", "a?[2J"},
        {"HTTP/1.0 200 OK\r\n\r\n{\"LoggingDriver\":7}", ""},
        {"HTTP/1.0 500 Oh\r\n\r\n{\"LoggingDriver\":\"journald\"}", ""},
        {"HTTP/1.0 200 OK\r\n\r\n{", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(runtime_http_log_driver(bytes_of_string(rows[i].answer), arena), rows[i].driver);
    }
}

TEST(cri_o_names_the_driver_by_http)
{
    assert_int_equal(driver_by_http("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n"
                                    "{\"storage_driver\":\"overlay\",\"cgroup_driver\":\"systemd\"}"),
                     CGROUP_DRIVER_SYSTEMD);
    assert_int_equal(driver_by_http("HTTP/1.1 200 OK\r\n\r\n{\"cgroup_driver\":\"cgroupfs\"}"), CGROUP_DRIVER_CGROUPFS);
    assert_int_equal(driver_by_http("HTTP/1.1 404 Not Found\r\n\r\n{\"cgroup_driver\":\"cgroupfs\"}"), CGROUP_DRIVER_NOT_SAID);
    assert_int_equal(driver_by_http("HTTP/1.1 200 OK\r\n\r\n{\"cgroup_driver\":\"other\"}"), CGROUP_DRIVER_NOT_SAID);
    assert_int_equal(driver_by_http("HTTP/1.1 200 OK\r\n\r\n"), CGROUP_DRIVER_NOT_SAID);
    assert_int_equal(driver_by_http("HTTP/1.1 200 OK"), CGROUP_DRIVER_NOT_SAID);
    assert_int_equal(driver_by_http(""), CGROUP_DRIVER_NOT_SAID);
}

static void assert_shown(const char *text, const char *expected)
{
    assert_string_equal(shown_text(bytes_of_string(text), arena), expected);
}

TEST(shown_text_cannot_control_a_terminal)
{
    assert_shown("containerd", "containerd");
    assert_shown("\033[2Jv1\n.7\t\x7F", "?[2Jv1?.7??");
    assert_shown("caf\xC3\xA9 \xC2\x9B"
                 "1m \xC2\xA0",
                 "caf\xC3\xA9 ?1m \xC2\xA0");
    assert_shown("\xFF\xC3", "??");
}

TEST(long_text_is_cut_between_characters)
{
    char text[1024];
    for (size_t i = 0; i < sizeof text - 1; i++) {
        text[i] = i % 2 == 0 ? '\xC3' : '\xA9';
    }
    text[sizeof text - 1] = '\0';
    const char *shown = shown_text(bytes_of_string(text), arena);
    assert_int_equal(strlen(shown), SHOWN_MOST + 3);
    assert_string_equal(shown + SHOWN_MOST, "...");
    assert_memory_equal(shown, text, SHOWN_MOST);
}

TEST(only_unix_sockets_have_a_path)
{
    assert_string_equal(socket_path("unix:///run/x.sock"), "/run/x.sock");
    assert_string_equal(socket_path("unix:/run/x.sock"), "/run/x.sock");
    assert_string_equal(socket_path("/run/x.sock"), "/run/x.sock");
    assert_null(socket_path("tcp://127.0.0.1:1"));
    assert_null(socket_path("unix://relative"));
    assert_null(socket_path(""));
}
