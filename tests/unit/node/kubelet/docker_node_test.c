/* What takes the place of a Docker that is built into the kubelet. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/map/socket.h"
#include "node/kubelet/checkpoints.h"
#include "node/kubelet/docker_node.h"
#include "node/kubelet/environment.h"
#include "tests/cmocka.h"

#define PROGRAM "/usr/bin/env" /* of root, and no link to anything else's */
#define ENVIRONMENT "/etc/crigate-of-no-node/docker.env"
#define HEAD                                                                                                                     \
    "# The options of the kubelet's built-in dockershim, for crigate-docker.service. Written by `crigate install`.\n"            \
    "CRI_DOCKERD=" PROGRAM "\n"

static const char *const programs[] = {"/usr/bin/no-cri-dockerd-here", PROGRAM};
static const struct docker_node_paths paths = {
    .programs = programs, .program_count = 2, .environment = ENVIRONMENT, .checkpoints = "/nonexistent"};

struct node {
    struct arena *arena;
    struct kubelet kubelet;
    struct docker_node docker;
    struct error error;
    char folder[64];
    char *files[32]; /* in it, to be removed */
    size_t file_count;
};

static int node_begin(void **state)
{
    static const struct kubelet_setting unset = {.value = ""};
    struct node *node = test_calloc(1, sizeof *node);
    node->arena = arena_new(1 << 20);
    node->kubelet = (struct kubelet){.version = {1, 22, 17, "v1.22.17"},
                                     .container_runtime = unset,
                                     .runtime_endpoint = unset,
                                     .image_endpoint = unset,
                                     .cgroup_driver = unset};
    strcpy(node->folder, "/tmp/docker-node-XXXXXX");
    *state = node;
    return mkdtemp(node->folder) ? 0 : -1;
}

static int node_end(void **state)
{
    struct node *node = *state;
    for (size_t i = 0; i < node->file_count; i++) {
        unlink(node->files[i]);
        free(node->files[i]);
    }
    rmdir(node->folder);
    arena_unref(node->arena);
    test_free(node);
    return 0;
}

/* The kubelet's command line, up to NULL. */
static void start(struct node *node, const char *const *words)
{
    node->kubelet.arguments = words;
    while (words[node->kubelet.argument_count]) {
        node->kubelet.argument_count++;
    }
}

static void plan(struct node *node)
{
    if (!docker_node_plan(&node->kubelet, &paths, node->arena, &node->docker, &node->error)) {
        fail_msg("%s", node->error.message);
    }
}

/* The options that cri-dockerd gets. */
static void assert_options(struct node *node, const char *options)
{
    plan(node);
    assert_null(node->docker.impossible);
    assert_string_equal(node->docker.environment.before.path, ENVIRONMENT);
    assert_false(node->docker.environment.before.present);
    const char *text = arena_string(node->arena, node->docker.environment.after);
    assert_memory_equal(text, HEAD, strlen(HEAD));
    const char *found = text + strlen(HEAD) + strlen("CRI_DOCKERD_FLAGS=\"");
    if (strncmp(found, options, strlen(options)) != 0 || strcmp(found + strlen(options), "\"\n") != 0) {
        fail_msg("the options are: %s", found);
    }
}

static void assert_impossible(struct node *node, const char *part)
{
    plan(node);
    assert_non_null(node->docker.impossible);
    if (!strstr(node->docker.impossible, part)) {
        fail_msg("\"%s\" is not in: %s", part, node->docker.impossible);
    }
    assert_true(node->docker.by_hand_count > 0);
    assert_int_equal(node->docker.warning_count, 0);
}

EACH_TEST(node_begin, node_end)

TEST(only_kubelets_to_1_23_have_docker_built_in)
{
    struct node *node = *state;
    assert_true(docker_node_is_built_in(&node->kubelet));
    node->kubelet.version.minor = 23;
    assert_true(docker_node_is_built_in(&node->kubelet));
    node->kubelet.container_runtime.value = "docker";
    assert_true(docker_node_is_built_in(&node->kubelet));
    node->kubelet.container_runtime.value = "remote";
    assert_false(docker_node_is_built_in(&node->kubelet));
    node->kubelet.container_runtime.value = "";
    node->kubelet.version.minor = 24;
    assert_false(docker_node_is_built_in(&node->kubelet));
    node->kubelet.version = (struct kubelet_version){.text = ""};
    assert_false(docker_node_is_built_in(&node->kubelet));
    node->kubelet.version.minor = 22;
    node->kubelet.version.major = 1;
    node->kubelet.layout = KUBELET_K3S;
    assert_false(docker_node_is_built_in(&node->kubelet));
    plan(node);
    assert_false(node->docker.built_in);
}

TEST(cri_dockerd_gets_the_options_of_dockershim_and_no_others)
{
    struct node *node = *state;
    static const char *const words[] = {"kubelet",
                                        "--config=/var/lib/kubelet/no-config.yaml",
                                        "--network_plugin",
                                        "cni",
                                        "--cni-bin-dir=/opt/a,/opt/b",
                                        "--cgroup-driver=systemd",
                                        "--v=2",
                                        "--pod-infra-container-image=k8s.gcr.io/pause:3.1",
                                        "--pod-infra-container-image=k8s.gcr.io/pause:3.5",
                                        "--docker-endpoint=unix:///run/other.sock",
                                        "--container-runtime=docker",
                                        NULL};
    start(node, words);
    assert_options(node, "--network-plugin=cni --cni-bin-dir=/opt/a,/opt/b --pod-infra-container-image=k8s.gcr.io/pause:3.5 "
                         "--docker-endpoint=unix:///run/other.sock");
    assert_int_equal(node->docker.warning_count, 2);
    assert_string_equal(docker_node_engine(&node->kubelet, node->arena), "unix:///run/other.sock");
}

TEST(without_network_plugin_docker_makes_the_network)
{
    struct node *node = *state;
    static const char *const words[] = {"kubelet", NULL};
    start(node, words);
    assert_options(node, "--network-plugin=");
    assert_int_equal(node->docker.warning_count, 3); /* the pause image, too */
    assert_string_equal(docker_node_engine(&node->kubelet, node->arena), "unix:///var/run/docker.sock");
}

TEST(the_hairpin_mode_comes_from_the_configuration_unless_a_flag_says_it)
{
    struct node *node = *state;
    static const char *const words[] = {"kubelet", "--hairpin-mode=none", NULL};
    struct kubelet_flags flags;
    struct bytes text;
    assert_true(kubelet_flags_read(words, 1, 0, node->arena, &flags, NULL));
    assert_true(docker_environment_text(PROGRAM, &flags, "hairpin-veth", node->arena, &text, &node->error));
    assert_non_null(strstr(arena_string(node->arena, text), "\"--network-plugin= --hairpin-mode=hairpin-veth\"\n"));
    assert_true(kubelet_flags_read(words, 2, 0, node->arena, &flags, NULL));
    assert_true(docker_environment_text(PROGRAM, &flags, "hairpin-veth", node->arena, &text, &node->error));
    assert_non_null(strstr(arena_string(node->arena, text), "\"--network-plugin= --hairpin-mode=none\"\n"));
}

TEST(without_cri_dockerd_nothing_takes_the_place)
{
    struct node *node = *state;
    static const char *const words[] = {"kubelet", NULL};
    const struct docker_node_paths none = {
        .programs = programs, .program_count = 1, .environment = ENVIRONMENT, .checkpoints = "/nonexistent"};
    start(node, words);
    assert_true(docker_node_plan(&node->kubelet, &none, node->arena, &node->docker, &node->error));
    assert_non_null(strstr(node->docker.impossible, "no cri-dockerd"));
    assert_non_null(strstr(node->docker.by_hand[0], "install the package cri-dockerd"));
}

TEST(kubenet_and_values_that_a_shell_would_read_are_refused)
{
    struct node *node = *state;
    static const char *const bad[] = {"--network-plugin=kubenet", "--cni-conf-dir=/etc/a b",       "--cni-bin-dir=$(id)",
                                      "--runtime-cgroups=/a\"",   "--docker-endpoint=unix:///*",   "--cni-conf-dir=/a\nX=1",
                                      "--hairpin-mode=a;b",       "--pod-infra-container-image=`", "--cni-cache-dir=\\"};
    static const char *const parts[] = {"kubenet", "--cni-conf-dir", "--cni-bin-dir", "--runtime-cgroups"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *words[] = {"kubelet", bad[i], NULL};
        node->kubelet.argument_count = 0;
        start(node, words);
        assert_impossible(node, i < sizeof parts / sizeof parts[0] ? parts[i] : "has characters");
    }
}

TEST(a_program_that_others_could_replace_is_refused)
{
    struct node *node = *state;
    static const char *const words[] = {"kubelet", NULL};
    static const char *const theirs[] = {"/tmp/.."};
    const struct docker_node_paths open = {
        .programs = theirs, .program_count = 1, .environment = ENVIRONMENT, .checkpoints = "/nonexistent"};
    start(node, words);
    assert_true(docker_node_plan(&node->kubelet, &open, node->arena, &node->docker, &node->error));
    assert_non_null(node->docker.impossible);
    assert_non_null(strstr(node->docker.impossible, "/tmp"));
}

/* ---- checkpoints ---- */

static void write_checkpoint(struct node *node, unsigned number, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%u", node->folder, number);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    node->files[node->file_count++] = strdup(path);
}

TEST(pods_with_host_ports_are_named)
{
    struct node *node = *state;
    static const char ports[] = "\"data\":{\"port_mappings\":[{\"protocol\":\"tcp\",\"container_port\":80,\"host_port\":8080}]";
    static const char *const others[] = {"",
                                         "{",
                                         "[]",
                                         "{\"version\":\"v1\",\"name\":\"plain\",\"namespace\":\"d\",\"data\":{}}",
                                         "{\"version\":\"v1\",\"name\":7,\"namespace\":\"d\",\"data\":{\"port_mappings\":[1]}}",
                                         "{\"name\":\"none\",\"namespace\":\"d\",\"data\":{\"port_mappings\":[]}}"};
    char text[512];
    unsigned number = 0;
    for (; number < sizeof others / sizeof others[0]; number++) {
        write_checkpoint(node, number, others[number]);
    }
    snprintf(text, sizeof text, "{\"name\":\"node\",\"namespace\":\"d\",%s,\"host_network\":true}}", ports);
    write_checkpoint(node, number++, text);
    assert_string_equal(checkpoints_with_ports(node->folder, node->arena), "");
    snprintf(text, sizeof text, "{\"version\":\"v1\",\"name\":\"w\\u001b[2J\",\"namespace\":\"d\",%s},\"checksum\":1}", ports);
    write_checkpoint(node, number++, text);
    assert_string_equal(checkpoints_with_ports(node->folder, node->arena), "d/w?[2J");
    for (unsigned i = 0; i < 7; i++) {
        write_checkpoint(node, number++, text);
    }
    const char *names = checkpoints_with_ports(node->folder, node->arena);
    assert_non_null(strstr(names, "d/w?[2J, d/w?[2J"));
    assert_non_null(strstr(names, " and 3 more"));
    assert_string_equal(checkpoints_with_ports("/nonexistent", node->arena), "");
}

TEST(a_node_with_host_ports_gets_a_warning_only_with_cni)
{
    struct node *node = *state;
    static const char *const with[] = {"kubelet", "--network-plugin=cni", "--pod-infra-container-image=p", NULL};
    static const char *const without[] = {"kubelet", "--pod-infra-container-image=p", NULL};
    const struct docker_node_paths there = {
        .programs = programs, .program_count = 2, .environment = ENVIRONMENT, .checkpoints = node->folder};
    write_checkpoint(node, 1, "{\"name\":\"web\",\"namespace\":\"shop\",\"data\":{\"port_mappings\":[{}]}}");
    start(node, with);
    assert_true(docker_node_plan(&node->kubelet, &there, node->arena, &node->docker, &node->error));
    assert_int_equal(node->docker.warning_count, 3);
    assert_non_null(strstr(node->docker.warnings[2], "shop/web"));
    const char *elsewhere[] = {"kubelet", "--network-plugin=cni", "--pod-infra-container-image=p",
                               "--experimental-dockershim-root-directory=/nonexistent", NULL};
    node->kubelet.argument_count = 0;
    start(node, elsewhere);
    assert_true(docker_node_plan(&node->kubelet, &there, node->arena, &node->docker, &node->error));
    assert_int_equal(node->docker.warning_count, 2);
    node->kubelet.argument_count = 0;
    start(node, without);
    assert_true(docker_node_plan(&node->kubelet, &there, node->arena, &node->docker, &node->error));
    assert_int_equal(node->docker.warning_count, 2);
}

TEST(a_map_with_docker_finds_the_unit)
{
    const struct docker_candidate *candidate = docker_candidate_at(DOCKER_SHIM_ENDPOINT);
    assert_non_null(candidate);
    assert_string_equal(candidate->program, DOCKER_SHIM_UNIT);
}
