/* Letting through, on every message: what strict takes is not touched, what it refuses passes once it is let through, and only
   what no dialect could say sensibly stays refused. */
#include <string.h>

#include "tests/cmocka.h"
#include "translate/json/json.h"
#include "translate/walk/leniency.h"
#include "trial.h"

static unsigned let_through;

/* Lets through what the refusal names. A refusal that names nothing is one that stays. */
static bool follow(struct trial *trial, struct leniency *leniency)
{
    static const char before[] = "\"translation: {lenient: [";
    const char *name = strstr(trial->error.message, before);
    if (!name) {
        if (!strstr(trial->error.message, ": neither runtime/default, unconfined nor localhost/")) {
            trial_fail(trial, "refused for good: %s", trial->error.message);
        }
        return false;
    }
    name += strlen(before);
    char rule[128] = "";
    strncat(rule, name, strcspn(name, "]") < sizeof rule ? strcspn(name, "]") : sizeof rule - 1);
    struct leniency known = *leniency;
    struct error error = {0};
    if (!leniency_add(leniency, rule, &error)) {
        trial_fail(trial, "%s cannot be let through: %s", rule, error.message);
    }
    if (memcmp(&known, leniency, sizeof known) == 0) {
        trial_fail(trial, "%s was let through, and is refused still: %s", rule, trial->error.message);
    }
    return true;
}

static void check_leniency(struct trial *trial)
{
    static const struct leniency all = {.all = true};
    struct leniency leniency = {0};
    struct bytes in = trial_message(trial);
    struct bytes out, lenient;
    bool strict = trial_convert(trial, trial->from, trial->to, in, &out);
    bool done = strict;
    while (!done && follow(trial, &leniency)) {
        trial->leniency = &leniency;
        done = trial_convert(trial, trial->from, trial->to, in, &out);
    }
    uint32_t counted = trial->report.let_through;
    trial->leniency = &all;
    bool all_done = trial_convert(trial, trial->from, trial->to, in, &lenient);
    if (done != all_done || (done && !bytes_equal(out, lenient))) {
        trial_fail(trial, "all let through is something else than one after the other");
    }
    if (done && (strict != (counted == 0) || counted != trial->report.let_through)) {
        trial_fail(trial, "%u were let through", (unsigned)counted);
    }
    if (done) {
        json_object_put(trial_decode(trial, trial->to, out));
    }
    let_through += done && !strict;
}

TEST(what_is_refused_passes_once_it_is_let_through)
{
    trial_for_each(100, check_leniency);
    assert_true(let_through > 500); /* of about 1040 */
}
