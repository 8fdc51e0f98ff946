/* The order of the steps of an install, and of the way back. */
#include <string.h>

#include "node/deploy/unit_file.h"
#include "node/install/steps.h"
#include "node/install/undo.h"
#include "tests/cmocka.h"

#define CONFIG "/var/lib/kubelet/config.yaml"
#define INSTANCE "/var/lib/kubelet/instance-config.yaml"

/* ---- the way back ---- */

/* A letter for each action: k and o for files with their numbers, R for the kubelet, S, B, r, C for the rest. */
static const char *order_of(const char *const *paths, size_t count)
{
    static char text[2 * UNDO_MOST_ACTIONS + 1];
    static const char letters[] = {[UNDO_KUBELET_FILE] = 'k', [UNDO_KUBELET] = 'R', [UNDO_STOP] = 'S', [UNDO_BYPASS] = 'B',
                                   [UNDO_OWN_FILE] = 'o',     [UNDO_RESUME] = 'r',  [UNDO_CLEAR] = 'C'};
    struct undo_action actions[UNDO_MOST_ACTIONS];
    size_t actions_count = undo_order(paths, count, actions);
    char *end = text;
    for (size_t i = 0; i < actions_count; i++) {
        *end++ = letters[actions[i].kind];
        if (actions[i].kind == UNDO_KUBELET_FILE || actions[i].kind == UNDO_OWN_FILE) {
            *end++ = (char)('0' + actions[i].file);
        }
    }
    *end = '\0';
    return text;
}

TEST(the_kubelet_is_led_back_before_crigate_stops)
{
    static const char *const paths[] = {RUNTIME_MAP_DEFAULT_PATH, UNIT_FILE_PATH, DOCKER_SHIM_ENVIRONMENT, CONFIG, INSTANCE};
    assert_string_equal(order_of(paths, 5), "k4k3RSBo2o1o0rC");
}

TEST(a_kubelet_whose_files_were_not_touched_is_not_restarted)
{
    static const char *const paths[] = {RUNTIME_MAP_DEFAULT_PATH};
    assert_string_equal(order_of(paths, 1), "SBo0rC");
    assert_string_equal(order_of(NULL, 0), "SBrC");
}

TEST(files_of_a_later_install_are_undone_first)
{
    static const char *const paths[] = {CONFIG, RUNTIME_MAP_DEFAULT_PATH, INSTANCE};
    assert_string_equal(order_of(paths, 3), "k2k0RSBo1rC");
}

TEST(more_files_than_an_install_changes_are_refused)
{
    const char *paths[200];
    struct undo_action actions[UNDO_MOST_ACTIONS];
    for (size_t i = 0; i < 200; i++) {
        paths[i] = CONFIG;
    }
    assert_int_equal(undo_order(paths, 200, actions), 0);
    /* The map, the unit, and all that a plan can have. */
    assert_int_equal(undo_order(paths, PLAN_MOST_FILES + 2, actions), PLAN_MOST_FILES + 2 + 5);
}

/* ---- the way there ---- */

static struct install install;

static int begin(void **state)
{
    install = (struct install){.arena = arena_new((size_t)1 << 20)};
    install.node.endpoint = "unix:///run/crigate/crigate.sock";
    install.node.direct = install.node.compared = "unix:///run/containerd/containerd.sock";
    install.node.map_plan.decision = MAP_FITS;
    install.node.survey.kubelet.pid = 7;
    install.node.survey.kubelet.unit = (struct systemd_unit){.name = "kubelet.service", .loaded = true};
    install.node.survey.plan.files[0].before.path = CONFIG;
    install.node.survey.plan.files[1].before.path = INSTANCE;
    install.node.survey.plan.file_count = 2;
    return install.arena ? 0 : -1;
}

static int end(void **state)
{
    arena_unref(install.arena);
    return 0;
}

/* A digit for each step. */
static const char *steps(void)
{
    static char text[STEP_COUNT + 1];
    char *next = text;
    for (enum install_step_kind kind = 0; kind < STEP_COUNT; kind++) {
        if (install_step_wanted(&install, kind)) {
            *next++ = "MUDPSCFK"[kind];
        }
    }
    *next = '\0';
    return text;
}

EACH_TEST(begin, end)

TEST(the_kubelet_changes_last)
{
    assert_string_equal(steps(), "SCFK");
    install.node.map_plan.decision = MAP_WRITE;
    install.node.writes_unit = true;
    assert_string_equal(steps(), "MUSCFK");
}

TEST(what_takes_the_place_of_a_built_in_docker_runs_before_crigate)
{
    install.node.survey.docker.built_in = true;
    install.node.survey.docker.environment.before.path = DOCKER_SHIM_ENVIRONMENT;
    assert_string_equal(steps(), "DPSCFK");
    assert_non_null(strstr(install_step_text(&install, STEP_DOCKER_FILES), DOCKER_SHIM_ENVIRONMENT));
    assert_non_null(strstr(install_step_text(&install, STEP_DOCKER), DOCKER_SHIM_UNIT));
}

TEST(a_kubelet_that_does_not_run_is_not_started)
{
    install.node.survey.kubelet.pid = 0;
    assert_string_equal(steps(), "SCF");
}

TEST(a_kubelet_that_calls_already_is_restarted_only_if_its_calls_do_not_arrive)
{
    install.node.survey.plan.file_count = 0;
    assert_string_equal(steps(), "SCK");
    install.calls_arrive = true;
    assert_string_equal(steps(), "SC");
}

TEST(a_step_names_what_it_changes)
{
    assert_string_equal(install_step_text(&install, STEP_FILES), "change " CONFIG ", " INSTANCE);
    assert_non_null(strstr(install_step_text(&install, STEP_COMPARE), install.node.direct));
    assert_non_null(strstr(install_step_text(&install, STEP_KUBELET), "kubelet.service"));
}
