/* Kubelets that another program starts or has built in: what is read of their files, and what is left to people. And what /proc
   shows. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/kubelet/config.h"
#include "core/kubelet/layout.h"
#include "core/kubelet/microk8s.h"
#include "core/kubelet/plan.h"
#include "core/kubelet/process.h"
#include "core/kubelet/version.h"

#define CAP ((size_t)16 << 20)
#define ENDPOINT "unix:///run/crigate/crigate.sock"

static struct arena *arena;
static char path[64];

static int set_up(void **state)
{
    (void)state;
    strcpy(path, "/tmp/crigate-layout-XXXXXX");
    int file = mkstemp(path);
    arena = arena_new(CAP);
    return arena && file >= 0 && close(file) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    arena_unref(arena);
    return unlink(path);
}

static void write_text(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void test_options_of_microk8s(void **state)
{
    (void)state;
    write_text("--root-dir=${SNAP_COMMON}/var\n# --container-runtime-endpoint=/old\n--eviction-hard=\"a<1,b<2\"\n"
               "--container-runtime-endpoint=${SNAP_COMMON}/run/containerd.sock\n--config ${SNAP_DATA}/x ${SNAP}/y\n");
    struct unit_command *command = microk8s_command_read(path, arena, NULL);
    assert_non_null(command);
    const struct kubelet_flag *endpoint = kubelet_flags_last(&command->flags, "container-runtime-endpoint");
    assert_string_equal(endpoint->value, "/var/snap/microk8s/common/run/containerd.sock");
    assert_string_equal(kubelet_flags_last(&command->flags, "eviction-hard")->value, "a<1,b<2");
    assert_string_equal(kubelet_flags_last(&command->flags, "config")->value, "/var/snap/microk8s/current/x");
    const char *variable;
    struct text_place place = unit_command_place(command, endpoint->value_word, endpoint->value_at, &variable);
    assert_string_equal(place.file, path);
    assert_int_equal(place.line, 4);
    assert_int_equal(place.length, 0);
    assert_null(variable);
}

static void test_no_options_of_microk8s(void **state)
{
    (void)state;
    write_text("");
    struct unit_command *command = microk8s_command_read(path, arena, NULL);
    assert_non_null(command);
    assert_int_equal(command->flags.count, 0);
}

/* What is left to people for a kubelet of the unit. */
static void assert_left(struct kubelet *kubelet, const char *why, const char *instruction)
{
    struct plan plan;
    struct error error = {.code = STATUS_OK};
    kubelet->version = kubelet_version_of(bytes_of_string("v1.31.4"), arena);
    assert_true(plan_make(kubelet, ENDPOINT, arena, &plan, &error));
    assert_non_null(plan.impossible);
    assert_non_null(strstr(plan.impossible, why));
    assert_int_equal(plan.file_count, 0);
    assert_int_equal(plan.by_hand_count, 1);
    assert_string_equal(plan.by_hand[0], instruction);
}

static void test_what_is_left_to_people(void **state)
{
    (void)state;
    struct kubelet kubelet = {.program = "/x", .layout = KUBELET_K3S, .unit.name = "k3s-agent.service"};
    kubelet.runtime_endpoint.value = "";
    kubelet.image_endpoint.value = "";
    assert_left(
        &kubelet, "the containerd that it starts itself",
        "in /etc/rancher/k3s/config.yaml, add to the list under kubelet-arg: container-runtime-endpoint=" ENDPOINT
        " (not the key container-runtime-endpoint, with which k3s does not start its containerd), then: systemctl restart "
        "k3s-agent.service");
    kubelet.layout = KUBELET_RKE2;
    kubelet.unit.name = "rke2-server.service";
    assert_left(
        &kubelet, "RKE2",
        "in /etc/rancher/rke2/config.yaml, add to the list under kubelet-arg: container-runtime-endpoint=" ENDPOINT
        " (not the key container-runtime-endpoint, with which RKE2 does not start its containerd), then: systemctl restart "
        "rke2-server.service");
    kubelet.layout = KUBELET_MICROK8S;
    assert_left(&kubelet, "microk8s",
                "in /var/snap/microk8s/current/args/kubelet, set --container-runtime-endpoint=" ENDPOINT
                ", then: snap restart microk8s.daemon-kubelite");
    kubelet.layout = KUBELET_EKS;
    kubelet.unit.name = "snap.kubelet-eks.daemon.service";
    assert_left(&kubelet, "EKS",
                "snap set kubelet-eks container-runtime-endpoint=" ENDPOINT
                " && snap restart kubelet-eks, at each boot (in the node's user data)");
    kubelet.unit.name = "kubelet.service";
    assert_left(&kubelet, "EKS",
                "in the node's user data: for nodeadm, add --container-runtime-endpoint=" ENDPOINT
                " to spec.kubelet.flags of the NodeConfig; for bootstrap.sh, to --kubelet-extra-args");
}

/* A k3s with a runtime of its owner's has it in a plain key. */
static void test_the_endpoint_of_k3s_is_changed_where_it_is_set(void **state)
{
    (void)state;
    struct plan plan;
    struct error error = {.code = STATUS_OK};
    struct kubelet kubelet = {.program = "/x", .layout = KUBELET_K3S, .unit.name = "k3s.service", .image_endpoint.value = ""};
    const struct config_files files = {.file = path, .suffix = ".yaml"};
    kubelet.version = kubelet_version_of(bytes_of_string("v1.22.4+k3s1"), arena);
    write_text("container-runtime-endpoint: /run/containerd/containerd.sock # ours\n");
    assert_true(config_find(&files, "container-runtime-endpoint", arena, &kubelet.runtime_endpoint, NULL));
    assert_true(plan_make(&kubelet, ENDPOINT, arena, &plan, &error));
    assert_null(plan.impossible);
    assert_int_equal(plan.file_count, 1);
    assert_string_equal(arena_string(arena, plan.files[0].after), "container-runtime-endpoint: " ENDPOINT " # ours\n");
    assert_string_equal(plan.files[0].why, "set container-runtime-endpoint");
}

static void test_a_process(void **state)
{
    (void)state;
    struct process process;
    int started[2];
    assert_return_code(pipe2(started, O_CLOEXEC), errno);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execl("/bin/sleep", "sleep", "1000", NULL);
        _exit(127);
    }
    close(started[1]);
    char byte;
    assert_int_equal(read(started[0], &byte, 1), 0); /* the program has begun: it has no pipe */
    close(started[0]);
    assert_true(process_read(child, arena, &process));
    assert_int_equal(process.parent, getpid());
    assert_int_equal(process.uid, geteuid());
    assert_non_null(strstr(process.program, "/"));
    assert_int_equal(process.argument_count, 2);
    assert_string_equal(process.arguments[0], "sleep");
    assert_string_equal(process.arguments[1], "1000");
    assert_false(process.other_mount_namespace || process.other_pid_namespace || process.other_user_namespace ||
                 process.other_root || process.other_etc);
    size_t count, found = 0;
    const pid_t *list = process_list(arena, &count);
    for (size_t i = 0; i < count; i++) {
        found += list[i] == child;
    }
    assert_int_equal(found, 1);
    assert_return_code(kill(child, SIGKILL), errno);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_options_of_microk8s, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_options_of_microk8s, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_left_to_people, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_endpoint_of_k3s_is_changed_where_it_is_set, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_process, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
