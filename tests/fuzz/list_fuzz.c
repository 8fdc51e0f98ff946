/* Lists and answers of hostile runtimes, as the gateway takes them apart, filters them and puts them together. Input: a byte of
   flags, then pieces behind two bytes of length. */
#include "tests/fuzz/fuzz.h"
#include "translate/lists/filter.h"
#include "translate/lists/merge.h"

#define PIECES 3

/* What the flags say: bits 0 and 1 the dialect, bit 2 pods or containers, bits 3 and 4 what is done. */
struct input {
    enum dialect dialect;
    enum id_kind kind;
    unsigned what;
    struct bytes pieces[PIECES];
};

static bool read_input(struct bytes bytes, struct input *input)
{
    if (bytes.len == 0) {
        return false;
    }
    *input = (struct input){.dialect = (enum dialect)(bytes.data[0] & 3),
                            .kind = bytes.data[0] & 4 ? ID_POD : ID_CONTAINER,
                            .what = bytes.data[0] >> 3 & 3};
    bytes = bytes_after(bytes, 1);
    for (size_t i = 0; i < PIECES; i++) {
        input->pieces[i] = fuzz_take_piece(&bytes);
    }
    return true;
}

static struct bytes join(struct bytes first, struct bytes second, struct arena *arena)
{
    size_t len = first.len + second.len;
    uint8_t *data = arena_alloc(arena, len + 1);
    must(data);
    memcpy(data, first.len > 0 ? first.data : data, first.len);
    memcpy(data + first.len, second.len > 0 ? second.data : data, second.len);
    return bytes_of(data, len);
}

/* ---- a list and a filter ---- */

/* Pieces of any size are messages, and together the list. */
static void check_cuts(struct bytes list, size_t most)
{
    struct bytes rest = list;
    struct bytes part;
    while (rest.len > 0) {
        const uint8_t *at = rest.data;
        if (!list_cut(&rest, most, &part)) {
            return;
        }
        must(part.len > 0 && part.data == at && rest.data == at + part.len);
    }
    must(list.len == 0 || rest.data == list.data + list.len);
}

static void try_list(const struct input *input, struct arena *arena)
{
    struct bytes list = input->pieces[0];
    struct list_filter filter, all = {0};
    struct error error = {0};
    bool filtered = list_filter_read(&filter, input->kind, input->dialect, input->pieces[1], arena, &error);
    must(filtered || error.message[0] != '\0');
    struct list_items items = list_items_of(input->kind, input->dialect, list);
    struct list_item item;
    while (list_items_next(&items, &item)) {
        must(item.message.len <= item.whole.len && item.whole.data >= list.data &&
             item.whole.data + item.whole.len <= list.data + list.len);
        must(list_filter_matches(&all, &item));
        must(!filtered || list_filter_matches(&filter, &item) == list_filter_matches(&filter, &item));
    }
    must(!items.malformed || !list_is_well_formed(input->kind, input->dialect, list));
    check_cuts(list, input->pieces[2].len);
}

/* ---- an item of what was made, and of a status ---- */

static void try_item(const struct input *input, struct arena *arena)
{
    struct bytes list, id = input->pieces[1];
    struct error error = {0};
    if (!list_item_compose(input->kind, input->dialect, input->pieces[0], id, 1, arena, &list, &error)) {
        must(error.message[0] != '\0');
    } else {
        struct list_items items = list_items_of(input->kind, input->dialect, list);
        struct list_item item;
        must(list_items_next(&items, &item) && bytes_equal(item.id, id));
        must(!list_items_next(&items, &item) && !items.malformed);
    }
    int32_t state;
    if (list_item_of_status(input->kind, input->dialect, input->pieces[2], &id, &state)) {
        must(id.len > 0);
    }
    status_is_well_formed(input->kind, input->dialect, input->pieces[2]);
}

/* ---- answers of several runtimes ---- */

static bool serves(void *state, size_t runtime, struct bytes handler)
{
    (void)state;
    return (handler.len + runtime) % 2 == 0;
}

static bool handler_at(void *state, size_t runtime, size_t index, struct bytes *handler)
{
    (void)state;
    *handler = bytes_of((const uint8_t *)"kata-fc", index * 7);
    return index < runtime && index < 2;
}

/* What is trimmed is trimmed: as one answer it would not be any shorter. */
static void try_merge(const struct input *input, struct arena *arena)
{
    static const char *const names[] = {"Status", "ImageFsInfo", "ListMetricDescriptors"};
    const struct method *method = method_by_name(names[input->pieces[0].len % 3]);
    if (!method->in[input->dialect].path) {
        return;
    }
    const struct merging merging = {
        .method = method, .dialect = input->dialect, .arena = arena, .serves = serves, .handler_at = handler_at};
    struct merge_part parts[PIECES];
    struct bytes whole = {0};
    for (size_t i = 0; i < PIECES; i++) {
        parts[i] = (struct merge_part){.response = input->pieces[i], .runtime = i};
    }
    must(merge_trim(&merging, parts, PIECES));
    for (size_t i = 0; i < PIECES; i++) {
        whole = join(whole, parts[i].response, arena);
    }
    if (parts[0].changed && parts[1].changed && parts[2].changed && method->merge != MERGE_STATUS) {
        struct merge_part one = {.response = whole};
        must(merge_trim(&merging, &one, 1) && !one.changed);
    }
}

void fuzz_try(struct bytes bytes, struct arena *arena)
{
    static void (*const tries[])(const struct input *input, struct arena *arena) = {try_list, try_item, try_merge, try_list};
    struct input input;
    if (read_input(bytes, &input)) {
        tries[input.what](&input, arena);
    }
}
