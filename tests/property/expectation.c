#include "expectation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generated/functions.h"
#include "stub_reader.h"
#include "translate/bytes/image_id.h"
#include "translate/walk/leniency.h"
#include "translate/walk/table.h"

/* One hop of a message: a configuration takes two, to the model and from there. */
struct hop {
    struct expectation *expectation;
    const struct trial *trial;
    enum dialect from, to;
    bool judged; /* the model has judged it */
    bool named;  /* names were mapped before */
};

static struct json_object *expect_message(const struct hop *hop, const struct walk_table *table, struct json_object *in);

/* ---- JSON ---- */

static struct json_object *get(struct json_object *object, const char *name)
{
    struct json_object *value = NULL;
    json_object_object_get_ex(object, name, &value);
    return value;
}

static const char *text_of(struct json_object *object, const char *name)
{
    struct json_object *value = get(object, name);
    return value ? json_object_get_string(value) : "";
}

static bool says(struct json_object *object, const char *name, const char *text)
{
    return strcmp(text_of(object, name), text) == 0;
}

/* Leaves out an empty one, as readers do. */
static void put_text(struct json_object *object, const char *name, const char *text)
{
    json_object_object_del(object, name);
    if (*text) {
        json_object_object_add(object, name, json_object_new_string(text));
    }
}

/* The message under that name, made if it is not there. */
static struct json_object *require(struct json_object *object, const char *name)
{
    struct json_object *found = get(object, name);
    if (!found) {
        found = json_object_new_object();
        json_object_object_add(object, name, found);
    }
    return found;
}

static bool same_package(enum dialect one, enum dialect other)
{
    return strcmp(dialects[one].package, dialects[other].package) == 0;
}

/* ---- what a carry function makes of the fields that it captures, in `in`, after names were mapped ---- */

typedef void expect_carry(const struct hop *hop, struct json_object *in, struct json_object *out);

/* In v1_9 they are bools with another name, and a container's processes its own where they are not the node's. */
static const struct {
    const char *name, *older, *otherwise;
} namespaces[] = {{"network", "hostNetwork", ""}, {"pid", "hostPid", "CONTAINER"}, {"ipc", "hostIpc", ""}};

static void namespaces_up(const struct hop *hop, struct json_object *in, struct json_object *out)
{
    (void)hop;
    for (size_t i = 0; i < 3; i++) {
        put_text(out, namespaces[i].name, get(in, namespaces[i].older) ? "NODE" : namespaces[i].otherwise);
    }
}

static void namespaces_down(const struct hop *hop, struct json_object *in, struct json_object *out)
{
    (void)hop;
    for (size_t i = 0; i < 3; i++) {
        if (says(in, namespaces[i].name, "NODE")) {
            json_object_object_add(out, namespaces[i].older, json_object_new_boolean(true));
        }
    }
}

/* No trial has a node that could answer. */
static void filesystem(const struct hop *hop, struct json_object *in, struct json_object *out)
{
    (void)out;
    bool up = hop->from == DIALECT_V1_9;
    if (get(get(in, up ? "storageId" : "fsId"), up ? "uuid" : "mountpoint")) {
        hop->expectation->dropped[RULE_FilesystemUsage_fs_id] = true;
    }
}

static void image_up(const struct hop *hop, struct json_object *in, struct json_object *out)
{
    (void)hop;
    const char *reference = text_of(in, "imageRef");
    put_text(out, "imageRef", reference);
    put_text(out, "imageId", image_id_is_digest(bytes_of_string(reference)) ? reference : "");
}

static void image_of_status_down(const struct hop *hop, struct json_object *in, struct json_object *out)
{
    (void)hop;
    put_text(out, "imageRef", text_of(in, "imageRef"));
}

static void image_down(const struct hop *hop, struct json_object *in, struct json_object *out)
{
    (void)hop;
    put_text(out, "imageRef", text_of(in, get(in, "imageId") ? "imageId" : "imageRef"));
}

static void version(const struct hop *hop, struct json_object *in, struct json_object *out)
{
    const char *package = strrchr(dialects[hop->to].package, '.');
    bool said = same_package(hop->from, hop->to) && get(in, "runtimeApiVersion");
    put_text(out, "version", "0.1.0");
    put_text(out, "runtimeName", get(in, "runtimeName") ? text_of(in, "runtimeName") : "unknown");
    put_text(out, "runtimeVersion", get(in, "runtimeVersion") ? text_of(in, "runtimeVersion") : "unknown");
    put_text(out, "runtimeApiVersion", said ? text_of(in, "runtimeApiVersion") : package ? package + 1 : "v1alpha1");
}

static void url(const struct hop *hop, struct json_object *in, struct json_object *out)
{
    (void)hop;
    char text[128];
    const char *given = text_of(in, "url");
    snprintf(text, sizeof text, "%s%s", strncmp(given, "//", 2) == 0 ? "http:" : "", given);
    put_text(out, "url", text);
}

static const struct {
    carry_function *carry;
    expect_carry *expect;
} carries[] = {
    {carry_namespace_option_up, namespaces_up},
    {carry_namespace_option_down, namespaces_down},
    {carry_filesystem_up, filesystem},
    {carry_filesystem_down, filesystem},
    {carry_container_image_id_up, image_up},
    {carry_container_image_id_down, image_down},
    {carry_container_status_image_id_up, image_up},
    {carry_container_status_image_id_down, image_of_status_down},
    {carry_version, version},
    {carry_exec_url, url},
    {carry_attach_url, url},
    {carry_port_forward_url, url},
};

static void expect_carried(const struct hop *hop, const struct walk_table *table, struct json_object *in, struct json_object *out)
{
    size_t i = 0;
    while (i < sizeof carries / sizeof carries[0] && carries[i].carry != table->carry) {
        i++;
    }
    if (i == sizeof carries / sizeof carries[0]) {
        trial_fail(hop->trial, "nothing is known of what is carried of %s", table->message->name);
    }
    carries[i].expect(hop, in, out);
}

/* ---- what normalisations make of a configuration, in the form of the model ---- */

/* A message's profile as a string; NULL if none says it. */
static const char *string_of_profile(struct json_object *profile, char text[static 128])
{
    if (!get(profile, "profileType")) {
        return "runtime/default";
    }
    if (says(profile, "profileType", "Unconfined")) {
        return "unconfined";
    }
    snprintf(text, 128, "localhost/%s", text_of(profile, "localhostRef"));
    return says(profile, "profileType", "Localhost") && get(profile, "localhostRef") ? text : NULL;
}

static struct json_object *profile_of_string(const char *text)
{
    struct json_object *profile = json_object_new_object();
    if (strcmp(text, "unconfined") == 0) {
        put_text(profile, "profileType", "Unconfined");
    } else if (strncmp(text, "localhost/", 10) == 0) {
        put_text(profile, "profileType", "Localhost");
        put_text(profile, "localhostRef", text + 10);
    }
    return profile;
}

/* A profile moves between a string and a message; the message counts, and the target gets all forms that it has. */
static void move_profile(const struct trial *trial, struct json_object *security, const char *name, const char *string_name,
                         const char *standard)
{
    char text[128];
    bool knows_messages = dialect_has_field(trial->to, "LinuxContainerSecurityContext", "seccomp");
    struct json_object *profile = get(security, name);
    if (!profile && get(security, string_name)) {
        profile = profile_of_string(text_of(security, string_name));
        json_object_object_add(security, name, profile);
    }
    const char *string = profile ? string_of_profile(profile, text) : "";
    if (string) {
        put_text(security, string_name, strcmp(string, "runtime/default") == 0 ? standard : string);
    } else if (!knows_messages) {
        json_object_object_del(security, string_name); /* let through */
    }
}

static void move_profiles(const struct trial *trial, enum model_kind kind, struct json_object *security)
{
    const char *standard = trial->to == DIALECT_V1_9 ? "docker/default" : "runtime/default";
    move_profile(trial, security, "seccomp", "seccompProfilePath", standard);
    if (kind == MODEL_CONTAINER) {
        move_profile(trial, security, "apparmor", "apparmorProfile", "runtime/default");
    }
}

/* The lists of today's kubelets. */
static const char *const masked[] = {"/proc/acpi",
                                     "/proc/asound",
                                     "/proc/interrupts",
                                     "/proc/kcore",
                                     "/proc/keys",
                                     "/proc/latency_stats",
                                     "/proc/sched_debug",
                                     "/proc/scsi",
                                     "/proc/timer_list",
                                     "/proc/timer_stats",
                                     "/sys/devices/virtual/powercap",
                                     "/sys/firmware",
                                     NULL};
static const char *const read_only[] = {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger", NULL};

static void put_list(struct json_object *object, const char *name, const char *const *texts)
{
    struct json_object *list = json_object_new_array();
    for (; *texts; texts++) {
        json_object_array_add(list, json_object_new_string(*texts));
    }
    json_object_object_add(object, name, list);
}

/* What v1_9 implies. */
static void say_what_is_implied(enum model_kind kind, struct json_object *config)
{
    struct json_object *security = require(require(config, "linux"), "securityContext");
    if (!get(security, "namespaceOptions")) {
        put_text(require(security, "namespaceOptions"), "pid", "CONTAINER");
    }
    if (kind == MODEL_CONTAINER && !get(security, "privileged")) {
        put_list(security, "maskedPaths", masked);
        put_list(security, "readonlyPaths", read_only);
    }
}

static void leave_out_sctp(const struct hop *hop, struct json_object *config)
{
    struct json_object *ports = get(config, "portMappings");
    for (size_t i = 0; ports && i < json_object_array_length(ports); i++) {
        struct json_object *port = json_object_array_get_idx(ports, i);
        if (says(port, "protocol", "SCTP") && json_object_get_int(get(port, "hostPort")) <= 0) {
            json_object_object_del(port, "protocol");
            hop->expectation->dropped[RULE_Protocol_SCTP] = true;
        }
    }
}

static void say_requested_image(const struct trial *trial, struct json_object *config)
{
    struct json_object *image = get(config, "image");
    const char *name = text_of(image, "image");
    if (image && dialect_has_field(trial->to, "ImageSpec", "user_specified_image") && !get(image, "userSpecifiedImage") &&
        image_id_is_name(bytes_of_string(name))) {
        put_text(image, "userSpecifiedImage", name);
    }
}

static void normalise(const struct hop *hop, enum model_kind kind, struct json_object *config)
{
    const struct trial *trial = hop->trial;
    if (kind == MODEL_RESOURCES) {
        return;
    }
    if (trial->from != trial->to) {
        if (!dialect_has_field(trial->from, "NamespaceOption", "pid")) {
            say_what_is_implied(kind, config);
        }
        if (kind == MODEL_CONTAINER) {
            say_requested_image(trial, config);
        } else if (trial->to == DIALECT_V1_9) {
            leave_out_sctp(hop, config);
        }
    }
    struct json_object *security = get(get(config, "linux"), "securityContext");
    if (security && (trial->from != trial->to || dialect_has_field(trial->to, "LinuxContainerSecurityContext", "seccomp"))) {
        move_profiles(trial, kind, security);
    }
}

static struct json_object *expect_config(const struct hop *hop, enum model_kind kind, struct json_object *in)
{
    struct hop up = *hop;
    up.to = DIALECT_MODEL;
    struct json_object *config = expect_message(&up, model_tables[kind][up.from][up.to], in);
    normalise(hop, kind, config);
    if (hop->to == DIALECT_MODEL) {
        return config;
    }
    struct hop down = *hop;
    down.from = DIALECT_MODEL;
    down.judged = down.named = true;
    struct json_object *out = expect_message(&down, model_tables[kind][down.from][down.to], config);
    json_object_put(config);
    return out;
}

/* ---- fields ---- */

/* What the other side lacks. The model has told of what it judged. */
static void leave_out(const struct hop *hop, enum walk_action action, uint16_t rule)
{
    bool judged = action == WALK_JUDGED && hop->judged;
    bool refused = hop->trial->request && action != WALK_DROP && !leniency_lets_through(hop->trial->leniency, rule);
    if (!judged) {
        (refused ? hop->expectation->refused : hop->expectation->dropped)[rule] = true;
    }
}

static struct json_object *expect_name(const struct hop *hop, struct json_object *name)
{
    struct bytes text = bytes_of_string(json_object_get_string(name));
    if (!hop->trial->names || hop->named || text.len == 0 || image_id_is_digest(text)) {
        return json_object_get(name);
    }
    char marked[128];
    snprintf(marked, sizeof marked, TRIAL_MARK "%s", json_object_get_string(name));
    return json_object_new_string(marked);
}

/* The value under the target's name for it; NULL for one that the target lacks. */
static struct json_object *expect_enum(const struct hop *hop, const struct walk_step *step, const struct schema_field *field,
                                       const struct schema_field *other, struct json_object *value)
{
    int32_t number = json_object_get_int(value);
    for (uint16_t i = 0; json_object_is_type(value, json_type_string) && i < field->enumeration->value_count; i++) {
        const struct schema_enum_value *known = &field->enumeration->values[i];
        number = strcmp(known->name, json_object_get_string(value)) == 0 ? known->number : number;
    }
    for (uint8_t i = 0; i < step->value_count; i++) {
        if (step->values[i].number == number) {
            leave_out(hop, (enum walk_action)step->values[i].action, step->values[i].rule);
            return NULL;
        }
    }
    for (uint16_t i = 0; i < other->enumeration->value_count; i++) {
        if (other->enumeration->values[i].number == number) {
            return json_object_new_string(other->enumeration->values[i].name);
        }
    }
    return json_object_new_int(number);
}

static struct json_object *expect_value(const struct hop *hop, const struct walk_step *step, const struct schema_field *field,
                                        const struct schema_field *other, struct json_object *value)
{
    if (step->action == WALK_MODEL && hop->trial->request) {
        return expect_config(hop, (enum model_kind)step->slot, value);
    }
    if (field->message) {
        return expect_message(hop, step->into, value);
    }
    if (field->enumeration) {
        return expect_enum(hop, step, field, other, value);
    }
    return field->name_kind != NAME_NONE ? expect_name(hop, value) : json_object_get(value);
}

/* Unknown fields stay within a package. Where the tables have a field that the stubs lack, it is one of those, too. */
static void expect_unknown(const struct hop *hop, struct json_object *in, struct json_object *out)
{
    struct json_object *list = get(in, UNKNOWN_FIELDS);
    for (size_t i = 0; list && i < json_object_array_length(list); i++) {
        const char *field = json_object_get_string(json_object_array_get_idx(list, i));
        if (strtoul(field, NULL, 10) < UNKNOWN_NUMBERS_FROM) {
            trial_fail(hop->trial, "the stubs of %s lack the field %s", dialects[hop->trial->from].name, field);
        }
    }
    if (list && same_package(hop->trial->from, hop->trial->to)) {
        json_object_object_add(out, UNKNOWN_FIELDS, json_object_get(list));
    }
}

static struct json_object *expect_map(const struct hop *hop, struct json_object *in)
{
    struct json_object *out = json_object_new_object();
    json_object_object_foreach(in, key, value)
    {
        if (strcmp(key, UNKNOWN_FIELDS) != 0) {
            json_object_object_add(out, key, json_object_get(value));
        }
    }
    expect_unknown(hop, in, out);
    return out;
}

/* NULL if nothing of it is left. */
static struct json_object *expect_field(const struct hop *hop, const struct walk_step *step, const struct schema_field *field,
                                        const struct schema_field *other, struct json_object *in)
{
    if (field->map) {
        return expect_map(hop, in);
    }
    if (!field->repeated) {
        return expect_value(hop, step, field, other, in);
    }
    struct json_object *list = json_object_new_array();
    for (size_t i = 0; i < json_object_array_length(in); i++) {
        struct json_object *value = expect_value(hop, step, field, other, json_object_array_get_idx(in, i));
        if (value) {
            json_object_array_add(list, value);
        }
    }
    if (json_object_array_length(list) == 0) {
        json_object_put(list);
        return NULL;
    }
    return list;
}

static void add_field(const struct hop *hop, const struct walk_step *step, const struct schema_field *field,
                      const struct schema_message *target, struct json_object *in, struct json_object *out)
{
    const struct schema_field *other = schema_field_by_number(target, field->number);
    if (!other) {
        trial_fail(hop->trial, "%s.%s is kept, and %s lacks it", target->name, field->name, dialects[hop->to].name);
    }
    struct json_object *value = expect_field(hop, step, field, other, in);
    if (value) {
        json_object_object_add(out, other->json_name, value);
    }
}

static struct json_object *expect_message(const struct hop *hop, const struct walk_table *table, struct json_object *in)
{
    const struct schema_message *target = schema_message_by_name(hop->to, table->message->name);
    struct json_object *out = json_object_new_object();
    struct json_object *captured = json_object_new_object();
    for (uint16_t i = 0; i < table->message->field_count; i++) {
        const struct schema_field *field = &table->message->fields[i];
        const struct walk_step *step = &table->steps[i];
        struct json_object *value = get(in, field->json_name);
        if (!value) {
            continue;
        }
        switch ((enum walk_action)step->action) {
        case WALK_DROP:
        case WALK_REJECT:
        case WALK_JUDGED:
            leave_out(hop, (enum walk_action)step->action, step->rule);
            break;
        case WALK_CAPTURE:
            value = field->name_kind != NAME_NONE ? expect_name(hop, value) : json_object_get(value);
            json_object_object_add(captured, field->json_name, value);
            break;
        default:
            add_field(hop, step, field, target, value, out);
        }
    }
    if (table->carry) {
        expect_carried(hop, table, captured, out);
    }
    json_object_put(captured);
    expect_unknown(hop, in, out);
    return out;
}

struct json_object *expectation_of(struct expectation *expectation, struct json_object *message)
{
    const struct trial *trial = expectation->trial;
    const struct hop hop = {.expectation = expectation, .trial = trial, .from = trial->from, .to = trial->to};
    return expect_message(
        &hop, (trial->request ? walk_table_of_request : walk_table_of_response)(trial->method, trial->from, trial->to), message);
}
