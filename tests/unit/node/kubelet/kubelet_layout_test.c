/* Kubelets that another program starts or has built in: what is read of their files, and what is left to people. And what /proc
   shows. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node/kubelet/config.h"
#include "node/kubelet/layout.h"
#include "node/kubelet/outer.h"
#include "node/kubelet/plan.h"
#include "node/kubelet/process.h"
#include "node/kubelet/snap_arguments.h"
#include "node/kubelet/version.h"
#include "node/kubelet/writers.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"

#define ENDPOINT "unix:///run/crigate/crigate.sock"

static char path[64];

static int set_up(void **state)
{
    strcpy(path, "/tmp/crigate-layout-XXXXXX");
    int file = mkstemp(path);
    return file >= 0 && close(file) == 0 ? arena_begin(state) : -1;
}

static int tear_down(void **state)
{
    arena_end(state);
    return unlink(path);
}

EACH_TEST(set_up, tear_down)

TEST(options_of_microk8s)
{
    write_text(path, "--root-dir=${SNAP_COMMON}/var\n# --container-runtime-endpoint=/old\n--eviction-hard=\"a<1,b<2\"\n"
                     "--container-runtime-endpoint=${SNAP_COMMON}/run/containerd.sock\n--config ${SNAP_DATA}/x ${SNAP}/y\n");
    struct unit_command *command = snap_command_read(path, arena, NULL);
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

TEST(no_options_of_microk8s)
{
    write_text(path, "");
    struct unit_command *command = snap_command_read(path, arena, NULL);
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

TEST(what_is_left_to_people)
{
    struct kubelet kubelet = {.program = "/x", .layout = KUBELET_K3S, .unit.name = "k3s-agent.service"};
    kubelet.runtime_endpoint.value = "";
    kubelet.image_endpoint.value = "";
    kubelet.argument_list = "in X, add: ";
    assert_left(
        &kubelet, "the containerd that it starts itself",
        "in X, add: container-runtime-endpoint=" ENDPOINT
        " (not the key container-runtime-endpoint, with which k3s does not start its containerd), then: systemctl restart "
        "k3s-agent.service");
    kubelet.layout = KUBELET_RKE2;
    kubelet.unit.name = "rke2-server.service";
    assert_left(
        &kubelet, "RKE2",
        "in X, add: container-runtime-endpoint=" ENDPOINT
        " (not the key container-runtime-endpoint, with which RKE2 does not start its containerd), then: systemctl restart "
        "rke2-server.service");
    kubelet.layout = KUBELET_MICROK8S;
    assert_left(&kubelet, "microk8s",
                "in /var/snap/microk8s/current/args/kubelet, set --container-runtime-endpoint=" ENDPOINT
                ", then: snap restart microk8s.daemon-kubelite");
    kubelet.layout = KUBELET_EKS_SNAP;
    assert_left(&kubelet, "EKS",
                "snap set kubelet-eks container-runtime-endpoint=" ENDPOINT
                " && snap restart kubelet-eks, at each boot (in the node's user data)");
    kubelet.layout = KUBELET_EKS;
    assert_left(&kubelet, "EKS",
                "in the node's user data: for nodeadm, add --container-runtime-endpoint=" ENDPOINT
                " to spec.kubelet.flags of the NodeConfig; for bootstrap.sh, to --kubelet-extra-args");
}

/* A k3s with a runtime of its owner's has it in a plain key. */
TEST(the_endpoint_of_k3s_is_changed_where_it_is_set)
{
    struct plan plan;
    struct error error = {.code = STATUS_OK};
    struct kubelet kubelet = {.program = "/x", .layout = KUBELET_K3S, .unit.name = "k3s.service", .image_endpoint.value = ""};
    const struct config_files files = {.file = path, .suffix = ".yaml"};
    kubelet.version = kubelet_version_of(bytes_of_string("v1.22.4+k3s1"), arena);
    write_text(path, "container-runtime-endpoint: /run/containerd/containerd.sock # ours\n");
    assert_true(config_find(&files, "container-runtime-endpoint", arena, &kubelet.runtime_endpoint, NULL));
    assert_true(plan_make(&kubelet, ENDPOINT, arena, &plan, &error));
    assert_null(plan.impossible);
    assert_int_equal(plan.file_count, 1);
    assert_string_equal(arena_string(arena, plan.files[0].after), "container-runtime-endpoint: " ENDPOINT " # ours\n");
    assert_string_equal(plan.files[0].why, "set container-runtime-endpoint");
}

/* ---- owners ---- */

#define MOST 3
#define CRIGATE "--container-runtime-endpoint=" ENDPOINT

/* A node as one of them leaves it. What is not named is as on a node of its owner's. */
struct owned {
    const char *layout;
    const char *unit, *fragment, *program, *config, *starter;
    const char *reads[MOST], *drop_ins[MOST];
    const char *files[MOST]; /* that are on the node */
    const char *system;      /* the text of /etc/os-release */
    const char *way;         /* a part of what is left to people; NULL: crigate edits its files */
    bool unseen;             /* whether it was done in this way */
    const char *lost, *kept; /* files in which crigate's endpoint does not last, and lasts; NULL: it is from no file */
};

static const struct owned nodes[] = {
    {.layout = "plain"},
    {.layout = "plain", .config = "/etc/kubernetes/kubelet/own.yaml", .system = "ID=debian\n"},
    {.layout = "plain", .reads = {"/etc/kubernetes/kubelet.env"}, .fragment = "/usr/lib/systemd/system/kubelet.service"},
    {.layout = "plain", .reads = {"/etc/sysconfig/kubelet"}},
    {.layout = "kubeadm", .reads = {"/var/lib/kubelet/kubeadm-flags.env", "/etc/kubernetes/kubelet.env"}},
    {.layout = "kubeadm", .drop_ins = {"/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf"}},
    {.layout = "kubeadm", .config = "/var/lib/kubelet/config.yaml", .files = {"/var/lib/kubelet/instance-config.yaml"}},
    {.layout = "kubespray", .reads = {"/etc/kubernetes/kubelet.env"}, .config = "/etc/kubernetes/kubelet-config.yaml"},
    {.layout = "kubespray", .reads = {"/etc/kubernetes/kubelet.env"}, .fragment = "/etc/systemd/system/kubelet.service"},
    {.layout = "AKS", .reads = {"/etc/default/kubelet"}, .files = {"/opt/azure/containers/x"}},
    {.layout = "Bottlerocket",
     .system = "NAME=Bottlerocket\nID=bottlerocket\n",
     .config = "/etc/kubernetes/kubelet/config",
     .way = "cannot"},
    {.layout = "Bottlerocket",
     .reads = {"/etc/network/proxy.env", "/etc/kubernetes/kubelet/env"},
     .config = "/etc/kubernetes/kubelet/config",
     .way = "another system"},
    {.layout = "Talos", .system = "ID=\"talos\"\n", .way = "another system"},
    {.layout = "OpenShift",
     .files = {"/etc/machine-config-daemon/currentconfig"},
     .way = "MachineConfig",
     .lost = "/etc/systemd/system/kubelet.service",
     .kept = "/etc/systemd/system/kubelet.service.d/90-crigate.conf"},
    {.layout = "OpenShift",
     .drop_ins = {"/etc/systemd/system/kubelet.service.d/10-mco-default-env.conf"},
     .way = "MachineConfig",
     .lost = "/etc/kubernetes/kubelet.conf",
     .kept = "/etc/systemd/system/kubelet.service.d/90-crigate.conf"},
    {.layout = "OpenShift",
     .system = "PLATFORM=x\nID='rhcos'\n",
     .config = "/etc/kubernetes/kubelet.conf",
     .way = "MachineConfig"},
    {.layout = "kops",
     .files = {"/etc/systemd/system/kops-configuration.service"},
     .way = "kops edit cluster",
     .lost = "/etc/sysconfig/kubelet",
     .kept = "/etc/systemd/system/kubelet.service.d/90-crigate.conf"},
    {.layout = "kops", .files = {"/opt/kops/bin/nodeup"}, .way = "spec.fileAssets", .lost = "/etc/sysconfig/kubelet"},
    {.layout = "kops",
     .reads = {"/etc/sysconfig/kubelet"},
     .config = "/var/lib/kubelet/kubelet.conf",
     .way = "/usr/bin/kubelet \"$DAEMON_ARGS\""},
    {.layout = "GCE",
     .unseen = true,
     .files = {"/usr/lib/systemd/system/kube-node-configuration.service"},
     .reads = {"/etc/default/kubelet"},
     .way = "kube-env"},
    {.layout = "GCE",
     .unseen = true,
     .program = "/home/kubernetes/bin/kubelet",
     .way = "KUBE_CONTAINER_RUNTIME_ENDPOINT=" ENDPOINT},
    {.layout = "GCE", .unseen = true, .config = "/home/kubernetes/kubelet-config.yaml", .way = "GKE"},
    {.layout = "EKS", .unseen = true, .reads = {"/etc/eks/kubelet/environment"}, .way = "NodeConfig"},
    {.layout = "EKS", .unseen = true, .config = "/etc/kubernetes/kubelet/kubelet-config.json", .way = "bootstrap.sh"},
    {.layout = "EKS", .unseen = true, .unit = "snap.kubelet-eks.daemon.service", .way = "snap set kubelet-eks"},
    {.layout = "k0s",
     .unit = "k0sworker.service",
     .way = "--kubelet-extra-args=" CRIGATE " to the line ExecStart= of k0sworker.service",
     .lost = "/var/lib/k0s/kubelet-config.yaml"},
    {.layout = "k0s",
     .unit = "own.service",
     .starter = "/usr/bin/k0s",
     .way = "--kubelet-extra-args=" CRIGATE,
     .lost = "/run/k0s/kubelet/config.yaml"},
    {.layout = "k0s", .program = "/data/k0s/bin/kubelet", .way = "--kubelet-extra-args=" CRIGATE},
    {.layout = "k3s", .unit = "k3s-agent.service", .way = "systemctl restart k3s-agent.service"},
    {.layout = "RKE2", .unit = "rke2-server.service", .way = "systemctl restart rke2-server.service"},
    {.layout = "MicroK8s",
     .kept = "/var/snap/microk8s/current/args/kubelet",
     .unit = "snap.microk8s.daemon-kubelite.service",
     .way = "microk8s/current/args/kubelet"},
    {.layout = "Canonical Kubernetes", .unseen = true, .unit = "snap.k8s.kubelet.service", .way = "snap restart k8s.kubelet"},
    {.layout = "Charmed Kubernetes",
     .unseen = true,
     .unit = "snap.kubelet.daemon.service",
     .files = {"/var/lib/juju/agents"},
     .way = "juju config kubernetes-worker"},
    {.layout = "snap",
     .unseen = true,
     .unit = "snap.kubelet.daemon.service",
     .way = "snap set kubelet container-runtime-endpoint=" ENDPOINT},
};

static size_t count_of(const char *const *texts)
{
    size_t count = 0;
    while (count < MOST && texts[count]) {
        count++;
    }
    return count;
}

/* Makes the file, with the folders above it. */
static void make_file(const char *root, const char *name, const char *text)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s%s", root, name);
    for (char *slash = strchr(whole + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static struct kubelet kubelet_of(const struct owned *owned, const char *root)
{
    for (size_t i = 0; i < count_of(owned->files); i++) {
        make_file(root, owned->files[i], "");
    }
    if (owned->system) {
        make_file(root, "/etc/os-release", owned->system);
    }
    struct kubelet kubelet = {.program = owned->program ? owned->program : "/usr/bin/kubelet",
                              .config_file = owned->config,
                              .starter = owned->starter,
                              .unit = {.name = owned->unit ? owned->unit : "kubelet.service",
                                       .fragment = owned->fragment ? owned->fragment : "",
                                       .drop_ins = owned->drop_ins,
                                       .drop_in_count = count_of(owned->drop_ins),
                                       .environment_files = owned->reads,
                                       .environment_file_count = count_of(owned->reads)},
                              .runtime_endpoint.value = "",
                              .image_endpoint.value = "",
                              .container_runtime.value = ""};
    kubelet.version = kubelet_version_of(bytes_of_string("v1.31.4"), arena);
    return kubelet;
}

static struct plan plan_of(const struct kubelet *kubelet)
{
    struct plan plan;
    struct error error = {.code = STATUS_OK};
    if (!plan_make(kubelet, ENDPOINT, arena, &plan, &error)) {
        fail_msg("%s: %s", layout_name(kubelet->layout), error.message);
    }
    return plan;
}

/* What people do in the owner's way is all that is to do; the same where it does not last is not. */
static void check_way(const struct owned *owned, struct kubelet *kubelet)
{
    struct plan plan = plan_of(kubelet);
    assert_non_null(plan.impossible);
    assert_int_equal(plan.by_hand_count, 1);
    if (!strstr(plan.by_hand[0], owned->way) || !strstr(plan.by_hand[0], ENDPOINT)) {
        fail_msg("%s: not in \"%s\": %s", owned->layout, plan.by_hand[0], owned->way);
    }
    assert_null(strpbrk(plan.by_hand[0], "{}"));
    assert_int_equal(layout_writes(kubelet->layout, "/"), strstr(plan.by_hand[0], "another system") != NULL);
    bool outer = layout_is_outer(kubelet->layout);
    kubelet->runtime_endpoint = (struct kubelet_setting){
        .value = ENDPOINT, .source = outer ? KUBELET_SOURCE_LIST : KUBELET_SOURCE_FLAG, .place.file = owned->kept};
    plan = plan_of(kubelet);
    assert_null(plan.impossible);
    assert_int_equal(plan.file_count, 0);
    assert_int_equal(plan.by_hand_count, owned->unseen);
    if (owned->lost) {
        kubelet->runtime_endpoint.place.file = owned->lost;
        assert_non_null(plan_of(kubelet).impossible);
    }
    kubelet->image_endpoint.value = "unix:///run/containerd/containerd.sock";
    kubelet->runtime_endpoint.place.file = owned->kept;
    plan = plan_of(kubelet);
    assert_non_null(plan.impossible);
    bool hopeless = layout_writes(kubelet->layout, "/");
    assert_int_equal(plan.by_hand_count, hopeless ? 1 : 2);
    assert_true(hopeless || strstr(plan.by_hand[1], "set image-service-endpoint, which is now unix:///run/containerd/"));
    assert_true(hopeless || strstr(plan.by_hand[1], "give the primary image_endpoint: unix:///run/containerd/"));
    kubelet->runtime_endpoint.value = "/run/containerd/containerd.sock";
    plan = plan_of(kubelet);
    assert_true(hopeless || !plan.impossible || !strstr(plan.by_hand[1], "/etc/crigate/crigate.yaml"));
}

TEST(owners_are_recognised_and_their_way_too)
{
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        char root[] = "/tmp/crigate-owner-XXXXXX", command[64];
        assert_non_null(mkdtemp(root));
        struct kubelet kubelet = kubelet_of(&nodes[i], root);
        layout_recognise(&kubelet, root, arena);
        if (strcmp(layout_name(kubelet.layout), nodes[i].layout) != 0) {
            fail_msg("node %zu is taken for one of %s, not of %s", i, layout_name(kubelet.layout), nodes[i].layout);
        }
        if (nodes[i].way) {
            check_way(&nodes[i], &kubelet);
        }
        snprintf(command, sizeof command, "rm -r %s", root);
        assert_int_equal(system(command), 0); /* the name is mkdtemp's */
    }
}

/* ---- who writes a file again ---- */

TEST(a_service_that_may_write_a_file_is_found)
{
    static const char file[] = "/etc/sysconfig/kubelet";
    static const struct {
        const char *service, *script; /* the text of one named setup.service, and of /opt/setup */
        bool found;
    } cases[] = {
        {"[Service]\nExecStart=/bin/cp /var/lib/x /etc/sysconfig/kubelet\n", "", true},
        {"[Service]\nExecStart=/bin/sh -c 'echo A=b \\\n >/etc/sysconfig/kubelet'\n", "", true},
        {"[Service]\nExecStartPre=-/opt/setup now\n", "#!/bin/sh\necho A=b >/etc/sysconfig/kubelet\n", true},
        {"[Service]\nEnvironmentFile=/etc/sysconfig/kubelet\nExecStart=/opt/setup\n", "#!/bin/sh\n", false},
        {"[Service]\nExecStart=/bin/cp x /etc/sysconfig/kubelet.old\n", "", false},
        {"[Service]\nExecStart=/opt/setup\n", "/etc/sysconfig/kubelet\n", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char root[] = "/tmp/crigate-owner-XXXXXX", command[64];
        assert_non_null(mkdtemp(root));
        make_file(root, "/etc/systemd/system/setup.service", cases[i].service);
        make_file(root, "/opt/setup", cases[i].script);
        const char *writer = writer_of(file, "kubelet.service", root, arena);
        if (cases[i].found != (writer && strcmp(writer, "setup.service") == 0)) {
            fail_msg("case %zu: %s", i, writer ? writer : "none");
        }
        assert_null(writer_of(file, "setup.service", root, arena));
        snprintf(command, sizeof command, "rm -r %s", root);
        assert_int_equal(system(command), 0); /* the name is mkdtemp's */
    }
}

/* ---- k3s ---- */

static void read_k3s(struct kubelet *kubelet, const char *flags)
{
    struct error error = {.code = STATUS_OK};
    char unit_path[80];
    snprintf(unit_path, sizeof unit_path, "%s.service", path);
    FILE *file = fopen(unit_path, "w");
    assert_non_null(file);
    fprintf(file, "[Service]\nExecStart=/usr/local/bin/k3s server --config %s %s\n", path, flags);
    assert_int_equal(fclose(file), 0);
    *kubelet = (struct kubelet){.program = "/x",
                                .layout = KUBELET_K3S,
                                .own_endpoint = "unix:///own",
                                .unit = {.name = "k3s.service", .fragment = unit_path}};
    kubelet->version = kubelet_version_of(bytes_of_string("v1.31.4+k3s1"), arena);
    struct unit_command *unit = unit_command_read(&kubelet->unit, arena, &error);
    if (!unit || !outer_read(kubelet, unit, arena, &error)) {
        fail_msg("%s", error.message);
    }
    unlink(unit_path);
}

TEST(what_k3s_gives_to_its_kubelet)
{
    static const struct {
        const char *file, *drop_in, *flags; /* of k3s */
        const char *endpoint, *own;
        enum kubelet_source source;
        unsigned line;
    } cases[] = {
        {"", "", "", "", "unix:///own", KUBELET_SOURCE_DEFAULT, 0},
        {"kubelet-arg:\n- max-pods=200\n- container-runtime-endpoint=/a\n", "", "", "/a", "unix:///own", KUBELET_SOURCE_LIST, 3},
        {"kubelet-arg: container-runtime-endpoint=/a\n", "", "", "/a", "unix:///own", KUBELET_SOURCE_LIST, 1},
        {"kubelet-arg: [--container-runtime-endpoint=/a]\ncontainer-runtime-endpoint: /b\n", "", "", "/a", "unix:///own",
         KUBELET_SOURCE_LIST, 1},
        {"kubelet-arg: [container-runtime-endpoint=/a]\n", "kubelet-arg:\n- max-pods=3\n", "", "", "unix:///own",
         KUBELET_SOURCE_DEFAULT, 0},
        {"kubelet-arg: [container-runtime-endpoint=/a]\n", "kubelet-arg+:\n- max-pods=3\n", "", "/a", "unix:///own",
         KUBELET_SOURCE_LIST, 1},
        {"", "kubelet-arg+:\n- max-pods=3\n- container-runtime-endpoint=/c\n", "", "/c", "unix:///own", KUBELET_SOURCE_LIST, 3},
        {"kubelet-arg: [container-runtime-endpoint=/a]\n", "", "--kubelet-arg=container-runtime-endpoint=/d", "/d", "unix:///own",
         KUBELET_SOURCE_LIST, 2},
        {"kubelet-arg: [container-runtime-endpoint=/a]\n", "", "--kubelet-arg=max-pods=3", "", "unix:///own",
         KUBELET_SOURCE_DEFAULT, 0},
        {"container-runtime-endpoint: /b\n", "", "", "/b", "unix:///own", KUBELET_SOURCE_CONFIG, 1},
        {"docker: true\n", "", "", "", "unix:///run/k3s/cri-dockerd/cri-dockerd.sock", KUBELET_SOURCE_DEFAULT, 0},
        {"docker: false\n", "docker: true\n", "", "", "unix:///run/k3s/cri-dockerd/cri-dockerd.sock", KUBELET_SOURCE_DEFAULT, 0},
        {"", "", "--docker", "", "unix:///run/k3s/cri-dockerd/cri-dockerd.sock", KUBELET_SOURCE_DEFAULT, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kubelet kubelet;
        char folder[80], drop_in[96];
        write_text(path, cases[i].file);
        snprintf(folder, sizeof folder, "%s.d", path);
        snprintf(drop_in, sizeof drop_in, "%s/10.yaml", folder);
        mkdir(folder, 0700);
        make_file("", drop_in, cases[i].drop_in);
        read_k3s(&kubelet, cases[i].flags);
        if (strcmp(kubelet.runtime_endpoint.value, cases[i].endpoint) != 0) {
            fail_msg("case %zu: %s", i, kubelet.runtime_endpoint.value);
        }
        assert_int_equal(kubelet.runtime_endpoint.source, cases[i].source);
        assert_int_equal(kubelet.runtime_endpoint.place.line, cases[i].line);
        assert_string_equal(kubelet.own_endpoint, cases[i].own);
        assert_int_equal(unlink(drop_in) + rmdir(folder), 0);
    }
}

/* A list without a plus, or options on the command line, take the place of those before: what stands there has no effect. */
TEST(arguments_of_k3s_are_to_be_added_where_they_have_an_effect)
{
    static const struct {
        const char *file, *drop_in, *flags, *where; /* behind "in " and the file */
    } cases[] = {
        {"", "", "", ", add to the list under kubelet-arg: container"},
        {"kubelet-arg: [v=2]\n", "docker: false\n", "", ", add to the list under kubelet-arg: container"},
        {"kubelet-arg: [v=2]\n", "kubelet-arg: [max-pods=5]\n", "", ".d/10.yaml, add to the list under kubelet-arg: container"},
        {"", "kubelet-arg+: [max-pods=5]\n", "", ".d/10.yaml, add to the list under kubelet-arg+: container"},
        {"kubelet-arg: [v=2]\n", "", "--kubelet-arg max-pods=5",
         ".service, add to the command line (and run systemctl daemon-reload): --kubelet-arg=container"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kubelet kubelet;
        char folder[80], drop_in[96], where[256];
        write_text(path, cases[i].file);
        snprintf(folder, sizeof folder, "%s.d", path);
        snprintf(drop_in, sizeof drop_in, "%s/10.yaml", folder);
        make_file("", drop_in, cases[i].drop_in);
        read_k3s(&kubelet, cases[i].flags);
        assert_int_equal(unlink(drop_in) + rmdir(folder), 0);
        snprintf(where, sizeof where, "in %s%s", path, cases[i].where);
        const char *way = layout_instruction(&kubelet, ENDPOINT, arena);
        if (strncmp(way, where, strlen(where)) != 0) {
            fail_msg("case %zu: %s", i, way);
        }
    }
}

TEST(another_endpoint_among_the_arguments_of_k3s_is_left_to_people)
{
    struct kubelet kubelet;
    write_text(path, "kubelet-arg:\n- container-runtime-endpoint=/a\n");
    read_k3s(&kubelet, "");
    struct plan plan = plan_of(&kubelet);
    assert_non_null(plan.impossible);
    assert_non_null(strstr(plan.impossible, "kubelet-arg"));
    assert_non_null(strstr(plan.by_hand[0], path));
}

TEST(a_process)
{
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

/* A launcher that is told to start a kubelet would do that. */
TEST(a_script_is_asked_for_its_version_only_by_its_own_name)
{
    char script[] = "/run/crigate-version-XXXXXX";
    int file = geteuid() == 0 ? mkstemp(script) : -1;
    if (file < 0) {
        skip(); /* only what belongs to root is asked, in a folder of root's */
    }
    assert_true(dprintf(file, "#!/bin/sh\necho v1.31.4\n") > 0);
    assert_int_equal(fchmod(file, 0755), 0);
    assert_int_equal(close(file), 0);
    struct kubelet_version plain = kubelet_version_ask(script, false, arena);
    struct kubelet_version multiple = kubelet_version_ask(script, true, arena);
    assert_int_equal(unlink(script), 0);
    assert_string_equal(plain.text, "v1.31.4");
    assert_string_equal(multiple.text, "");
}
