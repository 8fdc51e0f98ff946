/* Whether a text is JSON, to the letter of RFC 8259. json-c is not used for this: what it takes beyond that differs from release
   to release, and its strict mode refuses UTF-8 in 0.18. */
#pragma once

#include <json-c/json.h>

#include "base/bytes/bytes.h"

/* json_tokener_success if the text is one JSON value in valid UTF-8, with only white space around it, and objects and lists
   nested at most `depth` deep. Otherwise what is wrong, in json-c's terms, and at which offset, which is at most text.len:
   json_tokener_continue if the text ends too early, json_tokener_error_depth, json_tokener_error_parse_utf8_string, or one of the
   other json_tokener_error_parse_. */
enum json_tokener_error json_syntax_check(struct bytes text, unsigned depth, size_t *offset);
