/* Heads of messages whose body is reframed. */
#pragma once

#include "base/http/head.h"
#include "base/system/buffer.h"

/* Appends the head to `out`, without the fields of those names (the last of which is NULL), and with `added`, whole lines, behind
   the others. The head is one that was read. false: out of memory. */
bool http_head_rewrite(struct bytes head, const char *const *without, struct bytes added, struct buffer *out);
