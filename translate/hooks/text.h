/* Which strings plugins can be sent. */
#pragma once

#include "translate/bytes/utf8.h"

static inline bool hook_text_has_nul(struct bytes text)
{
    return text.len > 0 && memchr(text.data, '\0', text.len);
}

/* Protocols require UTF-8, and a NUL would be refused if the plugin sent it back. */
static inline bool hook_text_can_be_sent(struct bytes text)
{
    return text.len == 0 || (!hook_text_has_nul(text) && utf8_is_valid(text));
}
