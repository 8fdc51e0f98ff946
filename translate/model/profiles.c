/* Seccomp and AppArmor profiles: strings in older dialects and from older callers, messages in newer ones. */
#include "translate/model/model.h"

#include <stdio.h>

#define SECCOMP "linux.security_context.seccomp"
#define SECCOMP_STRING "linux.security_context.seccomp_profile_path"
#define APPARMOR "linux.security_context.apparmor"
#define APPARMOR_STRING "linux.security_context.apparmor_profile"

#define LOCALHOST_PREFIX "localhost/"

enum profile_kind {
    PROFILE_SECCOMP,
    PROFILE_APPARMOR,
};

/* One profile of a pod or container, and the two fields that contain it. */
struct said_profile {
    enum profile_kind kind;
    Model__SecurityProfile **message;
    const char *message_field;
    enum translation_rule_id rule; /* of the message */
    char **string;
    const char *string_field;
};

#define MOST_PROFILES 2

static size_t profiles_of(const struct model *model, struct said_profile profiles[MOST_PROFILES])
{
    if (model->pod) {
        if (!model->pod->linux || !model->pod->linux->security_context) {
            return 0;
        }
        Model__LinuxSandboxSecurityContext *security = model->pod->linux->security_context;
        profiles[0] = (struct said_profile){PROFILE_SECCOMP,
                                            &security->seccomp,
                                            SECCOMP,
                                            RULE_LinuxSandboxSecurityContext_seccomp,
                                            &security->seccomp_profile_path,
                                            SECCOMP_STRING};
        return 1;
    }
    Model__LinuxContainerSecurityContext *security = model_container_security(model);
    if (!security) {
        return 0;
    }
    profiles[0] = (struct said_profile){
        PROFILE_SECCOMP, &security->seccomp, SECCOMP, RULE_LinuxContainerSecurityContext_seccomp, &security->seccomp_profile_path,
        SECCOMP_STRING};
    profiles[1] = (struct said_profile){
        PROFILE_APPARMOR, &security->apparmor, APPARMOR, RULE_LinuxContainerSecurityContext_apparmor, &security->apparmor_profile,
        APPARMOR_STRING};
    return 2;
}

/* What a string means. `localhost_ref` points into the string. */
struct meaning {
    Model__SecurityProfile__ProfileType type;
    char *localhost_ref;
};

static bool meaning_of(enum profile_kind kind, char *string, struct meaning *meaning)
{
    static char none[] = "";
    meaning->localhost_ref = none;
    if (strcmp(string, "runtime/default") == 0 || (kind == PROFILE_SECCOMP && strcmp(string, "docker/default") == 0)) {
        meaning->type = MODEL__SECURITY_PROFILE__PROFILE_TYPE__RuntimeDefault;
        return true;
    }
    if (strcmp(string, "unconfined") == 0) {
        meaning->type = MODEL__SECURITY_PROFILE__PROFILE_TYPE__Unconfined;
        return true;
    }
    size_t prefix = strlen(LOCALHOST_PREFIX);
    if (strncmp(string, LOCALHOST_PREFIX, prefix) == 0 && string[prefix] != '\0') {
        meaning->type = MODEL__SECURITY_PROFILE__PROFILE_TYPE__Localhost;
        meaning->localhost_ref = string + prefix;
        return true;
    }
    return false;
}

static bool fill_message(struct model *model, const struct said_profile *profile, struct error *error)
{
    if (*profile->message || **profile->string == '\0') {
        return true;
    }
    struct meaning meaning;
    if (!meaning_of(profile->kind, *profile->string, &meaning)) {
        return error_set(
            error, STATUS_INVALID_ARGUMENT,
            "%s.%s: neither runtime/default, unconfined nor localhost/ with a profile behind it; runtimes that do not "
            "read the string would run unconfined",
            model->path, profile->string_field);
    }
    Model__SecurityProfile *message = model_alloc(model, sizeof *message, error);
    if (!message) {
        return false;
    }
    model__security_profile__init(message);
    message->profile_type = meaning.type;
    message->localhost_ref = meaning.localhost_ref;
    *profile->message = message;
    model->changed = true;
    return true;
}

/* Fills the messages `seccomp` and `apparmor` from the older strings if only a string is set. The strings stay. Refuses a string
   that no message can express: runtimes that read only the message would leave the container unconfined. */
bool normalise_profiles_from_strings(struct model *model, struct error *error)
{
    struct said_profile profiles[MOST_PROFILES];
    size_t count = profiles_of(model, profiles);
    for (size_t i = 0; i < count; i++) {
        if (!fill_message(model, &profiles[i], error)) {
            return false;
        }
    }
    return true;
}

/* How the runtimes of a dialect read profiles. */
struct taste {
    char *seccomp_default;
    bool knows_synonyms; /* for the default profile: the caller's string stays if it means the same */
    bool knows_messages;
};

static char runtime_default[] = "runtime/default";
static char docker_default[] = "docker/default";
static char unconfined[] = "unconfined";

/* Whether the dialect has a string for it. */
static bool can_be_string(const Model__SecurityProfile *message)
{
    switch (message->profile_type) {
    case MODEL__SECURITY_PROFILE__PROFILE_TYPE__RuntimeDefault:
    case MODEL__SECURITY_PROFILE__PROFILE_TYPE__Unconfined:
        return true;
    case MODEL__SECURITY_PROFILE__PROFILE_TYPE__Localhost:
        return *message->localhost_ref != '\0';
    default:
        return false;
    }
}

/* The string for a message; NULL with an error if memory is short. */
static char *string_of(struct model *model, const struct said_profile *profile, const struct taste *taste, struct error *error)
{
    const Model__SecurityProfile *message = *profile->message;
    if (message->profile_type == MODEL__SECURITY_PROFILE__PROFILE_TYPE__RuntimeDefault) {
        return profile->kind == PROFILE_SECCOMP ? taste->seccomp_default : runtime_default;
    }
    if (message->profile_type == MODEL__SECURITY_PROFILE__PROFILE_TYPE__Unconfined) {
        return unconfined;
    }
    size_t size = strlen(LOCALHOST_PREFIX) + strlen(message->localhost_ref) + 1;
    char *string = model_alloc(model, size, error);
    if (string) {
        snprintf(string, size, "%s%s", LOCALHOST_PREFIX, message->localhost_ref);
    }
    return string;
}

static bool string_means_message(const struct said_profile *profile)
{
    struct meaning meaning;
    return meaning_of(profile->kind, *profile->string, &meaning) && meaning.type == (*profile->message)->profile_type &&
           (meaning.type != MODEL__SECURITY_PROFILE__PROFILE_TYPE__Localhost ||
            strcmp(meaning.localhost_ref, (*profile->message)->localhost_ref) == 0);
}

/* Refuses a profile that cannot be expressed, or removes it completely. */
static bool leave_out(struct model *model, const struct said_profile *profile, struct error *error)
{
    static char none[] = "";
    if (!model_refuse(model, error, profile->rule, profile->message_field,
                      "expresses profiles as strings, and has none for a profile without a name or of a later kind")) {
        return false;
    }
    *profile->message = NULL;
    *profile->string = none;
    model->changed = true;
    return true;
}

static bool fill_string(struct model *model, const struct said_profile *profile, const struct taste *taste, struct error *error)
{
    if (!*profile->message) {
        return true;
    }
    if (!can_be_string(*profile->message)) {
        return taste->knows_messages || leave_out(model, profile, error);
    }
    if (!taste->knows_synonyms || !string_means_message(profile)) {
        char *string = string_of(model, profile, taste, error);
        if (!string) {
            return false;
        }
        model->changed = model->changed || strcmp(string, *profile->string) != 0;
        *profile->string = string;
    }
    if (!taste->knows_messages) {
        *profile->message = NULL;
        model->changed = true;
    }
    return true;
}

static bool fill_strings(struct model *model, const struct taste *taste, struct error *error)
{
    struct said_profile profiles[MOST_PROFILES];
    size_t count = profiles_of(model, profiles);
    for (size_t i = 0; i < count; i++) {
        if (!fill_string(model, &profiles[i], taste, error)) {
            return false;
        }
    }
    return true;
}

/* Fills the strings from the messages, which stay; if both are set and differ, the message wins. A profile that no string can
   express is left for the runtime to judge. */
bool normalise_profiles_to_strings(struct model *model, struct error *error)
{
    const struct taste taste = {.seccomp_default = runtime_default, .knows_synonyms = true, .knows_messages = true};
    return fill_strings(model, &taste, error);
}

/* The same for a dialect without the messages: they are removed, and refused if no string can express them. */
bool normalise_profiles_to_strings_only(struct model *model, struct error *error)
{
    const struct taste taste = {.seccomp_default = runtime_default, .knows_synonyms = true};
    return fill_strings(model, &taste, error);
}

/* The same for runtimes that know seccomp's default only as "docker/default". */
bool normalise_profiles_to_docker_strings(struct model *model, struct error *error)
{
    const struct taste taste = {.seccomp_default = docker_default};
    return fill_strings(model, &taste, error);
}

/* A pod's AppArmor profile in a dialect without a field for it, neither message nor string: the runtime's default is left out,
   others are refused. */
bool normalise_sandbox_apparmor(struct model *model, struct error *error)
{
    if (!model->pod || !model->pod->linux || !model->pod->linux->security_context ||
        !model->pod->linux->security_context->apparmor) {
        return true;
    }
    Model__LinuxSandboxSecurityContext *security = model->pod->linux->security_context;
    if (security->apparmor->profile_type != MODEL__SECURITY_PROFILE__PROFILE_TYPE__RuntimeDefault &&
        !model_refuse(model, error, RULE_LinuxSandboxSecurityContext_apparmor, APPARMOR,
                      "has no AppArmor profile of a pod but the runtime's default")) {
        return false;
    }
    security->apparmor = NULL;
    model->changed = true;
    return true;
}
