#include "node/preflight/pair.h"

#include <string.h>

#include "translate/explain/explain.h"
#include "translate/explain/release.h"

bool kubelet_dialects_of(const struct kubelet_version *version, struct kubelet_dialects *kubelet)
{
    const struct version numbers = {version->major, version->minor, version->patch};
    const struct release *release = version->major == 1 ? release_of("kubelet", &numbers) : NULL;
    if (release) {
        *kubelet = (struct kubelet_dialects){.tried = {release->dialect, release->fallback},
                                             .count = release->fallback == release->dialect ? 1 : 2};
    }
    return release != NULL;
}

static bool serves(const struct runtime_found *runtime, const char *package)
{
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        if (runtime->speaks[i] && strcmp(dialects[i].package, package) == 0) {
            return true;
        }
    }
    return false;
}

struct counts {
    size_t of[VERDICT_COUNT];
};

static void count(void *state, const struct explained *explained)
{
    struct counts *counts = state;
    counts->of[explained->verdict]++;
}

static struct counts count_all(const struct pair *pair, enum way way)
{
    struct counts counts = {{0}};
    const struct explain_scope scope = {.caller = pair->caller, .runtime = pair->runtime, .way = way};
    explain(&scope, count, &counts);
    return counts;
}

static void count_ignored(void *state, const struct explained_ability *explained)
{
    struct pair *pair = state;
    pair->ignored_refused += explained->ability->class == ABILITY_CONFINEMENT;
    pair->ignored += explained->ability->class == ABILITY_TUNING;
}

static void look_at_abilities(const char *name, const char *version, struct pair *pair)
{
    struct ability_set set;
    const struct explain_scope scope = {.caller = pair->caller, .runtime = pair->runtime, .way = WAY_REQUEST};
    pair->ignored_refused = pair->ignored = 0;
    if (name && version) {
        ability_set_make(&set, name, version, pair->runtime);
        explain_ignored(&scope, &set, count_ignored, pair);
    }
}

static void count_losses(struct pair *pair)
{
    struct counts requests = count_all(pair, WAY_REQUEST);
    struct counts answers = count_all(pair, WAY_ANSWER);
    pair->refused = requests.of[VERDICT_REFUSED];
    pair->judged = requests.of[VERDICT_JUDGED];
    pair->left_out = requests.of[VERDICT_DROPPED];
    pair->answers_left_out = answers.of[VERDICT_DROPPED];
    pair->lacking = 0;
    for (uint16_t i = 0; i < method_count; i++) {
        pair->lacking += methods[i].in[pair->caller].path && !methods[i].in[pair->runtime].path;
    }
}

bool pair_of(const struct kubelet_version *version, const struct runtime_found *runtime, struct pair *pair)
{
    struct kubelet_dialects kubelet;
    *pair = (struct pair){0};
    if (!kubelet_dialects_of(version, &kubelet) || !runtime_found_dialect(runtime, &pair->runtime)) {
        return false;
    }
    pair->caller = kubelet.tried[0];
    for (size_t i = 0; i < kubelet.count; i++) {
        pair->package = dialects[kubelet.tried[i]].package;
        pair->direct = pair->direct || serves(runtime, pair->package);
    }
    count_losses(pair);
    look_at_abilities(runtime->runtime_name, runtime->runtime_version, pair);
    return true;
}

void pair_replace_runtime(struct pair *pair, enum dialect runtime, const char *name)
{
    pair->runtime = runtime;
    count_losses(pair);
    look_at_abilities(name, "", pair);
}
