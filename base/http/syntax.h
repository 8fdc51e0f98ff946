/* The lines of HTTP/1, as RFC 9112 has them and without what it only tolerates: no line ends in a bare LF, no field continues on
   the next line, nothing is between a field's name and its colon. Two programs that read one message must find the same
   lines in it, so whatever is doubtful is refused. */
#pragma once

#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

/* Whether a byte may be in a method or in the name of a field. */
bool http_is_token(uint8_t byte);

/* Whether a byte may be in the value of a field: no control character but a tab. */
bool http_is_text(uint8_t byte);

/* Whether both are the same except for the case of ASCII letters. */
bool http_same_name(struct bytes a, const char *b);

/* The text without spaces and tabs at its ends. */
struct bytes http_trim(struct bytes text);

/* Whether a list such as that of the field Connection has that word, in any case. */
bool http_list_has(struct bytes list, const char *word);

/* Takes the first line off `text`: `line` gets it without its end. false: there is no complete line yet, and `text` is as it was;
   with INVALID_ARGUMENT in `error` if it can be none, because it ends without CR, or has a CR within. */
bool http_take_line(struct bytes *text, struct bytes *line, struct error *error);

/* Splits a line into a field's name and its value, without the spaces around it. INVALID_ARGUMENT. */
bool http_read_field(struct bytes line, struct bytes *name, struct bytes *value, struct error *error);
