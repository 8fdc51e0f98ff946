/* What the tables say that a conversion makes of a message, worked out on what a reader saw in it. */
#pragma once

#include <json-c/json.h>

#include "trial.h"

struct expectation {
    const struct trial *trial;
    /* Written, by rule: what was left out because of it, and whether it has the request refused. */
    bool dropped[TRANSLATION_RULE_COUNT];
    bool refused[TRANSLATION_RULE_COUNT];
};

/* The message of the trial's source dialect, in the form of stub_reader_json, as the target's stubs must see it; the caller puts
   it. Fails the test where the tables keep a field that the target lacks. */
struct json_object *expectation_of(struct expectation *expectation, struct json_object *message);
