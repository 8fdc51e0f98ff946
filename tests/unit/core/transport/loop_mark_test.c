/* Which failures of a runtime tell that a call came back to this process. */
#include <stdio.h>

#include "core/transport/loop_mark.h"
#include "tests/cmocka.h"

static bool told(enum status_code code, const char *before, const char *after)
{
    struct error refusal;
    char text[ERROR_MESSAGE_SIZE + 64];
    loop_mark_refuse("unix:///run/crigate/crigate.sock", &refusal);
    snprintf(text, sizeof text, "%s%s%s", before, refusal.message, after);
    return loop_mark_is_refusal(code, bytes_of_string(text));
}

TEST(the_refusal_is_known_as_callers_hear_it)
{
    assert_true(told(STATUS_FAILED_PRECONDITION, "crigate: ", ""));
    assert_false(told(STATUS_UNAVAILABLE, "crigate: ", ""));
    assert_false(loop_mark_is_refusal(STATUS_FAILED_PRECONDITION, (struct bytes){0}));
}

TEST(what_a_runtime_quotes_is_not_it)
{
    assert_false(told(STATUS_FAILED_PRECONDITION, "container hook failed: crigate: ", ""));
    assert_false(told(STATUS_FAILED_PRECONDITION, "exec: \"", "\": not found"));
    assert_false(told(STATUS_FAILED_PRECONDITION, "", ""));
}
