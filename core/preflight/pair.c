#include "core/preflight/pair.h"

#include <limits.h>
#include <string.h>

#include "translate/explain/explain.h"

/* Of Kubernetes 1. */
static const struct {
    unsigned first, last;
    struct kubelet_dialects dialects;
} releases[] = {
    {9, 9, {{DIALECT_V1_9}, 1}},       {10, 12, {{DIALECT_V1_12}, 1}},
    {13, 22, {{DIALECT_V1ALPHA2}, 1}}, {23, 25, {{DIALECT_V1, DIALECT_V1ALPHA2}, 2}},
    {26, UINT_MAX, {{DIALECT_V1}, 1}},
};

bool kubelet_dialects_of(const struct kubelet_version *version, struct kubelet_dialects *kubelet)
{
    for (size_t i = 0; i < sizeof releases / sizeof releases[0]; i++) {
        if (version->major == 1 && version->minor >= releases[i].first && version->minor <= releases[i].last) {
            *kubelet = releases[i].dialects;
            return true;
        }
    }
    return false;
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
    return true;
}

void pair_replace_runtime(struct pair *pair, enum dialect runtime)
{
    pair->runtime = runtime;
    count_losses(pair);
}
