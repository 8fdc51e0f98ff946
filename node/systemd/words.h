/* Lines split into words as systemd does it (systemd.syntax(7), systemd.service(5)). Pure. */
#pragma once

#include "node/systemd/traced_text.h"

enum words_rules {
    WORDS_OF_UNIT,     /* in a unit's file: C escapes; a quote must be closed */
    WORDS_OF_VARIABLE, /* of $NAME on a command line: a backslash goes and what follows it stays; a quote may be left open */
};

enum words_result {
    WORDS_WORD,
    WORDS_END,
    WORDS_MISTAKE, /* an unterminated quote or escape */
    WORDS_NO_MEMORY,
};

/* The next word from text[*at] on, without its quotes. */
enum words_result words_next(struct traced_text text, size_t *at, enum words_rules rules, struct arena *arena,
                             struct traced_text *word);
