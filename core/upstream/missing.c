#include "missing.h"

#include <stdio.h>
#include <string.h>

#include "base/log/log.h"
#include "core/upstream/call.h"

/* How much of a runtime's own error text is logged. */
#define REASON_SIZE 300

static void forget(struct missing_logged *missing, const struct method *method)
{
    for (size_t way = 0; way < MISSING_WAYS; way++) {
        missing->absent[way] &= ~method_bit(method);
        missing->failed[way] &= ~method_bit(method);
    }
    missing->fails_now &= ~method_bit(method);
}

static void tell(const struct upstream_call *upstream, const char *consequence)
{
    bool own = upstream->error.code != STATUS_OK;
    struct bytes details = upstream_details(upstream);
    struct bytes reason = own ? bytes_of_string(upstream->error.message) : details;
    log_line(LOG_SERIOUS, "runtime %s: %s: %s: %.*s", upstream->seen.runtime->entry->name, consequence,
             status_code_name(own ? upstream->error.code : (enum status_code)upstream->seen.status),
             (int)(own || reason.len < REASON_SIZE ? reason.len : REASON_SIZE), (const char *)reason.data);
}

static void note_absence(const struct upstream_call *upstream, enum missing_way way)
{
    static const char *const consequences[MISSING_WAYS] = {
        [MISSING_ANSWERED_FOR] = "serving its last-known state",
        [MISSING_LEFT_OUT] = "omitted where it has no last-known state",
        [MISSING_FAILS] = "calls to all runtimes fail",
    };
    uint64_t *told = &upstream->seen.runtime->missing.absent[way];
    if (*told == 0) {
        char text[160];
        snprintf(text, sizeof text, "unavailable; %s (first affected call: %s)", consequences[way],
                 upstream->seen.request->method->name);
        tell(upstream, text);
    }
    *told |= method_bit(upstream->seen.request->method);
}

static void note_failure(const struct upstream_call *upstream, enum missing_way way)
{
    static const struct {
        const char *before, *after;
    } consequences[MISSING_WAYS] = {
        [MISSING_ANSWERED_FOR] = {"serving its last-known state in ", ", which fails there"},
        [MISSING_LEFT_OUT] = {"left out of ", ", which fails there"},
        [MISSING_FAILS] = {"", " fails there, and so for the whole node"},
    };
    uint64_t *told = &upstream->seen.runtime->missing.failed[way];
    uint64_t bit = method_bit(upstream->seen.request->method);
    if ((*told & bit) == 0) {
        char text[160];
        snprintf(text, sizeof text, "%s%s%s", consequences[way].before, upstream->seen.request->method->name,
                 consequences[way].after);
        tell(upstream, text);
    }
    *told |= bit;
}

void missing_note(const struct upstream_call *upstream)
{
    bool lacks_method = upstream->omitted && upstream->error.code == STATUS_UNIMPLEMENTED;
    bool answered = !upstream->stale && upstream_succeeded(upstream);
    if (answered) {
        forget(&upstream->seen.runtime->missing, upstream->seen.request->method);
    }
    if (answered || lacks_method || upstream->given_up || upstream_was_cut_short(upstream)) {
        return;
    }
    enum missing_way way = upstream->stale ? MISSING_ANSWERED_FOR : upstream->omitted ? MISSING_LEFT_OUT : MISSING_FAILS;
    uint64_t *fails = &upstream->seen.runtime->missing.fails_now, bit = method_bit(upstream->seen.request->method);
    *fails = way == MISSING_FAILS ? *fails | bit : *fails & ~bit;
    (upstream->error.code == STATUS_UNAVAILABLE ? note_absence : note_failure)(upstream, way);
}
