/* Prefixes of ids and images, handlers and names: which runtime they tell. */
#include "core/map/owner.h"
#include "tests/cmocka.h"
#include "tests/unit/core/map/map_fixture.h"

enum { CONTAINERD, VIRTLET, KATA, DOCKER, PLAIN };

static const char file[] =
    "listen: /run/l.sock\n"
    "runtimes:\n"
    "- {name: containerd, endpoint: /run/c.sock, primary: true, handlers: {runc: \"\"}}\n"
    "- {name: virtlet.cloud, endpoint: /run/v.sock}\n"
    "- {name: kata, endpoint: /run/k.sock, image_prefix: vms/kata, handlers: {kata: qemu, kata-fc: firecracker}}\n"
    "- {name: docker, endpoint: /run/d.sock, ids: plain}\n";

static int load(void **state)
{
    struct runtime_map_problems problems;
    *state = runtime_map_parse("f", file, strlen(file), &problems);
    if (!*state) {
        runtime_map_problems_print(&problems, "f", stderr);
    }
    runtime_map_problems_clear(&problems);
    return *state ? 0 : -1;
}

static int unload(void **state)
{
    runtime_map_free(*state);
    return 0;
}

ALL_TESTS(load, unload)

TEST(ids_tell_their_owner_by_prefix)
{
    static const struct {
        const char *id;
        size_t owner;
        const char *local;
    } rows[] = {
        {"abc", PLAIN, "abc"},
        {"", PLAIN, ""},
        {"virtlet.cloud__abc", VIRTLET, "abc"},
        {"kata__abc", KATA, "abc"},
        {"kata__kata__abc", KATA, "kata__abc"},
        {"kata__virtlet.cloud__abc", KATA, "virtlet.cloud__abc"},
        /* Not prefixes. */
        {"kata__", PLAIN, "kata__"},
        {"kata_abc", PLAIN, "kata_abc"},
        {"kata", PLAIN, "kata"},
        {"Kata__abc", PLAIN, "Kata__abc"},
        {"__abc", PLAIN, "__abc"},
        {"kata-fc__abc", PLAIN, "kata-fc__abc"},
        {"virtletxcloud__abc", PLAIN, "virtletxcloud__abc"},
        /* A runtime with plain ids has no prefix, so that these may be anybody's who has them. */
        {"containerd__abc", PLAIN, "containerd__abc"},
        {"docker__abc", PLAIN, "docker__abc"},
        {"docker__kata__abc", PLAIN, "docker__kata__abc"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bytes local;
        size_t owner = PLAIN;
        bool prefixed = owner_by_prefix(*state, bytes_of_string(rows[i].id), &owner, &local);
        if (owner != rows[i].owner || prefixed != (owner != PLAIN) || !bytes_equal(local, bytes_of_string(rows[i].local))) {
            fail_msg("\"%s\" is %zu's \"%.*s\"", rows[i].id, owner, (int)local.len, (const char *)local.data);
        }
    }
    size_t owner = PLAIN;
    struct bytes local;
    assert_false(owner_by_prefix(*state, bytes_of(NULL, 0), &owner, &local));
    assert_int_equal(owner, PLAIN);
    assert_int_equal(local.len, 0);
    assert_true(owner_by_prefix(*state, bytes_of("kata__\0\xff", 8), &owner, &local));
    assert_int_equal(owner, KATA);
    assert_true(bytes_equal(local, bytes_of("\0\xff", 2)));
}

TEST(images_tell_their_owner_by_prefix)
{
    static const struct {
        const char *image;
        bool found;
        size_t owner;
        const char *scheme, *rest;
    } rows[] = {
        {"virtlet.cloud/cirros", true, VIRTLET, "", "cirros"},
        {"virtlet.cloud/library/cirros:1@sha256:x", true, VIRTLET, "", "library/cirros:1@sha256:x"},
        {"virtlet.cloud/", true, VIRTLET, "", ""},
        {"docker-pullable://virtlet.cloud/cirros", true, VIRTLET, "docker-pullable://", "cirros"},
        {"vms/kata/busybox", true, KATA, "", "busybox"},
        {"docker.io/vms/kata/busybox", true, KATA, "", "busybox"},
        {"docker-pullable://docker.io/vms/kata/busybox", true, KATA, "docker-pullable://", "busybox"},
        /* A prefix that reads as a registry gets no docker.io/ in front from kubelets. */
        {"docker.io/virtlet.cloud/cirros", false, 0, "", "docker.io/virtlet.cloud/cirros"},
        {"busybox", false, 0, "", "busybox"},
        {"virtlet.cloud", false, 0, "", "virtlet.cloud"},
        {"virtlet.cloudy/cirros", false, 0, "", "virtlet.cloudy/cirros"},
        {"vms/katamaran/busybox", false, 0, "", "vms/katamaran/busybox"},
        {"kata/busybox", false, 0, "", "kata/busybox"},
        {"containerd/busybox", false, 0, "", "containerd/busybox"},
        {"docker/busybox", false, 0, "", "docker/busybox"},
        {"docker://busybox", false, 0, "docker://", "busybox"},
        {"", false, 0, "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t owner = 0;
        struct image_parts parts;
        bool found = owner_of_image(*state, bytes_of_string(rows[i].image), &owner, &parts);
        if (found != rows[i].found || owner != rows[i].owner || !bytes_equal(parts.scheme, bytes_of_string(rows[i].scheme)) ||
            !bytes_equal(parts.rest, bytes_of_string(rows[i].rest))) {
            fail_msg("\"%s\": %d %zu \"%.*s\"", rows[i].image, found, owner, (int)parts.rest.len, (const char *)parts.rest.data);
        }
    }
}

TEST(handlers_and_names_tell_their_runtime)
{
    size_t owner;
    assert_true(owner_of_handler(*state, bytes_of_string("kata-fc"), &owner));
    assert_int_equal(owner, KATA);
    assert_true(owner_of_handler(*state, bytes_of_string("runc"), &owner));
    assert_int_equal(owner, CONTAINERD);
    assert_false(owner_of_handler(*state, bytes_of_string("qemu"), &owner));
    assert_false(owner_of_handler(*state, bytes_of_string("kata-f"), &owner));
    assert_false(owner_of_handler(*state, bytes_of(NULL, 0), &owner));
    assert_true(owner_by_name(*state, bytes_of_string("virtlet.cloud"), &owner));
    assert_int_equal(owner, VIRTLET);
    assert_true(owner_by_name(*state, bytes_of_string("containerd"), &owner));
    assert_int_equal(owner, CONTAINERD);
    assert_false(owner_by_name(*state, bytes_of("kata\0", 5), &owner));
    assert_false(owner_by_name(*state, bytes_of_string(""), &owner));
}
