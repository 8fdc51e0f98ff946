/* What the runtime map's loader takes, what it fills in, and what it says of each mistake. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/map/load.h"
#include "core/map/print.h"
#include "tests/cmocka.h"
#include "tests/unit/core/map/map_fixture.h"
#include "tests/unit/fixture.h"
#include "tests/unit/socket_fixture.h"

#define LISTEN "listen: /run/l.sock\n"
#define RUNTIMES "runtimes:\n- {name: a.x, endpoint: /run/a.sock, primary: true}\n"
#define GOOD LISTEN RUNTIMES

/* Two runtimes, with what else is said of the second in its line 4, from column 41 on. */
#define SECOND(more) GOOD "- {name: b.x, endpoint: /run/b.sock, " more "}\n"

/* The listener in line 1, the value in question from column 38 on for a key of four letters. */
#define LISTENER(more) "listen: {address: /run/l.sock, " more "}\n" RUNTIMES

struct row {
    const char *text;
    const char *problems; /* as printed for a file "f"; empty when there is nothing to say */
};

static struct runtime_map *parse(const char *text, struct runtime_map_problems *problems)
{
    return runtime_map_parse("f", text, strlen(text), problems);
}

static char *printed_problems(const struct runtime_map_problems *problems)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    runtime_map_problems_print(problems, "f", out);
    fclose(out);
    return text;
}

static char *printed_map(const struct runtime_map *map)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    runtime_map_print(map, out);
    fclose(out);
    return text;
}

static void check_problems(const char *text, size_t size, const char *expected)
{
    struct runtime_map_problems problems;
    struct runtime_map *map = runtime_map_parse("f", text, size, &problems);
    char *found = printed_problems(&problems);
    assert_string_equal(found, expected);
    assert_int_equal(map == NULL, problems.errors > 0);
    free(found);
    runtime_map_problems_clear(&problems);
    assert_null(problems.items);
    runtime_map_free(map);
}

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_problems(rows[i].text, strlen(rows[i].text), rows[i].problems);
    }
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof(rows)[0])

/* A good map, warnings or not; the caller frees it. */
static struct runtime_map *good_map(const char *text)
{
    struct runtime_map_problems problems;
    struct runtime_map *map = parse(text, &problems);
    if (!map) {
        runtime_map_problems_print(&problems, "f", stderr);
    }
    assert_non_null(map);
    assert_int_equal(problems.errors, 0);
    runtime_map_problems_clear(&problems);
    return map;
}

TEST(defaults)
{
    struct runtime_map *map = good_map(GOOD "- {name: kata.x, endpoint: 'unix:///run/k.sock'}\n");
    assert_string_equal(map->file, "f");
    assert_string_equal(map->listen.address, "unix:///run/l.sock");
    assert_string_equal(map->listen.path, "/run/l.sock");
    assert_int_equal(map->listen.mode, 0660);
    assert_null(map->listen.group);
    assert_true(map->listen.gid == (gid_t)-1);
    assert_null(map->listen.callers);
    assert_false(map->listen.callers_lack_masked_paths);
    assert_string_equal(map->routing.annotation, "kubernetes.io/target-runtime");
    assert_int_equal(map->limits.message_size, 64 << 20);
    assert_int_equal(map->limits.list_items, 50000);
    assert_int_equal(map->limits.memory, 512 << 20);
    assert_int_equal(map->limits.connections, 1024);
    assert_int_equal(map->limits.idle, 300000);
    assert_int_equal(map->limits.calls, 4096);
    assert_int_equal(map->limits.streams, 256);
    assert_int_equal(map->limits.startup_grace, 5000);
    assert_int_equal(map->limits.shutdown_grace, 30000);
    assert_int_equal(map->events.compose, COMPOSE_WITH_OTHERS);
    assert_int_equal(map->events.interval, 1000);
    assert_int_equal(map->runtime_count, 2);
    assert_int_equal(map->primary, 0);

    const struct runtime_entry *primary = &map->runtimes[0];
    assert_true(primary->primary);
    assert_string_equal(primary->image_endpoint, "unix:///run/a.sock");
    assert_null(primary->image_prefix);
    assert_null(primary->stream_url);
    assert_false(primary->api_set);
    assert_int_equal(primary->handler_count, 0);
    assert_false(primary->translation.all);
    for (size_t i = 0; i < TRANSLATION_RULE_COUNT; i++) {
        assert_false(primary->translation.rules[i]);
    }

    const struct runtime_entry *second = &map->runtimes[1];
    assert_false(second->primary);
    assert_string_equal(second->endpoint, "unix:///run/k.sock");
    assert_string_equal(second->image_endpoint, "unix:///run/k.sock");
    assert_string_equal(second->image_prefix, "kata.x");
    runtime_map_free(map);
}

TEST(default_roles)
{
    struct runtime_map *map = good_map(GOOD "- {name: kata.x, endpoint: 'unix:///run/k.sock'}\n");
    assert_int_equal(map->default_runtime, 0);
    assert_int_equal(map->removed_by_force_count, 0);
    assert_string_equal(map->state, "/run/crigate");
    assert_int_equal(map->listen.uid_count, 0);
    assert_int_equal(map->listen.gid_count, 0);
    assert_int_equal(map->file_count, 1);
    assert_string_equal(map->files[0], "f");
    for (size_t i = 0; i < map->runtime_count; i++) {
        const struct runtime_entry *runtime = &map->runtimes[i];
        assert_int_equal(runtime->plain_ids, runtime->primary);
        assert_true(runtime->new_pods);
        assert_int_equal(runtime->when_away, runtime->primary ? WHEN_AWAY_FAIL : WHEN_AWAY_LAST_KNOWN);
        assert_int_equal(runtime->budget, 5000);
    }
    runtime_map_free(map);
}

static const char everything[] =
    "listen:\n"
    "  address: unix:///run//crigate/./l.sock\n"
    "  mode: 0600\n"
    "  group: root\n"
    "  callers: \"1.10\"\n"
    "  uids: [0, root, 4294967294]\n"
    "  gids: [root]\n"
    "state: //var/./lib/cri gate/\n"
    "runtimes:\n"
    "  - name: old\n"
    "    endpoint: /run/old.sock\n"
    "    image_endpoint: /run/old-images.sock\n"
    "    api: v1_9\n"
    "    image_api: v1alpha2\n"
    "    handlers: {virtlet: kvm, plain: \"\", \"q\\\"\\\\:\": \"a:#b\"}\n"
    "    image_prefix: registry.local:5000/old/er\n"
    "    stream_url: https://[::1]:11250/base//\n"
    "    translation: {lenient: [Mount.image, 'config.linux.security_context.run_as_group'], strict: [unknown]}\n"
    "    cgroup_driver: systemd\n"
    "    storage: //var/lib/./containers/\n"
    "    ids: plain\n"
    "    default: true\n"
    "    when_away: omit\n"
    "    budget: 100ms\n"
    "  - name: New_1.x-y\n"
    "    endpoint: unix:///run/new.sock\n"
    "    primary: Yes\n"
    "    handlers: [runc, 'true']\n"
    "    ids: prefixed\n"
    "    when_away: last-known\n"
    "    new_pods: false\n"
    "    budget: 100s\n"
    "    force: false\n"
    "  - {name: gone, force: true}\n"
    "  - {name: \"1\", force: yes}\n"
    "routing: {annotation: example.com/where}\n"
    "limits:\n"
    "  message_size: 1GiB\n"
    "  list_items: 1234\n"
    "  memory: 2GiB\n"
    "  connections: 9\n"
    "  idle: 90s\n"
    "  calls: 7\n"
    "  streams: 5\n"
    "  startup_grace: 1500ms\n"
    "  shutdown_grace: 2m\n"
    "events: {compose: never, interval: 5m}\n";

TEST(everything_said)
{
    struct runtime_map *map = good_map(everything);
    assert_string_equal(map->listen.path, "/run/crigate/l.sock");
    assert_int_equal(map->listen.mode, 0600);
    assert_string_equal(map->listen.group, "root");
    assert_int_equal(map->listen.gid, 0);
    assert_string_equal(map->listen.callers, "1.10");
    assert_true(map->listen.callers_lack_masked_paths);
    assert_string_equal(map->routing.annotation, "example.com/where");
    assert_int_equal(map->limits.message_size, 1 << 30);
    assert_true(map->limits.memory == (size_t)2 << 30);
    assert_int_equal(map->limits.list_items, 1234);
    assert_int_equal(map->limits.connections, 9);
    assert_int_equal(map->limits.idle, 90000);
    assert_int_equal(map->limits.calls, 7);
    assert_int_equal(map->limits.streams, 5);
    assert_int_equal(map->limits.startup_grace, 1500);
    assert_int_equal(map->limits.shutdown_grace, 120000);
    assert_int_equal(map->events.compose, COMPOSE_NEVER);
    assert_int_equal(map->events.interval, 300000);
    assert_int_equal(map->primary, 1);

    const struct runtime_entry *old = &map->runtimes[0];
    assert_string_equal(old->image_endpoint, "unix:///run/old-images.sock");
    assert_true(old->api_set);
    assert_string_equal(dialects[old->api].name, "v1_9");
    assert_string_equal(dialects[old->image_api].name, "v1alpha2");
    assert_string_equal(old->images->name, "old/images");
    assert_string_equal(old->images->endpoint, "unix:///run/old-images.sock");
    assert_string_equal(dialects[old->images->api].name, "v1alpha2");
    assert_true(old->images->api_set && old->images->only_images);
    assert_null(map->runtimes[1].images);
    assert_int_equal(old->handler_count, 3);
    assert_string_equal(old->handlers[0].name, "virtlet");
    assert_string_equal(old->handlers[0].local_name, "kvm");
    assert_string_equal(old->handlers[1].local_name, "");
    assert_string_equal(old->handlers[2].name, "q\"\\:");
    assert_string_equal(old->image_prefix, "registry.local:5000/old/er");
    assert_string_equal(old->stream_url, "https://[::1]:11250/base");
    assert_false(old->translation.all);
    assert_true(old->translation.rules[RULE_Mount_image]);
    assert_true(old->translation.rules[RULE_LinuxContainerSecurityContext_run_as_group]);
    assert_true(old->translation.strict_unknown);
    assert_true(old->translation.rules[RULE_LinuxSandboxSecurityContext_run_as_group]);
    assert_false(old->translation.rules[RULE_Mount_image_sub_path]);
    assert_int_equal(old->cgroup_driver, CGROUP_DRIVER_SYSTEMD);
    assert_string_equal(old->storage, "/var/lib/containers");
    assert_int_equal(map->runtimes[1].cgroup_driver, CGROUP_DRIVER_NOT_SAID);
    assert_null(map->runtimes[1].storage);
    assert_string_equal(map->runtimes[1].name, "New_1.x-y");
    assert_string_equal(map->runtimes[1].handlers[1].local_name, "true");
    runtime_map_free(map);
}

TEST(all_roles_said)
{
    struct runtime_map *map = good_map(everything);
    assert_string_equal(map->state, "/var/lib/cri gate");
    assert_int_equal(map->listen.uid_count, 3);
    assert_int_equal(map->listen.uids[1], 0);
    assert_true(map->listen.uids[2] == 4294967294);
    assert_int_equal(map->listen.gid_count, 1);
    assert_int_equal(map->listen.gids[0], 0);
    assert_int_equal(map->runtime_count, 2);
    assert_int_equal(map->default_runtime, 0);
    assert_int_equal(map->removed_by_force_count, 2);
    assert_string_equal(map->removed_by_force[0], "gone");
    assert_string_equal(map->removed_by_force[1], "1");
    assert_null(runtime_map_find(map, bytes_of_string("gone")));

    const struct runtime_entry *old = &map->runtimes[0];
    assert_true(old->plain_ids);
    assert_true(old->new_pods);
    assert_int_equal(old->when_away, WHEN_AWAY_OMIT);
    assert_int_equal(old->budget, 100);
    const struct runtime_entry *primary = &map->runtimes[1];
    assert_false(primary->plain_ids);
    assert_null(primary->image_prefix);
    assert_false(primary->new_pods);
    assert_int_equal(primary->when_away, WHEN_AWAY_LAST_KNOWN);
    assert_int_equal(primary->budget, 100000);
    runtime_map_free(map);
}

TEST(plain_ids_go_without_a_prefix_of_images)
{
    struct runtime_map *map = good_map(SECOND("ids: plain") "- {name: b_c.x, endpoint: /run/c.sock, ids: plain}\n");
    assert_null(map->runtimes[1].image_prefix);
    assert_null(map->runtimes[2].image_prefix);
    runtime_map_free(map);
    map = good_map(SECOND("ids: plain, image_prefix: c.x"));
    assert_string_equal(map->runtimes[1].image_prefix, "c.x");
    runtime_map_free(map);
}

TEST(find)
{
    struct runtime_map *map = good_map(SECOND("api: auto"));
    assert_ptr_equal(runtime_map_find(map, bytes_of_string("b.x")), &map->runtimes[1]);
    assert_null(runtime_map_find(map, bytes_of_string("b")));
    assert_null(runtime_map_find(map, bytes_of_string("b.xy")));
    assert_null(runtime_map_find(map, bytes_of(NULL, 0)));
    runtime_map_free(map);
}

static void check_same(const struct runtime_map *a, const struct runtime_map *b)
{
    assert_string_equal(a->listen.address, b->listen.address);
    assert_int_equal(a->listen.mode, b->listen.mode);
    assert_true(a->listen.gid == b->listen.gid);
    assert_int_equal(a->listen.callers_lack_masked_paths, b->listen.callers_lack_masked_paths);
    assert_int_equal(a->primary, b->primary);
    assert_int_equal(a->default_runtime, b->default_runtime);
    assert_string_equal(a->state, b->state);
    assert_int_equal(a->listen.uid_count, b->listen.uid_count);
    assert_int_equal(a->listen.gid_count, b->listen.gid_count);
    assert_memory_equal(a->listen.uids, b->listen.uids, a->listen.uid_count * sizeof *a->listen.uids);
    assert_memory_equal(a->listen.gids, b->listen.gids, a->listen.gid_count * sizeof *a->listen.gids);
    assert_int_equal(a->removed_by_force_count, b->removed_by_force_count);
    for (size_t i = 0; i < a->removed_by_force_count; i++) {
        assert_string_equal(a->removed_by_force[i], b->removed_by_force[i]);
    }
    assert_int_equal(a->runtime_count, b->runtime_count);
    for (size_t i = 0; i < a->runtime_count; i++) {
        const struct runtime_entry *left = &a->runtimes[i];
        const struct runtime_entry *right = &b->runtimes[i];
        assert_string_equal(left->image_endpoint, right->image_endpoint);
        assert_int_equal(left->api_set, right->api_set);
        assert_int_equal(left->api, right->api);
        assert_int_equal(left->plain_ids, right->plain_ids);
        assert_int_equal(left->new_pods, right->new_pods);
        assert_int_equal(left->when_away, right->when_away);
        assert_int_equal(left->budget, right->budget);
        assert_int_equal(left->hooks, right->hooks);
        assert_int_equal(left->cgroup_driver, right->cgroup_driver);
        assert_true(left->storage == right->storage || strcmp(left->storage, right->storage) == 0);
        assert_int_equal(left->handler_count, right->handler_count);
        for (size_t j = 0; j < left->handler_count; j++) {
            assert_string_equal(left->handlers[j].name, right->handlers[j].name);
            assert_string_equal(left->handlers[j].local_name, right->handlers[j].local_name);
        }
    }
    assert_memory_equal(&a->limits, &b->limits, sizeof a->limits);
    assert_int_equal(a->metrics.length, b->metrics.length);
    assert_true(a->metrics.length == 0 || memcmp(a->metrics.address, b->metrics.address, a->metrics.length) == 0);
    assert_int_equal(a->metrics.mode, b->metrics.mode);
    assert_int_equal(a->metrics.gid, b->metrics.gid);
    assert_int_equal(a->hooks.on, b->hooks.on);
    assert_string_equal(a->hooks.folder, b->hooks.folder);
    assert_true(a->audit.path ? b->audit.path && strcmp(a->audit.path, b->audit.path) == 0 : !b->audit.path);
    assert_int_equal(a->hooks.timeout, b->hooks.timeout);
    assert_string_equal(a->hooks.skip_label, b->hooks.skip_label);
    assert_string_equal(a->hooks.skip_value, b->hooks.skip_value);
}

/* What follows the names of the files. */
static const char *below_comment(const char *text)
{
    const char *start = strstr(text, "\nlisten:");
    assert_non_null(start);
    return start;
}

static void check_print(struct runtime_map *map)
{
    char *text = printed_map(map);
    struct runtime_map *again = good_map(text);
    check_same(map, again);
    char *second_text = printed_map(again);
    assert_string_equal(below_comment(text), below_comment(second_text));
    free(second_text);
    free(text);
    runtime_map_free(again);
    runtime_map_free(map);
}

TEST(print_loads_to_the_same_map)
{
    check_print(good_map(GOOD));
    check_print(good_map(SECOND("handlers: {}, image_prefix: kata")));
    check_print(good_map(SECOND("ids: plain, default: true, budget: 2500ms")));
    check_print(good_map(GOOD "hooks: true\n"));
    check_print(good_map(SECOND("hooks: false") "hooks: {folder: /h, timeout: 2500ms, skip: {label: a.b/c, value: ''}}\n"));
    check_print(good_map(GOOD "metrics: {listen: '[::1]:9464'}\n"));
    check_print(good_map(GOOD "metrics: {listen: unix:///m.sock, mode: '0600', group: '7'}\n"));
    check_print(good_map(everything));
}

TEST(print_fills_in_defaults)
{
    struct runtime_map *map = good_map(SECOND("handlers: [runc, 9p]") "- {name: old, force: true}\n");
    char *text = printed_map(map);
    assert_string_equal(text, "# from f\n"
                              "listen:\n"
                              "  address: unix:///run/l.sock\n"
                              "  access: full\n"
                              "  mode: \"0660\"\n"
                              "  uids: []\n"
                              "  gids: []\n"
                              "runtimes:\n"
                              "  - name: a.x\n"
                              "    endpoint: unix:///run/a.sock\n"
                              "    image_endpoint: unix:///run/a.sock\n"
                              "    primary: true\n"
                              "    default: true\n"
                              "    new_pods: true\n"
                              "    ids: plain\n"
                              "    when_away: fail\n"
                              "    budget: 5s\n"
                              "    api: auto\n"
                              "    image_api: auto\n"
                              "    handlers: {}\n"
                              "    translation: strict\n"
                              "    hooks: true\n"
                              "  - name: b.x\n"
                              "    endpoint: unix:///run/b.sock\n"
                              "    image_endpoint: unix:///run/b.sock\n"
                              "    primary: false\n"
                              "    default: false\n"
                              "    new_pods: true\n"
                              "    ids: prefixed\n"
                              "    when_away: last-known\n"
                              "    budget: 5s\n"
                              "    api: auto\n"
                              "    image_api: auto\n"
                              "    handlers: {runc: runc, \"9p\": \"9p\"}\n"
                              "    image_prefix: b.x\n"
                              "    translation: strict\n"
                              "    hooks: true\n"
                              "  - name: old\n"
                              "    force: true\n"
                              "routing:\n"
                              "  annotation: kubernetes.io/target-runtime\n"
                              "limits:\n"
                              "  message_size: 64MiB\n"
                              "  memory: 512MiB\n"
                              "  list_items: 50000\n"
                              "  connections: 1024\n"
                              "  idle: 300s\n"
                              "  calls: 4096\n"
                              "  streams: 256\n"
                              "  startup_grace: 5s\n"
                              "  shutdown_grace: 30s\n"
                              "events:\n"
                              "  compose: with-others\n"
                              "  interval: 1s\n"
                              "hooks: false\n"
                              "state: /run/crigate\n");
    free(text);
    runtime_map_free(map);
}

TEST(yaml_mistakes)
{
    static const struct row rows[] = {
        {"", "f: the map is empty; it needs at least \"listen\" and \"runtimes\"\n"},
        {"# a comment\n", "f: the map is empty; it needs at least \"listen\" and \"runtimes\"\n"},
        {"---\n", "f: the map is empty; it needs at least \"listen\" and \"runtimes\"\n"},
        {"listen:\n\taddress: /run/l.sock\n", "f:2:1: not YAML: a tab; indent with spaces\n"},
        {"# \xC3\xA4\nlisten:\n\taddress: /run/l.sock\n", "f:3:1: not YAML: a tab; indent with spaces\n"},
        {"listen: [\n", "f:2:1: not YAML: while parsing a flow node did not find expected node content\n"},
        {"listen: a: b\n", "f:1:10: not YAML: mapping values are not allowed in this context\n"},
        {"listen: *nobody\n", "f:1:9: not YAML: found undefined alias\n"},
        {GOOD "---\n" GOOD, "f:4:1: a second document begins; a file must have only one, so remove it\n"},
        {GOOD "--- [\n", "f:4:1: a second document begins; a file must have only one, so remove it\n"
                         "f:5:1: not YAML: while parsing a flow node did not find expected node content\n"},
        {"# \xC3\xA4\nlisten: /run/\xC3\xA4\xFF\n", "f:2:15: not UTF-8: invalid leading UTF-8 octet; save the file as UTF-8\n"},
        {"\xFF\xFEl\n", "f:1:1: not UTF-8: invalid leading UTF-8 octet; save the file as UTF-8\n"},
        {"\xEF\xBB\xBF" GOOD, ""},
        {"listen: \"/run/\\u00e4\"\n" RUNTIMES, "f:1:9: listen: only printable ASCII characters are allowed\n"},
        {"listen: \"/run/a\\0b\"\n" RUNTIMES, "f:1:9: listen: only printable ASCII characters are allowed\n"},
        {"listen: !file /run/a\n" RUNTIMES, "f:1:9: listen: tags such as !file have no meaning here; remove it\n"},
        {"listen: !!str /run/l.sock\n" RUNTIMES, ""},
    };
    CHECK_ROWS(rows);
    check_problems("listen: a\0b\n", 12, "f:1:10: not UTF-8: control characters are not allowed; save the file as UTF-8\n");
}

TEST(aliases)
{
    static const struct row rows[] = {
        {LISTEN "runtimes:\n- {name: a.x, endpoint: /run/a.sock, primary: true, handlers: &h [x]}\n"
                "- {name: b.x, endpoint: /run/b.sock, handlers: *h}\n",
         "f:3:67: handlers: \"x\" is already taken in line 3; each needs its own\n"},
        {LISTEN "runtimes:\n- {name: a.x, endpoint: &a /run/a.sock, image_endpoint: *a, primary: true}\n", ""},
        {LISTEN "runtimes: &r\n- *r\n", "f:2:11: runtime: a mapping (key: value) is expected here, found a list\n"},
        {RUNTIMES "listen: &l {address: /run/l.sock, *l : 1}\n", "f:3:9: key: a plain value is expected here, found a mapping\n"},
    };
    CHECK_ROWS(rows);
}

TEST(keys)
{
    static const struct row rows[] = {
        {GOOD "lisen: x\n", "f:4:1: file: unknown key \"lisen\"; did you mean \"listen\"?\n"},
        {GOOD "colour: x\n", "f:4:1: file: unknown key \"colour\"; known here: listen, runtimes, routing, limits, events, hooks, "
                             "metrics, audit, state\n"},
        {GOOD "? [a]\n: b\n", "f:4:3: key: a plain value is expected here, found a list\n"},
        {GOOD "listen: /run/m.sock\n", "f:4:1: file: \"listen\" appears twice; keep one\n"},
        {RUNTIMES, "f:1:1: file: \"listen\" is missing\n"},
        {LISTEN, "f:1:1: file: \"runtimes\" is missing\n"},
        {"- listen\n", "f:1:1: file: a mapping (key: value) is expected here, found a list\n"},
        {"listen\n", "f:1:1: file: a mapping (key: value) is expected here, found a plain value\n"},
        {RUNTIMES "listen:\n", "f:3:8: listen: the value is missing; write one\n"},
        {GOOD "routing: ~\n", "f:4:10: routing: the value is missing; write one or remove the key\n"},
        {GOOD "routing: [x]\n", "f:4:10: routing: a mapping (key: value) is expected here, found a list\n"},
        {GOOD "routing: {annotations: x}\n", "f:4:11: routing: unknown key \"annotations\"; did you mean \"annotation\"?\n"},
        {GOOD "limits: {cals: 1}\n", "f:4:10: limits: unknown key \"cals\"; did you mean \"calls\"?\n"},
        {LISTENER("grup: x"), "f:1:32: listen: unknown key \"grup\"; did you mean \"group\"?\n"},
        {SECOND("enpoint: /run/c.sock"), "f:4:38: runtime: unknown key \"enpoint\"; did you mean \"endpoint\"?\n"},
        {SECOND("api: v1, api: v1"), "f:4:47: runtime: \"api\" appears twice; keep one\n"},
    };
    CHECK_ROWS(rows);
}

#define NO_GROUP(name)                                                                                                           \
    "/etc/group has no group \"" name "\"; create it (groupadd --system), or write its number if it is in LDAP or the like\n"
#define NO_USER(name)                                                                                                            \
    "/etc/passwd has no user \"" name "\"; create it (useradd --system), or write its number if it is in LDAP or the like\n"

TEST(listen_mistakes)
{
    static const struct row rows[] = {
        {"listen: [/run/l.sock]\n" RUNTIMES, ""},
        {"listen: []\n" RUNTIMES, "f:1:9: listen: the list is empty; name at least one socket\n"},
        {"listen: [[]]\n" RUNTIMES, "f:1:10: listen: a mapping (key: value) is expected here, found a list\n"},
        {"listen: [/run/l.sock, {address: /run/l.sock}]\n" RUNTIMES,
         "f:1:33: listen: \"unix:///run/l.sock\" is already taken in line 1; each needs its own\n"},
        {"listen: [/run/l.sock, {address: /run/a.sock}]\n" RUNTIMES,
         "f:3:25: endpoint: \"unix:///run/a.sock\" is already taken in line 1; each needs its own\n"},
        {"listen: [/run/l.sock, {mode: 0600}]\n" RUNTIMES, "f:1:23: listen: \"address\" is missing\n"},
        {"listen: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]\n" RUNTIMES, "f:1:9: listen: 17 sockets; at most 16\n"},
        {LISTENER("access: none"), "f:1:40: access: \"none\" is neither full nor read-only; write one of them\n"},
        {LISTENER("access: read-only"),
         "f:1:40: warning: access: no socket takes calls that change something, so no kubelet can use this crigate; add one "
         "with access: full\n"},
        {LISTENER("limits: {calls: 0}"), "f:1:48: calls: \"0\" is not a number of calls; write a number from 1 to 1000000\n"},
        {"listen: {mode: 0660}\n" RUNTIMES, "f:1:9: listen: \"address\" is missing\n"},
        {"listen: run/l.sock\n" RUNTIMES,
         "f:1:9: listen: \"run/l.sock\" is a relative path; write an absolute one, such as unix:///run/l.sock\n"},
        {"listen: {address: 'tcp://[::]:1'}\n" RUNTIMES,
         "f:1:19: address: \"tcp://[::]:1\" is not a Unix socket; write unix:///absolute/path.sock\n"},
        {LISTENER("mode: 0o660"), "f:1:38: mode: \"0o660\" is not a mode; write it in octal, such as \"0660\"\n"},
        {LISTENER("mode: 668"), "f:1:38: mode: \"668\" is not a mode; write it in octal, such as \"0660\"\n"},
        {LISTENER("mode: 1777"), "f:1:38: mode: \"1777\" is more than 0777; a socket has no other bits\n"},
        {LISTENER("mode: 0666"),
         "f:1:38: warning: mode: every user of this node may call the runtimes, which is equivalent to root access;"
         " \"0660\" and a group are safer\n"},
        {LISTENER("group: no-such-group"), "f:1:39: group: " NO_GROUP("no-such-group")},
        {LISTENER("group: 4294967295"), "f:1:39: group: " NO_GROUP("4294967295")},
        {LISTENER("group: ''"), "f:1:39: group: it is empty; write a group's name or number\n"},
        {LISTENER("group: 4242"), ""},
        {LISTENER("uids: 0"), "f:1:38: uids: a list [NAME OR NUMBER, ...] is expected here, found a plain value\n"},
        {LISTENER("uids: [0, no-such-user, -1]"), "f:1:42: uids: " NO_USER("no-such-user") "f:1:56: uids: " NO_USER("-1")},
        {LISTENER("gids: [4294967295, '', [], 10000000000]"),
         "f:1:39: gids: " NO_GROUP("4294967295") "f:1:51: gids: it is empty; write a group's name or number\n"
                                                 "f:1:55: gids: a plain value is expected here, found a list\n"
                                                 "f:1:59: gids: " NO_GROUP("10000000000")},
        {LISTENER("uids: []"), ""},
        {LISTENER("callers: 1.1"),
         "f:1:41: callers: \"1.1\" is not a Kubernetes release (1.9 or later); write major and minor in quotes, "
         "such as \"1.10\"\n"},
        {LISTENER("callers: v1.10"),
         "f:1:41: callers: \"v1.10\" is not a Kubernetes release (1.9 or later); write major and minor in "
         "quotes, such as \"1.10\"\n"},
    };
    CHECK_ROWS(rows);
}

TEST(several_sockets)
{
    struct runtime_map *map = good_map("limits: {calls: 1000}\n"
                                       "listen: [{address: /run/r.sock, access: read-only}, /run/l.sock,"
                                       " {address: /run/m.sock, limits: {streams: 7}}]\n" RUNTIMES);
    assert_string_equal(map->listen.path, "/run/l.sock");
    assert_int_equal(map->listen.limits.calls, 1000);
    assert_int_equal(map->more_socket_count, 2);
    assert_string_equal(map->more_sockets[0].path, "/run/r.sock");
    assert_true(map->more_sockets[0].read_only);
    assert_int_equal(map->more_sockets[0].limits.calls, 256);
    assert_int_equal(map->more_sockets[0].limits.streams, 64);
    assert_false(map->more_sockets[1].read_only);
    assert_int_equal(map->more_sockets[1].limits.calls, 1000);
    assert_int_equal(map->more_sockets[1].limits.streams, 7);
    runtime_map_free(map);
}

TEST(callers)
{
    static const struct {
        const char *text;
        bool lack;
    } rows[] = {{LISTENER("callers: 1.9"), false},
                {LISTENER("callers: 1.10"), true},
                {LISTENER("callers: \"1.11\""), true},
                {LISTENER("callers: \"1.12\""), false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct runtime_map *map = good_map(rows[i].text);
        assert_int_equal(map->listen.callers_lack_masked_paths, rows[i].lack);
        runtime_map_free(map);
    }
}

#define CHARACTERS_100 "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890"

TEST(socket_mistakes)
{
    static const struct row rows[] = {
        {SECOND("image_endpoint: ''"), "f:4:54: image_endpoint: it is empty; write unix:///absolute/path.sock\n"},
        {SECOND("image_endpoint: 'unix:/run/i'"),
         "f:4:54: image_endpoint: \"unix:/run/i\" is not an address; write unix:///run/i\n"},
        {SECOND("image_endpoint: 'unix://run/i'"),
         "f:4:54: image_endpoint: \"unix://run/i\" is a relative path; write an absolute one, such as unix:///run/i\n"},
        {SECOND("image_endpoint: '@abstract'"),
         "f:4:54: image_endpoint: \"@abstract\" is a relative path; write an absolute one, such as unix:///@abstract\n"},
        {SECOND("image_endpoint: /run/"), "f:4:54: image_endpoint: \"/run/\" is a folder; write the path of the socket in it\n"},
        {SECOND("image_endpoint: /run/../i"),
         "f:4:54: image_endpoint: \"/run/../i\" has \"..\" in it; write the path without it\n"},
        {SECOND("image_endpoint: /."), "f:4:54: image_endpoint: \"/.\" is a folder; write the path of the socket in it\n"},
        {SECOND("image_endpoint: /run/i%2f"), "f:4:54: image_endpoint: the path has the character '%', which an address cannot "
                                              "have; choose another path\n"},
        {SECOND("image_endpoint: '/run/i j'"), "f:4:54: image_endpoint: the path has the character ' ', which an address cannot "
                                               "have; choose another path\n"},
        {SECOND("image_endpoint: /345678" CHARACTERS_100), ""},
        {SECOND("image_endpoint: /3456789" CHARACTERS_100), "f:4:54: image_endpoint: the path has 108 characters, but a socket's "
                                                            "path can have at most 107; choose a shorter one\n"},
        {SECOND("image_endpoint: /run/a.sock"), "f:4:54: image_endpoint: \"unix:///run/a.sock\" is already taken in line 3; each "
                                                "needs its own\n"},
        {SECOND("image_endpoint: /run//b.sock"), ""},
        {SECOND("image_endpoint: /run/./l.sock"),
         "f:4:54: image_endpoint: \"unix:///run/l.sock\" is already taken in line 1; each "
         "needs its own\n"},
        {GOOD "- {name: b.x, endpoint: /run/a.sock}\n",
         "f:4:25: endpoint: \"unix:///run/a.sock\" is already taken in line 3; each "
         "needs its own\n"},
        {RUNTIMES "listen: /run/a.sock\n",
         "f:3:9: listen: \"unix:///run/a.sock\" is already taken in line 2; each needs its own\n"},
    };
    CHECK_ROWS(rows);
}

#define DOCKER RUNTIMES "- {name: d.x, endpoint: docker}\n"
#define DOCKER_MAY(socket)                                                                                                       \
    "\"unix://" socket "\" is one of the sockets that \"docker\" in line 3 may lead to; each needs its own\n"

/* What `docker` leads to depends on what is there; the map must be good whichever it is. */
TEST(docker)
{
    static const struct row rows[] = {
        {LISTEN DOCKER, ""},
        {LISTEN RUNTIMES "- {name: d.x, endpoint: docker, image_endpoint: docker}\n", ""},
        {LISTEN RUNTIMES "- {name: d.x, endpoint: docker, image_endpoint: /run/images.sock}\n", ""},
        {LISTEN RUNTIMES "- {name: d.x, endpoint: Docker}\n",
         "f:4:25: endpoint: \"Docker\" is a relative path; write an absolute one, such as unix:///Docker\n"},
        {LISTEN RUNTIMES "- {name: d.x, endpoint: 'unix://docker'}\n",
         "f:4:25: endpoint: \"unix://docker\" is a relative path; write an absolute one, such as unix:///docker\n"},
        {"listen: docker\n" RUNTIMES,
         "f:1:9: listen: \"docker\" is a relative path; write an absolute one, such as unix:///docker\n"},
        {LISTEN RUNTIMES "- {name: d.x, endpoint: /run/b.sock, image_endpoint: docker}\n",
         "f:4:54: image_endpoint: docker is only for a runtime whose endpoint is docker, too; write an address\n"},
        {LISTEN RUNTIMES "- {name: d.x, endpoint: docker, image_api: v1}\n",
         "f:4:44: image_api: what serves images for Docker is probed together with the runtime; remove it\n"},
        {LISTEN RUNTIMES "- {name: d.x, endpoint: docker, image_endpoint: /run/images.sock, image_api: v1}\n", ""},
        {LISTEN DOCKER "- {name: e.x, endpoint: docker}\n",
         "f:5:25: endpoint: \"docker\" is already taken in line 4; each needs its own\n"},
        {DOCKER "- {name: e.x, endpoint: /run/cri-dockerd.sock}\n" LISTEN,
         "f:4:25: endpoint: " DOCKER_MAY("/run/cri-dockerd.sock")},
        {DOCKER "- {name: e.x, endpoint: 'unix:///var/run/dockershim.sock'}\n" LISTEN,
         "f:4:25: endpoint: " DOCKER_MAY("/var/run/dockershim.sock")},
        {DOCKER "- {name: e.x, endpoint: /run/b.sock, image_endpoint: /run/crigate-docker/cri-dockerd.sock}\n" LISTEN,
         "f:4:54: image_endpoint: " DOCKER_MAY("/run/crigate-docker/cri-dockerd.sock")},
        {DOCKER "listen: /run/dockershim.sock\n", "f:4:9: listen: " DOCKER_MAY("/run/dockershim.sock")},
        {LISTEN RUNTIMES "- {name: e.x, endpoint: /run/cri-dockerd.sock}\n- {name: f.x, endpoint: /run/dockershim.sock}\n", ""},
        {LISTEN RUNTIMES "- {name: e.x, endpoint: /var/run/docker.sock}\n",
         "f:4:25: warning: endpoint: \"unix:///var/run/docker.sock\" is Docker Engine's own socket, which does not speak CRI; "
         "write docker, and crigate finds the program that speaks CRI for Docker\n"},
    };
    CHECK_ROWS(rows);
    struct runtime_map *map = good_map(LISTEN DOCKER);
    assert_string_equal(map->runtimes[1].endpoint, "docker");
    assert_string_equal(map->runtimes[1].image_endpoint, "docker");
    char *text = printed_map(map);
    assert_non_null(strstr(text, "    endpoint: docker\n    image_endpoint: docker\n"));
    runtime_map_free(good_map(text));
    free(text);
    runtime_map_free(map);
}

#define NAMED(name) GOOD "- {endpoint: /run/b.sock, image_prefix: p.x, name: " name "}\n"

TEST(name_mistakes)
{
    static const char alphabet[] = "; use letters and digits, and in between also \"-\", \".\" and \"_\"\n";
    static const char *const bad[] = {"-a", "a-", "_a", "a.", "a/b", "a b", "a@b"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[256];
        char expected[256];
        snprintf(text, sizeof text, NAMED("%s"), bad[i]);
        snprintf(expected, sizeof expected, "f:4:52: name: \"%s\" cannot be the prefix of an id%s", bad[i], alphabet);
        check_problems(text, strlen(text), expected);
    }
    static const struct row rows[] = {
        {NAMED("''"),
         "f:4:52: name: \"\" cannot be the prefix of an id; use letters and digits, and in between also \"-\", \".\" "
         "and \"_\"\n"},
        {NAMED("a__b"), "f:4:52: name: \"a__b\" cannot be the prefix of an id: \"__\" separates name and id; use one \"_\" or a "
                        "\"-\"\n"},
        {NAMED("a.x"), "f:4:52: name: \"a.x\" is already taken in line 3; each needs its own\n"},
        {NAMED("123456789012345678901234567890123456789012345678901234567890123"), ""},
        {NAMED("1234567890123456789012345678901234567890123456789012345678901234"),
         "f:4:52: name: \"1234567890123456789012345678901234567890123456789012345678901234\" is too long to be the prefix of an "
         "id; at most 63 characters\n"},
        {NAMED("[a]"), "f:4:52: name: a plain value is expected here, found a list\n"},
        {NAMED("A_b-c.9"), ""},
    };
    CHECK_ROWS(rows);
}

TEST(runtimes_mistakes)
{
    static const struct row rows[] = {
        {LISTEN "runtimes: []\n", "f:2:11: runtimes: the list is empty; name at least one runtime\n"},
        {LISTEN "runtimes: {name: a}\n", "f:2:11: runtimes: a list (\"- name: ...\") is expected here, found a mapping\n"},
        {GOOD "- b\n", "f:4:3: runtime: a mapping (key: value) is expected here, found a plain value\n"},
        {GOOD "- {name: b.x}\n", "f:4:3: runtime: \"endpoint\" is missing\n"},
        {GOOD "- {name: b.x, endpiont: /run/b.sock}\n",
         "f:4:15: runtime: unknown key \"endpiont\"; did you mean \"endpoint\"?\nf:4:15: runtime: \"endpoint\" is missing\n"},
        {GOOD "- {endpoint: /run/b.sock}\n", "f:4:3: runtime: \"name\" is missing\n"},
        {LISTEN "runtimes:\n- {name: a.x, endpoint: /run/a.sock}\n",
         "f:3:1: runtimes: none is the primary; put \"primary: true\" on the one that speaks for the node\n"},
        {SECOND("primary: on"),
         "f:4:47: primary: a second one, after the one in line 3; exactly one runtime speaks for the node\n"},
        {SECOND("primary: 1"), "f:4:47: primary: \"1\" is neither true nor false; write one of them\n"},
        {SECOND("primary: OFF"), ""},
        {SECOND("api: v2"), "f:4:43: api: \"v2\" is not a dialect of CRI; write one of auto, v1_9, v1_12, v1alpha2, v1\n"},
        {SECOND("api: [v1]"), "f:4:43: api: a plain value is expected here, found a list\n"},
    };
    CHECK_ROWS(rows);
}

TEST(handler_mistakes)
{
    static const struct row rows[] = {
        {SECOND("handlers: x"), "f:4:48: handlers: a list [NAME, ...] or a mapping {NAME: RUNTIME'S NAME, ...} is expected here, "
                                "found a plain value\n"},
        {SECOND("handlers: [x, y, x]"), "f:4:55: handlers: \"x\" is already taken in line 4; each needs its own\n"},
        {SECOND("handlers: {x: y, x: z}"), "f:4:55: handlers: \"x\" is already taken in line 4; each needs its own\n"},
        {SECOND("handlers: {x: z, y: z}"), ""},
        {SECOND("handlers: [{x: y}]"), "f:4:49: handlers: a plain value is expected here, found a mapping\n"},
        {SECOND("handlers: [~]"), "f:4:49: handlers: a plain value is expected here, found nothing\n"},
        {SECOND("handlers: {x: }"), "f:4:52: handlers: a plain value is expected here, found nothing\n"},
        {SECOND("handlers: ['']"),
         "f:4:49: handlers: a handler without a name cannot be claimed; pods without a handler go to the "
         "primary\n"},
        {SECOND("handlers: {x: 'y z'}"), "f:4:52: handlers: \"y z\" contains a space, which handler names cannot have\n"},
        {LISTEN "runtimes:\n- {name: a.x, endpoint: /run/a.sock, primary: true, handlers: [runc]}\n"
                "- {name: b.x, endpoint: /run/b.sock, handlers: {kata: '', runc: kata}}\n",
         "f:4:59: handlers: \"runc\" is already taken in line 3; each needs its own\n"},
    };
    CHECK_ROWS(rows);
}

#define FORCE_HINT " sets more of it; keep only the name, or remove force\n"

TEST(role_mistakes)
{
    static const struct row rows[] = {
        {SECOND("ids: short"), "f:4:43: ids: \"short\" is neither plain nor prefixed; write one of them\n"},
        {SECOND("when_away: hide"),
         "f:4:49: when_away: \"hide\" is not a value of when_away; write one of last-known, fail, omit\n"},
        {LISTEN "runtimes:\n- {name: a.x, endpoint: /run/a.sock, primary: true, when_away: omit}\n",
         "f:3:64: when_away: the primary's pods would disappear from lists of the node; write fail or last-known\n"},
        {SECOND("default: maybe"), "f:4:47: default: \"maybe\" is neither true nor false; write one of them\n"},
        {SECOND("default: true") "- {name: c.x, endpoint: /run/c.sock, default: true}\n",
         "f:5:47: default: a second one, after the one in line 4; at most one runtime gets the pods that nothing else claims\n"},
        {SECOND("default: true, new_pods: false"),
         "f:4:63: new_pods: this runtime gets the pods that nothing else claims; put \"default: true\" on another one first\n"},
        {LISTEN "runtimes:\n- {name: a.x, endpoint: /run/a.sock, primary: true, new_pods: false}\n",
         "f:3:63: new_pods: this runtime gets the pods that nothing else claims; put \"default: true\" on another one first\n"},
        {LISTEN "runtimes:\n- {name: a.x, endpoint: /run/a.sock, primary: true, default: false}\n",
         "f:3:62: default: no runtime gets the pods that nothing else claims; put \"default: true\" on one, or remove this\n"},
        {SECOND("default: false, new_pods: false"), ""},
    };
    CHECK_ROWS(rows);
}

TEST(budget_and_state_mistakes)
{
    static const char bounds[] = " is out of bounds; write a time from 100ms to 100s, as the kubelet itself waits two minutes\n";
    static const char *const budgets[] = {"99ms", "101s", "0s", "1h"};
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
        char text[256];
        char expected[256];
        snprintf(text, sizeof text, SECOND("budget: %s"), budgets[i]);
        snprintf(expected, sizeof expected, "f:4:46: budget: \"%s\"%s", budgets[i], bounds);
        check_problems(text, strlen(text), expected);
    }
    static const struct row rows[] = {
        {SECOND("budget: 5"), "f:4:46: budget: \"5\" is not a duration; write a whole number with ms, s or m, such as 5s\n"},
        {GOOD "state: run\n", "f:4:8: state: \"run\" is not the absolute path of a folder; write one, such as /run/crigate\n"},
        {GOOD "state: ''\n", "f:4:8: state: \"\" is not the absolute path of a folder; write one, such as /run/crigate\n"},
        {GOOD "state: /run/../etc\n", "f:4:8: state: \"/run/../etc\" has \"..\" in it; write the path without it\n"},
        {GOOD "state: //./\n", "f:4:8: state: \"//./\" is the root folder; write one of its own, such as /run/crigate\n"},
        {GOOD "state: /" CHARACTERS_100 "\n", "f:4:8: state: the path has 101 characters; at most 80\n"},
    };
    CHECK_ROWS(rows);
}

static void check_hooks(const char *text, bool on, const char *folder, unsigned timeout, const char *label, const char *value)
{
    struct runtime_map *map = good_map(text);
    assert_int_equal(map->hooks.on, on);
    assert_string_equal(map->hooks.folder, folder);
    assert_int_equal(map->hooks.timeout, timeout);
    assert_string_equal(map->hooks.skip_label, label);
    assert_string_equal(map->hooks.skip_value, value);
    runtime_map_free(map);
}

#define PLUGINS "/etc/runtime/hookserver.d"
#define SKIP "runtimeproxy.koordinator.sh/skip-hookserver"

TEST(hooks)
{
    check_hooks(GOOD, false, PLUGINS, 2000, SKIP, "true");
    check_hooks(GOOD "hooks: false\n", false, PLUGINS, 2000, SKIP, "true");
    check_hooks(GOOD "hooks: on\n", true, PLUGINS, 2000, SKIP, "true");
    check_hooks(GOOD "hooks: {}\n", true, PLUGINS, 2000, SKIP, "true");
    check_hooks(GOOD "hooks: {folder: /etc//./plugins/, timeout: 10ms}\n", true, "/etc/plugins", 10, SKIP, "true");
    check_hooks(GOOD "hooks: {timeout: 1m, skip: {label: example.com/none}}\n", true, PLUGINS, 60000, "example.com/none", "true");
    check_hooks(GOOD "hooks: {skip: {value: ''}}\n", true, PLUGINS, 2000, SKIP, "");
    struct runtime_map *map = good_map(SECOND("hooks: false") "hooks: true\n");
    assert_true(map->runtimes[0].hooks);
    assert_false(map->runtimes[1].hooks);
    runtime_map_free(map);
}

static void check_metrics(const char *text, const char *listen, mode_t mode)
{
    struct runtime_map *map = good_map(text);
    if (listen) {
        assert_string_equal(map->metrics.listen, listen);
        assert_non_null(map->metrics.address);
    } else {
        assert_null(map->metrics.listen);
        assert_int_equal(map->metrics.length, 0);
    }
    assert_int_equal(map->metrics.mode, mode);
    runtime_map_free(map);
}

TEST(metrics)
{
    check_metrics(GOOD, NULL, 0660);
    check_metrics(GOOD "metrics: {listen: off}\n", NULL, 0660);
    check_metrics(GOOD "metrics: {listen: 127.0.0.1:9464}\n", "127.0.0.1:9464", 0660);
    check_metrics(GOOD "metrics: {listen: '[::1]:65535'}\n", "[::1]:65535", 0660);
    check_metrics(GOOD "metrics: {listen: unix:///run//m.sock, mode: '0600'}\n", "unix:///run/m.sock", 0600);
    check_metrics(GOOD "metrics: {listen: 0.0.0.0:9464}\n", "0.0.0.0:9464", 0660);
}

#define ADDRESS_ADVICE                                                                                                           \
    " is not an address for metrics; write numbers, such as 127.0.0.1:9464 or \"[::1]:9464\", a socket "                         \
    "unix:///run/crigate/metrics.sock, or off\n"
#define REACHED " can read the metrics without a login and without TLS; 127.0.0.1 or a Unix socket are safer\n"

TEST(metrics_mistakes)
{
    static const struct row rows[] = {
        {GOOD "metrics: {}\n", "f:4:10: metrics: \"listen\" is missing; write an address such as 127.0.0.1:9464\n"},
        {GOOD "metrics: {mode: '0600', listen: 127.0.0.1:1}\n",
         "f:4:17: metrics: mode and group are for a Unix socket, not for 127.0.0.1:1\n"},
        {GOOD "metrics: {listen: localhost:9464}\n", "f:4:19: listen: \"localhost:9464\"" ADDRESS_ADVICE},
        {GOOD "metrics: {listen: 127.0.0.1}\n", "f:4:19: listen: \"127.0.0.1\"" ADDRESS_ADVICE},
        {GOOD "metrics: {listen: 127.0.0.1:0}\n", "f:4:19: listen: \"127.0.0.1:0\"" ADDRESS_ADVICE},
        {GOOD "metrics: {listen: 127.0.0.1:65536}\n", "f:4:19: listen: \"127.0.0.1:65536\"" ADDRESS_ADVICE},
        {GOOD "metrics: {listen: 127.0.0.1:94x}\n", "f:4:19: listen: \"127.0.0.1:94x\"" ADDRESS_ADVICE},
        {GOOD "metrics: {listen: '::1:9464'}\n", "f:4:19: listen: \"::1:9464\"" ADDRESS_ADVICE},
        {GOOD "metrics: {listen: '[::1]'}\n", "f:4:19: listen: \"[::1]\"" ADDRESS_ADVICE},
        {GOOD "metrics: {listen: 0.0.0.0:9464}\n", "f:4:19: warning: metrics.listen: anyone who reaches 0.0.0.0:9464" REACHED},
        {GOOD "metrics: {listen: '[::]:9464'}\n", "f:4:19: warning: metrics.listen: anyone who reaches [::]:9464" REACHED},
        {GOOD "metrics: {listen: 10.0.0.1:9464}\n", "f:4:19: warning: metrics.listen: anyone who reaches 10.0.0.1:9464" REACHED},
        {GOOD "metrics: {listen: unix:///m, mode: '0666'}\n",
         "f:4:36: warning: metrics.mode: every user of this node may read the metrics\n"},
    };
    check_rows(rows, sizeof rows / sizeof rows[0]);
}

TEST(hook_mistakes)
{
    static const struct row rows[] = {
        {GOOD "hooks:\n", "f:4:7: hooks: the value is missing; write one or remove the key\n"},
        {GOOD "hooks: maybe\n", "f:4:8: hooks: \"maybe\" is neither true nor false; write one of them\n"},
        {GOOD "hooks: []\n", "f:4:8: hooks: true, false or a mapping {folder: FOLDER, ...} is expected here, found a list\n"},
        {GOOD "hooks: {dir: /x}\n", "f:4:9: hooks: unknown key \"dir\"; known here: folder, timeout, skip\n"},
        {GOOD "hooks: {folder: x}\n",
         "f:4:17: folder: \"x\" is not the absolute path of a folder; write one, such as " PLUGINS "\n"},
        {GOOD "hooks: {timeout: 9ms}\n", "f:4:18: timeout: \"9ms\" is out of bounds; write a time from 10ms to 1m\n"},
        {GOOD "hooks: {timeout: 61s}\n", "f:4:18: timeout: \"61s\" is out of bounds; write a time from 10ms to 1m\n"},
        {GOOD "hooks: {timeout: 2}\n",
         "f:4:18: timeout: \"2\" is not a duration; write a whole number with ms, s or m, such as 5s\n"},
        {GOOD "hooks: {skip: x}\n", "f:4:15: skip: a mapping (key: value) is expected here, found a plain value\n"},
        {GOOD "hooks: {skip: {key: x}}\n", "f:4:16: skip: unknown key \"key\"; known here: label, value\n"},
        {GOOD "hooks: {skip: {label: a/b/c}}\n",
         "f:4:23: label: \"a/b/c\" cannot be the key of a label; write domain/name, the name of at most 63 letters, digits, "
         "\"-\", \".\" and \"_\"\n"},
        {GOOD "hooks: {skip: {value: 'a b'}}\n",
         "f:4:23: value: \"a b\" cannot be the value of a label; write at most 63 letters and digits, and in between also "
         "\"-\", \".\" and \"_\"\n"},
        {SECOND("hooks: {}"), "f:4:45: hooks: a plain value is expected here, found a mapping\n"},
    };
    CHECK_ROWS(rows);
}

TEST(audit)
{
    struct runtime_map *map = good_map(GOOD);
    assert_null(map->audit.path);
    runtime_map_free(map);
    map = good_map(GOOD "audit: {path: /var/log//crigate/./audit.log}\n");
    assert_string_equal(map->audit.path, "/var/log/crigate/audit.log");
    runtime_map_free(map);
    static const struct row rows[] = {
        {GOOD "audit: /x\n", "f:4:8: audit: a mapping (key: value) is expected here, found a plain value\n"},
        {GOOD "audit: {file: /x}\n", "f:4:8: audit: \"path\" is missing\nf:4:9: audit: unknown key \"file\"; known here: path\n"},
        {GOOD "audit: {}\n", "f:4:8: audit: \"path\" is missing\n"},
        {GOOD "audit: {path: x}\n",
         "f:4:15: path: \"x\" is not the absolute path of a file; write one, such as /var/log/crigate/audit.log\n"},
        {GOOD "audit: {path: /a/../b}\n", "f:4:15: path: \"/a/../b\" has \"..\" in it; write the path without it\n"},
        {GOOD "audit: {path: /}\n",
         "f:4:15: path: \"/\" is the root folder; write one of its own, such as /var/log/crigate/audit.log\n"},
    };
    CHECK_ROWS(rows);
}

TEST(force_mistakes)
{
    static const struct row rows[] = {
        {SECOND("force: true"), "f:4:45: force: the entry removes the runtime, but line 4" FORCE_HINT},
        {GOOD "- name: b.x\n  force: true\n  handlers: []\n",
         "f:5:10: force: the entry removes the runtime, but line 6" FORCE_HINT},
        {GOOD "- {force: true}\n", "f:4:3: runtime: \"name\" is missing\n"},
        {GOOD "- {name: b.x, force: false}\n", "f:4:3: runtime: \"endpoint\" is missing\n"},
        {GOOD "- {name: a.x, force: true}\n", "f:4:10: name: \"a.x\" is already taken in line 3; each needs its own\n"},
        {GOOD "- {\"name\\0\": a.x}\n", "f:4:4: key: only printable ASCII characters are allowed\n"},
        {GOOD "- {!x name: a.x}\n", "f:4:4: key: tags such as !x have no meaning here; remove it\n"},
        {GOOD "- {name: kata, force: true}\n", ""},
        {LISTEN "runtimes:\n- {name: a.x, force: true}\n",
         "f:3:1: runtimes: none is the primary; put \"primary: true\" on the one that speaks for the node\n"},
    };
    CHECK_ROWS(rows);
}

#define PART_HINT " cannot be a part of an image name; use lowercase letters and digits, and in between \".\", \"_\" or \"-\"\n"
#define HOST_HINT " cannot be the host that an image name starts with; use letters, digits, \"-\" and \".\"\n"

TEST(image_prefix_mistakes)
{
    static const struct row rows[] = {
        {SECOND("image_prefix: ''"), "f:4:52: image_prefix: it is empty; remove the key for the default, the runtime's name\n"},
        {SECOND("image_prefix: /b.x"), "f:4:52: image_prefix: \"/b.x\" begins or ends with a slash; remove it\n"},
        {SECOND("image_prefix: b.x/"), "f:4:52: image_prefix: \"b.x/\" begins or ends with a slash; remove it\n"},
        {SECOND("image_prefix: b.x//c"), "f:4:52: image_prefix: \"\"" PART_HINT},
        {SECOND("image_prefix: b.x/C"), "f:4:52: image_prefix: \"C\"" PART_HINT},
        {SECOND("image_prefix: Kata"), "f:4:52: image_prefix: \"Kata\"" PART_HINT},
        {SECOND("image_prefix: b.x/c..d"), "f:4:52: image_prefix: \"c..d\"" PART_HINT},
        {SECOND("image_prefix: b.x/c-"), "f:4:52: image_prefix: \"c-\"" PART_HINT},
        {SECOND("image_prefix: b.x/c___d"), "f:4:52: image_prefix: \"c___d\"" PART_HINT},
        {SECOND("image_prefix: 'b.x/c:1'"), "f:4:52: image_prefix: \"c:1\"" PART_HINT},
        {SECOND("image_prefix: b_c.x"), "f:4:52: image_prefix: \"b_c.x\"" HOST_HINT},
        {SECOND("image_prefix: 'b.x:port'"), "f:4:52: image_prefix: \"b.x:port\"" HOST_HINT},
        {SECOND("image_prefix: 'b..x'"), "f:4:52: image_prefix: \"b..x\"" HOST_HINT},
        {SECOND("image_prefix: docker.io"), "f:4:52: image_prefix: the kubelet puts \"docker.io\" in front of all names without "
                                            "a registry; choose another prefix\n"},
        {SECOND("image_prefix: B.x/c__d/e--f/g.h_i"), ""},
        {SECOND("image_prefix: localhost/c"), ""},
        {SECOND("image_prefix: 'kata:5000'"), ""},
    };
    CHECK_ROWS(rows);
}

TEST(image_prefix_warnings)
{
    static const struct row rows[] = {
        {SECOND("image_prefix: kata/c.d"), "f:4:52: warning: image_prefix: the kubelet turns kata/c.d/NAME into "
                                           "docker.io/kata/c.d/NAME; both work, but a first "
                                           "part with a dot, such as kata.local, is never changed\n"},
        {GOOD "- {name: kata, endpoint: /run/b.sock}\n",
         "f:4:10: warning: name: it is also the first part of image names (image_prefix): the kubelet turns kata/NAME into "
         "docker.io/kata/NAME; both work, but a first part with a dot, such as kata.local, is never changed\n"},
        {LISTEN "runtimes:\n- {name: a, endpoint: /run/a.sock, primary: true, image_prefix: a.x}\n",
         "f:3:65: warning: image_prefix: the primary owns all images without a prefix anyway; it needs none of its own\n"},
    };
    CHECK_ROWS(rows);
}

TEST(image_prefix_conflicts)
{
#define THIRD(prefix) SECOND("image_prefix: b.x/y") "- {name: c.x, endpoint: /run/c.sock, image_prefix: " prefix "}\n"
    static const char conflict[] = "; choose prefixes of which none starts with the other\n";
    static const struct {
        const char *text;
        const char *problem;
    } rows[] = {
        {THIRD("b.x/y"),
         "f:5:52: image_prefix: images under \"b.x/y\" cannot be distinguished from those under \"b.x/y\" in line 4"},
        {THIRD("b.x"), "f:5:52: image_prefix: images under \"b.x\" cannot be distinguished from those under \"b.x/y\" in line 4"},
        {THIRD("b.x/y/z"),
         "f:5:52: image_prefix: images under \"b.x/y/z\" cannot be distinguished from those under \"b.x/y\" in line 4"},
        {SECOND("image_prefix: c.x") "- {name: c.x, endpoint: /run/c.sock}\n",
         "f:5:10: image_prefix: images under \"c.x\" cannot be distinguished from those under \"c.x\" in line 4"},
        {SECOND("image_prefix: localhost/c") "- {name: c.x, endpoint: /run/c.sock, image_prefix: docker.io/localhost/c}\n",
         "f:5:52: image_prefix: images under \"docker.io/localhost/c\" cannot be distinguished from those under \"localhost/c\" "
         "in line "
         "4"},
        {SECOND("image_prefix: docker.io/c") "- {name: c.x, endpoint: /run/c.sock, image_prefix: docker.io/c/d}\n",
         "f:5:52: image_prefix: images under \"docker.io/c/d\" cannot be distinguished from those under \"docker.io/c\" in line "
         "4"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char expected[512];
        snprintf(expected, sizeof expected, "%s%s", rows[i].problem, conflict);
        check_problems(rows[i].text, strlen(rows[i].text), expected);
    }
    check_problems(THIRD("b.x/yz"), strlen(THIRD("b.x/yz")), "");
}

TEST(default_prefix_must_be_an_image_name)
{
    static const struct row rows[] = {
        {GOOD "- {name: b_c.x, endpoint: /run/b.sock}\n",
         "f:4:10: name: it is also the prefix of image names, and \"b_c.x\" cannot be the host that an image name starts with; "
         "use letters, digits, \"-\" and \".\"; choose another name, or set image_prefix\n"},
        {GOOD "- {name: b_c.x, endpoint: /run/b.sock, image_prefix: b.x}\n", ""},
        {LISTEN "runtimes:\n- {name: b_c.x, endpoint: /run/b.sock, primary: true}\n", ""},
    };
    CHECK_ROWS(rows);
}

TEST(composing_mistakes)
{
    static const struct row rows[] = {
        {SECOND("cgroup_driver: cgroupsv2"),
         "f:4:53: cgroup_driver: \"cgroupsv2\" is not a cgroup driver; write systemd or cgroupfs\n"},
        {SECOND("cgroup_driver: ''"), "f:4:53: cgroup_driver: \"\" is not a cgroup driver; write systemd or cgroupfs\n"},
        {SECOND("cgroup_driver: cgroupfs"), ""},
        {SECOND("storage: var/lib"),
         "f:4:47: storage: \"var/lib\" is not the absolute path of a folder; write one, such as /var/lib/containers\n"},
        {SECOND("storage: /"), "f:4:47: storage: \"/\" is the root folder; write one of its own, such as /var/lib/containers\n"},
        {SECOND("storage: /a/../b"), "f:4:47: storage: \"/a/../b\" has \"..\" in it; write the path without it\n"},
        {SECOND("storage: /var/lib/docker"), ""},
    };
    CHECK_ROWS(rows);
}

#define URL(url) SECOND("stream_url: '" url "'")
#define NO_HOST " has no valid host; write http://HOST:PORT\n"

TEST(stream_url_mistakes)
{
    static const struct row rows[] = {
        {URL("127.0.0.1:1"),
         "f:4:50: stream_url: \"127.0.0.1:1\" is not the URL of a streaming server; write http://HOST:PORT or "
         "https://HOST:PORT\n"},
        {URL("ftp://a"), "f:4:50: stream_url: \"ftp://a\" is not the URL of a streaming server; write http://HOST:PORT or "
                         "https://HOST:PORT\n"},
        {URL("http://"), "f:4:50: stream_url: \"http://\"" NO_HOST},
        {URL("http:///path"), "f:4:50: stream_url: \"http:///path\"" NO_HOST},
        {URL("http://:80"), "f:4:50: stream_url: \"http://:80\"" NO_HOST},
        {URL("http://a:0"), "f:4:50: stream_url: \"http://a:0\"" NO_HOST},
        {URL("http://a:65536"), "f:4:50: stream_url: \"http://a:65536\"" NO_HOST},
        {URL("http://a:1x"), "f:4:50: stream_url: \"http://a:1x\"" NO_HOST},
        {URL("http://user@a"), "f:4:50: stream_url: \"http://user@a\"" NO_HOST},
        {URL("http://[::1"), "f:4:50: stream_url: \"http://[::1\"" NO_HOST},
        {URL("http://a/b?c"), "f:4:50: stream_url: \"http://a/b?c\" has more than a host and a path; write only "
                              "http://HOST:PORT/PATH\n"},
        {URL("https://a.b-c:65535/d/"), ""},
        {URL("http://[fe80::1]"), ""},
    };
    CHECK_ROWS(rows);
}

#define TRANSLATION(value) SECOND("translation: " value)

TEST(translation_mistakes)
{
    static const struct row rows[] = {
        {TRANSLATION("strict"), ""},
        {TRANSLATION("lenient"), ""},
        {TRANSLATION("{lenient: [Mount.image, 'config.mounts[3].image']}"), ""},
        {TRANSLATION("{lenient: []}"), ""},
        {TRANSLATION("{strict: [LinuxContainerResources.unified, 'config.stop_signal']}"), ""},
        {TRANSLATION("{strict: [LinuxContainerResources.unified], lenient: [Mount.image]}"), ""},
        {TRANSLATION("{strict: [unknown]}"), ""},
        {TRANSLATION("{lenient: [unknown]}"),
         "f:4:62: lenient: there is no field \"unknown\"; a refusal contains the name to use, "
         "such as \"Mount.recursive_read_only\"\n"},
        {TRANSLATION("{}"), "f:4:51: translation: write lenient, strict or both\n"},
        {TRANSLATION("{strict: [Mount.image]}"), "f:4:61: strict: Mount.image cannot be strict: no known runtime accepts and "
                                                 "ignores it, or such requests are refused anyway\n"},
        {TRANSLATION("{strict: [unified]}"),
         "f:4:61: strict: there is no field \"unified\"; did you mean \"LinuxContainerResources.unified\"?\n"},
        {TRANSLATION("{strict: Mount.image}"), "f:4:60: strict: a list [FIELD, ...] is expected here, found a plain value\n"},
        {TRANSLATION("{strict: [linux.unified], lenient: [LinuxContainerResources.unified]}"),
         "f:4:51: translation: LinuxContainerResources.unified is lenient and strict\n"},
        {TRANSLATION("soft"),
         "f:4:51: translation: \"soft\" is not a value of translation; write strict, lenient or {lenient: [FIELD, ...], "
         "strict: [FIELD, ...]}\n"},
        {TRANSLATION("[Mount.image]"),
         "f:4:51: translation: strict, lenient or a mapping {lenient: [FIELD, ...], strict: [FIELD, ...]} is expected here, "
         "found a list\n"},
        {TRANSLATION("{lenient: Mount.image}"), "f:4:61: lenient: a list [FIELD, ...] is expected here, found a plain value\n"},
        {TRANSLATION("{leniant: [Mount.image]}"), "f:4:51: translation: write lenient, strict or both\n"
                                                  "f:4:52: translation: unknown key \"leniant\"; did you mean \"lenient\"?\n"},
        {TRANSLATION("{lenient: [run_as_group, Mount.image]}"),
         "f:4:62: lenient: there is no field \"run_as_group\"; did you mean \"LinuxContainerSecurityContext.run_as_group\"?\n"},
        {TRANSLATION("{lenient: [Image.pinned]}"), "f:4:62: lenient: no request is refused because of Image.pinned: what a "
                                                   "dialect lacks of it is left out or translated anyway\n"},
    };
    CHECK_ROWS(rows);
}

/* As other lists, what a later file says replaces what an earlier one said. */
TEST(translation_of_a_drop_in)
{
    struct runtime_map_problems problems;
    static const char base[] = TRANSLATION("{lenient: [Mount.image]}");
    static const char drop_in[] = "runtimes: [{name: b.x, translation: {lenient: [Protocol.SCTP]}}]";
    const struct runtime_map_text texts[] = {{.path = "f", .text = base, .size = strlen(base)},
                                             {.path = "g", .text = drop_in, .size = strlen(drop_in)}};
    struct runtime_map *map = runtime_map_parse_files(texts, 2, &problems);
    assert_non_null(map);
    assert_true(map->runtimes[1].translation.rules[RULE_Protocol_SCTP]);
    assert_false(map->runtimes[1].translation.rules[RULE_Mount_image]);
    runtime_map_free(map);
    runtime_map_problems_clear(&problems);
}

#define LIMIT(limit) GOOD "limits: {" limit "}\n"

TEST(limit_mistakes)
{
    static const struct row rows[] = {
        {LIMIT("message_size: 64MB"),
         "f:4:24: message_size: \"64MB\" is not a size; write bytes, or a number with KiB, MiB or GiB, such "
         "as 64MiB\n"},
        {LIMIT("message_size: -1"),
         "f:4:24: message_size: \"-1\" is not a size; write bytes, or a number with KiB, MiB or GiB, such as "
         "64MiB\n"},
        {LIMIT("message_size: 65535"), "f:4:24: message_size: \"65535\" is out of bounds; write a size from 64KiB to 1GiB\n"},
        {LIMIT("message_size: 2GiB"), "f:4:24: message_size: \"2GiB\" is out of bounds; write a size from 64KiB to 1GiB\n"},
        {LIMIT("message_size: 999999999999999GiB"), "f:4:24: message_size: \"999999999999999GiB\" is out of bounds; write a size "
                                                    "from 64KiB to 1GiB\n"},
        {LIMIT("message_size: 9999999999999999"),
         "f:4:24: message_size: \"9999999999999999\" is not a size; write bytes, or a number "
         "with KiB, MiB or GiB, such as 64MiB\n"},
        {LIMIT("memory: 63MiB"), "f:4:18: memory: \"63MiB\" is out of bounds; write a size from 64MiB to 64GiB\n"},
        {LIMIT("memory: 127MiB"),
         "f:4:9: limits: a memory of 133169152 bytes is too small for two messages of message_size; write "
         "at least 134217728, or a smaller message_size\n"},
        {LIMIT("memory: 127MiB, message_size: 63MiB"), ""},
        {LIMIT("connections: 0"), "f:4:23: connections: \"0\" is not a number of connections; write a number from 1 to 16384\n"},
        {LIMIT("list_items: 999"),
         "f:4:22: list_items: \"999\" is not a number of items; write a number from 1000 to 10000000\n"},
        {LIMIT("idle: 999ms"), "f:4:16: idle: \"999ms\" is out of bounds; write a time from 1s to 1h\n"},
        {LIMIT("calls: 0"), "f:4:17: calls: \"0\" is not a number of calls; write a number from 1 to 1000000\n"},
        {LIMIT("calls: 1000001"), "f:4:17: calls: \"1000001\" is not a number of calls; write a number from 1 to 1000000\n"},
        {LIMIT("calls: many"), "f:4:17: calls: \"many\" is not a number of calls; write a number from 1 to 1000000\n"},
        {LIMIT("startup_grace: 5"),
         "f:4:25: startup_grace: \"5\" is not a duration; write a whole number with ms, s, m or h, such as "
         "5s\n"},
        {LIMIT("startup_grace: 1.5s"),
         "f:4:25: startup_grace: \"1.5s\" is not a duration; write a whole number with ms, s, m or h, "
         "such as 5s\n"},
        {LIMIT("shutdown_grace: 61m"), "f:4:26: shutdown_grace: \"61m\" is too long; at most 1h\n"},
        {GOOD "events: {compose: sometimes}\n", "f:4:19: compose: \"sometimes\" is not a value of compose; write one "
                                                "of with-others, always, never\n"},
        {GOOD "events: {interval: 99ms}\n", "f:4:20: interval: \"99ms\" is out of bounds; write a time from 100ms to 5m\n"},
        {GOOD "events: {interval: 301s}\n", "f:4:20: interval: \"301s\" is out of bounds; write a time from 100ms to 5m\n"},
        {GOOD "events: {interval: 100ms, compose: always}\n", ""},
        {LIMIT("shutdown_grace: 0s, startup_grace: 1h, message_size: 65536, calls: 1000000"), ""},
    };
    CHECK_ROWS(rows);
}

TEST(annotation_mistakes)
{
    static const struct row rows[] = {
        {GOOD "routing: {annotation: ''}\n", "f:4:23: annotation: \"\" cannot be the key of an annotation; write domain/name, "
                                             "the name of at most 63 letters, digits, "
                                             "\"-\", \".\" and \"_\"\n"},
        {GOOD "routing: {annotation: a/b/c}\n",
         "f:4:23: annotation: \"a/b/c\" cannot be the key of an annotation; write domain/name, the name of at most 63 letters, "
         "digits, \"-\", \".\" and \"_\"\n"},
        {GOOD "routing: {annotation: /b}\n",
         "f:4:23: annotation: \"/b\" cannot be the key of an annotation: the part before \"/\" must be "
         "a domain, as in example.com/key\n"},
        {GOOD "routing: {annotation: plain}\n", ""},
    };
    CHECK_ROWS(rows);
}

TEST(all_mistakes_at_once_in_order)
{
    check_problems(
        "lissen: /run/l.sock\n"
        "limits: {calls: none}\n"
        "runtimes:\n"
        "- {name: -, endpoint: x, primary: true}\n"
        "- {name: kata, endpoint: y}\n",
        strlen("lissen: /run/l.sock\nlimits: {calls: none}\nruntimes:\n- {name: -, endpoint: x, primary: true}\n"
               "- {name: kata, endpoint: y}\n"),
        "f:1:1: file: unknown key \"lissen\"; did you mean \"listen\"?\n"
        "f:1:1: file: \"listen\" is missing\n"
        "f:2:17: calls: \"none\" is not a number of calls; write a number from 1 to 1000000\n"
        "f:4:10: name: \"-\" cannot be the prefix of an id; use letters and digits, and in between also \"-\", \".\" and "
        "\"_\"\n"
        "f:4:23: endpoint: \"x\" is a relative path; write an absolute one, such as unix:///x\n"
        "f:5:10: warning: name: it is also the first part of image names (image_prefix): the kubelet turns kata/NAME into "
        "docker.io/kata/NAME; both work, but a first part with a dot, such as kata.local, is never changed\n"
        "f:5:26: endpoint: \"y\" is a relative path; write an absolute one, such as unix:///y\n");
}

/* One text again and again, behind a beginning; the caller frees it. */
static char *repeated(const char *start, const char *piece, size_t times)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs(start, out);
    for (size_t i = 0; i < times; i++) {
        fputs(piece, out);
    }
    fclose(out);
    return text;
}

TEST(sizes_are_bounded)
{
    char *large = repeated(GOOD, "#......\n", (1 << 20) / 8);
    check_problems(large, strlen(large), "f: larger than 1048576 bytes; a runtime map is a short file\n");
    free(large);
    char *nested = repeated("", "[", 500000);
    check_problems(nested, strlen(nested), "f:1:17: lists and mappings are nested deeper than 16\n");
    free(nested);
    char *anchors = repeated("", "- &a\n", 1001);
    check_problems(anchors, strlen(anchors), "f:1001:3: more than 1000 anchors\n");
    free(anchors);
    char *aliases = repeated("- &a\n", "- *a\n", 10001);
    check_problems(aliases, strlen(aliases), "f:10002:3: more than 10000 aliases\n");
    free(aliases);
    char *keys = repeated(GOOD, "x: y\n", 999);
    check_problems(keys, strlen(keys), "f:1:1: file: 1001 keys; at most 1000\n");
    free(keys);
    char *runtimes = repeated(LISTEN "runtimes:\n", "- 1\n", 257);
    check_problems(runtimes, strlen(runtimes), "f:3:1: runtimes: 257 runtimes; at most 256\n");
    free(runtimes);
    char *handlers = repeated(GOOD "- name: b.x\n  endpoint: /run/b.sock\n  handlers:\n", "  - x\n", 257);
    check_problems(handlers, strlen(handlers), "f:7:3: handlers: 257 handlers; at most 256 for one runtime\n");
    free(handlers);
    char *uids = repeated(RUNTIMES "listen:\n  address: /run/l.sock\n  uids:\n", "  - 1\n", 257);
    check_problems(uids, strlen(uids), "f:6:3: uids: 257 entries; at most 256\n");
    free(uids);
}

TEST(number_of_problems_is_bounded)
{
    char *text = repeated(GOOD, "- {name: n, a: y, b: y, c: y, d: y, e: y, f: y, g: y, h: y, i: y, j: y}\n", 250);
    struct runtime_map_problems problems;
    assert_null(parse(text, &problems));
    free(text);
    assert_int_equal(problems.count, 1001);
    assert_int_equal(problems.errors, 250 * 10 + 249 + 1);
    assert_int_equal(problems.items[0].line, 0);
    assert_string_equal(problems.items[0].message, "more than 1000 errors; the others are not shown");
    assert_true(problems.items[1000].line < 100);
    runtime_map_problems_clear(&problems);
}

static void check_unreadable(const char *path, const char *message)
{
    struct runtime_map_problems problems;
    assert_null(runtime_map_load(path, &problems));
    assert_int_equal(problems.count, 1);
    assert_int_equal(problems.errors, 1);
    assert_int_equal(problems.items[0].line, 0);
    assert_string_equal(problems.items[0].message, message);
    runtime_map_problems_clear(&problems);
}

TEST(unreadable_files)
{
    check_unreadable("/nonexistent/crigate.yaml", "cannot be read: No such file or directory");
    check_unreadable("/", "cannot be read: Is a directory");
    check_unreadable("/dev/zero", "cannot be read: it is a device; put the map in a file");
    check_unreadable("/dev/null", "the map is empty; it needs at least \"listen\" and \"runtimes\"");
}

/* Texts as a file "f" and its drop-ins "g", "h" and "i". */
struct layers {
    const char *texts[4];
    const char *problems;
};

static struct runtime_map *parse_layers(const struct layers *layers, struct runtime_map_problems *problems)
{
    static const char *const names[] = {"f", "g", "h", "i"};
    struct runtime_map_text texts[4];
    size_t count = 0;
    while (count < 4 && layers->texts[count]) {
        const char *text = layers->texts[count];
        texts[count] = (struct runtime_map_text){.path = names[count], .text = text, .size = strlen(text)};
        count++;
    }
    return runtime_map_parse_files(texts, count, problems);
}

static struct runtime_map *good_layers(const char *first, const char *second, const char *third)
{
    struct runtime_map_problems problems;
    struct runtime_map *map = parse_layers(&(struct layers){.texts = {first, second, third}}, &problems);
    char *found = printed_problems(&problems);
    assert_string_equal(found, "");
    free(found);
    runtime_map_problems_clear(&problems);
    assert_non_null(map);
    return map;
}

TEST(hooks_of_drop_ins)
{
    struct runtime_map *map =
        good_layers(GOOD "hooks: {folder: /h, skip: {label: l}}\n", "hooks: {timeout: 1s, skip: {value: v}}\n", NULL);
    assert_true(map->hooks.on);
    assert_string_equal(map->hooks.folder, "/h");
    assert_int_equal(map->hooks.timeout, 1000);
    assert_string_equal(map->hooks.skip_label, "l");
    assert_string_equal(map->hooks.skip_value, "v");
    runtime_map_free(map);
    map = good_layers(GOOD "hooks: {folder: /h}\n", "hooks: false\n", NULL);
    assert_false(map->hooks.on);
    runtime_map_free(map);
    map = good_layers(GOOD "hooks: {folder: /h}\n", "hooks: false\n", "hooks: true\n");
    assert_true(map->hooks.on);
    assert_string_equal(map->hooks.folder, "/h");
    runtime_map_free(map);
}

TEST(later_files_win_key_by_key)
{
    struct runtime_map *map = good_layers("listen: {address: /run/l.sock, mode: 0600, uids: [1, 2]}\n"
                                          "runtimes:\n"
                                          "- {name: a.x, endpoint: /run/a.sock, primary: true, api: v1, handlers: [x, y]}\n"
                                          "- {name: b.x, endpoint: /run/b.sock, budget: 3s}\n"
                                          "limits: {calls: 7, startup_grace: 1s}\n",
                                          "listen: {uids: [3], gids: [4]}\n"
                                          "runtimes:\n"
                                          "- {name: c.x, endpoint: /run/c.sock}\n"
                                          "- {name: a.x, handlers: {z: w}, primary: false}\n"
                                          "limits: {calls: 8}\n"
                                          "state: /run/s\n",
                                          "runtimes:\n"
                                          "- {name: b.x, primary: true, endpoint: /run/b2.sock}\n"
                                          "limits: {calls: 9}\n"
                                          "listen: /run/m.sock\n"
                                          "routing: {annotation: x}\n");
    assert_string_equal(map->listen.path, "/run/m.sock");
    assert_int_equal(map->listen.mode, 0600);
    assert_int_equal(map->listen.uid_count, 1);
    assert_int_equal(map->listen.uids[0], 3);
    assert_int_equal(map->listen.gids[0], 4);
    assert_int_equal(map->limits.calls, 9);
    assert_int_equal(map->limits.startup_grace, 1000);
    assert_string_equal(map->routing.annotation, "x");
    assert_string_equal(map->state, "/run/s");
    assert_int_equal(map->runtime_count, 3);
    assert_int_equal(map->primary, 1);
    assert_string_equal(map->runtimes[0].name, "a.x");
    assert_true(map->runtimes[0].api_set);
    assert_string_equal(map->runtimes[0].image_prefix, "a.x");
    assert_int_equal(map->runtimes[0].handler_count, 1);
    assert_string_equal(map->runtimes[0].handlers[0].local_name, "w");
    assert_string_equal(map->runtimes[1].image_endpoint, "unix:///run/b2.sock");
    assert_int_equal(map->runtimes[1].budget, 3000);
    assert_string_equal(map->runtimes[2].name, "c.x");
    assert_int_equal(map->file_count, 3);
    assert_string_equal(map->file, "f");
    assert_string_equal(map->files[2], "h");
    runtime_map_free(map);
}

TEST(files_may_say_little)
{
    runtime_map_free(good_layers("# all is in drop-ins\n", LISTEN, RUNTIMES));
    runtime_map_free(good_layers(GOOD, "# nothing\n", ""));
    struct runtime_map *map = good_layers(GOOD, "runtimes:\n- {name: b.x, force: true}\n",
                                          "runtimes:\n- {name: b.x, force: false, endpoint: /run/b.sock}\n");
    assert_int_equal(map->runtime_count, 2);
    assert_int_equal(map->removed_by_force_count, 0);
    check_print(map);
}

TEST(mistakes_name_their_file)
{
    static const struct layers rows[] = {
        {{GOOD, "lisen: x\n", "limits: {calls: 0}\n"},
         "g:1:1: file: unknown key \"lisen\"; did you mean \"listen\"?\n"
         "h:1:17: calls: \"0\" is not a number of calls; write a number from 1 to 1000000\n"},
        {{"listen: [\n", "runtimes: [\n"},
         "f:2:1: not YAML: while parsing a flow node did not find expected node content\n"
         "g:2:1: not YAML: while parsing a flow node did not find expected node content\n"},
        {{GOOD, "- x\n"}, "g:1:1: file: a mapping (key: value) is expected here, found a list\n"},
        {{GOOD, "runtimes:\n- {name: b.x, endpoint: /run/a.sock}\n"},
         "g:2:25: endpoint: \"unix:///run/a.sock\" is already taken in line 3 of f; each needs its own\n"},
        {{GOOD, "runtimes:\n- {name: a.x, budget: 1s}\n- {name: a.x, budget: 2s}\n"},
         "g:3:10: name: \"a.x\" is already taken in line 2; each needs its own\n"},
        {{GOOD, "runtimes:\n- {name: b.x, budget: 1s}\n"}, "g:2:3: runtime: \"endpoint\" is missing\n"},
        {{GOOD, "runtimes:\n- {name: b.x, endpoint: /run/b.sock, primary: yes}\n"},
         "g:2:47: primary: a second one, after the one in line 3 of f; exactly one runtime speaks for the node\n"},
        {{SECOND("primary: true"), "runtimes:\n- {name: a.x, primary: true}\n"},
         "g:2:24: primary: a second one, after the one in line 4 of f; exactly one runtime speaks for the node\n"},
        {{GOOD, "runtimes:\n- {name: a.x, primary: false}\n"},
         "g:2:1: runtimes: none is the primary; put \"primary: true\" on the one that speaks for the node\n"},
        {{SECOND("api: auto"), "runtimes:\n- {name: b.x, default: true}\n", "runtimes:\n- {name: b.x, new_pods: no}\n"},
         "h:2:25: new_pods: this runtime gets the pods that nothing else claims; put \"default: true\" on another one first\n"},
        {{SECOND("api: auto"), "runtimes:\n- {name: b.x, force: true}\n"},
         "g:2:22: force: the entry removes the runtime, but line 4 of f" FORCE_HINT},
        {{SECOND("image_prefix: c.x"), "runtimes:\n- {name: d.x, endpoint: /run/d.sock, image_prefix: c.x/y}\n"},
         "g:2:52: image_prefix: images under \"c.x/y\" cannot be distinguished from those under \"c.x\" in line 4 of f; choose "
         "prefixes "
         "of "
         "which none starts with the other\n"},
        {{RUNTIMES, "listen: {mode: 0600}\n"}, "g:1:9: listen: \"address\" is missing\n"},
        {{"", RUNTIMES}, "g:1:1: file: \"listen\" is missing\n"},
        {{"", "", "#\n"}, "f: the map is empty; it needs at least \"listen\" and \"runtimes\"\n"},
        {{GOOD, "listen: {mode: 0660, mode: 0660}\n"}, "g:1:22: listen: \"mode\" appears twice; keep one\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct runtime_map_problems problems;
        assert_null(parse_layers(&rows[i], &problems));
        char *found = printed_problems(&problems);
        assert_string_equal(found, rows[i].problems);
        free(found);
        runtime_map_problems_clear(&problems);
        assert_null(problems.files);
    }
}

TEST(bounds_hold_for_all_files_together)
{
    char *large = repeated(GOOD, "#......\n", (1 << 19) / 8);
    struct runtime_map_problems problems;
    assert_null(parse_layers(&(struct layers){.texts = {large, large}}, &problems));
    assert_int_equal(problems.count, 1);
    assert_string_equal(problems.items[0].file, "g");
    assert_string_equal(problems.items[0].message,
                        "with this file, all files together have more than 1048576 bytes; runtime maps are short");
    runtime_map_problems_clear(&problems);
    free(large);

    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs("runtimes:\n", out);
    for (unsigned i = 0; i < 256; i++) {
        fprintf(out, "- {name: n%u.x, endpoint: /run/n%u.sock}\n", i, i);
    }
    fclose(out);
    assert_null(parse_layers(&(struct layers){.texts = {GOOD, text}}, &problems));
    assert_int_equal(problems.count, 1);
    assert_int_equal(problems.items[0].line, 257);
    assert_string_equal(problems.items[0].message, "runtime: at most 256 in all files together");
    runtime_map_problems_clear(&problems);
    free(text);
}

/* A folder of its own for files; the caller removes it with remove_folder. */
struct folder {
    char path[FOLDER_SIZE];
    char file[80];
};

static struct folder make_map_folder(void)
{
    struct folder folder;
    assert_int_equal(make_folder(folder.path), 0);
    snprintf(folder.file, sizeof folder.file, "%s/map.yaml", folder.path);
    return folder;
}

static void write_file(const struct folder *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    write_text(path, text);
}

static void make_drop_in_folder(const struct folder *folder)
{
    char path[256];
    snprintf(path, sizeof path, "%s/map.d", folder->path);
    assert_int_equal(mkdir(path, 0700), 0);
}

TEST(drop_ins_are_read_by_name)
{
    struct folder folder = make_map_folder();
    make_drop_in_folder(&folder);
    write_file(&folder, "map.yaml", GOOD);
    write_file(&folder, "map.d/9.yaml", "limits: {calls: 9}\n");
    write_file(&folder, "map.d/10.yaml", "limits: {calls: 10, shutdown_grace: 1s}\n");
    write_file(&folder, "map.d/B.yaml", "state: /run/B\n");
    write_file(&folder, "map.d/a.yaml", "state: /run/a\n");
    write_file(&folder, "map.d/.hidden.yaml", "[\n");
    write_file(&folder, "map.d/.yaml", "[\n");
    write_file(&folder, "map.d/z.yaml~", "[\n");
    write_file(&folder, "map.d/z.yml", "[\n");
    struct runtime_map_problems problems;
    struct runtime_map *map = runtime_map_load(folder.file, &problems);
    assert_int_equal(problems.count, 0);
    assert_non_null(map);
    assert_int_equal(map->limits.calls, 9);
    assert_int_equal(map->limits.shutdown_grace, 1000);
    assert_string_equal(map->state, "/run/a");
    assert_int_equal(map->file_count, 5);
    static const char *const names[] = {"map.yaml", "map.d/10.yaml", "map.d/9.yaml", "map.d/B.yaml", "map.d/a.yaml"};
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(map->files[i] + strlen(folder.path) + 1, names[i]);
    }
    assert_string_equal(map->drop_in_folder + strlen(folder.path), "/map.d");
    runtime_map_problems_clear(&problems);
    runtime_map_free(map);
    assert_int_equal(remove_folder(folder.path), 0);
}

/* What is printed for the folder's map, each line without the folder's path. */
static void check_folder(const struct folder *folder, const char *expected)
{
    struct runtime_map_problems problems;
    assert_null(runtime_map_load(folder->file, &problems));
    char *found = printed_problems(&problems);
    char *tidy = calloc(1, strlen(found) + 1);
    assert_non_null(tidy);
    size_t used = 0;
    for (const char *at = found; *at;) {
        if (strncmp(at, folder->path, strlen(folder->path)) == 0) {
            at += strlen(folder->path) + 1;
        } else {
            tidy[used++] = *at++;
        }
    }
    assert_string_equal(tidy, expected);
    free(tidy);
    free(found);
    runtime_map_problems_clear(&problems);
}

TEST(unreadable_drop_ins_are_mistakes)
{
    struct folder folder = make_map_folder();
    char path[256];
    write_file(&folder, "map.yaml", GOOD);
    write_file(&folder, "map.d", "");
    check_folder(&folder, "map.d: cannot be read: Not a directory\n");
    snprintf(path, sizeof path, "%s/map.d", folder.path);
    assert_int_equal(unlink(path), 0);
    make_drop_in_folder(&folder);
    snprintf(path, sizeof path, "%s/map.d/1.yaml", folder.path);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/map.d/2.yaml", folder.path);
    assert_int_equal(symlink("/nonexistent", path), 0);
    snprintf(path, sizeof path, "%s/map.d/3.yaml", folder.path);
    assert_int_equal(mkfifo(path, 0600), 0);
    write_file(&folder, "map.d/4.yaml", "lisen: x\n");
    check_folder(&folder, "map.d/1.yaml: cannot be read: Is a directory\n"
                          "map.d/2.yaml: cannot be read: No such file or directory\n"
                          "map.d/3.yaml: cannot be read: it is a FIFO; put the map in a file\n"
                          "map.d/4.yaml:1:1: file: unknown key \"lisen\"; did you mean \"listen\"?\n");
    assert_int_equal(remove_folder(folder.path), 0);
}

/* Who opens a FIFO waits for somebody who writes to it, and who reads a terminal for somebody who types. */
TEST(only_files_are_read)
{
    struct folder folder = make_map_folder();
    char path[256], other[256];
    snprintf(path, sizeof path, "%s/map.yaml", folder.path);
    snprintf(other, sizeof other, "%s/other", folder.path);
    assert_int_equal(mkfifo(path, 0600), 0);
    alarm(20);
    check_folder(&folder, "map.yaml: cannot be read: it is a FIFO; put the map in a file\n");
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink(other, path), 0);
    check_folder(&folder, "map.yaml: cannot be read: it is a FIFO; put the map in a file\n");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/dev/zero", path), 0);
    check_folder(&folder, "map.yaml: cannot be read: it is a device; put the map in a file\n");
    assert_int_equal(unlink(path), 0);
    int listener = listen_at(path);
    check_folder(&folder, "map.yaml: cannot be read: it is a socket; put the map in a file\n");
    alarm(0);
    close(listener);
    assert_int_equal(remove_folder(folder.path), 0);
}

TEST(number_and_size_of_drop_ins_are_bounded)
{
    struct folder folder = make_map_folder();
    make_drop_in_folder(&folder);
    write_file(&folder, "map.yaml", GOOD);
    char *large = repeated("", "#......\n", (1 << 19) / 8);
    write_file(&folder, "map.d/a.yaml", large);
    write_file(&folder, "map.d/b.yaml", large);
    write_file(&folder, "map.d/c.yaml", large);
    free(large);
    check_folder(&folder,
                 "map.d/b.yaml: with this file, all files together have more than 1048576 bytes; runtime maps are short\n");
    for (unsigned i = 0; i < 254; i++) {
        char name[32];
        snprintf(name, sizeof name, "map.d/%u.yaml", i);
        write_file(&folder, name, "");
    }
    check_folder(&folder, "map.d: cannot be read: it has more than 256 files\n");
    assert_int_equal(remove_folder(folder.path), 0);
}

TEST(names_of_drop_in_folders)
{
    static const char *const rows[][2] = {{"/etc/crigate/crigate.yaml", "/etc/crigate/crigate.d"},
                                          {"map", "map.d"},
                                          {"/a.b/map", "/a.b/map.d"},
                                          {"a.b.yml", "a.b.d"},
                                          {"/x/.map", "/x/.map.d"},
                                          {"map.d", "map.d.d"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct runtime_map_problems problems;
        struct runtime_map *map = runtime_map_parse(rows[i][0], GOOD, strlen(GOOD), &problems);
        assert_non_null(map);
        assert_string_equal(map->drop_in_folder, rows[i][1]);
        runtime_map_problems_clear(&problems);
        runtime_map_free(map);
    }
}

TEST(print_names_the_files)
{
    struct runtime_map_problems problems;
    static const struct runtime_map_text texts[] = {{.path = "/e/f", .text = GOOD, .size = sizeof GOOD - 1},
                                                    {.path = "/e/a\nb: c", .text = "", .size = 0}};
    struct runtime_map *map = runtime_map_parse_files(texts, 2, &problems);
    assert_non_null(map);
    char *text = printed_map(map);
    static const char start[] = "# from /e/f\n# from /e/a?b: c\nlisten:\n";
    assert_memory_equal(text, start, strlen(start));
    free(text);
    runtime_map_problems_clear(&problems);
    runtime_map_free(map);
}

/* A runtime that no node has would make each of them degraded for ever. */
TEST(the_example_has_one_runtime)
{
    struct runtime_map_problems problems;
    struct runtime_map *map = runtime_map_load(CRIGATE_EXAMPLE, &problems);
    char *found = printed_problems(&problems);
    assert_string_equal(found, "");
    free(found);
    runtime_map_problems_clear(&problems);
    assert_non_null(map);
    assert_string_equal(map->file, CRIGATE_EXAMPLE);
    assert_int_equal(map->runtime_count, 1);
    assert_string_equal(map->runtimes[0].name, "containerd");
    runtime_map_free(map);
}

/* The example with all that is commented out in force: "#" in the first column, but not before a word to people. */
static char *uncommented_example(void)
{
    char line[1024], *text = NULL;
    size_t size;
    FILE *in = fopen(CRIGATE_EXAMPLE, "r"), *out = open_memstream(&text, &size);
    assert_true(in && out);
    while (fgets(line, sizeof line, in)) {
        bool word = line[0] == '#' && (line[1] == '\n' || (line[1] == ' ' && line[2] != ' '));
        fputs(word ? "\n" : line + (line[0] == '#'), out);
    }
    fclose(in);
    fclose(out);
    return text;
}

TEST(what_the_example_comments_out_is_good)
{
    struct runtime_map_problems problems;
    char *text = uncommented_example();
    struct runtime_map *map = runtime_map_parse("f", text, strlen(text), &problems);
    char *found = printed_problems(&problems);
    assert_string_equal(found, "");
    free(found);
    runtime_map_problems_clear(&problems);
    assert_non_null(map);
    assert_int_equal(map->runtime_count, 2);
    assert_string_equal(map->runtimes[1].handlers[0].name, "virtlet");
    assert_string_equal(map->runtimes[1].stream_url, "http://127.0.0.1:11250");
    assert_string_equal(map->runtimes[1].storage, "/var/lib/virtlet");
    assert_string_equal(map->listen.callers, "1.10");
    assert_string_equal(map->state, "/run/crigate");
    assert_true(map->hooks.on);
    assert_string_equal(map->hooks.folder, "/etc/runtime/hookserver.d");
    assert_non_null(strstr(text, "\nevents:\n"));
    runtime_map_free(map);
    free(text);
}

/* What a text with mistakes says of the state folder; "" for nothing. No NUL ends the text. */
static void expect_state(const char *text, const char *expected)
{
    struct runtime_map_problems problems;
    size_t size = strlen(text);
    char *exact = malloc(size);
    assert_non_null(exact);
    memcpy(exact, text, size);
    struct runtime_map *map = runtime_map_parse("f", exact, size, &problems);
    free(exact);
    assert_null(map);
    assert_string_equal(problems.state ? problems.state : "", expected);
    runtime_map_problems_clear(&problems);
    assert_null(problems.state);
}

TEST(state_of_a_map_with_mistakes)
{
    expect_state("state: /var/s\nmistake: 1\n", "/var/s");
    expect_state("listen: [\nstate: \"/var/s\" # here\n", "/var/s");
    expect_state("state: '/var/s'\nlisten: [\n", "/var/s");
    expect_state("\tx\nstate:   /var/with space  \r\n", "/var/with space");
    expect_state("listen: [\nstate:", "");
    expect_state("listen: [\nstate: ", "");
    expect_state("listen: [\nstate: /var/s", "/var/s");
    expect_state("listen: [\nstate: relative\n", "");
    expect_state("listen: [\n  state: /inner\n", "");
    expect_state("mistake: 1\n", "");
}
