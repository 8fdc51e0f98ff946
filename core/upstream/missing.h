/* Logs that a runtime did not answer: each kind of consequence for replies, when it first happens. */
#pragma once

struct upstream_call;

/* An upstream call has ended, of a call to several runtimes or with an answer. Logs that its runtime did not answer, unless that
   was logged since its last answer. Calls that their callers ended are not logged. */
void missing_note(const struct upstream_call *upstream);
