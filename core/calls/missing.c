#include "missing.h"

#include <stdio.h>
#include <string.h>

#include "core/base/log.h"
#include "core/calls/call.h"

/* Of the text of a runtime's own failure, so much is told. */
#define REASON_SIZE 300

/* The last bit is shared by all rows for which there is none. */
static uint64_t row_bit(const struct method *method)
{
    size_t row = (size_t)(method - methods);
    return (uint64_t)1 << (row < 63 ? row : 63);
}

static void forget(struct missing *missing, const struct method *method)
{
    for (size_t way = 0; way < MISSING_WAYS; way++) {
        missing->absent[way] &= ~row_bit(method);
        missing->failed[way] &= ~row_bit(method);
    }
}

static void tell(const struct branch *branch, const char *consequence)
{
    bool own = branch->error.code != STATUS_OK;
    struct bytes details = branch_details(branch);
    struct bytes reason = own ? bytes_of_string(branch->error.message) : details;
    log_line(LOG_SERIOUS, "runtime %s: %s: %s: %.*s", branch->runtime->entry->name, consequence,
             status_code_name(own ? branch->error.code : (enum status_code)branch->status),
             (int)(own || reason.len < REASON_SIZE ? reason.len : REASON_SIZE), (const char *)reason.data);
}

static void note_absence(const struct branch *branch, enum missing_way way)
{
    static const char *const consequences[MISSING_WAYS] = {
        [MISSING_ANSWERED_FOR] = "answered for from what was last seen of it",
        [MISSING_LEFT_OUT] = "left out where nothing stands for it",
        [MISSING_FAILS] = "its absence fails calls to all runtimes",
    };
    uint64_t *told = &branch->runtime->missing.absent[way];
    if (*told == 0) {
        char text[160];
        snprintf(text, sizeof text, "%s, first in %s, until it answers again", consequences[way], branch->call->method->name);
        tell(branch, text);
    }
    *told |= row_bit(branch->call->method);
}

static void note_failure(const struct branch *branch, enum missing_way way)
{
    static const struct {
        const char *before, *after;
    } consequences[MISSING_WAYS] = {
        [MISSING_ANSWERED_FOR] = {"answered for from what was last seen of it in ", ", which fails there"},
        [MISSING_LEFT_OUT] = {"left out of ", ", which fails there"},
        [MISSING_FAILS] = {"", " fails there, and so for the whole node"},
    };
    uint64_t *told = &branch->runtime->missing.failed[way];
    uint64_t bit = row_bit(branch->call->method);
    if ((*told & bit) == 0) {
        char text[160];
        snprintf(text, sizeof text, "%s%s%s", consequences[way].before, branch->call->method->name, consequences[way].after);
        tell(branch, text);
    }
    *told |= bit;
}

void missing_note(const struct branch *branch)
{
    bool lacks_method = branch->omitted && branch->error.code == STATUS_UNIMPLEMENTED;
    bool answered = !branch->recalled && branch_succeeded(branch);
    if (answered) {
        forget(&branch->runtime->missing, branch->call->method);
    }
    if (answered || lacks_method || branch_was_cut_short(branch)) {
        return;
    }
    enum missing_way way = branch->recalled ? MISSING_ANSWERED_FOR : branch->omitted ? MISSING_LEFT_OUT : MISSING_FAILS;
    (branch->error.code == STATUS_UNAVAILABLE ? note_absence : note_failure)(branch, way);
}
