#include "node/files/yaml_top.h"

/* Lists and mappings in one another; no kubelet's has more than ten. The time that libyaml takes grows with the square. */
#define DEEPEST 100
#define DEEPEST_TEXT "100"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"
#define STRING_TAG "tag:yaml.org,2002:str"

/* A text that is read, event by event. */
struct reading {
    yaml_parser_t parser;
    const char *file;
    struct bytes text; /* behind a byte order mark */
    size_t mark;       /* bytes of that mark */
    struct bytes key;
    struct arena *arena;
    struct yaml_top *top;
    struct error *error;
    unsigned documents;
    unsigned depth;     /* of open collections */
    bool value_next;    /* in the mapping at the top: the key was read */
    bool in_pair;       /* what is read belongs to the key that is looked for */
    size_t content_end; /* as libyaml counts, in characters: behind the last scalar, alias or bracket */
};

/* Sets a parser up for a text, which is UTF-8. Returns how many bytes of a mark it leaves out. */
static size_t begin(yaml_parser_t *parser, struct bytes *text)
{
    struct bytes mark = bytes_of(BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK));
    size_t size = bytes_start_with(*text, mark) ? mark.len : 0;
    *text = bytes_after(*text, size);
    yaml_parser_set_input_string(parser, text->len > 0 ? text->data : (const uint8_t *)"", text->len);
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
    return size;
}

/* libyaml counts characters. */
static size_t offset_of(const struct reading *reading, size_t index)
{
    size_t at = 0;
    while (at < reading->text.len) {
        if ((reading->text.data[at] & 0xc0) != 0x80 && index-- == 0) {
            break;
        }
        at++;
    }
    return at + reading->mark;
}

static unsigned line_of(const yaml_mark_t *mark)
{
    return (unsigned)mark->line + 1;
}

static bool invalid(const struct reading *reading, unsigned line, const char *problem)
{
    return error_set(reading->error, STATUS_INVALID_ARGUMENT, "%s:%u: %s", reading->file, line, problem);
}

/* ---- events in general ---- */

static bool is_start(const yaml_event_t *event)
{
    return event->type == YAML_MAPPING_START_EVENT || event->type == YAML_SEQUENCE_START_EVENT;
}

static bool is_end(const yaml_event_t *event)
{
    return event->type == YAML_MAPPING_END_EVENT || event->type == YAML_SEQUENCE_END_EVENT;
}

static const char *anchor_of(const yaml_event_t *event)
{
    const yaml_char_t *anchor = event->type == YAML_SCALAR_EVENT           ? event->data.scalar.anchor
                                : event->type == YAML_MAPPING_START_EVENT  ? event->data.mapping_start.anchor
                                : event->type == YAML_SEQUENCE_START_EVENT ? event->data.sequence_start.anchor
                                : event->type == YAML_ALIAS_EVENT          ? event->data.alias.anchor
                                                                           : NULL;
    return (const char *)anchor;
}

static const char *tag_of(const yaml_event_t *event)
{
    const yaml_char_t *tag = event->type == YAML_SCALAR_EVENT           ? event->data.scalar.tag
                             : event->type == YAML_MAPPING_START_EVENT  ? event->data.mapping_start.tag
                             : event->type == YAML_SEQUENCE_START_EVENT ? event->data.sequence_start.tag
                                                                        : NULL;
    return (const char *)tag;
}

static struct bytes value_of(const yaml_event_t *event)
{
    return event->type == YAML_SCALAR_EVENT ? bytes_of(event->data.scalar.value, event->data.scalar.length) : bytes_of(NULL, 0);
}

static int style_of(const yaml_event_t *event)
{
    return event->type == YAML_SCALAR_EVENT           ? (int)event->data.scalar.style
           : event->type == YAML_MAPPING_START_EVENT  ? (int)event->data.mapping_start.style
           : event->type == YAML_SEQUENCE_START_EVENT ? (int)event->data.sequence_start.style
                                                      : 0;
}

static bool is_plain(const yaml_event_t *event)
{
    return event->type == YAML_SCALAR_EVENT && event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static bool is_key(const yaml_event_t *event, struct bytes key)
{
    return event->type == YAML_SCALAR_EVENT && bytes_equal(value_of(event), key);
}

/* ---- the pair ---- */

static bool is_null(const yaml_event_t *event)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    for (size_t i = 0; is_plain(event) && !tag_of(event) && i < sizeof nulls / sizeof *nulls; i++) {
        if (bytes_equal(value_of(event), bytes_of_string(nulls[i]))) {
            return true;
        }
    }
    return false;
}

static bool read_scalar(struct reading *reading, const yaml_event_t *event)
{
    struct yaml_pair *pair = &reading->top->pair;
    struct bytes value = is_null(event) ? bytes_of(NULL, 0) : value_of(event);
    const char *tag = tag_of(event);
    if (value.len > 0 && memchr(value.data, '\0', value.len)) {
        return invalid(reading, pair->value_line, "the value contains a NUL");
    }
    pair->text = arena_string(reading->arena, value);
    pair->scalar = !tag || strcmp(tag, "!") == 0 || strcmp(tag, STRING_TAG) == 0;
    pair->quoted = event->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    return pair->text || error_out_of_memory(reading->error);
}

static bool begin_key(struct reading *reading, const yaml_event_t *event)
{
    struct yaml_top *top = reading->top;
    unsigned line = line_of(&event->start_mark);
    if (event->type == YAML_ALIAS_EVENT || (is_plain(event) && is_key(event, bytes_of_string("<<")))) {
        return invalid(reading, line, "aliases as keys, and merge keys (<<), are not supported here");
    }
    reading->in_pair = is_key(event, reading->key);
    if (reading->in_pair && top->pair.present) {
        return invalid(reading, line, "the key appears twice");
    }
    if (reading->in_pair) {
        top->pair = (struct yaml_pair){.present = true, .line = line};
    }
    if (top->empty) {
        top->first_key = offset_of(reading, event->start_mark.index);
        top->empty = false;
    }
    return true;
}

static bool begin_value(struct reading *reading, const yaml_event_t *event)
{
    struct yaml_pair *pair = &reading->top->pair;
    pair->value = offset_of(reading, event->start_mark.index);
    pair->value_line = line_of(&event->start_mark);
    return event->type != YAML_SCALAR_EVENT || read_scalar(reading, event);
}

/* Where the content of the pair ends; libyaml counts the empty lines behind a block scalar to it. */
static void end_value(struct reading *reading)
{
    struct yaml_pair *pair = &reading->top->pair;
    pair->end = offset_of(reading, reading->content_end);
    const uint8_t *text = reading->text.data - reading->mark;
    while (pair->end > pair->value && strchr(" \t\r\n", text[pair->end - 1])) {
        pair->end--;
    }
}

/* ---- the document ---- */

static bool read_root(struct reading *reading, const yaml_event_t *event)
{
    struct yaml_top *top = reading->top;
    if (event->type == YAML_SCALAR_EVENT && is_plain(event) && value_of(event).len == 0 && !tag_of(event) && !anchor_of(event)) {
        return true;
    }
    if (reading->documents > 1) {
        return invalid(reading, line_of(&event->start_mark), "there is more than one document");
    }
    if (event->type != YAML_MAPPING_START_EVENT) {
        return invalid(reading, line_of(&event->start_mark), "a mapping (\"key: value\") is expected here");
    }
    top->mapping = true;
    top->flow = event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
    top->inside = offset_of(reading, event->end_mark.index);
    reading->depth = 1;
    return true;
}

/* A node in the mapping at the top, or the part of one. */
static bool read_inner(struct reading *reading, const yaml_event_t *event)
{
    bool good = true;
    if (reading->depth == 1 && !is_end(event)) {
        good = !reading->value_next ? begin_key(reading, event) : !reading->in_pair || begin_value(reading, event);
    }
    reading->depth += is_start(event);
    reading->depth -= is_end(event);
    /* The end of a block collection has no bytes of its own. */
    if (!is_start(event) && (!is_end(event) || event->end_mark.index > event->start_mark.index)) {
        reading->content_end = event->end_mark.index;
    }
    if (reading->in_pair && anchor_of(event)) {
        reading->top->pair.anchored = true;
    }
    if (good && reading->depth == 1) {
        if (reading->in_pair && reading->value_next) {
            end_value(reading);
        }
        reading->value_next = !reading->value_next;
    }
    return good;
}

static bool read_event(struct reading *reading, const yaml_event_t *event)
{
    if (reading->depth == DEEPEST && is_start(event)) {
        return invalid(reading, line_of(&event->start_mark), "lists and mappings are nested deeper than " DEEPEST_TEXT);
    }
    switch (event->type) {
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_NO_EVENT:
        return true;
    case YAML_DOCUMENT_START_EVENT:
        reading->documents++;
        return true;
    case YAML_DOCUMENT_END_EVENT:
        if (reading->documents == 1) {
            reading->top->end = offset_of(reading, event->start_mark.index);
        }
        return true;
    default:
        return reading->depth > 0 ? read_inner(reading, event) : read_root(reading, event);
    }
}

static bool parse_failed(const struct reading *reading)
{
    const yaml_parser_t *parser = &reading->parser;
    unsigned line = line_of(&parser->problem_mark);
    if (parser->error == YAML_MEMORY_ERROR) {
        return error_out_of_memory(reading->error);
    }
    if (parser->error == YAML_READER_ERROR) {
        line = 1;
        for (size_t i = 0; i < parser->problem_offset && i < reading->text.len; i++) {
            line += reading->text.data[i] == '\n';
        }
    }
    return invalid(reading, line, parser->problem ? parser->problem : "this is not YAML");
}

bool yaml_top_read(const char *file, struct bytes text, const char *key, struct arena *arena, struct yaml_top *top,
                   struct error *error)
{
    struct reading reading = {
        .file = file, .text = text, .key = bytes_of_string(key), .arena = arena, .top = top, .error = error};
    *top = (struct yaml_top){.empty = true, .end = text.len};
    if (!yaml_parser_initialize(&reading.parser)) {
        return error_out_of_memory(error);
    }
    reading.mark = begin(&reading.parser, &reading.text);
    bool good = true;
    for (bool more = true; good && more;) {
        yaml_event_t event;
        if (yaml_parser_parse(&reading.parser, &event)) {
            more = event.type != YAML_STREAM_END_EVENT;
            good = read_event(&reading, &event);
            yaml_event_delete(&event);
        } else {
            good = parse_failed(&reading);
        }
    }
    yaml_parser_delete(&reading.parser);
    return good;
}

/* ---- all the others ---- */

/* The events of a text except those of one pair, and of what is around the mapping at the top. */
struct others {
    yaml_parser_t parser;
    struct bytes key;
    unsigned depth;
    bool value_next;
    bool skipped; /* what is read belongs to the key */
    bool cut_off; /* there was no memory for what comes next */
};

/* Whether the event is one of those that are compared. */
static bool is_other(struct others *others, const yaml_event_t *event)
{
    if (others->depth == 0) {
        others->depth = event->type == YAML_MAPPING_START_EVENT;
        return false;
    }
    if (others->depth == 1 && !is_end(event) && !others->value_next) {
        others->skipped = is_key(event, others->key);
    }
    others->depth += is_start(event);
    others->depth -= is_end(event);
    if (others->depth == 1) {
        others->value_next = !others->value_next;
    }
    return others->depth > 0 && !others->skipped;
}

/* The next one, which the caller deletes; YAML_NO_EVENT at the end. */
static void next_other(struct others *others, yaml_event_t *event)
{
    for (;;) {
        if (!yaml_parser_parse(&others->parser, event)) {
            *event = (yaml_event_t){.type = YAML_NO_EVENT};
            others->cut_off = true;
            return;
        }
        if (event->type == YAML_STREAM_END_EVENT) {
            yaml_event_delete(event);
            return;
        }
        if (event->type > YAML_DOCUMENT_END_EVENT && is_other(others, event)) {
            return;
        }
        yaml_event_delete(event);
    }
}

static bool same_text(const char *one, const char *other)
{
    return one && other ? strcmp(one, other) == 0 : one == other;
}

static bool same_event(const yaml_event_t *one, const yaml_event_t *other)
{
    return one->type == other->type && style_of(one) == style_of(other) && same_text(anchor_of(one), anchor_of(other)) &&
           same_text(tag_of(one), tag_of(other)) && bytes_equal(value_of(one), value_of(other));
}

static bool all_same(struct others *one, struct others *other)
{
    for (;;) {
        yaml_event_t events[2];
        next_other(one, &events[0]);
        next_other(other, &events[1]);
        bool same = same_event(&events[0], &events[1]);
        bool end = events[0].type == YAML_NO_EVENT;
        yaml_event_delete(&events[0]);
        yaml_event_delete(&events[1]);
        if (!same || end) {
            return same;
        }
    }
}

bool yaml_top_same_others(struct bytes one, struct bytes other, const char *key, struct error *error)
{
    struct others others[2] = {{.key = bytes_of_string(key), .cut_off = true}, {.key = bytes_of_string(key), .cut_off = true}};
    bool same = false;
    if (yaml_parser_initialize(&others[0].parser)) {
        if (yaml_parser_initialize(&others[1].parser)) {
            begin(&others[0].parser, &one);
            begin(&others[1].parser, &other);
            others[0].cut_off = others[1].cut_off = false;
            same = all_same(&others[0], &others[1]);
            yaml_parser_delete(&others[1].parser);
        }
        yaml_parser_delete(&others[0].parser);
    }
    /* Both texts are known to be YAML. */
    return others[0].cut_off || others[1].cut_off ? error_out_of_memory(error) : same;
}
