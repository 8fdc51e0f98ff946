#include "translate/docker/edits.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json/build.h"
#include "translate/bytes/output.h"

static bool add(struct docker_edits *edits, struct bytes place, struct bytes text)
{
    if (edits->count == edits->room) {
        size_t room = edits->room * 2 + 16;
        struct docker_edit *items = arena_alloc(edits->arena, room * sizeof *items);
        if (!items) {
            return false;
        }
        if (edits->count > 0) {
            memcpy(items, edits->items, edits->count * sizeof *items);
        }
        edits->items = items;
        edits->room = room;
    }
    edits->items[edits->count] = (struct docker_edit){.place = place, .text = text, .number = edits->count};
    edits->count++;
    return true;
}

bool docker_edits_replace(struct docker_edits *edits, struct bytes part, struct bytes text)
{
    return add(edits, part, text);
}

bool docker_edits_set(struct docker_edits *edits, struct bytes object, struct bytes value, struct bytes key, struct bytes text)
{
    struct bytes parts[3] = {{0}, bytes_of_string(":"), text};
    if (value.len > 0) {
        return add(edits, value, text);
    }
    if (!docker_quote(key, edits->arena, &parts[0])) {
        return false;
    }
    struct bytes member = arena_join(edits->arena, parts, 3);
    return member.data && add(edits, bytes_of(object.data + 1, 0), member);
}

bool docker_quote(struct bytes string, struct arena *arena, struct bytes *json)
{
    if (string.len > INT_MAX) {
        return false;
    }
    struct json_object *object = json_object_new_string_len(string.len > 0 ? (const char *)string.data : "", (int)string.len);
    size_t size = 0;
    const char *text = json_print(object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &size);
    *json = text ? arena_copy(arena, bytes_of(text, size)) : (struct bytes){0};
    json_object_put(object);
    return json->data != NULL;
}

bool docker_number(int64_t number, struct arena *arena, struct bytes *json)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, number);
    *json = arena_copy(arena, bytes_of_string(text));
    return json->data != NULL;
}

/* ---- making them ---- */

static int compare_places(const void *a, const void *b)
{
    const struct docker_edit *first = a, *second = b;
    if (first->place.data != second->place.data) {
        return first->place.data < second->place.data ? -1 : 1;
    }
    /* What is added goes in front of what is replaced. */
    if ((first->place.len == 0) != (second->place.len == 0)) {
        return first->place.len == 0 ? -1 : 1;
    }
    return first->number < second->number ? -1 : 1;
}

/* Whether the object has another member behind an addition: one that was there, or the next addition. */
static bool has_more(const struct docker_edits *edits, size_t position, struct bytes rest)
{
    const struct docker_edit *edit = &edits->items[position];
    const struct docker_edit *next = position + 1 < edits->count ? edit + 1 : NULL;
    if (next && next->place.len == 0 && next->place.data == edit->place.data) {
        return true;
    }
    while (rest.len > 0 && (*rest.data == ' ' || *rest.data == '\t' || *rest.data == '\n' || *rest.data == '\r')) {
        rest = bytes_after(rest, 1);
    }
    return rest.len > 0 && *rest.data != '}';
}

static bool write_edit(const struct docker_edits *edits, size_t position, struct bytes *rest, struct walk_output *output)
{
    const struct docker_edit *edit = &edits->items[position];
    size_t before = (size_t)(edit->place.data - rest->data);
    bool added = edit->place.len == 0;
    if (!walk_output_put(output, rest->data, before) || !walk_output_put(output, edit->text.data, edit->text.len)) {
        return false;
    }
    *rest = bytes_after(*rest, before + edit->place.len);
    return !added || !has_more(edits, position, *rest) || walk_output_put(output, ",", 1);
}

bool docker_edits_run(struct docker_edits *edits, struct bytes text, struct bytes *edited, struct error *error)
{
    struct walk_output output;
    bool good = walk_output_start(&output, edits->arena, text.len);
    if (edits->count > 0) {
        qsort(edits->items, edits->count, sizeof *edits->items, compare_places);
    }
    for (size_t i = 0; good && i < edits->count; i++) {
        good = write_edit(edits, i, &text, &output);
    }
    if (!good || !walk_output_put(&output, text.data, text.len)) {
        return error_no_memory(error);
    }
    *edited = walk_output_finish(&output);
    return true;
}
