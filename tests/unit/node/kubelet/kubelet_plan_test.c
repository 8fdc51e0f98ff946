/* What is read of a kubelet's files, and which of them would change: each case has its files in a folder of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/kubelet/plan.h"
#include "node/kubelet/read.h"
#include "node/kubelet/version.h"
#include "node/systemd/join.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"

#define CAP ((size_t)64 << 20)
#define ENDPOINT "unix:///run/crigate/crigate.sock"
#define CONTAINERD "unix:///run/containerd/containerd.sock"
#define MOST 8

/* A node. */
struct node {
    struct arena *arena;
    char folder[FOLDER_SIZE];
    const char *drop_ins[MOST], *environment_files[MOST];
    struct kubelet kubelet;
    struct plan plan;
};

static int set_up(void **state)
{
    struct node *node = calloc(1, sizeof *node);
    *state = node;
    node->arena = arena_new(CAP);
    node->kubelet = (struct kubelet){
        .program = "/usr/bin/kubelet",
        .version.text = "",
        .unit = {.name = "kubelet.service",
                 .loaded = true,
                 .fragment = "",
                 .drop_ins = node->drop_ins,
                 .environment_files = node->environment_files},
    };
    return node->arena ? make_folder(node->folder) : -1;
}

static int tear_down(void **state)
{
    struct node *node = *state;
    int status = remove_folder(node->folder);
    arena_unref(node->arena);
    free(node);
    return status;
}

static const char *path_of(struct node *node, const char *name)
{
    return join_strings(node->arena, node->folder, "/", name, (char *)NULL);
}

/* Writes a file; "@" in the text is the folder. */
static const char *write_file(struct node *node, const char *name, const char *text)
{
    const char *path = path_of(node, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (const char *c = text; *c; c++) {
        if (*c == '@') {
            fputs(node->folder, file);
        } else {
            fputc(*c, file);
        }
    }
    assert_int_equal(fclose(file), 0);
    return path;
}

static void write_unit(struct node *node, const char *text)
{
    node->kubelet.unit.fragment = write_file(node, "kubelet.service", text);
}

static void write_environment(struct node *node, const char *name, const char *text)
{
    const char *path = text ? write_file(node, name, text) : path_of(node, name);
    node->environment_files[node->kubelet.unit.environment_file_count++] = path;
}

static void set_version(struct node *node, const char *text)
{
    node->kubelet.version = kubelet_version_of(bytes_of_string(text), node->arena);
    assert_int_equal(node->kubelet.version.major, 1);
}

static void read_node(struct node *node)
{
    struct error error = {.code = STATUS_OK};
    if (!kubelet_read(&node->kubelet, node->arena, &error)) {
        fail_msg("%s", error.message);
    }
}

static void make_plan(struct node *node)
{
    struct error error = {.code = STATUS_OK};
    read_node(node);
    if (!plan_make(&node->kubelet, ENDPOINT, node->arena, &node->plan, &error)) {
        fail_msg("%s", error.message);
    }
}

/* The only file that changes, and its text then. */
static void assert_becomes(struct node *node, const char *name, const char *text)
{
    if (node->plan.impossible) {
        fail_msg("impossible: %s", node->plan.impossible);
    }
    assert_int_equal(node->plan.file_count, 1);
    assert_string_equal(node->plan.files[0].before.path, path_of(node, name));
    assert_string_equal(arena_string(node->arena, node->plan.files[0].after), text);
    assert_true(node->plan.files[0].why[0]);
}

static void assert_impossible(struct node *node, const char *part)
{
    assert_non_null(node->plan.impossible);
    if (!strstr(node->plan.impossible, part)) {
        fail_msg("\"%s\" is not in: %s", part, node->plan.impossible);
    }
    assert_int_equal(node->plan.file_count, 0);
    assert_int_equal(node->plan.by_hand_count, 1);
    assert_non_null(strstr(node->plan.by_hand[0], ENDPOINT));
}

static void assert_origin(struct node *node, const struct kubelet_setting *setting, const char *value, const char *origin)
{
    const char *wanted = origin[0] == '@' ? join_strings(node->arena, node->folder, origin + 1, (char *)NULL) : origin;
    assert_string_equal(setting->value, value);
    const char *found = kubelet_setting_origin(&node->kubelet, setting, node->arena);
    if (!strstr(found, wanted)) {
        fail_msg("\"%s\" is not in: %s", wanted, found);
    }
}

#define UNIT_WITH_EXTRA "[Service]\nExecStart=/usr/bin/kubelet --config=@/config.yaml $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS\n"

/* ---- what is read ---- */

EACH_TEST(set_up, tear_down)

TEST(a_flag_wins_over_a_drop_in_and_that_over_the_file)
{
    struct node *node = *state;
    set_version(node, "v1.31.0");
    write_unit(
        node, "[Service]\nExecStart=/usr/bin/kubelet --config=@/config.yaml --config-dir=@/d \\\n --image-service-endpoint=/i\n");
    write_file(node, "config.yaml",
               "containerRuntimeEndpoint: unix:///a\nimageServiceEndpoint: unix:///b\ncgroupDriver: systemd\n");
    mkdir(path_of(node, "d"), 0700);
    mkdir(path_of(node, "d/20-more"), 0700);
    write_file(node, "d/10.conf", "containerRuntimeEndpoint: unix:///c\n");
    write_file(node, "d/20-more/x.conf", "\ncontainerRuntimeEndpoint: unix:///d\n");
    write_file(node, "d/30.yaml", "containerRuntimeEndpoint: unix:///e\n");
    write_file(node, "d/40.conf", "containerRuntimeEndpoint: ''\n");
    read_node(node);
    assert_origin(node, &node->kubelet.runtime_endpoint, "unix:///d", "@/d/20-more/x.conf:2");
    assert_origin(node, &node->kubelet.image_endpoint, "/i", "@/kubelet.service:3");
    assert_origin(node, &node->kubelet.cgroup_driver, "systemd", "@/config.yaml:3");
    assert_origin(node, &node->kubelet.container_runtime, "", "default");
    assert_int_equal(node->kubelet.runtime_endpoint.source, KUBELET_SOURCE_DROP_IN);
    assert_int_equal(node->kubelet.image_endpoint.source, KUBELET_SOURCE_FLAG);
    assert_int_equal(node->kubelet.cgroup_driver.source, KUBELET_SOURCE_CONFIG);
}

TEST(kubelets_before_1_27_have_no_endpoint_in_their_file)
{
    struct node *node = *state;
    set_version(node, "v1.26.15");
    write_unit(node, UNIT_WITH_EXTRA);
    write_file(node, "config.yaml", "containerRuntimeEndpoint: unix:///a\nhealthzPort: 0\n");
    read_node(node);
    assert_origin(node, &node->kubelet.runtime_endpoint, "", "default");
    assert_null(node->kubelet.healthz_address);
}

TEST(where_healthz_is)
{
    struct node *node = *state;
    set_version(node, "v1.31.0");
    write_unit(node, UNIT_WITH_EXTRA);
    read_node(node);
    assert_string_equal(node->kubelet.healthz_address, "127.0.0.1:10248");
    write_file(node, "config.yaml", "healthzPort: 10300\nhealthzBindAddress: '::'\n");
    read_node(node);
    assert_string_equal(node->kubelet.healthz_address, "[::1]:10300");
    write_environment(node, "extra", "KUBELET_EXTRA_ARGS=--healthz-bind-address=0.0.0.0 --healthz-port 10301\n");
    read_node(node);
    assert_string_equal(node->kubelet.healthz_address, "127.0.0.1:10301");
}

TEST(a_file_with_a_mistake_is_named)
{
    struct node *node = *state;
    struct error error = {.code = STATUS_OK};
    set_version(node, "v1.31.0");
    write_unit(node, UNIT_WITH_EXTRA);
    write_file(node, "config.yaml", "a: b\n  c: [\n");
    assert_false(kubelet_read(&node->kubelet, node->arena, &error));
    assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, path_of(node, "config.yaml")));
}

/* ---- one file that changes, or none ---- */

/* A node, and which of its files gets which text; or else, a part of the reason why none does. */
struct change {
    const char *name, *version;
    const char *unit;        /* NULL: UNIT_WITH_EXTRA */
    const char *file, *text; /* an environment file of the unit, or config.yaml; NULL: none */
    const char *changed;     /* the file that changes; NULL: the plan is impossible, `after` says why */
    const char *after;
};

static void check_change(struct node *node, const struct change *change)
{
    print_message("%s\n", change->name);
    node->kubelet.unit.environment_file_count = 0;
    unlink(path_of(node, "config.yaml"));
    set_version(node, change->version);
    write_unit(node, change->unit ? change->unit : UNIT_WITH_EXTRA);
    if (change->file && strcmp(change->file, "config.yaml") == 0) {
        write_file(node, change->file, change->text);
    } else if (change->file) {
        write_environment(node, change->file, change->text);
    }
    make_plan(node);
    if (change->changed) {
        assert_becomes(node, change->changed, change->after);
        assert_int_equal(node->plan.warning_count, 0);
    } else {
        assert_impossible(node, change->after);
    }
}

#define FLAG "--container-runtime-endpoint="

TEST(what_changes)
{
    static const struct change changes[] = {
        {"the flag is changed where it stands", "v1.31.0", NULL, "flags",
         "KUBELET_KUBEADM_ARGS=\"--a=1 " FLAG CONTAINERD " --b=2\"\n", "flags",
         "KUBELET_KUBEADM_ARGS=\"--a=1 " FLAG ENDPOINT " --b=2\"\n"},
        {"the image endpoint goes along if it is the same", "v1.31.0",
         "[Service]\nEnvironment=\"EP=" CONTAINERD "\"\nExecStart=/usr/bin/kubelet " FLAG
         "${EP} --image-service-endpoint=${EP} -v 2\n",
         NULL, NULL, "kubelet.service",
         "[Service]\nEnvironment=\"EP=" ENDPOINT "\"\nExecStart=/usr/bin/kubelet " FLAG
         "${EP} --image-service-endpoint=${EP} -v 2\n"},
        {"an empty value is filled", "v1.31.0", NULL, "flags", "KUBELET_KUBEADM_ARGS=\"" FLAG " --b\"\n", "flags",
         "KUBELET_KUBEADM_ARGS=\"" FLAG ENDPOINT " --b\"\n"},
        {"a line of its own goes whole", "v1.28.0",
         "[Service]\nExecStart=/usr/bin/kubelet \\\n  --container-runtime=remote \\\n  " FLAG "/a\nRestart=always\n", NULL, NULL,
         "kubelet.service", "[Service]\nExecStart=/usr/bin/kubelet \\\n  " FLAG ENDPOINT "\nRestart=always\n"},
        {"from 1.27 on the file gets the endpoint", "v1.27.0", NULL, "config.yaml", "kind: KubeletConfiguration\n", "config.yaml",
         "kind: KubeletConfiguration\ncontainerRuntimeEndpoint: " ENDPOINT "\n"},
        {"before, a variable gets the flag", "v1.26.0", NULL, "extra", "# mine\nKUBELET_EXTRA_ARGS=--node-ip=10.0.0.1\nOTHER=x\n",
         "extra", "# mine\nKUBELET_EXTRA_ARGS=--node-ip=10.0.0.1 " FLAG ENDPOINT "\nOTHER=x\n"},
        {"an empty variable gets it", "v1.26.0", NULL, "flags", "KUBELET_KUBEADM_ARGS=\"\"\n", "flags",
         "KUBELET_KUBEADM_ARGS=\"" FLAG ENDPOINT "\"\n"},
        {"a unit of the owner without a file gets it in its variable", "v1.26.0",
         "[Service]\nEnvironment=\"MORE=--a --b\"\nExecStart=/usr/bin/kubelet $MORE --c\n", NULL, NULL, "kubelet.service",
         "[Service]\nEnvironment=\"MORE=--a --b " FLAG ENDPOINT "\"\nExecStart=/usr/bin/kubelet $MORE --c\n"},
        {"--container-runtime is added up to 1.23", "v1.23.17", NULL, "extra", "KUBELET_EXTRA_ARGS=\n", "extra",
         "KUBELET_EXTRA_ARGS=\"--container-runtime=remote " FLAG ENDPOINT "\"\n"},
        {"docker becomes remote", "v1.20.0", NULL, "extra",
         "KUBELET_EXTRA_ARGS='--container-runtime docker --container-runtime-endpoint /a'\n", "extra",
         "KUBELET_EXTRA_ARGS='--container-runtime remote --container-runtime-endpoint " ENDPOINT "'\n"},
        {"--container-runtime stays to 1.26", "v1.26.0", NULL, "extra",
         "KUBELET_EXTRA_ARGS=\"--container-runtime=remote \\\n  " FLAG "/a \\\n  --b\"\n", "extra",
         "KUBELET_EXTRA_ARGS=\"--container-runtime=remote \\\n  " FLAG ENDPOINT " \\\n  --b\"\n"},
        {"and goes from 1.27 on", "v1.27.0", NULL, "extra",
         "KUBELET_EXTRA_ARGS=\"--container-runtime=remote \\\n  " FLAG "/a \\\n  --b\"\n", "extra",
         "KUBELET_EXTRA_ARGS=\"\\\n  " FLAG ENDPOINT " \\\n  --b\"\n"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        check_change(*state, &changes[i]);
    }
}

TEST(what_is_left_to_people)
{
    static const struct change changes[] = {
        {"a variable with other uses", "v1.31.0",
         "[Service]\nEnvironment=EP=/a\nExecStart=/usr/bin/kubelet " FLAG "${EP} --other=${EP}\n", NULL, NULL, NULL,
         "kubelet.service:2: another value here would change more than the option"},
        {"a value with escapes", "v1.31.0", NULL, "flags", "\nKUBELET_KUBEADM_ARGS=" FLAG "/a\\bc\n", NULL,
         "flags:2: the value is quoted or escaped"},
        {"a doubtful line", "v1.31.0", NULL, "flags", "# x \\\nKUBELET_KUBEADM_ARGS=" FLAG "/a\n", NULL,
         "flags:2: the line follows a comment that ends in a backslash"},
        {"a unit that reads nothing", "v1.26.0", "[Service]\nExecStart=/usr/bin/kubelet --c\n", NULL, NULL, NULL,
         "the unit reads no file to which " FLAG ENDPOINT " could be added"},
        {"a kubelet that is not running and has a starter of its own", "v1.31.0",
         "[Service]\nExecStart=/opt/start.sh " FLAG "/a\n", NULL, NULL, NULL, "starts /opt/start.sh, which is not a kubelet"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        check_change(*state, &changes[i]);
    }
}

/* ---- flags ---- */

TEST(the_last_flag_counts)
{
    struct node *node = *state;
    set_version(node, "v1.31.0");
    write_unit(node, UNIT_WITH_EXTRA);
    write_environment(node, "flags", "KUBELET_KUBEADM_ARGS=--container-runtime-endpoint=/a\n");
    write_environment(node, "extra", "KUBELET_EXTRA_ARGS=--container-runtime-endpoint /b\n");
    make_plan(node);
    assert_becomes(node, "extra", "KUBELET_EXTRA_ARGS=--container-runtime-endpoint " ENDPOINT "\n");
}

/* An image service of its own: wherever a release has its endpoint, it leads to crigate, too. */
TEST(another_image_endpoint_is_changed_where_it_stands)
{
    static const struct {
        const char *version, *unit, *environment, *config, *drop_in; /* "" and NULL: there is none */
        const char *file, *text;                                     /* that changes besides the unit's, and its text then */
    } cases[] = {
        {"v1.31.0", "--config=@/config.yaml --container-runtime-endpoint=" ENDPOINT, NULL, "imageServiceEndpoint: unix:///b\n",
         NULL, "config.yaml", "imageServiceEndpoint: " ENDPOINT "\n"},
        {"v1.31.0", "--config=@/config.yaml --config-dir=@/d --container-runtime-endpoint=" ENDPOINT, NULL,
         "imageServiceEndpoint: unix:///b\n", "imageServiceEndpoint: '/c'\n", "d/20.conf",
         "imageServiceEndpoint: " ENDPOINT "\n"},
        {"v1.31.0", "--container-runtime-endpoint=" ENDPOINT " $MORE", "MORE='--v=2 --image-service-endpoint=/b'\n", NULL, NULL,
         "flags", "MORE='--v=2 --image-service-endpoint=" ENDPOINT "'\n"},
        {"v1.9.11", "--container-runtime=remote --container-runtime-endpoint=" ENDPOINT " $MORE",
         "MORE=\"--image-service-endpoint /b\"\n", "imageServiceEndpoint: unix:///not-read\n", NULL, "flags",
         "MORE=\"--image-service-endpoint " ENDPOINT "\"\n"},
        {"v1.24.0", "--container-runtime-endpoint=" ENDPOINT " --image-service-endpoint=/b", NULL, NULL, NULL, "kubelet.service",
         "[Service]\nExecStart=/usr/bin/kubelet --container-runtime-endpoint=" ENDPOINT " --image-service-endpoint=" ENDPOINT
         "\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct node *node = *state;
        set_version(node, cases[i].version);
        write_unit(node, join_strings(node->arena, "[Service]\nExecStart=/usr/bin/kubelet ", cases[i].unit, "\n", (char *)NULL));
        node->kubelet.unit.environment_file_count = 0;
        if (cases[i].environment) {
            write_environment(node, "flags", cases[i].environment);
        }
        if (cases[i].config) {
            write_file(node, "config.yaml", cases[i].config);
        }
        mkdir(path_of(node, "d"), 0700);
        write_file(node, "d/20.conf", cases[i].drop_in ? cases[i].drop_in : "");
        make_plan(node);
        assert_becomes(node, cases[i].file, cases[i].text);
        assert_int_equal(node->plan.warning_count, 0);
    }
}

/* /var/run and /run: one socket by two ways. What crigate's own path leads to is not looked at. */
TEST(endpoints_are_compared_as_paths_not_as_texts)
{
    struct node *node = *state;
    set_version(node, "v1.31.0");
    mkdir(path_of(node, "run"), 0700);
    assert_int_equal(symlink("run", path_of(node, "link")), 0);
    assert_int_equal(symlink("/run/containerd/containerd.sock", path_of(node, "run/crigate.sock")), 0);
    write_unit(node, "[Service]\nExecStart=/usr/bin/kubelet --container-runtime-endpoint=unix://@/link/crigate.sock "
                     "--image-service-endpoint=@/run/other.sock\n");
    read_node(node);
    struct error error = {.code = STATUS_OK};
    const char *endpoint = join_strings(node->arena, "unix://", path_of(node, "run/crigate.sock"), (char *)NULL);
    assert_true(plan_make(&node->kubelet, endpoint, node->arena, &node->plan, &error));
    assert_becomes(node, "kubelet.service",
                   join_strings(node->arena, "[Service]\nExecStart=/usr/bin/kubelet --container-runtime-endpoint=unix://",
                                path_of(node, "link/crigate.sock"), " --image-service-endpoint=", endpoint, "\n", (char *)NULL));
}

TEST(a_link_is_not_changed)
{
    struct node *node = *state;
    set_version(node, "v1.31.0");
    write_unit(node, UNIT_WITH_EXTRA);
    write_file(node, "real", "KUBELET_EXTRA_ARGS=--container-runtime-endpoint=/a\n");
    assert_int_equal(symlink("real", path_of(node, "link")), 0);
    write_environment(node, "link", NULL);
    make_plan(node);
    assert_impossible(node, "symbolic link");
}

TEST(a_hard_link_is_not_changed)
{
    struct node *node = *state;
    set_version(node, "v1.31.0");
    write_unit(node, UNIT_WITH_EXTRA);
    write_environment(node, "extra", "KUBELET_EXTRA_ARGS=--container-runtime-endpoint=/a\n");
    assert_int_equal(link(path_of(node, "extra"), path_of(node, "other")), 0);
    make_plan(node);
    assert_impossible(node, "extra is a hard link");
}

TEST(nothing_is_left_to_do)
{
    struct node *node = *state;
    set_version(node, "v1.31.0");
    write_unit(node, UNIT_WITH_EXTRA);
    write_environment(node, "flags", "KUBELET_EXTRA_ARGS=--container-runtime-endpoint=/run/crigate/crigate.sock\n");
    make_plan(node);
    assert_null(node->plan.impossible);
    assert_int_equal(node->plan.file_count, 0);
}

/* ---- releases ---- */

TEST(callers_of_1_10_and_1_11)
{
    struct node *node = *state;
    write_unit(node, UNIT_WITH_EXTRA);
    write_environment(node, "extra", "KUBELET_EXTRA_ARGS=--container-runtime=remote\n");
    set_version(node, "v1.9.11");
    make_plan(node);
    assert_null(node->plan.needs_callers);
    set_version(node, "v1.10.3");
    make_plan(node);
    assert_string_equal(node->plan.needs_callers, "1.10");
    set_version(node, "v1.11.0");
    make_plan(node);
    assert_string_equal(node->plan.needs_callers, "1.11");
    set_version(node, "v1.12.0");
    make_plan(node);
    assert_null(node->plan.needs_callers);
}

/* ---- kubeadm ---- */

static void write_kubeadm_node(struct node *node, const char *flags)
{
    write_unit(node, UNIT_WITH_EXTRA);
    write_environment(node, "flags", flags);
    write_file(node, "config.yaml", "containerRuntimeEndpoint: \"\"\n");
    node->kubelet.layout = KUBELET_KUBEADM;
    node->kubelet.kubeadm_flags = node->environment_files[0];
}

TEST(up_to_1_33_the_annotation_is_left_to_people)
{
    struct node *node = *state;
    set_version(node, "v1.33.0");
    write_kubeadm_node(node, "KUBELET_KUBEADM_ARGS=\"--hostname-override=n1 --container-runtime-endpoint=/a\"\n");
    make_plan(node);
    assert_becomes(node, "flags", "KUBELET_KUBEADM_ARGS=\"--hostname-override=n1 --container-runtime-endpoint=" ENDPOINT "\"\n");
    assert_int_equal(node->plan.by_hand_count, 1);
    assert_string_equal(node->plan.by_hand[0],
                        "kubectl annotate node n1 --overwrite kubeadm.alpha.kubernetes.io/cri-socket=" ENDPOINT);
}

static void assert_file(struct node *node, const char *name, const char *text)
{
    for (size_t i = 0; i < node->plan.file_count; i++) {
        if (strcmp(node->plan.files[i].before.path, path_of(node, name)) == 0) {
            assert_string_equal(arena_string(node->arena, node->plan.files[i].after), text);
            return;
        }
    }
    fail_msg("%s does not change", name);
}

TEST(from_1_34_on_two_files_change_and_the_flag_goes)
{
    struct node *node = *state;
    set_version(node, "v1.34.0");
    write_kubeadm_node(node, "KUBELET_KUBEADM_ARGS=\"--a --container-runtime-endpoint=/a\"\n");
    node->kubelet.kubeadm_instance = path_of(node, "instance.yaml");
    make_plan(node);
    assert_null(node->plan.impossible);
    assert_int_equal(node->plan.file_count, 3);
    assert_int_equal(node->plan.files[1].mode, 0644);
    assert_file(node, "config.yaml", "containerRuntimeEndpoint: \"" ENDPOINT "\"\n");
    assert_file(node, "instance.yaml", "containerRuntimeEndpoint: " ENDPOINT "\n");
    assert_file(node, "flags", "KUBELET_KUBEADM_ARGS=\"--a\"\n");
    assert_int_equal(node->plan.by_hand_count, 0);
}

/* Its next upgrade reads the flag, and makes the file from it. */
TEST(a_node_without_the_file_of_1_34_keeps_its_flag)
{
    struct node *node = *state;
    set_version(node, "v1.35.0");
    write_kubeadm_node(node, "KUBELET_KUBEADM_ARGS=\"--hostname-override=a;b --container-runtime-endpoint=/a\"\n");
    make_plan(node);
    assert_becomes(node, "flags", "KUBELET_KUBEADM_ARGS=\"--hostname-override=a;b --container-runtime-endpoint=" ENDPOINT "\"\n");
    assert_int_equal(node->plan.by_hand_count, 1);
    assert_non_null(strstr(node->plan.by_hand[0], "cri-socket=" ENDPOINT));
    assert_null(strstr(node->plan.by_hand[0], "a;b"));
}

TEST(from_1_34_on_a_flag_of_the_owner_stays_and_changes)
{
    struct node *node = *state;
    set_version(node, "v1.36.0");
    write_kubeadm_node(node, "KUBELET_KUBEADM_ARGS=\"\"\n");
    write_environment(node, "extra", "KUBELET_EXTRA_ARGS=--container-runtime-endpoint=/a\n");
    node->kubelet.kubeadm_instance = write_file(node, "instance.yaml", "containerRuntimeEndpoint: \"/a\"\n");
    make_plan(node);
    assert_int_equal(node->plan.file_count, 3);
    assert_file(node, "extra", "KUBELET_EXTRA_ARGS=--container-runtime-endpoint=" ENDPOINT "\n");
    assert_file(node, "instance.yaml", "containerRuntimeEndpoint: \"" ENDPOINT "\"\n");
}

/* The next upgrade patches the configuration with all that is in instance-config.yaml. */
TEST(kubeadm_from_1_34_on_has_the_image_endpoint_in_both_files)
{
    static const struct {
        const char *config, *instance; /* before */
        const char *config_after, *instance_after;
    } cases[] = {
        {"containerRuntimeEndpoint: /a\nimageServiceEndpoint: /i\n", "containerRuntimeEndpoint: /a\n",
         "containerRuntimeEndpoint: " ENDPOINT "\nimageServiceEndpoint: " ENDPOINT "\n",
         "containerRuntimeEndpoint: " ENDPOINT "\nimageServiceEndpoint: " ENDPOINT "\n"},
        {"containerRuntimeEndpoint: /a\n", "imageServiceEndpoint: /i\ncontainerRuntimeEndpoint: /a\n",
         "containerRuntimeEndpoint: " ENDPOINT "\n",
         "imageServiceEndpoint: " ENDPOINT "\ncontainerRuntimeEndpoint: " ENDPOINT "\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct node *node = *state;
        node->kubelet.unit.environment_file_count = 0;
        set_version(node, "v1.35.0");
        write_kubeadm_node(node, "KUBELET_KUBEADM_ARGS=\"\"\n");
        write_file(node, "config.yaml", cases[i].config);
        node->kubelet.kubeadm_instance = write_file(node, "instance.yaml", cases[i].instance);
        make_plan(node);
        assert_int_equal(node->plan.file_count, 2);
        assert_file(node, "config.yaml", cases[i].config_after);
        assert_file(node, "instance.yaml", cases[i].instance_after);
        write_file(node, "config.yaml", cases[i].config_after);
        write_file(node, "instance.yaml", cases[i].instance_after);
        make_plan(node);
        assert_int_equal(node->plan.file_count, 0);
    }
}

/* ---- files of packages ---- */

/* A unit in a folder that is never edited. */
static void write_package_unit(struct node *node, const char *text)
{
    char folder[] = "/dev/shm/crigate-plan-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *path = join_strings(node->arena, folder, "/kubelet.service", (char *)NULL);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    node->kubelet.unit.name = "crigate-plan-test.service";
    node->kubelet.unit.fragment = path;
    make_plan(node);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

TEST(a_later_flag_wins_over_that_of_a_package)
{
    struct node *node = *state;
    set_version(node, "v1.26.0");
    write_environment(node, "extra", "KUBELET_EXTRA_ARGS=\"--b\"\n");
    write_package_unit(node, "[Service]\nExecStart=/usr/bin/kubelet --container-runtime-endpoint=/a $KUBELET_EXTRA_ARGS\n");
    assert_becomes(node, "extra", "KUBELET_EXTRA_ARGS=\"--b --container-runtime-endpoint=" ENDPOINT "\"\n");
}

TEST(a_variable_of_a_package_is_set_anew)
{
    struct node *node = *state;
    set_version(node, "v1.26.0");
    write_package_unit(node,
                       "[Service]\nEnvironment=\"A=--x --container-runtime-endpoint=/a --y\"\nExecStart=/usr/bin/kubelet $A\n");
    assert_null(node->plan.impossible);
    assert_int_equal(node->plan.file_count, 1);
    assert_string_equal(node->plan.files[0].before.path, "/etc/systemd/system/crigate-plan-test.service.d/99-crigate.conf");
    assert_false(node->plan.files[0].before.present);
    assert_string_equal(arena_string(node->arena, node->plan.files[0].after),
                        "# Points the kubelet to crigate. `crigate uninstall` removes this file.\n[Service]\n"
                        "Environment=\"A=--x --container-runtime-endpoint=" ENDPOINT " --y\"\n");
    assert_int_equal(node->plan.warning_count, 1);
    assert_non_null(strstr(node->plan.warnings[0], "the variable A of crigate-plan-test.service"));
}

TEST(a_command_line_of_a_package_is_left_to_people)
{
    struct node *node = *state;
    set_version(node, "v1.26.0");
    write_package_unit(node, "[Service]\nExecStart=/usr/bin/kubelet --container-runtime-endpoint=/a $NONE\n");
    assert_impossible(node, "kubelet.service:2: the file belongs to a package");
}

/* ---- what is never edited ---- */

TEST(some_kubelets_are_left_to_people)
{
    struct node *node = *state;
    set_version(node, "v1.20.0");
    write_unit(node, UNIT_WITH_EXTRA);
    write_environment(node, "extra", "KUBELET_EXTRA_ARGS=--container-runtime=remote --dynamic-config-dir=/x\n");
    make_plan(node);
    assert_impossible(node, "--dynamic-config-dir");
    node->kubelet.unit.environment_file_count = 0;
    node->kubelet.rootless = true;
    make_plan(node);
    assert_impossible(node, "without root privileges");
}

TEST(a_kubelet_without_a_known_version_is_left_to_people)
{
    struct node *node = *state;
    write_unit(node, "[Service]\nExecStart=@/kubelet --container-runtime-endpoint=/a\n");
    make_plan(node);
    assert_impossible(node, "version");
}

/* The unit's ExecStart= has the endpoint behind what else starts the kubelet, and it is changed there. */
static void assert_changes_start(struct node *node, const char *start)
{
    const char *before = join_strings(node->arena, "[Service]\nExecStart=", start, "\n", (char *)NULL);
    const char *at = strstr(before, "/old");
    const char *front = arena_string(node->arena, bytes_of(before, (size_t)(at - before)));
    write_unit(node, before);
    make_plan(node);
    assert_becomes(node, "kubelet.service", join_strings(node->arena, front, ENDPOINT, at + strlen("/old"), (char *)NULL));
}

TEST(programs_that_start_the_kubelet)
{
    struct node *node = *state;
    set_version(node, "v1.31.0");
    assert_changes_start(node, "/usr/bin/nice -n -10 /usr/bin/kubelet --container-runtime-endpoint=/old --v=2");
    assert_changes_start(node, "/usr/bin/ionice -c2 -n0 chrt --rr 5 /usr/bin/kubelet --container-runtime-endpoint=/old");
    assert_changes_start(node, "/usr/bin/taskset -c 0-3 -- /usr/bin/kubelet --container-runtime-endpoint /old --v 2");
    assert_changes_start(node, "/usr/bin/env A=b kubelet --container-runtime-endpoint=/old");
    assert_changes_start(node, "/usr/bin/systemd-inhibit --why=kubelet /usr/bin/kubelet --container-runtime-endpoint=/old");
    assert_changes_start(node,
                         "-/usr/bin/numactl --interleave=all -- /opt/bin/hyperkube kubelet --container-runtime-endpoint=/old");
    assert_changes_start(node, "+/opt/bin/everything kubelet --container-runtime-endpoint=/old");
    assert_changes_start(node,
                         "/bin/sh -c 'exec /usr/bin/kubelet --container-runtime-endpoint=/old >>/var/log/kubelet.log 2>&1'");
    assert_changes_start(node, "/usr/bin/nice /bin/bash -ec \"kubelet '--container-runtime-endpoint=/old' $$NONE\"");
}

TEST(a_shell_has_the_variables_of_the_unit)
{
    struct node *node = *state;
    set_version(node, "v1.31.0");
    write_unit(node, "[Service]\nExecStart=/bin/sh -c 'exec /usr/bin/kubelet $$ARGS --x=\"$MORE\"'\n");
    write_environment(node, "a.env", "ARGS=\"--v=2 --container-runtime-endpoint=/old\"\nMORE=\"a  b\"\n");
    make_plan(node);
    assert_becomes(node, "a.env", "ARGS=\"--v=2 --container-runtime-endpoint=" ENDPOINT "\"\nMORE=\"a  b\"\n");
    assert_string_equal(node->kubelet.arguments[3], "--x=a  b");
}

TEST(environment_files_by_a_pattern)
{
    struct node *node = *state;
    set_version(node, "v1.31.0");
    write_unit(node, "[Service]\nExecStart=/usr/bin/kubelet $ARGS\n");
    write_file(node, "10.env", "ARGS=--container-runtime-endpoint=/first\n");
    write_file(node, "20.env", "ARGS=--container-runtime-endpoint=/second\n");
    write_environment(node, "*.env", NULL);
    make_plan(node);
    assert_becomes(node, "20.env", "ARGS=--container-runtime-endpoint=" ENDPOINT "\n");
}

/* The kubelet runs with an endpoint whose place is unclear, for that reason. */
static void assert_unclear(struct node *node, const char *start, const char *why)
{
    static const char *const words[] = {"/usr/bin/kubelet", "--container-runtime-endpoint=/old"};
    write_unit(node, join_strings(node->arena, "[Service]\nExecStart=", start, "\n", (char *)NULL));
    node->kubelet.pid = 1;
    node->kubelet.program = words[0];
    node->kubelet.arguments = words;
    node->kubelet.argument_count = 2;
    make_plan(node);
    assert_impossible(node, join_strings(node->arena, path_of(node, "kubelet.service"), strchr(start, '\n') ? ":3 " : ":2 ", why,
                                         (char *)NULL));
}

TEST(what_is_not_understood_is_named)
{
    struct node *node = *state;
    set_version(node, "v1.31.0");
    assert_unclear(node, "/opt/start.sh", "starts /opt/start.sh, which is not a kubelet");
    assert_unclear(node, "/bin/bash /opt/start.sh", "starts /bin/bash /opt/start.sh, which is not a kubelet");
    assert_unclear(node, "/bin/sh -c 'exec kubelet `cat /etc/args`'", "starts a shell script with a command substitution");
    assert_unclear(node, "/bin/sh -c 'exec kubelet $$(cat /etc/args)'", "starts a shell script with a command substitution");
    assert_unclear(node, "/bin/sh -c '. /etc/env; exec kubelet $$ARGS'", "starts a shell script with several commands");
    assert_unclear(node, "/bin/sh -c 'kubelet $${ARGS:-x}'", "starts a shell script with a \"$\" that is not a plain variable");
    assert_unclear(node, "/bin/sh -c 'A=b exec kubelet'", "starts a shell script with an assignment");
    assert_unclear(node, "/bin/sh -c 'kubelet | logger'", "starts a shell script with a pipe");
    assert_unclear(node, "/usr/bin/kubelet --container-runtime-endpoint=%m", "has the specifier %m");
    assert_unclear(node, "/usr/bin/kubelet $ARGS\nPassEnvironment=ARGS", "has PassEnvironment=");
}

/* It ends again and again until crigate is there, so that only the files of k0s say what it will call. */
TEST(a_kubelet_of_k0s_that_does_not_run_is_led_to_crigate_by_its_unit)
{
    static const struct {
        const char *options;
        bool done;
    } cases[] = {
        {"", false},
        {" --kubelet-extra-args=--container-runtime-endpoint=" CONTAINERD, false},
        {" --kubelet-extra-args=--container-runtime-endpoint=" ENDPOINT, true},
        {" \"--kubelet-extra-args=--v=2 --container-runtime-endpoint=" ENDPOINT " --max-pods=5\"", true},
        {" '--kubelet-extra-args=--container-runtime-endpoint=" ENDPOINT " --container-runtime-endpoint=/x'", false},
    };
    struct node *node = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *unit =
            join_strings(node->arena, "[Service]\nExecStart=/usr/local/bin/k0s worker", cases[i].options, "\n", (char *)NULL);
        node->kubelet = (struct kubelet){
            .program = "", .version.text = "", .layout = KUBELET_K0S, .unit = {.name = "k0sworker.service", .loaded = true}};
        write_unit(node, unit);
        make_plan(node);
        if (!node->plan.impossible != cases[i].done) {
            fail_msg("case %zu: %s", i, node->plan.impossible ? node->plan.impossible : "possible");
        }
        assert_int_equal(node->plan.file_count, 0);
    }
}

TEST(a_kubelet_that_runs_with_other_flags_than_its_files_say)
{
    struct node *node = *state;
    static const char *const words[] = {"/usr/bin/kubelet", "--container-runtime-endpoint=/old"};
    set_version(node, "v1.31.0");
    write_unit(node, "[Service]\nExecStart=/usr/bin/kubelet --container-runtime-endpoint=/new\n");
    node->kubelet.pid = 1;
    node->kubelet.arguments = words;
    node->kubelet.argument_count = 2;
    make_plan(node);
    assert_null(node->kubelet.runtime_endpoint.place.file);
    assert_impossible(node, "the kubelet runs with --container-runtime-endpoint=/old");
    node->kubelet.argument_count = 1;
    make_plan(node);
    assert_impossible(node, "the kubelet runs without --container-runtime-endpoint");
    node->kubelet.unit.needs_reload = true;
    make_plan(node);
    assert_impossible(node, "run systemctl daemon-reload and restart it first");
}

TEST(crio_keeps_the_end_of_its_path)
{
    struct node *node = *state;
    node->kubelet.runtime_endpoint.value = "unix:///var/run/crio/crio.sock";
    const char *endpoint = plan_listen_endpoint(&node->kubelet, node->arena);
    assert_string_equal(endpoint + strlen(endpoint) - strlen("run/crio/crio.sock"), "run/crio/crio.sock");
    node->kubelet.runtime_endpoint.value = CONTAINERD;
    assert_string_equal(plan_listen_endpoint(&node->kubelet, node->arena), ENDPOINT);
}
