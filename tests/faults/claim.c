#include "tests/faults/claim.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sim/common/memory.h"
#include "tests/faults/event.h"

enum claim_kind {
    CLAIM_LIST,
    CLAIM_MADE,
    CLAIM_REMOVED,
    CLAIM_ABSENT,
    CLAIM_REFUSED,
    CLAIM_KIND_COUNT,
};

struct claim {
    enum claim_kind kind;
    struct claim *next;
    struct claim_list list; /* of the others only the times and the id */
    unsigned number;        /* of the runtime, or of the call */
    char method[32];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct claim *first; /* the newest */
static unsigned checked[CLAIM_KIND_COUNT];
static size_t longest_list;
static unsigned outdated; /* things in lists that were gone when the list was asked for */

static void add(enum claim_kind kind, const struct claim_list *list, unsigned number, const char *method)
{
    struct claim *claim = sim_zeroed(1, sizeof *claim);
    claim->kind = kind;
    claim->list = *list;
    claim->number = number;
    snprintf(claim->method, sizeof claim->method, "%s", method);
    pthread_mutex_lock(&lock);
    claim->next = first;
    first = claim;
    pthread_mutex_unlock(&lock);
}

static void add_about(enum claim_kind kind, const char *id, unsigned number, const char *method, int64_t began, int64_t ended)
{
    struct claim_list about = {.began = began, .ended = ended};
    snprintf(about.id, sizeof about.id, "%s", id);
    add(kind, &about, number, method);
}

void claim_list(const struct claim_list *list)
{
    add(CLAIM_LIST, list, 0, "");
}

void claim_made(const char *id, unsigned runtime, int64_t began, int64_t ended)
{
    add_about(CLAIM_MADE, id, runtime, "", began, ended);
}

void claim_removed(const char *id, int64_t began, int64_t ended)
{
    add_about(CLAIM_REMOVED, id, 0, "", began, ended);
}

void claim_absent(const char *id, const char *method, int64_t began, int64_t ended)
{
    add_about(CLAIM_ABSENT, id, 0, method, began, ended);
}

void claim_refused(unsigned number, int64_t began, int64_t ended)
{
    add_about(CLAIM_REFUSED, "", number, "", began, ended);
}

/* ---- lists ---- */

static int compare_ids(const void *left, const void *right)
{
    return strcmp(left, right);
}

static const char *kind_name(enum thing_kind kind)
{
    return kind == THING_POD ? "pod" : "container";
}

static double seconds(int64_t time)
{
    return (double)time / 1000 / NANOSECONDS_A_MILLISECOND;
}

static bool passes(const struct claim_list *list, const struct thing *thing)
{
    return thing->kind == list->kind && (!*list->uid || strcmp(list->uid, thing->uid) == 0) &&
           (!*list->id || strcmp(list->id, thing->id) == 0) && (!*list->pod || strcmp(list->pod, thing->pod) == 0);
}

static void check_members(const struct truth *truth, const struct claim_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const char *id = list->ids[i];
        const struct thing *thing = truth_find(truth, id);
        if (i > 0 && strcmp(id, list->ids[i - 1]) == 0) {
            event_violation_at(list->ended, "%s %s is twice in the list from %.3f to %.3f", kind_name(list->kind), id,
                               seconds(list->began), seconds(list->ended));
        }
        if (!thing) {
            event_violation_at(list->ended, "%s %s is in the list from %.3f to %.3f, but no runtime made it",
                               kind_name(list->kind), id, seconds(list->began), seconds(list->ended));
        } else if (thing->kind != list->kind) {
            event_violation_at(list->ended, "%s is in a list of %ss", id, kind_name(list->kind));
        }
        outdated += thing && thing->gone < list->began;
    }
}

static void check_list(struct truth *truth, const struct claim_list *list)
{
    if (list->count > 0) {
        qsort(list->ids, list->count, sizeof *list->ids, compare_ids);
    }
    check_members(truth, list);
    longest_list = list->count > longest_list ? list->count : longest_list;
    for (size_t i = 0; i < truth_count(truth); i++) {
        const struct thing *thing = truth_at(truth, i);
        bool must_be_in = passes(list, thing) && thing_was_known(thing, list->began, list->ended);
        if (must_be_in && (list->count == 0 || !bsearch(thing->id, list->ids, list->count, sizeof *list->ids, compare_ids))) {
            event_violation_at(list->ended,
                               "%s %s, there since %.3f, is missing from the list of %zu from %.3f to %.3f%s%s%s%s%s%s",
                               kind_name(thing->kind), thing->id, seconds(thing->made), list->count, seconds(list->began),
                               seconds(list->ended), *list->uid ? ", filter by uid " : "", list->uid,
                               *list->pod ? ", filter by pod " : "", list->pod, *list->id ? ", filter by id " : "", list->id);
        }
    }
    for (size_t i = 0; i < list->count; i++) {
        truth_saw(truth, list->ids[i], list->ended);
    }
}

/* ---- the others ---- */

static void check_made(const struct truth *truth, const struct claim *claim)
{
    const struct claim_list *about = &claim->list;
    const struct thing *thing = truth_find(truth, about->id);
    if (!thing || thing->made > about->ended) {
        event_violation_at(about->ended, "%s was answered as made at %.3f, but no runtime made it", about->id,
                           seconds(about->ended));
    } else if (thing->runtime != claim->number) {
        event_violation_at(about->ended, "%s was made on another runtime than it was asked for", about->id);
    }
}

static void check_removed(const struct truth *truth, const struct claim *claim)
{
    const struct claim_list *about = &claim->list;
    const struct thing *thing = truth_find(truth, about->id);
    if (thing && thing->gone > about->ended) {
        event_violation_at(about->ended, "%s was answered as removed at %.3f, but is there", about->id, seconds(about->ended));
    }
}

static void check_absent(const struct truth *truth, const struct claim *claim)
{
    const struct claim_list *about = &claim->list;
    const struct thing *thing = truth_find(truth, about->id);
    if (thing && thing_was_known(thing, about->began, about->ended)) {
        event_violation_at(about->ended, "%s of %s was answered NOT_FOUND from %.3f to %.3f, but it is there since %.3f",
                           claim->method, about->id, seconds(about->began), seconds(about->ended), seconds(thing->made));
    }
}

static void check(struct truth *truth, const struct claim *claim)
{
    checked[claim->kind]++;
    switch (claim->kind) {
    case CLAIM_LIST:
        check_list(truth, &claim->list);
        break;
    case CLAIM_MADE:
        check_made(truth, claim);
        break;
    case CLAIM_REMOVED:
        check_removed(truth, claim);
        break;
    case CLAIM_ABSENT:
        check_absent(truth, claim);
        break;
    case CLAIM_REFUSED:
        truth_refused(truth, claim->number, claim->list.ended);
        break;
    case CLAIM_KIND_COUNT:
        break;
    }
}

void claim_check(struct truth *truth, int64_t until)
{
    struct claim *ripe = NULL;
    pthread_mutex_lock(&lock);
    for (struct claim **place = &first; *place;) {
        struct claim *claim = *place;
        if (claim->list.ended < until) {
            *place = claim->next;
            claim->next = ripe;
            ripe = claim;
        } else {
            place = &claim->next;
        }
    }
    pthread_mutex_unlock(&lock);
    while (ripe) {
        struct claim *claim = ripe;
        ripe = claim->next;
        check(truth, claim);
        free(claim->list.ids);
        free(claim);
    }
    truth_check_until(truth, until);
}

void claim_print(FILE *out)
{
    fprintf(out,
            "checked: %u lists, the longest of %zu; %u things said to be made, %u to be removed, %u not to be there; %u calls "
            "refused "
            "by hooks;\n"
            "  %u times something that had gone was still in a list (what was last known, or removed in between)\n",
            checked[CLAIM_LIST], longest_list, checked[CLAIM_MADE], checked[CLAIM_REMOVED], checked[CLAIM_ABSENT],
            checked[CLAIM_REFUSED], outdated);
}
