#include <string.h>

#include "codegen/hooks.h"
#include "codegen/memory.h"
#include "codegen/rules.h"

const struct relied_field relied_fields[RELIED_FIELDS] = {
    {"HOOK_POD_LABELS", "PodSandboxConfig", "labels", HOOK_ENTRIES},
    {"HOOK_POD_LINUX", "PodSandboxConfig", "linux", HOOK_INSIDE},
    {"HOOK_POD_CGROUP_PARENT", "LinuxPodSandboxConfig", "cgroup_parent", HOOK_PARENT},
    {"HOOK_CONTAINER_ENVS", "ContainerConfig", "envs", HOOK_ENVIRONMENT},
    {"HOOK_CONTAINER_LINUX", "ContainerConfig", "linux", HOOK_INSIDE},
    {"HOOK_CONTAINER_RESOURCES", "LinuxContainerConfig", "resources", HOOK_INSIDE},
};

/* The messages that hooks are about. What they show leads to all others. */
static const char *const roots[] = {"PodSandboxConfig", "ContainerConfig", "UpdateContainerResourcesRequest"};

struct check {
    const struct hooks *hooks;
    const struct dialect *model;
    bool *reached; /* parallel to hooks->messages */
};

static bool is_map_of_strings(const struct field *field)
{
    const struct message *entry = field->message;
    return field->map && strcmp(entry->fields[0].type_name, "string") == 0 && strcmp(entry->fields[1].type_name, "string") == 0;
}

/* A list of messages that have a key and a value, and nothing else. */
static bool is_variables(const struct field *field)
{
    const struct message *entry = field->message;
    return field->repeated && !field->map && entry != NULL && entry->field_count == 2 &&
           strcmp(entry->fields[0].name, "key") == 0 && strcmp(entry->fields[1].name, "value") == 0;
}

/* What the field must be for its word; NULL if it is that. */
static const char *misfit(const struct field *field, enum hook_action action)
{
    bool text = !field->repeated && strcmp(field->type_name, "string") == 0;
    switch (action) {
    case HOOK_HIDDEN:
    case HOOK_ACTION_COUNT:
        break;
    case HOOK_SHOWN: {
        bool packed = field->repeated && field->message == NULL && strcmp(field->type_name, "string") != 0;
        return packed || (field->map && !is_map_of_strings(field)) ? "no list of numbers or bytes, and of maps one of strings"
                                                                   : NULL;
    }
    case HOOK_INSIDE:
        return field->message != NULL && !field->repeated ? NULL : "one message";
    case HOOK_NUMBER:
        return !field->repeated && strcmp(field->type_name, "int64") == 0 ? NULL : "one int64";
    case HOOK_PARENT:
    case HOOK_CPUSET:
        return text ? NULL : "one string";
    case HOOK_ENTRIES:
    case HOOK_FILES:
        return is_map_of_strings(field) ? NULL : "a map of strings";
    case HOOK_ENVIRONMENT:
        return is_variables(field) ? NULL : "a list of messages with key and value";
    }
    return NULL;
}

static void check_word(const struct message *message, const struct field *field, const struct hook_field *hook)
{
    const char *needed = misfit(field, hook->action);
    if (needed != NULL) {
        mistake(hook->place, "%s.%s is %s: its word needs %s", message->name, field->name, field_type_text(field), needed);
    }
}

static void check_message(struct check *check, const char *name, struct place from);

static void check_field(struct check *check, const struct message *message, const struct hook_message *entry,
                        const struct field *field)
{
    const struct hook_field *hook = hooks_field(entry, field->name);
    if (hook == NULL) {
        mistake(entry->place, "%s.%s (number %u, %s) has no word: add it to hooks.yaml", message->name, field->name,
                field->number, field_type_text(field));
        return;
    }
    check_word(message, field, hook);
    if (hook->action != HOOK_HIDDEN && field->message != NULL && !field->map) {
        check_message(check, field->message->name, hook->place);
    }
}

/* Checks a message that is shown, and those that it shows. */
static void check_message(struct check *check, const char *name, struct place from)
{
    const struct message *message = dialect_message(check->model, name);
    const struct hook_message *entry = hooks_message(check->hooks, name);
    if (message == NULL || entry == NULL) {
        mistake(from, "%s %s", name,
                message == NULL ? "is not a message of the newest dialect" : "has no entry: add it to hooks.yaml");
        return;
    }
    if (check->reached[entry - check->hooks->messages]) {
        return;
    }
    check->reached[entry - check->hooks->messages] = true;
    for (size_t i = 0; i < message->field_count; i++) {
        check_field(check, message, entry, &message->fields[i]);
    }
    for (size_t i = 0; i < entry->field_count; i++) {
        if (message_field(message, entry->fields[i].name) == NULL) {
            mistake(entry->fields[i].place, "%s.%s is not a field of the newest dialect: remove it", name, entry->fields[i].name);
        }
    }
}

/* The code relies on the words of some fields. */
static void check_places(const struct hooks *hooks)
{
    for (size_t i = 0; i < RELIED_FIELDS; i++) {
        const struct hook_message *entry = hooks_message(hooks, relied_fields[i].message);
        const struct hook_field *field = entry == NULL ? NULL : hooks_field(entry, relied_fields[i].field);
        if (field != NULL && field->action != relied_fields[i].action) {
            mistake(field->place, "%s.%s: the code relies on another word", entry->name, field->name);
        }
    }
}

void hooks_check(const struct hooks *hooks, const struct schema *schema)
{
    struct check check = {hooks, schema_model(schema), memory_new(hooks->count + 1, sizeof(bool))};
    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
        check_message(&check, roots[i], (struct place){hooks->file, 0, 0});
    }
    for (size_t i = 0; i < hooks->count; i++) {
        if (!check.reached[i]) {
            mistake(hooks->messages[i].place, "%s is shown nowhere: remove it", hooks->messages[i].name);
        }
    }
    check_places(hooks);
}
