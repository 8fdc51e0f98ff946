#include "node/preflight/judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes/shown.h"
#include "node/systemd/systemd.h"

#define LONGEST_LINE 1024

/* Releases of 1.x in which kubelets change what they want of a node. */
enum {
    FIRST_KUBELET = 9,            /* that crigate serves */
    FIRST_ASKING_FOR_DRIVER = 31, /* RuntimeConfig, by default */
    FIRST_WITHOUT_CGROUP_V1 = 35, /* failCgroupV1 is true by default */
    FIRST_NEEDING_DRIVER = 38,    /* planned: does not start without RuntimeConfig */
};

/* A kubelet's driver if nothing sets one, in all releases. */
#define DEFAULT_DRIVER "cgroupfs"

struct judging {
    const struct survey *survey;
    struct arena *arena;
    struct judgement *judgement;
};

__attribute__((format(printf, 3, 4))) static void add(const struct judging *judging, struct remarks *remarks, const char *format,
                                                      ...)
{
    char text[LONGEST_LINE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *line = arena_string(judging->arena, bytes_of_string(text));
    if (line && remarks->count < REMARKS_MOST) {
        remarks->lines[remarks->count++] = line;
    }
}

static const char *shown(const struct judging *judging, const char *text)
{
    return shown_text(bytes_of_string(text), judging->arena);
}

/* ---- the kubelet ---- */

static void judge_version(const struct judging *judging)
{
    const struct kubelet *kubelet = &judging->survey->kubelet;
    struct kubelet_dialects tried;
    if (kubelet->version.major == 0) {
        add(judging, &judging->judgement->warnings, "the kubelet's version could not be determined");
    } else if (!kubelet_dialects_of(&kubelet->version, &tried)) {
        add(judging, &judging->judgement->reasons, "crigate serves kubelets from 1.%d on; this one is %s", FIRST_KUBELET,
            shown(judging, kubelet->version.text));
    }
}

/* Whether systemd starts it in vain, for another reason than its runtime, with which crigate could help. */
static bool is_down_for_another_reason(const struct survey *survey)
{
    return survey->kubelet.pid == 0 && systemd_state_is(survey->kubelet.unit.active, "activating") && survey->has_plan &&
           survey->plan.file_count > 0 && !survey_needs_crigate(survey);
}

static void judge_kubelet(const struct judging *judging)
{
    const struct survey *survey = judging->survey;
    struct judgement *judgement = judging->judgement;
    if (!survey->has_kubelet) {
        add(judging, &judgement->reasons, "%s", shown(judging, survey->why_no_kubelet.message));
        return;
    }
    judge_version(judging);
    if (is_down_for_another_reason(survey)) {
        add(judging, &judgement->reasons,
            "the kubelet is not running: it exits soon after each start. Fix that first: otherwise crigate could not tell "
            "whether the kubelet is healthy behind it");
    } else if (survey->kubelet.pid == 0) {
        add(judging, &judgement->warnings, "the kubelet is not running");
    }
    if (!survey->has_plan) {
        add(judging, &judgement->reasons, "%s", shown(judging, survey->why_no_plan.message));
    } else if (survey->plan.impossible) {
        add(judging, &judgement->reasons, "%s", survey->plan.impossible);
    }
    for (size_t i = 0; survey->has_plan && i < survey->plan.warning_count; i++) {
        add(judging, &judgement->warnings, "%s", survey->plan.warnings[i]);
    }
    if (survey->calls_crigate) {
        add(judging, &judgement->notes, "the kubelet's endpoint is crigate's%s",
            survey->bypassed ? ", which is bypassed: its path leads to a runtime" : " already");
    }
}

static void judge_docker(const struct judging *judging)
{
    const struct docker_node *docker = &judging->survey->docker;
    if (docker->built_in && !docker->impossible) {
        add(judging, &judging->judgement->notes,
            "the kubelet has Docker built in: %s replaces it (%s), with the kubelet's options. Running pods are not affected: "
            "both give containers the same names and labels",
            DOCKER_SHIM_NAME, DOCKER_SHIM_UNIT);
    }
}

/* ---- its runtime ---- */

static void judge_present(const struct judging *judging)
{
    const struct survey *survey = judging->survey;
    const struct runtime_found *present = survey->present;
    struct judgement *judgement = judging->judgement;
    if (!survey->has_kubelet || survey->docker.impossible || (!survey->endpoint && survey->kubelet.unclear)) {
        return; /* without a process, it may not be known what the kubelet calls */
    }
    if (!survey->endpoint) {
        add(judging, &judgement->reasons, "nothing sets the kubelet's runtime endpoint");
    } else if (!present) {
        add(judging, &judgement->reasons, "the kubelet's endpoint %s leads to no runtime", shown(judging, survey->endpoint));
    } else if (!present->answers) {
        add(judging, &judgement->reasons, "%s at %s does not answer: %s", present->name, present->endpoint, present->why_not);
    } else if (present->why_not) {
        add(judging, &judgement->warnings, "%s: %s", present->name, present->why_not);
    }
}

static void judge_pair(const struct judging *judging)
{
    const struct pair *pair = &judging->survey->pair;
    const struct docker_node *docker = &judging->survey->docker;
    const char *runtime = docker->built_in ? DOCKER_SHIM_NAME : judging->survey->present ? judging->survey->present->name : "";
    struct judgement *judgement = judging->judgement;
    if (!judging->survey->has_pair) {
        return;
    }
    if (!pair->direct) {
        add(judging, &judgement->warnings,
            "without crigate, the kubelet would stop with \"unknown service %s.RuntimeService\": %s does not serve it",
            pair->package, runtime);
    }
    if (pair->refused + pair->judged > 0) {
        add(judging, &judgement->warnings,
            "%s speaks %s, the kubelet %s: requests that set one of %zu fields are refused, and for %zu more it depends on the "
            "value "
            "(crigate explain --from %s --to %s)",
            runtime, dialects[pair->runtime].name, dialects[pair->caller].name, pair->refused, pair->judged,
            dialects[pair->caller].name, dialects[pair->runtime].name);
    }
}

static void judge_images(const struct judging *judging)
{
    const struct survey *survey = judging->survey;
    struct judgement *judgement = judging->judgement;
    if (survey->has_images && !survey->images.answers) {
        add(judging, &judgement->warnings, "the kubelet's image service at %s does not answer: %s", survey->images.endpoint,
            survey->images.why_not);
    } else if (survey->has_images && !survey->images_direct && survey->has_pair) {
        add(judging, &judgement->warnings,
            "without crigate, the kubelet would stop with \"unknown service %s.ImageService\": its image service at %s does not "
            "serve it",
            survey->pair.package, survey->images.endpoint);
    }
}

/* ---- cgroups ---- */

/* From 1.31 on the kubelet takes the driver that RuntimeConfig names, and crigate answers that for every runtime that says its
   driver in some way. */
static void judge_drivers(const struct judging *judging)
{
    const struct survey *survey = judging->survey;
    struct judgement *judgement = judging->judgement;
    if (!survey->has_kubelet || !survey->present || !survey->present->answers || survey->present->cgroup_driver[0] == '\0') {
        return;
    }
    const char *own = survey->kubelet.cgroup_driver.value;
    own = own[0] == '\0' ? DEFAULT_DRIVER : shown(judging, own);
    const char *runtimes = survey->present->cgroup_driver;
    bool asks = kubelet_is_since(&survey->kubelet, 1, FIRST_ASKING_FOR_DRIVER);
    if (strcmp(own, runtimes) == 0) {
        return;
    }
    if (asks && survey->present->has_runtime_config) {
        add(judging, &judgement->notes, "the kubelet's own cgroup driver is %s, but it takes %s's, %s, by RuntimeConfig", own,
            survey->present->name, runtimes);
    } else if (asks) {
        add(judging, &judgement->warnings,
            "the kubelet's cgroup driver is %s, that of %s %s: through crigate the kubelet takes the latter, by RuntimeConfig",
            own, survey->present->name, runtimes);
    } else {
        add(judging, &judgement->warnings, "the kubelet's cgroup driver is %s, that of %s %s: they must be the same", own,
            survey->present->name, runtimes);
    }
}

static void judge_runtime_config(const struct judging *judging)
{
    const struct survey *survey = judging->survey;
    const struct runtime_found *present = survey->present;
    struct judgement *judgement = judging->judgement;
    bool asks = survey->has_kubelet && kubelet_is_since(&survey->kubelet, 1, FIRST_ASKING_FOR_DRIVER);
    if (!asks || !present || !present->answers || present->has_runtime_config) {
        return;
    }
    bool needs = kubelet_is_since(&survey->kubelet, 1, FIRST_NEEDING_DRIVER);
    const char *since = needs ? "" : "from 1.38 on (planned), ";
    if (present->cgroup_driver[0] != '\0') {
        add(judging, &judgement->notes, "%skubelets need RuntimeConfig, which %s lacks; crigate answers it: %s", since,
            present->name, present->cgroup_driver);
    } else {
        add(judging, needs ? &judgement->warnings : &judgement->notes,
            "%skubelets need RuntimeConfig, which %s lacks, and it does not report its cgroup driver: set cgroup_driver in the "
            "runtime "
            "map",
            since, present->name);
    }
}

static void judge_cgroups(const struct judging *judging)
{
    const struct survey *survey = judging->survey;
    bool fails = survey->has_kubelet && kubelet_is_since(&survey->kubelet, 1, FIRST_WITHOUT_CGROUP_V1);
    if (survey->cgroup_version == 1) {
        add(judging, fails ? &judging->judgement->warnings : &judging->judgement->notes,
            "this node has cgroup v1: kubelets from 1.%d on start on it only with failCgroupV1: false", FIRST_WITHOUT_CGROUP_V1);
    }
    judge_drivers(judging);
    judge_runtime_config(judging);
}

/* ---- all ---- */

static void judge_others(const struct judging *judging)
{
    const struct survey *survey = judging->survey;
    for (size_t i = 0; i < survey->runtimes.count; i++) {
        const struct runtime_found *other = &survey->runtimes.items[i];
        if (survey->has_kubelet && survey->endpoint && other != survey->present && other->pods > 0) {
            add(judging, &judging->judgement->notes, "%s holds %zu pods, which this kubelet does not see", other->name,
                other->pods);
        }
    }
    if (survey->systemd_obstacle) {
        add(judging, &judging->judgement->reasons, "%s", shown(judging, survey->systemd_obstacle));
    }
    if (!survey->root) {
        add(judging, &judging->judgement->warnings,
            "without root privileges, preflight may have missed processes, files and sockets of root");
    }
}

void judge(const struct survey *survey, struct arena *arena, struct judgement *judgement)
{
    const struct judging judging = {.survey = survey, .arena = arena, .judgement = judgement};
    *judgement = (struct judgement){0};
    judge_kubelet(&judging);
    judge_docker(&judging);
    judge_present(&judging);
    judge_pair(&judging);
    judge_images(&judging);
    judge_cgroups(&judging);
    judge_others(&judging);
}

enum fitness judgement_fitness(const struct judgement *judgement)
{
    if (judgement->reasons.count > 0) {
        return NOT_POSSIBLE;
    }
    return judgement->warnings.count > 0 ? FIT_WITH_WARNINGS : FIT;
}

const char *judgement_verdict(const struct judgement *judgement, struct arena *arena)
{
    static const char *const beginnings[] = {"fit", "fit, with warnings: ", "not possible: "};
    enum fitness fitness = judgement_fitness(judgement);
    const struct remarks *remarks = fitness == NOT_POSSIBLE ? &judgement->reasons : &judgement->warnings;
    struct bytes parts[2 * REMARKS_MOST + 2] = {bytes_of_string(beginnings[fitness])};
    size_t count = 1;
    for (size_t i = 0; i < remarks->count; i++) {
        if (i > 0) {
            parts[count++] = bytes_of_string("; ");
        }
        parts[count++] = bytes_of_string(remarks->lines[i]);
    }
    parts[count++] = bytes_of("", 1); /* the NUL at the end */
    const char *text = (const char *)arena_join(arena, parts, count).data;
    return text ? text : beginnings[fitness];
}
