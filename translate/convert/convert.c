#include "translate/convert/convert.h"

#include "translate/abilities/judge.h"
#include "translate/bytes/output.h"
#include "translate/bytes/packing.h"
#include "translate/convert/requested_image.h"
#include "translate/hooks/facts.h"
#include "translate/model/field_subset.h"
#include "translate/model/model.h"
#include "translate/model/normalisations.h"
#include "translate/walk/names.h"
#include "translate/walk/walk.h"

/* The context of the model: a conversion of a request. */
struct model_way {
    struct conversion *conversion;
    enum walk_unknown in;  /* unknown fields on the way into the model */
    enum walk_unknown out; /* and out of it */
};

static bool same_package(enum dialect a, enum dialect b)
{
    return strcmp(dialects[a].package, dialects[b].package) == 0;
}

static const ProtobufCMessageDescriptor *model_descriptor(enum model_kind kind)
{
    static const ProtobufCMessageDescriptor *const descriptors[MODEL_KIND_COUNT] = {
        [MODEL_POD] = &model__pod_sandbox_config__descriptor,
        [MODEL_CONTAINER] = &model__container_config__descriptor,
        [MODEL_RESOURCES] = &model__linux_container_resources__descriptor,
    };
    return descriptors[kind];
}

static bool run_all(normalisation *const *run, struct model *model, struct error *error)
{
    while (*run && (*run)(model, error)) {
        run++;
    }
    return !*run;
}

/* Decodes the fields that normalisations use with the model's stubs, normalises, encodes; leaves `bytes` unchanged if nothing had
   to change. */
static bool through_stubs(const struct conversion *conversion, enum model_kind kind, const char *path, struct bytes *bytes,
                          bool *changed, struct report *report, struct error *error)
{
    enum dialect from = conversion->from, to = conversion->to;
    uint64_t subset = from == to ? normalisations_within_look_at[kind][to]
                                 : normalisations_up_look_at[kind][from] | normalisations_down_look_at[kind][to];
    struct arena *arena = conversion->arena;
    struct bytes fields;
    if (!field_subset_take(*bytes, subset, arena, &fields)) {
        return error_no_memory(error);
    }
    ProtobufCMessage *message = arena_unpack(arena, model_descriptor(kind), fields);
    if (!message) {
        return error_no_memory(error);
    }
    struct model model = {
        .pod = kind == MODEL_POD ? (Model__PodSandboxConfig *)(void *)message : NULL,
        .container = kind == MODEL_CONTAINER ? (Model__ContainerConfig *)(void *)message : NULL,
        .resources = kind == MODEL_RESOURCES ? (Model__LinuxContainerResources *)(void *)message : NULL,
        .path = path,
        .arena = arena,
        .report = report,
        .to = conversion->to,
        .leniency = conversion->leniency,
        .caller_lacks_masked_paths = conversion->caller_lacks_masked_paths,
        .unmasked = conversion->unmasked,
        .image_name = conversion->image_name,
    };
    /* First make explicit what the source implies, then what the target can express. */
    bool done = from == to ? run_all(normalisations_within[kind][to], &model, error)
                           : run_all(normalisations_up[kind][from], &model, error) &&
                                 run_all(normalisations_down[kind][to], &model, error);
    if (!done) {
        return false;
    }
    *changed = model.changed;
    return !model.changed || (arena_pack(arena, message, &fields) && field_subset_put(*bytes, subset, fields, arena, bytes)) ||
           error_no_memory(error);
}

/* Hands out the configuration for hooks, and writes what they changed into it. */
static bool adjust(const struct conversion *conversion, enum model_kind kind, struct bytes *bytes, struct error *error)
{
    const struct hook_adjustment *adjustment = conversion->adjustment;
    if (conversion->configurations) {
        conversion->configurations[kind] = *bytes;
    }
    return !adjustment ||
           hook_facts_apply(kind, *bytes, adjustment->before[kind], adjustment->after[kind], conversion->arena, bytes, error);
}

/* One configuration: source dialect -> model -> target dialect. */
static bool convert_through_model(struct walk *outer, enum model_kind kind, struct bytes in, const struct walk_frame *frame,
                                  struct bytes *out, struct error *error)
{
    const struct model_way *way = outer->model_state;
    const struct conversion *conversion = way->conversion;
    struct walk walk = *outer;
    walk.model = NULL;
    walk.to = DIALECT_MODEL;
    walk.unknown = way->in;
    struct bytes bytes;
    if (!walk_message(&walk, model_tables[kind][conversion->from][DIALECT_MODEL], in, frame, &bytes, error)) {
        return false;
    }
    if (!adjust(conversion, kind, &bytes, error)) {
        return false;
    }
    char path[128];
    walk_path(frame, path, sizeof path);
    bool changed = false;
    if (!through_stubs(conversion, kind, path, &bytes, &changed, outer->report, error)) {
        return false;
    }
    outer->elements = walk.elements;
    if (conversion->to == DIALECT_MODEL) {
        *out = bytes;
        return true;
    }
    walk.from = DIALECT_MODEL;
    walk.to = conversion->to;
    walk.unknown = way->out;
    walk.judged = true;
    walk.elements = 0; /* counted on the way in */
    walk.names = NULL;
    return walk_message(&walk, model_tables[kind][DIALECT_MODEL][conversion->to], bytes, frame, out, error);
}

static bool lacks_method(const struct conversion *conversion, enum dialect dialect, struct error *error)
{
    return error_set(error, STATUS_UNIMPLEMENTED, "dialect %s has no %s", dialects[dialect].name, conversion->method->name);
}

/* Judges a request in the runtime's dialect by what the runtime ignores. */
static bool judge(struct conversion *conversion, struct bytes request, struct error *error)
{
    const struct ability_judgement judgement = {
        .set = conversion->abilities,
        .leniency = conversion->leniency,
        .report = &conversion->report,
        .method = conversion->method,
        .dialect = conversion->to,
    };
    return !conversion->abilities || ability_judge(&judgement, request, error);
}

bool convert_request(struct conversion *conversion, struct bytes in, struct bytes *out, struct error *error)
{
    const struct walk_table *table = walk_table_of_request(conversion->method, conversion->from, conversion->to);
    if (!table) {
        return lacks_method(conversion, conversion->to, error);
    }
    bool one_package = same_package(conversion->from, conversion->to);
    /* Bytes in the model's dialect are not walked completely on the way in, so their unknown fields are handled on the way out.
     */
    bool natural = conversion->from == DIALECT_MODEL;
    struct model_way way = {
        .conversion = conversion,
        .in = natural       ? WALK_UNKNOWN_KEEP
              : one_package ? WALK_UNKNOWN_ESCAPE
                            : WALK_UNKNOWN_DROP,
        .out = one_package ? WALK_UNKNOWN_UNESCAPE
               : natural   ? WALK_UNKNOWN_DROP
                           : WALK_UNKNOWN_KEEP,
    };
    struct walk walk = {
        .from = conversion->from,
        .to = conversion->to,
        .request = true,
        .names = conversion->names,
        .node = conversion->node,
        .arena = conversion->arena,
        .leniency = conversion->leniency,
        .report = &conversion->report,
        .model = convert_through_model,
        .model_state = &way,
    };
    return walk_message(&walk, table, in, NULL, out, error) && judge(conversion, *out, error) &&
           (!conversion->wants_requested_image || requested_image_fill(conversion->method, conversion->to, *out,
                                                                       conversion->image_name, conversion->arena, out, error));
}

bool convert_needs_image_name(enum dialect from, enum dialect to)
{
    static const char message[] = "ImageSpec";
    static const char field[] = "user_specified_image";
    return dialect_has_field(to, message, field) && !dialect_has_field(from, message, field);
}

bool convert_passes_response(const struct conversion *conversion)
{
    const struct walk_table *table = walk_table_of_response(conversion->method, conversion->from, conversion->to);
    return table && !conversion->merged && !table->changes && !(conversion->names && (conversion->names->kinds & table->names));
}

bool convert_response(struct conversion *conversion, struct bytes in, struct bytes *out, struct error *error)
{
    const struct walk_table *table = walk_table_of_response(conversion->method, conversion->from, conversion->to);
    if (!table) {
        return lacks_method(conversion, conversion->to, error);
    }
    if (convert_passes_response(conversion)) {
        *out = in;
        return true;
    }
    struct walk walk = {
        .from = conversion->from,
        .to = conversion->to,
        .names = conversion->names,
        .node = conversion->node,
        .arena = conversion->arena,
        .report = &conversion->report,
        .checks_text = conversion->merged,
    };
    const struct walk_frame top = {.before = &conversion->before};
    return walk_message(&walk, table, in, &top, out, error);
}

struct bytes response_info_entry(const struct method *method, enum dialect dialect, struct bytes key, struct bytes value,
                                 struct arena *arena)
{
    enum { ENTRY_KEY = 1, ENTRY_VALUE = 2 };
    /* A map of strings in every dialect. */
    const struct schema_field *info = schema_field_by_name(method->in[dialect].response, "info");
    struct walk_output output;
    if (!info || !info->map || !walk_output_start(&output, arena, key.len + value.len)) {
        return (struct bytes){0};
    }
    size_t expected = key.len + value.len;
    size_t opened = walk_output_open(&output, info->number, expected);
    bool done = opened != SIZE_MAX && walk_output_put_field(&output, ENTRY_KEY, key) &&
                walk_output_put_field(&output, ENTRY_VALUE, value) && walk_output_close(&output, opened, expected);
    return done ? walk_output_finish(&output) : (struct bytes){0};
}
