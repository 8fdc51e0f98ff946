/* Lists of hostile runtimes in pieces, as the gateway reads and converts them: whichever way they are cut, it is the same as if
   they were whole. Input: a byte of flags, the lengths of the pieces in bytes behind two bytes of how many there are, the list.
 */
#include "core/store/list_digest.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/translate/bytes/pieces_oracle.h"
#include "translate/convert/convert.h"
#include "translate/lists/item.h"
#include "translate/walk/names.h"

#define MOST_CUTS 64

/* What the flags say: bits 0 and 1 the runtime's dialect, bits 2 and 3 the caller's, bit 4 pods or containers, bit 5 names are
   mapped, bit 6 the list is one of several. */
struct input {
    enum dialect from, to;
    enum id_kind kind;
    bool named, merged;
    struct bytes cuts, list;
};

static bool read_input(struct bytes bytes, struct input *input)
{
    if (bytes.len == 0) {
        return false;
    }
    uint8_t flags = bytes.data[0];
    *input = (struct input){.from = (enum dialect)(flags & 3),
                            .to = (enum dialect)(flags >> 2 & 3),
                            .kind = flags & 16 ? ID_POD : ID_CONTAINER,
                            .named = flags & 32,
                            .merged = flags & 64};
    bytes = bytes_after(bytes, 1);
    input->cuts = fuzz_take_piece(&bytes);
    input->cuts.len = input->cuts.len < MOST_CUTS ? input->cuts.len : MOST_CUTS;
    input->list = bytes;
    return true;
}

/* ---- cutting ---- */

/* Each piece in memory of its own, so that nothing can be read beyond its end. */
static struct pieces cut(const struct input *input, struct bytes *each)
{
    struct bytes rest = input->list;
    for (size_t i = 0; i <= input->cuts.len; i++) {
        size_t len = i < input->cuts.len && input->cuts.data[i] < rest.len ? input->cuts.data[i] : rest.len;
        uint8_t *piece = malloc(len > 0 ? len : 1);
        must(piece);
        memcpy(piece, len > 0 ? rest.data : piece, len);
        each[i] = bytes_of(piece, len);
        rest = bytes_after(rest, len);
    }
    return (struct pieces){.each = each, .count = input->cuts.len + 1};
}

static void free_pieces(struct pieces pieces)
{
    for (size_t i = 0; i < pieces.count; i++) {
        free((void *)(uintptr_t)pieces.each[i].data);
    }
}

/* ---- converting ---- */

static bool mark(void *state, enum name_kind kind, bool carried, struct bytes name, struct arena *arena,
                 struct mapped_name *mapped, struct error *error)
{
    (void)state;
    (void)kind;
    (void)carried;
    (void)arena;
    (void)error;
    *mapped = (struct mapped_name){.front = bytes_of("x", name.len > 0), .rest = name};
    return true;
}

static const struct names marking = {.kinds = ~0U, .map = mark};

static struct conversion conversion_of(const struct input *input, struct arena *arena)
{
    return (struct conversion){.method = method_by_name(input->kind == ID_POD ? "ListPodSandbox" : "ListContainers"),
                               .from = input->from,
                               .to = input->to,
                               .arena = arena,
                               .names = input->named ? &marking : NULL,
                               .merged = input->merged};
}

/* Run by run, each right behind the one before. */
static bool convert_runs(struct conversion *conversion, struct pieces runs, struct pieces *converted, struct error *error)
{
    struct bytes *each = arena_alloc(conversion->arena, runs.count * sizeof *each);
    must(each);
    *converted = (struct pieces){.each = each, .count = runs.count};
    for (size_t i = 0; i < runs.count; i++) {
        conversion->before = (struct pieces){.each = runs.each, .count = i};
        if (!convert_response(conversion, runs.each[i], &each[i], error)) {
            return false;
        }
    }
    return true;
}

static bool same_losses(const struct report *one, const struct report *other)
{
    return memcmp(one, other, sizeof *one) == 0;
}

static void try_conversion(const struct input *input, struct pieces pieces, struct arena *arena)
{
    struct conversion conversion = conversion_of(input, arena), by_runs = conversion;
    struct error error = {0}, error_of_runs = {0};
    struct pieces runs, converted;
    struct bytes whole;
    bool done = convert_response(&conversion, input->list, &whole, &error);
    bool aligned = pieces_align(pieces, arena, &runs, &error_of_runs);
    bool runs_done = aligned && convert_runs(&by_runs, runs, &converted, &error_of_runs);
    if (!runs_done) {
        must(error_of_runs.code == STATUS_INTERNAL && error_of_runs.message[0] != '\0');
        must(!done || convert_passes_response(&conversion));
        must(done || !aligned || strcmp(error.message, error_of_runs.message) == 0);
        return;
    }
    must(done && pieces_equal(converted, whole) && same_losses(&conversion.report, &by_runs.report));
}

/* ---- reading ---- */

static bool same_item(const struct list_item *one, const struct list_item *other)
{
    return bytes_equal(one->whole, other->whole) && bytes_equal(one->id, other->id);
}

static void try_reading(const struct input *input, struct pieces pieces, struct arena *arena)
{
    struct error error = {0};
    struct pieces runs;
    if (!pieces_align(pieces, arena, &runs, &error)) {
        must(!list_is_well_formed(input->kind, input->from, input->list));
        return;
    }
    must(runs.count <= 2 * pieces.count && pieces_equal(runs, input->list));
    struct list_items items = list_items_of(input->kind, input->from, input->list);
    struct list_items of_runs = list_items_of_pieces(input->kind, input->from, runs);
    struct list_item item, of_run;
    while (list_items_next(&items, &item)) {
        must(list_items_next(&of_runs, &of_run) && same_item(&item, &of_run));
    }
    must(!list_items_next(&of_runs, &of_run) && items.malformed == of_runs.malformed);
    static const struct list_secret secret = {{1, 2, 3}};
    const struct list_digester digester = list_digester_of(&secret, input->kind, input->from);
    struct list_digest digest = {0}, of_pieces = {0};
    list_digest_add(&digest, &digester, input->list);
    list_digest_add_pieces(&of_pieces, &digester, runs);
    must(items.malformed || list_digest_equal(&digest, &of_pieces));
}

void fuzz_try(struct bytes bytes, struct arena *arena)
{
    struct input input;
    struct bytes each[MOST_CUTS + 1];
    if (!read_input(bytes, &input)) {
        return;
    }
    struct pieces pieces = cut(&input, each);
    try_reading(&input, pieces, arena);
    try_conversion(&input, pieces, arena);
    free_pieces(pieces);
}
