#include "codegen/emit_names.h"

#include <ctype.h>
#include <string.h>

#include "codegen/memory.h"

const char *emit_dialect_constant(const struct dialect *dialect)
{
    char *constant = memory_format("DIALECT_%s", dialect->name);
    for (char *c = constant; *c != '\0'; c++) {
        *c = (char)toupper((unsigned char)*c);
    }
    return constant;
}

static const char *without_dots(char *symbol)
{
    for (char *c = symbol; *c != '\0'; c++) {
        *c = *c == '.' ? '_' : *c;
    }
    return symbol;
}

const char *emit_symbol(const char *prefix, const struct dialect *dialect, const char *name)
{
    return without_dots(memory_format("%s_%s_%s", prefix, dialect->name, name));
}

const char *emit_walk_symbol(const struct emission *emission, size_t from, size_t to, const char *prefix, const char *name)
{
    const struct dialect *dialects = emission->schema->dialects;
    return without_dots(memory_format("%s_%s_to_%s_%s", prefix, dialects[from].name, dialects[to].name, name));
}

const char *emit_literal(const char *text)
{
    char *literal = memory_new(4 * strlen(text) + 3, 1);
    char *end = literal;
    *end++ = '"';
    for (const char *c = text; *c != '\0'; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte == '"' || byte == '\\') {
            *end++ = '\\';
            *end++ = *c;
        } else if (byte < 0x20 || byte == 0x7f) {
            end += sprintf(end, "\\%03o", byte);
        } else {
            *end++ = *c;
        }
    }
    *end = '"';
    return literal;
}
