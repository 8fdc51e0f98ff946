#include "node/bypass/judge.h"

#include <stdarg.h>
#include <stdio.h>

#include "node/preflight/pair.h"

struct notes {
    struct arena *arena;
    const char **texts;
    size_t *count;
    bool *vain; /* of refusals */
};

static void note(struct notes notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(struct notes notes, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *copy = arena_string(notes.arena, bytes_of_string(text));
    if (*notes.count < BYPASS_REASONS_MOST) {
        notes.texts[(*notes.count)++] = copy ? copy : "out of memory";
    }
}

static void judge_dialect(const struct bypass_facts *facts, struct notes refusals)
{
    struct pair pair;
    const struct kubelet_version *version = &facts->kubelet->version;
    if (!pair_of(version, facts->direct, &pair)) {
        note(refusals, "cannot check whether the kubelet can use %s, because its version is unknown", facts->target);
    } else if (!pair.direct) {
        note(refusals, "the kubelet (%s) would stop: it needs %s, which the runtime at %s does not speak", version->text,
             pair.package, facts->target);
        *refusals.vain = true;
    }
}

static void judge_runtime(const struct bypass_facts *facts, struct notes refusals)
{
    if (!facts->direct->answers) {
        note(refusals, "the runtime at %s does not answer: %s", facts->target,
             facts->direct->why_not ? facts->direct->why_not : "it speaks no CRI version that crigate knows");
        *refusals.vain = true;
    } else if (facts->kubelet) {
        judge_dialect(facts, refusals);
    }
    if (facts->images_elsewhere) {
        note(refusals, "the runtime keeps its images at a socket other than %s, but the kubelet would look for them there",
             facts->target);
    }
}

static void judge_ids(const struct bypass_facts *facts, struct notes refusals, struct notes warnings)
{
    if (facts->map_problem) {
        note(warnings, "cannot check whether ids of pods stay the same, because the runtime map cannot be read (%s)",
             facts->map_problem);
    } else if (!facts->in_map) {
        note(refusals, "%s is not a runtime of the runtime map: the kubelet would lose its current pods", facts->target);
    } else if (!facts->plain_ids) {
        note(refusals, "the kubelet knows the pods of %s by prefixed ids (`ids` in the runtime map), and would lose them",
             facts->target);
    }
}

static void judge_others(const struct bypass_facts *facts, struct notes refusals)
{
    for (size_t i = 0; i < facts->other_count; i++) {
        const struct bypass_other *other = &facts->others[i];
        if (!other->counted) {
            note(refusals, "cannot ask runtime %s whether it holds pods, which the kubelet would lose", other->name);
        } else if (other->pods > 0) {
            note(refusals, "runtime %s holds pods (%zu), which the kubelet would lose", other->name, other->pods);
        }
    }
}

static void judge_kubelet(const struct bypass_facts *facts, struct notes refusals, struct notes warnings)
{
    if (!facts->kubelet) {
        note(refusals, "cannot check which CRI version the kubelet speaks: %s", facts->kubelet_problem);
        return;
    }
    if (facts->kubelet_elsewhere) {
        note(refusals, "the kubelet calls %s, not %s: there is nothing to bypass", facts->kubelet_path, facts->link);
        *refusals.vain = true;
    }
    if (facts->callers) {
        note(warnings, "new containers see an unmasked /proc until the bypass ends: crigate masks it for kubelet %s",
             facts->callers);
    }
}

void bypass_judge(const struct bypass_facts *facts, struct arena *arena, struct bypass_judgement *judgement)
{
    *judgement = (struct bypass_judgement){0};
    struct notes refusals = {arena, judgement->refusals, &judgement->refusal_count, &judgement->vain};
    struct notes warnings = {arena, judgement->warnings, &judgement->warning_count, NULL};
    judge_runtime(facts, refusals);
    judge_ids(facts, refusals, warnings);
    judge_others(facts, refusals);
    judge_kubelet(facts, refusals, warnings);
    if (facts->hooks) {
        note(warnings, "plugins (`hooks`) are not called until the bypass ends");
    }
}
