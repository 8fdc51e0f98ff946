#include "node/preflight/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes/shown.h"
#include "base/bytes/utf8.h"
#include "base/json/build.h"
#include "node/kubelet/layout.h"

static void add_bool(struct json_object *object, const char *name, bool value)
{
    json_add(object, name, json_object_new_boolean(value));
}

static void add_number(struct json_object *object, const char *name, size_t value)
{
    json_add(object, name, json_object_new_int64((int64_t)value));
}

/* JSON is UTF-8, and configuration files may be anything: each other byte becomes a "?". */
static void make_valid(char *text)
{
    char *end = text + strlen(text);
    while (text < end) {
        size_t size = utf8_character_size(bytes_of(text, (size_t)(end - text)));
        if (size == 0) {
            *text = '?';
        }
        text += size > 0 ? size : 1;
    }
}

static struct json_object *long_text(const char *text, struct arena *arena)
{
    char *copy = arena_string(arena, bytes_of_string(text));
    if (copy) {
        make_valid(copy);
    }
    return copy ? json_object_new_string(copy) : NULL;
}

static struct json_object *texts(const char *const *lines, size_t count, struct arena *arena)
{
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < count; i++) {
        json_append(array, long_text(lines[i], arena));
    }
    return array;
}

/* ---- the kubelet ---- */

static void add_setting(struct json_object *object, const char *name, const struct kubelet *kubelet,
                        const struct kubelet_setting *setting, struct arena *arena)
{
    struct json_object *json = json_object_new_object();
    const char *origin = kubelet_setting_origin(kubelet, setting, arena);
    json_add_text(json, "value", shown_text(bytes_of_string(setting->value), arena));
    json_add_text(json, "origin", shown_text(bytes_of_string(origin), arena));
    json_add(object, name, json);
}

static struct json_object *dialects_json(const struct kubelet_version *version)
{
    struct json_object *array = json_object_new_array();
    struct kubelet_dialects kubelet;
    for (size_t i = 0; kubelet_dialects_of(version, &kubelet) && i < kubelet.count; i++) {
        json_append(array, json_object_new_string(dialects[kubelet.tried[i]].name));
    }
    return array;
}

static struct json_object *kubelet_json(const struct survey *survey, struct arena *arena)
{
    const struct kubelet *kubelet = &survey->kubelet;
    if (!survey->has_kubelet) {
        return NULL;
    }
    struct json_object *json = json_object_new_object();
    json_add_text(json, "version", kubelet->version.major > 0 ? shown_text(bytes_of_string(kubelet->version.text), arena) : NULL);
    json_add(json, "dialects", dialects_json(&kubelet->version));
    add_number(json, "pid", (size_t)kubelet->pid);
    json_add_text(json, "program", kubelet->program ? shown_text(bytes_of_string(kubelet->program), arena) : NULL);
    json_add_text(json, "layout", layout_name(kubelet->layout));
    json_add_text(json, "unit", kubelet->unit.loaded ? shown_text(bytes_of_string(kubelet->unit.name), arena) : NULL);
    json_add_text(json, "configFile", kubelet->config_file ? shown_text(bytes_of_string(kubelet->config_file), arena) : NULL);
    json_add_text(json, "configFolder",
                  kubelet->config_folder ? shown_text(bytes_of_string(kubelet->config_folder), arena) : NULL);
    add_setting(json, "containerRuntime", kubelet, &kubelet->container_runtime, arena);
    add_setting(json, "runtimeEndpoint", kubelet, &kubelet->runtime_endpoint, arena);
    add_setting(json, "imageEndpoint", kubelet, &kubelet->image_endpoint, arena);
    add_setting(json, "cgroupDriver", kubelet, &kubelet->cgroup_driver, arena);
    json_add_text(json, "endpoint", survey->endpoint ? shown_text(bytes_of_string(survey->endpoint), arena) : NULL);
    add_bool(json, "callsCrigate", survey->calls_crigate);
    return json;
}

static struct json_object *candidates_json(const struct kubelet_search *search, struct arena *arena)
{
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < search->candidate_count; i++) {
        const struct kubelet_candidate *candidate = &search->candidates[i];
        struct json_object *json = json_object_new_object();
        add_number(json, "pid", (size_t)candidate->pid);
        json_add_text(json, "program", candidate->program ? shown_text(bytes_of_string(candidate->program), arena) : NULL);
        json_add_text(json, "whyNot", candidate->why_not ? shown_text(bytes_of_string(candidate->why_not), arena) : NULL);
        json_append(array, json);
    }
    return array;
}

/* ---- runtimes ---- */

static struct json_object *runtime_json(const struct survey *survey, const struct runtime_found *runtime)
{
    struct json_object *json = json_object_new_object();
    struct json_object *speaks = json_object_new_array();
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        if (runtime->speaks[i]) {
            json_append(speaks, json_object_new_string(dialects[i].name));
        }
    }
    json_add_text(json, "name", runtime->name);
    json_add_text(json, "endpoint", runtime->endpoint);
    add_bool(json, "present", runtime == survey->present);
    add_bool(json, "answers", runtime->answers);
    json_add_text(json, "problem", runtime->why_not);
    json_add_text(json, "runtimeName", runtime->runtime_name);
    json_add_text(json, "runtimeVersion", runtime->runtime_version);
    json_add(json, "dialects", speaks);
    json_add_text(json, "cgroupDriver", runtime->cgroup_driver[0] ? runtime->cgroup_driver : NULL);
    add_bool(json, "runtimeConfig", runtime->has_runtime_config);
    add_bool(json, "nri", runtime->nri);
    if (runtime->counted) {
        add_number(json, "pods", runtime->pods);
        add_number(json, "containers", runtime->containers);
    }
    return json;
}

static struct json_object *runtimes_json(const struct survey *survey)
{
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < survey->runtimes.count; i++) {
        json_append(array, runtime_json(survey, &survey->runtimes.items[i]));
    }
    return array;
}

static struct json_object *pair_json(const struct pair *pair)
{
    struct json_object *json = json_object_new_object();
    json_add_text(json, "caller", dialects[pair->caller].name);
    json_add_text(json, "runtime", dialects[pair->runtime].name);
    add_bool(json, "direct", pair->direct);
    add_number(json, "refused", pair->refused);
    add_number(json, "judged", pair->judged);
    add_number(json, "leftOut", pair->left_out);
    add_number(json, "ignoredRefused", pair->ignored_refused);
    add_number(json, "ignored", pair->ignored);
    add_number(json, "answersLeftOut", pair->answers_left_out);
    add_number(json, "lackingRpcs", pair->lacking);
    return json;
}

/* ---- what install would do ---- */

static void add_diff(struct json_object *json, const struct planned_file *file)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        text_diff_print(file->before.path, file->before.present ? file->before.text : (struct bytes){0}, file->after, out);
        fclose(out);
        json_add_text(json, "diff", text);
    }
    free(text);
}

static struct json_object *change_json(const struct planned_file *file, struct arena *arena)
{
    struct json_object *change = json_object_new_object();
    json_add(change, "file", long_text(file->before.path, arena));
    json_add(change, "why", long_text(file->why, arena));
    add_diff(change, file);
    return change;
}

/* What replaces a Docker that is built into the kubelet. */
static struct json_object *docker_json(const struct docker_node *docker, struct arena *arena)
{
    if (!docker->built_in || docker->impossible) {
        return NULL;
    }
    struct json_object *json = json_object_new_object();
    json_add_text(json, "unit", DOCKER_SHIM_UNIT);
    json_add_text(json, "runs", DOCKER_SHIM_NAME);
    json_add_text(json, "endpoint", DOCKER_SHIM_ENDPOINT);
    json_add(json, "environment", change_json(&docker->environment, arena));
    return json;
}

static struct json_object *plan_json(const struct survey *survey, struct arena *arena)
{
    const struct plan *plan = &survey->plan;
    if (!survey->has_plan) {
        return NULL;
    }
    struct json_object *json = json_object_new_object();
    struct json_object *changes = json_object_new_array();
    for (size_t i = 0; i < plan->file_count; i++) {
        json_append(changes, change_json(&plan->files[i], arena));
    }
    json_add_text(json, "endpoint", survey->listen);
    json_add(json, "changes", changes);
    json_add(json, "byHand", texts(plan->by_hand, plan->by_hand_count, arena));
    json_add_text(json, "callers", plan->needs_callers);
    json_add(json, "docker", docker_json(&survey->docker, arena));
    return json;
}

struct json_object *report_json(const struct survey *survey, const struct judgement *judgement, struct arena *arena)
{
    static const char *const words[] = {"fit", "warnings", "impossible"};
    struct json_object *json = json_object_new_object();
    if (!json) {
        return NULL;
    }
    json_add(json, "kubelet", kubelet_json(survey, arena));
    json_add(json, "candidates", candidates_json(&survey->search, arena));
    json_add(json, "runtimes", runtimes_json(survey));
    if (survey->cgroup_version > 0) {
        json_add(json, "cgroup", json_object_new_int((int)survey->cgroup_version));
    } else {
        json_add_text(json, "cgroup", NULL);
    }
    if (survey->has_pair) {
        json_add(json, "translation", pair_json(&survey->pair));
    } else {
        json_add_text(json, "translation", NULL);
    }
    json_add(json, "install", plan_json(survey, arena));
    json_add_text(json, "fitness", words[judgement_fitness(judgement)]);
    json_add(json, "reasons", texts(judgement->reasons.lines, judgement->reasons.count, arena));
    json_add(json, "warnings", texts(judgement->warnings.lines, judgement->warnings.count, arena));
    json_add(json, "notes", texts(judgement->notes.lines, judgement->notes.count, arena));
    json_add(json, "verdict", long_text(judgement_verdict(judgement, arena), arena));
    return json;
}
