/* What the runtime map's loader takes, what it fills in, and what it says of each mistake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/runtime_map.h"

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

static void test_defaults(void **state)
{
    (void)state;
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
    assert_int_equal(map->limits.calls, 4096);
    assert_int_equal(map->limits.startup_grace, 5000);
    assert_int_equal(map->limits.shutdown_grace, 30000);
    assert_int_equal(map->runtime_count, 2);
    assert_int_equal(map->primary, 0);

    const struct runtime_entry *primary = &map->runtimes[0];
    assert_true(primary->primary);
    assert_string_equal(primary->image_endpoint, "unix:///run/a.sock");
    assert_null(primary->image_prefix);
    assert_null(primary->stream_url);
    assert_false(primary->api_set);
    assert_int_equal(primary->handler_count, 0);

    const struct runtime_entry *second = &map->runtimes[1];
    assert_false(second->primary);
    assert_string_equal(second->endpoint, "unix:///run/k.sock");
    assert_string_equal(second->image_endpoint, "unix:///run/k.sock");
    assert_string_equal(second->image_prefix, "kata.x");
    runtime_map_free(map);
}

static const char everything[] = "listen:\n"
                                 "  address: unix:///run//crigate/./l.sock\n"
                                 "  mode: 0600\n"
                                 "  group: root\n"
                                 "  callers: \"1.10\"\n"
                                 "runtimes:\n"
                                 "  - name: old\n"
                                 "    endpoint: /run/old.sock\n"
                                 "    image_endpoint: /run/old-images.sock\n"
                                 "    api: v1_9\n"
                                 "    handlers: {virtlet: kvm, plain: \"\", \"q\\\"\\\\:\": \"a:#b\"}\n"
                                 "    image_prefix: registry.local:5000/old/er\n"
                                 "    stream_url: https://[::1]:11250/base//\n"
                                 "  - name: New_1.x-y\n"
                                 "    endpoint: unix:///run/new.sock\n"
                                 "    primary: Yes\n"
                                 "    handlers: [runc, 'true']\n"
                                 "routing: {annotation: example.com/where}\n"
                                 "limits:\n"
                                 "  message_size: 1GiB\n"
                                 "  calls: 7\n"
                                 "  startup_grace: 1500ms\n"
                                 "  shutdown_grace: 2m\n";

static void test_everything_said(void **state)
{
    (void)state;
    struct runtime_map *map = good_map(everything);
    assert_string_equal(map->listen.path, "/run/crigate/l.sock");
    assert_int_equal(map->listen.mode, 0600);
    assert_string_equal(map->listen.group, "root");
    assert_int_equal(map->listen.gid, 0);
    assert_string_equal(map->listen.callers, "1.10");
    assert_true(map->listen.callers_lack_masked_paths);
    assert_string_equal(map->routing.annotation, "example.com/where");
    assert_int_equal(map->limits.message_size, 1 << 30);
    assert_int_equal(map->limits.calls, 7);
    assert_int_equal(map->limits.startup_grace, 1500);
    assert_int_equal(map->limits.shutdown_grace, 120000);
    assert_int_equal(map->primary, 1);

    const struct runtime_entry *old = &map->runtimes[0];
    assert_string_equal(old->image_endpoint, "unix:///run/old-images.sock");
    assert_true(old->api_set);
    assert_string_equal(dialects[old->api].name, "v1_9");
    assert_int_equal(old->handler_count, 3);
    assert_string_equal(old->handlers[0].name, "virtlet");
    assert_string_equal(old->handlers[0].local_name, "kvm");
    assert_string_equal(old->handlers[1].local_name, "");
    assert_string_equal(old->handlers[2].name, "q\"\\:");
    assert_string_equal(old->image_prefix, "registry.local:5000/old/er");
    assert_string_equal(old->stream_url, "https://[::1]:11250/base");
    assert_string_equal(map->runtimes[1].name, "New_1.x-y");
    assert_string_equal(map->runtimes[1].handlers[1].local_name, "true");
    runtime_map_free(map);
}

static void test_find(void **state)
{
    (void)state;
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
    assert_int_equal(a->runtime_count, b->runtime_count);
    for (size_t i = 0; i < a->runtime_count; i++) {
        const struct runtime_entry *left = &a->runtimes[i];
        const struct runtime_entry *right = &b->runtimes[i];
        assert_string_equal(left->image_endpoint, right->image_endpoint);
        assert_int_equal(left->api_set, right->api_set);
        assert_int_equal(left->api, right->api);
        assert_int_equal(left->handler_count, right->handler_count);
        for (size_t j = 0; j < left->handler_count; j++) {
            assert_string_equal(left->handlers[j].name, right->handlers[j].name);
            assert_string_equal(left->handlers[j].local_name, right->handlers[j].local_name);
        }
    }
    assert_memory_equal(&a->limits, &b->limits, sizeof a->limits);
}

static void check_print(struct runtime_map *map)
{
    char *text = printed_map(map);
    struct runtime_map *again = good_map(text);
    check_same(map, again);
    char *second_text = printed_map(again);
    assert_string_equal(text, second_text);
    free(second_text);
    free(text);
    runtime_map_free(again);
    runtime_map_free(map);
}

static void test_print_loads_to_the_same_map(void **state)
{
    (void)state;
    check_print(good_map(GOOD));
    check_print(good_map(SECOND("handlers: {}, image_prefix: kata")));
    check_print(good_map(everything));
}

static void test_print_fills_in_defaults(void **state)
{
    (void)state;
    struct runtime_map *map = good_map(SECOND("handlers: [runc, 9p]"));
    char *text = printed_map(map);
    assert_string_equal(text, "listen:\n"
                              "  address: unix:///run/l.sock\n"
                              "  mode: \"0660\"\n"
                              "runtimes:\n"
                              "  - name: a.x\n"
                              "    endpoint: unix:///run/a.sock\n"
                              "    image_endpoint: unix:///run/a.sock\n"
                              "    primary: true\n"
                              "    api: auto\n"
                              "    handlers: {}\n"
                              "  - name: b.x\n"
                              "    endpoint: unix:///run/b.sock\n"
                              "    image_endpoint: unix:///run/b.sock\n"
                              "    primary: false\n"
                              "    api: auto\n"
                              "    handlers: {runc: runc, \"9p\": \"9p\"}\n"
                              "    image_prefix: b.x\n"
                              "routing:\n"
                              "  annotation: kubernetes.io/target-runtime\n"
                              "limits:\n"
                              "  message_size: 64MiB\n"
                              "  calls: 4096\n"
                              "  startup_grace: 5s\n"
                              "  shutdown_grace: 30s\n");
    free(text);
    runtime_map_free(map);
}

static void test_yaml_mistakes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"", "f: nothing is in it; at least \"listen\" and \"runtimes\" are needed\n"},
        {"# a comment\n", "f: nothing is in it; at least \"listen\" and \"runtimes\" are needed\n"},
        {"---\n", "f: nothing is in it; at least \"listen\" and \"runtimes\" are needed\n"},
        {"listen:\n\taddress: /run/l.sock\n", "f:2:1: not YAML: a tab; indent with spaces\n"},
        {"# \xC3\xA4\nlisten:\n\taddress: /run/l.sock\n", "f:3:1: not YAML: a tab; indent with spaces\n"},
        {"listen: [\n", "f:2:1: not YAML: while parsing a flow node did not find expected node content\n"},
        {"listen: a: b\n", "f:1:10: not YAML: mapping values are not allowed in this context\n"},
        {"listen: *nobody\n", "f:1:9: not YAML: found undefined alias\n"},
        {GOOD "---\n" GOOD, "f:4:1: a second document begins; one file holds one runtime map, so take it out\n"},
        {GOOD "--- [\n", "f:4:1: a second document begins; one file holds one runtime map, so take it out\n"
                         "f:5:1: not YAML: while parsing a flow node did not find expected node content\n"},
        {"# \xC3\xA4\nlisten: /run/\xC3\xA4\xFF\n",
         "f:2:15: not a text in UTF-8: invalid leading UTF-8 octet; save the file as UTF-8\n"},
        {"\xFF\xFEl\n", "f:1:1: not a text in UTF-8: invalid leading UTF-8 octet; save the file as UTF-8\n"},
        {"\xEF\xBB\xBF" GOOD, ""},
        {"listen: \"/run/\\u00e4\"\n" RUNTIMES, "f:1:9: listen: only printable ASCII characters are allowed\n"},
        {"listen: \"/run/a\\0b\"\n" RUNTIMES, "f:1:9: listen: only printable ASCII characters are allowed\n"},
        {"listen: !file /run/a\n" RUNTIMES, "f:1:9: listen: tags such as !file have no meaning here; take it out\n"},
        {"listen: !!str /run/l.sock\n" RUNTIMES, ""},
    };
    CHECK_ROWS(rows);
    check_problems("listen: a\0b\n", 12,
                   "f:1:10: not a text in UTF-8: control characters are not allowed; save the file as UTF-8\n");
}

static void test_aliases(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {LISTEN "runtimes:\n- {name: a.x, endpoint: /run/a.sock, primary: true, handlers: &h [x]}\n"
                "- {name: b.x, endpoint: /run/b.sock, handlers: *h}\n",
         "f:3:67: handlers: \"x\" is already taken in line 3; each needs its own\n"},
        {LISTEN "runtimes:\n- {name: a.x, endpoint: &a /run/a.sock, image_endpoint: *a, primary: true}\n", ""},
        {LISTEN "runtimes: &r\n- *r\n",
         "f:2:11: runtime: a mapping (key: value) is expected here, found a list\n"
         "f:2:11: runtimes: none is the primary; put \"primary: true\" on the one that speaks for the node\n"},
        {RUNTIMES "listen: &l {address: /run/l.sock, *l : 1}\n", "f:3:9: key: a plain value is expected here, found a mapping\n"},
    };
    CHECK_ROWS(rows);
}

static void test_keys(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {GOOD "lisen: x\n", "f:4:1: file: unknown key \"lisen\"; did you mean \"listen\"?\n"},
        {GOOD "colour: x\n", "f:4:1: file: unknown key \"colour\"; known here: listen, runtimes, routing, limits\n"},
        {GOOD "? [a]\n: b\n", "f:4:3: key: a plain value is expected here, found a list\n"},
        {GOOD "listen: /run/m.sock\n", "f:4:1: file: \"listen\" is said a second time; keep one\n"},
        {RUNTIMES, "f:1:1: file: \"listen\" is missing\n"},
        {LISTEN, "f:1:1: file: \"runtimes\" is missing\n"},
        {"- listen\n", "f:1:1: file: a mapping (key: value) is expected here, found a list\n"},
        {"listen\n", "f:1:1: file: a mapping (key: value) is expected here, found a plain value\n"},
        {RUNTIMES "listen:\n", "f:3:8: listen: nothing is said; give it a value\n"},
        {GOOD "routing: ~\n", "f:4:10: routing: nothing is said; give it a value or leave the key out\n"},
        {GOOD "routing: [x]\n", "f:4:10: routing: a mapping (key: value) is expected here, found a list\n"},
        {GOOD "routing: {annotations: x}\n", "f:4:11: routing: unknown key \"annotations\"; did you mean \"annotation\"?\n"},
        {GOOD "limits: {cals: 1}\n", "f:4:10: limits: unknown key \"cals\"; did you mean \"calls\"?\n"},
        {LISTENER("grup: x"), "f:1:32: listen: unknown key \"grup\"; did you mean \"group\"?\n"},
        {SECOND("enpoint: /run/c.sock"), "f:4:38: runtime: unknown key \"enpoint\"; did you mean \"endpoint\"?\n"},
        {SECOND("api: v1, api: v1"), "f:4:47: runtime: \"api\" is said a second time; keep one\n"},
    };
    CHECK_ROWS(rows);
}

static void test_listen_mistakes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"listen: [/run/l.sock]\n" RUNTIMES, "f:1:9: listen: a mapping (key: value) is expected here, found a list\n"},
        {"listen: {mode: 0660}\n" RUNTIMES, "f:1:9: listen: \"address\" is missing\n"},
        {"listen: run/l.sock\n" RUNTIMES,
         "f:1:9: listen: \"run/l.sock\" is a relative path; write an absolute one, such as unix:///run/l.sock\n"},
        {"listen: {address: 'tcp://[::]:1'}\n" RUNTIMES,
         "f:1:19: address: \"tcp://[::]:1\" is not a Unix socket; write unix:///absolute/path.sock\n"},
        {LISTENER("mode: 0o660"), "f:1:38: mode: \"0o660\" is no mode; write it in octal, such as \"0660\"\n"},
        {LISTENER("mode: 668"), "f:1:38: mode: \"668\" is no mode; write it in octal, such as \"0660\"\n"},
        {LISTENER("mode: 1777"), "f:1:38: mode: \"1777\" is more than 0777; a socket has no other bits\n"},
        {LISTENER("mode: 0666"),
         "f:1:38: warning: mode: every user of this node may call the runtimes, which is as much as being "
         "root; \"0660\" and a group are safer\n"},
        {LISTENER("group: no-such-group"), "f:1:39: group: this system has no group \"no-such-group\"; create it (groupadd "
                                           "--system) or name another\n"},
        {LISTENER("group: 4294967295"),
         "f:1:39: group: this system has no group \"4294967295\"; create it (groupadd --system) or "
         "name another\n"},
        {LISTENER("group: ''"), "f:1:39: group: it is empty; write a group's name, or leave the key out\n"},
        {LISTENER("group: 4242"), ""},
        {LISTENER("callers: 1.1"),
         "f:1:41: callers: \"1.1\" is no Kubernetes release from 1.9 on; write major and minor in quotes, "
         "such as \"1.10\"\n"},
        {LISTENER("callers: v1.10"), "f:1:41: callers: \"v1.10\" is no Kubernetes release from 1.9 on; write major and minor in "
                                     "quotes, such as \"1.10\"\n"},
    };
    CHECK_ROWS(rows);
}

static void test_callers(void **state)
{
    (void)state;
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

static void test_socket_mistakes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {SECOND("image_endpoint: ''"), "f:4:54: image_endpoint: it is empty; write unix:///absolute/path.sock\n"},
        {SECOND("image_endpoint: 'unix:/run/i'"), "f:4:54: image_endpoint: \"unix:/run/i\" is no address; write unix:///run/i\n"},
        {SECOND("image_endpoint: 'unix://run/i'"),
         "f:4:54: image_endpoint: \"unix://run/i\" is a relative path; write an absolute one, such as unix:///run/i\n"},
        {SECOND("image_endpoint: '@abstract'"),
         "f:4:54: image_endpoint: \"@abstract\" is a relative path; write an absolute one, such as unix:///@abstract\n"},
        {SECOND("image_endpoint: /run/"), "f:4:54: image_endpoint: \"/run/\" is a folder; write the path of the socket in it\n"},
        {SECOND("image_endpoint: /run/../i"), "f:4:54: image_endpoint: \"/run/../i\" has \"..\" in it; write the path without\n"},
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

#define NAMED(name) GOOD "- {endpoint: /run/b.sock, image_prefix: p.x, name: " name "}\n"

static void test_name_mistakes(void **state)
{
    (void)state;
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
        {NAMED("a__b"),
         "f:4:52: name: \"a__b\" cannot be the prefix of an id: \"__\" is what parts name and id; use one \"_\" or a "
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

static void test_runtimes_mistakes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {LISTEN "runtimes: []\n", "f:2:11: runtimes: the list is empty; name at least one runtime, the primary\n"},
        {LISTEN "runtimes: {name: a}\n", "f:2:11: runtimes: a list (\"- name: ...\") is expected here, found a mapping\n"},
        {GOOD "- b\n", "f:4:3: runtime: a mapping (key: value) is expected here, found a plain value\n"},
        {GOOD "- {name: b.x}\n", "f:4:3: runtime: \"endpoint\" is missing\n"},
        {GOOD "- {endpoint: /run/b.sock}\n", "f:4:3: runtime: \"name\" is missing\n"},
        {LISTEN "runtimes:\n- {name: a.x, endpoint: /run/a.sock}\n",
         "f:3:1: runtimes: none is the primary; put \"primary: true\" on the one that speaks for the node\n"},
        {SECOND("primary: on"), "f:4:47: primary: a second one, after that in line 3; exactly one runtime speaks for the node\n"},
        {SECOND("primary: 1"), "f:4:47: primary: \"1\" is neither true nor false; write one of them\n"},
        {SECOND("primary: OFF"), ""},
        {SECOND("api: v2"), "f:4:43: api: \"v2\" is no dialect of CRI; write one of auto, v1_9, v1_12, v1alpha2, v1\n"},
        {SECOND("api: [v1]"), "f:4:43: api: a plain value is expected here, found a list\n"},
    };
    CHECK_ROWS(rows);
}

static void test_handler_mistakes(void **state)
{
    (void)state;
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
        {SECOND("handlers: {x: 'y z'}"), "f:4:52: handlers: \"y z\" has a space in it, which no handler's name has\n"},
        {LISTEN "runtimes:\n- {name: a.x, endpoint: /run/a.sock, primary: true, handlers: [runc]}\n"
                "- {name: b.x, endpoint: /run/b.sock, handlers: {kata: '', runc: kata}}\n",
         "f:4:59: handlers: \"runc\" is already taken in line 3; each needs its own\n"},
    };
    CHECK_ROWS(rows);
}

#define PART_HINT " cannot be a part of an image name; use small letters and digits, and in between \".\", \"_\" or \"-\"\n"
#define HOST_HINT " cannot be the host that an image name starts with; use letters, digits, \"-\" and \".\"\n"

static void test_image_prefix_mistakes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {SECOND("image_prefix: ''"),
         "f:4:52: image_prefix: it is empty; leave the key out for the default, the runtime's name\n"},
        {SECOND("image_prefix: /b.x"), "f:4:52: image_prefix: \"/b.x\" has a slash at its end or start; write it without\n"},
        {SECOND("image_prefix: b.x/"), "f:4:52: image_prefix: \"b.x/\" has a slash at its end or start; write it without\n"},
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
        {SECOND("image_prefix: docker.io"),
         "f:4:52: image_prefix: \"docker.io\" is what kubelet puts in front of all names without "
         "a registry; choose another prefix\n"},
        {SECOND("image_prefix: B.x/c__d/e--f/g.h_i"), ""},
        {SECOND("image_prefix: localhost/c"), ""},
        {SECOND("image_prefix: 'kata:5000'"), ""},
    };
    CHECK_ROWS(rows);
}

static void test_image_prefix_warnings(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {SECOND("image_prefix: kata/c.d"), "f:4:52: warning: image_prefix: kubelet turns kata/c.d/NAME into "
                                           "docker.io/kata/c.d/NAME; both are understood, but a first "
                                           "part with a dot, such as kata.local, reads the same everywhere\n"},
        {GOOD "- {name: kata, endpoint: /run/b.sock}\n",
         "f:4:10: warning: image_prefix: kubelet turns kata/NAME into docker.io/kata/NAME; both are understood, but a first part "
         "with a dot, such as kata.local, reads the same everywhere\n"},
        {LISTEN "runtimes:\n- {name: a, endpoint: /run/a.sock, primary: true, image_prefix: a.x}\n",
         "f:3:65: warning: image_prefix: the primary owns all images without a prefix anyway; it needs none of its own\n"},
    };
    CHECK_ROWS(rows);
}

static void test_image_prefix_conflicts(void **state)
{
    (void)state;
#define THIRD(prefix) SECOND("image_prefix: b.x/y") "- {name: c.x, endpoint: /run/c.sock, image_prefix: " prefix "}\n"
    static const char conflict[] = "; choose prefixes of which none starts with the other\n";
    static const struct {
        const char *text;
        const char *problem;
    } rows[] = {
        {THIRD("b.x/y"), "f:5:52: image_prefix: images under \"b.x/y\" cannot be told from those under \"b.x/y\" in line 4"},
        {THIRD("b.x"), "f:5:52: image_prefix: images under \"b.x\" cannot be told from those under \"b.x/y\" in line 4"},
        {THIRD("b.x/y/z"), "f:5:52: image_prefix: images under \"b.x/y/z\" cannot be told from those under \"b.x/y\" in line 4"},
        {SECOND("image_prefix: c.x") "- {name: c.x, endpoint: /run/c.sock}\n",
         "f:5:10: image_prefix: images under \"c.x\" cannot be told from those under \"c.x\" in line 4"},
        {SECOND("image_prefix: localhost/c") "- {name: c.x, endpoint: /run/c.sock, image_prefix: docker.io/localhost/c}\n",
         "f:5:52: image_prefix: images under \"docker.io/localhost/c\" cannot be told from those under \"localhost/c\" in line "
         "4"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char expected[512];
        snprintf(expected, sizeof expected, "%s%s", rows[i].problem, conflict);
        check_problems(rows[i].text, strlen(rows[i].text), expected);
    }
    check_problems(THIRD("b.x/yz"), strlen(THIRD("b.x/yz")), "");
}

static void test_default_prefix_must_be_an_image_name(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {GOOD "- {name: b_c.x, endpoint: /run/b.sock}\n",
         "f:4:10: name: it is also what image names start with, and \"b_c.x\" cannot be the host that an image name starts with; "
         "use letters, digits, \"-\" and \".\"; choose another name, or set image_prefix\n"},
        {GOOD "- {name: b_c.x, endpoint: /run/b.sock, image_prefix: b.x}\n", ""},
        {LISTEN "runtimes:\n- {name: b_c.x, endpoint: /run/b.sock, primary: true}\n", ""},
    };
    CHECK_ROWS(rows);
}

#define URL(url) SECOND("stream_url: '" url "'")
#define NO_HOST " has no proper host; write http://HOST:PORT\n"

static void test_stream_url_mistakes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {URL("127.0.0.1:1"), "f:4:50: stream_url: \"127.0.0.1:1\" is no URL of a streaming server; write http://HOST:PORT or "
                             "https://HOST:PORT\n"},
        {URL("ftp://a"), "f:4:50: stream_url: \"ftp://a\" is no URL of a streaming server; write http://HOST:PORT or "
                         "https://HOST:PORT\n"},
        {URL("http://"), "f:4:50: stream_url: \"http://\"" NO_HOST},
        {URL("http:///path"), "f:4:50: stream_url: \"http:///path\"" NO_HOST},
        {URL("http://:80"), "f:4:50: stream_url: \"http://:80\"" NO_HOST},
        {URL("http://a:0"), "f:4:50: stream_url: \"http://a:0\"" NO_HOST},
        {URL("http://a:65536"), "f:4:50: stream_url: \"http://a:65536\"" NO_HOST},
        {URL("http://a:1x"), "f:4:50: stream_url: \"http://a:1x\"" NO_HOST},
        {URL("http://user@a"), "f:4:50: stream_url: \"http://user@a\"" NO_HOST},
        {URL("http://[::1"), "f:4:50: stream_url: \"http://[::1\"" NO_HOST},
        {URL("http://a/b?c"),
         "f:4:50: stream_url: \"http://a/b?c\" has more than a host and a path; write http://HOST:PORT/PATH at "
         "most\n"},
        {URL("https://a.b-c:65535/d/"), ""},
        {URL("http://[fe80::1]"), ""},
    };
    CHECK_ROWS(rows);
}

#define LIMIT(limit) GOOD "limits: {" limit "}\n"

static void test_limit_mistakes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {LIMIT("message_size: 64MB"),
         "f:4:24: message_size: \"64MB\" is no size; write bytes, or a number with KiB, MiB or GiB, such "
         "as 64MiB\n"},
        {LIMIT("message_size: -1"),
         "f:4:24: message_size: \"-1\" is no size; write bytes, or a number with KiB, MiB or GiB, such as "
         "64MiB\n"},
        {LIMIT("message_size: 65535"), "f:4:24: message_size: \"65535\" is out of bounds; write a size from 64KiB to 1GiB\n"},
        {LIMIT("message_size: 2GiB"), "f:4:24: message_size: \"2GiB\" is out of bounds; write a size from 64KiB to 1GiB\n"},
        {LIMIT("message_size: 999999999999999GiB"), "f:4:24: message_size: \"999999999999999GiB\" is out of bounds; write a size "
                                                    "from 64KiB to 1GiB\n"},
        {LIMIT("message_size: 9999999999999999"),
         "f:4:24: message_size: \"9999999999999999\" is no size; write bytes, or a number "
         "with KiB, MiB or GiB, such as 64MiB\n"},
        {LIMIT("calls: 0"), "f:4:17: calls: \"0\" is no number of calls; write a number from 1 to 1000000\n"},
        {LIMIT("calls: 1000001"), "f:4:17: calls: \"1000001\" is no number of calls; write a number from 1 to 1000000\n"},
        {LIMIT("calls: many"), "f:4:17: calls: \"many\" is no number of calls; write a number from 1 to 1000000\n"},
        {LIMIT("startup_grace: 5"),
         "f:4:25: startup_grace: \"5\" is no duration; write a whole number with ms, s, m or h, such as "
         "5s\n"},
        {LIMIT("startup_grace: 1.5s"), "f:4:25: startup_grace: \"1.5s\" is no duration; write a whole number with ms, s, m or h, "
                                       "such as 5s\n"},
        {LIMIT("shutdown_grace: 61m"), "f:4:26: shutdown_grace: \"61m\" is too long; at most 1h\n"},
        {LIMIT("shutdown_grace: 0s, startup_grace: 1h, message_size: 65536, calls: 1000000"), ""},
    };
    CHECK_ROWS(rows);
}

static void test_annotation_mistakes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {GOOD "routing: {annotation: ''}\n", "f:4:23: annotation: \"\" cannot be the key of an annotation; write domain/name, "
                                             "the name of at most 63 letters, digits, "
                                             "\"-\", \".\" and \"_\"\n"},
        {GOOD "routing: {annotation: a/b/c}\n",
         "f:4:23: annotation: \"a/b/c\" cannot be the key of an annotation; write domain/name, the name of at most 63 letters, "
         "digits, \"-\", \".\" and \"_\"\n"},
        {GOOD "routing: {annotation: /b}\n",
         "f:4:23: annotation: \"/b\" cannot be the key of an annotation: in front of \"/\" stands "
         "a domain, as in example.com/key\n"},
        {GOOD "routing: {annotation: plain}\n", ""},
    };
    CHECK_ROWS(rows);
}

static void test_all_mistakes_at_once_in_order(void **state)
{
    (void)state;
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
        "f:2:17: calls: \"none\" is no number of calls; write a number from 1 to 1000000\n"
        "f:4:10: name: \"-\" cannot be the prefix of an id; use letters and digits, and in between also \"-\", \".\" and "
        "\"_\"\n"
        "f:4:23: endpoint: \"x\" is a relative path; write an absolute one, such as unix:///x\n"
        "f:5:10: warning: image_prefix: kubelet turns kata/NAME into docker.io/kata/NAME; both are understood, but a "
        "first part with a dot, such as kata.local, reads the same everywhere\n"
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

static void test_sizes_are_bounded(void **state)
{
    (void)state;
    char *large = repeated(GOOD, "#......\n", (1 << 20) / 8);
    check_problems(large, strlen(large), "f: larger than 1048576 bytes; a runtime map is a short file\n");
    free(large);
    char *nested = repeated("", "[", 500000);
    check_problems(nested, strlen(nested), "f:1:17: lists and mappings are nested deeper than 16\n");
    free(nested);
    char *anchors = repeated("", "- &a\n", 1001);
    check_problems(anchors, strlen(anchors), "f:1001:3: more than 1000 anchors\n");
    free(anchors);
    char *runtimes = repeated(LISTEN "runtimes:\n", "- 1\n", 257);
    check_problems(runtimes, strlen(runtimes), "f:3:1: runtimes: 257 runtimes; at most 256\n");
    free(runtimes);
    char *handlers = repeated(GOOD "- name: b.x\n  endpoint: /run/b.sock\n  handlers:\n", "  - x\n", 257);
    check_problems(handlers, strlen(handlers), "f:7:3: handlers: 257 handlers; at most 256 for one runtime\n");
    free(handlers);
}

static void test_number_of_problems_is_bounded(void **state)
{
    (void)state;
    char *text = repeated(GOOD, "x: y\n", 3000);
    struct runtime_map_problems problems;
    assert_null(parse(text, &problems));
    free(text);
    assert_int_equal(problems.count, 1001);
    assert_int_equal(problems.errors, 3000);
    assert_int_equal(problems.items[0].line, 0);
    assert_string_equal(problems.items[0].message, "more than 1000 mistakes; the others are not shown");
    assert_int_equal(problems.items[1000].line, 1003);
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

static void test_unreadable_files(void **state)
{
    (void)state;
    check_unreadable("/nonexistent/crigate.yaml", "cannot be read: No such file or directory");
    check_unreadable("/", "cannot be read: Is a directory");
    check_unreadable("/dev/zero", "larger than 1048576 bytes; a runtime map is a short file");
    check_unreadable("/dev/null", "nothing is in it; at least \"listen\" and \"runtimes\" are needed");
}

static void test_example_file(void **state)
{
    (void)state;
    struct runtime_map_problems problems;
    struct runtime_map *map = runtime_map_load(CRIGATE_EXAMPLE, &problems);
    char *found = printed_problems(&problems);
    assert_string_equal(found, "");
    free(found);
    runtime_map_problems_clear(&problems);
    assert_non_null(map);
    assert_string_equal(map->file, CRIGATE_EXAMPLE);
    assert_int_equal(map->runtime_count, 2);
    assert_string_equal(map->runtimes[1].handlers[0].name, "virtlet");
    assert_string_equal(map->runtimes[1].stream_url, "http://127.0.0.1:11250");
    runtime_map_free(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_everything_said),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_print_loads_to_the_same_map),
        cmocka_unit_test(test_print_fills_in_defaults),
        cmocka_unit_test(test_yaml_mistakes),
        cmocka_unit_test(test_aliases),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_listen_mistakes),
        cmocka_unit_test(test_callers),
        cmocka_unit_test(test_socket_mistakes),
        cmocka_unit_test(test_name_mistakes),
        cmocka_unit_test(test_runtimes_mistakes),
        cmocka_unit_test(test_handler_mistakes),
        cmocka_unit_test(test_image_prefix_mistakes),
        cmocka_unit_test(test_image_prefix_warnings),
        cmocka_unit_test(test_image_prefix_conflicts),
        cmocka_unit_test(test_default_prefix_must_be_an_image_name),
        cmocka_unit_test(test_stream_url_mistakes),
        cmocka_unit_test(test_limit_mistakes),
        cmocka_unit_test(test_annotation_mistakes),
        cmocka_unit_test(test_all_mistakes_at_once_in_order),
        cmocka_unit_test(test_sizes_are_bounded),
        cmocka_unit_test(test_number_of_problems_is_bounded),
        cmocka_unit_test(test_unreadable_files),
        cmocka_unit_test(test_example_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
