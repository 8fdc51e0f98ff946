#include "node/kubelet/read.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "node/kubelet/config.h"
#include "node/kubelet/layout.h"
#include "node/kubelet/outer.h"
#include "node/kubelet/snap_arguments.h"
#include "node/kubelet/version.h"
#include "node/systemd/flags.h"
#include "node/systemd/join.h"
#include "node/systemd/run.h"
#include "node/systemd/started.h"
#include "node/systemd/unit_command.h"

#define DEFAULT_HEALTHZ_PORT "10248"

static const struct kubelet_setting nothing = {.value = "", .source = KUBELET_SOURCE_DEFAULT};

struct reading {
    struct kubelet *kubelet;
    struct arena *arena;
    struct error *error;
    struct kubelet_flags flags; /* of the process, else of the unit */
    struct unit_command *unit;  /* where they come from; NULL if that is not known */
    struct config_files config;
};

/* Where the files of the unit have the flag, with that value. A process that was started before they were edited, or not by
   them, has its flags from nowhere. */
static void locate(const struct reading *reading, const struct kubelet_flag *flag, struct kubelet_setting *setting)
{
    const struct kubelet_flag *in_unit = reading->unit ? kubelet_flags_last(&reading->unit->flags, flag->name) : NULL;
    if (in_unit && strcmp(in_unit->value, flag->value) == 0) {
        setting->place = unit_command_place(reading->unit, in_unit->value_word, in_unit->value_at, &setting->variable);
    }
}

static const char *flag_value(const struct reading *reading, const char *name)
{
    const struct kubelet_flag *flag = kubelet_flags_last(&reading->flags, name);
    return flag && flag->value[0] ? flag->value : NULL;
}

/* A setting by its flag, else by its key, which may be NULL for one that has none in this release. */
static bool find_setting(const struct reading *reading, const char *name, const char *key, struct kubelet_setting *setting)
{
    const struct kubelet_flag *flag = kubelet_flags_last(&reading->flags, name);
    *setting = nothing;
    if (flag) {
        setting->value = flag->value;
        setting->source = KUBELET_SOURCE_FLAG;
        locate(reading, flag, setting);
        return true;
    }
    return !key || config_find(&reading->config, key, reading->arena, setting, reading->error);
}

/* Whether the release reads the endpoints in its configuration file. An unknown release is treated as a new one. */
static bool has_endpoints_in_config(const struct kubelet *kubelet)
{
    return kubelet->version.major == 0 || kubelet_is_since(kubelet, 1, 27);
}

static bool read_settings(const struct reading *reading)
{
    struct kubelet *kubelet = reading->kubelet;
    if (layout_is_outer(kubelet->layout)) {
        return outer_read(kubelet, reading->unit, reading->arena, reading->error) &&
               find_setting(reading, "cgroup-driver", "cgroupDriver", &kubelet->cgroup_driver);
    }
    bool in_config = has_endpoints_in_config(kubelet);
    return find_setting(reading, "container-runtime", NULL, &kubelet->container_runtime) &&
           find_setting(reading, "container-runtime-endpoint", in_config ? "containerRuntimeEndpoint" : NULL,
                        &kubelet->runtime_endpoint) &&
           find_setting(reading, "image-service-endpoint", in_config ? "imageServiceEndpoint" : NULL, &kubelet->image_endpoint) &&
           find_setting(reading, "cgroup-driver", "cgroupDriver", &kubelet->cgroup_driver);
}

/* An address that listens everywhere is asked at the local one. */
static bool read_healthz(const struct reading *reading)
{
    struct kubelet_setting address, port;
    if (!find_setting(reading, "healthz-bind-address", "healthzBindAddress", &address) ||
        !find_setting(reading, "healthz-port", "healthzPort", &port)) {
        return false;
    }
    const char *number = port.value[0] ? port.value : DEFAULT_HEALTHZ_PORT;
    if (strcmp(number, "0") == 0) {
        reading->kubelet->healthz_address = NULL;
        return true;
    }
    const char *host = address.value;
    if (host[0] == '\0' || strcmp(host, "0.0.0.0") == 0) {
        host = "127.0.0.1";
    } else if (strcmp(host, "::") == 0) {
        host = "::1";
    }
    bool six = strchr(host, ':') != NULL;
    char text[128];
    int len = snprintf(text, sizeof text, "%s%s%s:%s", six ? "[" : "", host, six ? "]" : "", number);
    if (len < 0 || (size_t)len >= sizeof text) {
        return error_set(reading->error, STATUS_INVALID_ARGUMENT, "the kubelet's address for healthz is too long");
    }
    reading->kubelet->healthz_address = arena_string(reading->arena, bytes_of_string(text));
    return reading->kubelet->healthz_address || error_out_of_memory(reading->error);
}

/* A path on the command line; one that is relative is so to the root folder, where systemd starts services. */
static const char *absolute(const char *path, struct arena *arena)
{
    if (!path || path[0] == '/') {
        return path;
    }
    const struct bytes parts[] = {bytes_of_string("/"), bytes_of(path, strlen(path) + 1)};
    return (const char *)arena_join(arena, parts, 2).data;
}

/* Whether the program is several in one, of which "kubelet", its first argument, is one. */
static bool is_multiple(const struct kubelet *kubelet)
{
    const char *slash = strrchr(kubelet->program, '/');
    return kubelet->argument_count > 0 && strcmp(kubelet->arguments[0], "kubelet") == 0 &&
           strcmp(slash ? slash + 1 : kubelet->program, "kubelet") != 0;
}

/* Without a process, the unit says what will run. A program that is not a kubelet is not asked for its version: it might start a
   kubelet. */
static bool take_command(struct kubelet *kubelet, const struct unit_command *unit, struct arena *arena)
{
    size_t skipped = unit->program;
    char path[PATH_MAX];
    if (unit->command.count <= skipped) {
        return true;
    }
    bool kubelets = started_is_kubelet(&unit->command, skipped);
    if (!kubelets) {
        kubelet->unclear =
            join_strings(arena, "the kubelet is not running, and its options are unclear: ", unit->command.unclear, (char *)NULL);
    }
    const char *program = kubelets && run_find_program(unit->words[skipped], path, sizeof path) ? path : "";
    skipped += kubelets && skipped + 1 < unit->command.count && strcmp(unit->words[skipped + 1], "kubelet") == 0;
    kubelet->arguments = unit->words + skipped;
    kubelet->argument_count = unit->command.count - skipped;
    kubelet->program = arena_string(arena, bytes_of_string(program));
    return kubelet->program != NULL;
}

/* The file of the snap with the kubelet's options, a line each; NULL: there is none. */
static const char *snap_arguments(const struct kubelet *kubelet)
{
    return kubelet->layout == KUBELET_MICROK8S    ? MICROK8S_ARGUMENTS
           : kubelet->layout == KUBELET_CANONICAL ? CANONICAL_ARGUMENTS
                                                  : NULL;
}

/* Reads what the files say that starts the kubelet, if there are such files. */
static bool read_command(struct reading *reading)
{
    const struct kubelet *kubelet = reading->kubelet;
    if (snap_arguments(kubelet)) {
        reading->unit = snap_command_read(snap_arguments(kubelet), reading->arena, reading->error);
        return reading->unit != NULL;
    }
    if (!kubelet->unit.loaded || kubelet->unit.fragment[0] == '\0') {
        return true;
    }
    reading->unit = unit_command_read(&kubelet->unit, reading->arena, reading->error);
    return reading->unit != NULL;
}

/* The options of the process; those of a unit or a snap without one, and of MicroK8s, whose process has others. */
static bool take_flags(struct reading *reading)
{
    const struct kubelet *kubelet = reading->kubelet;
    if (kubelet->layout == KUBELET_MICROK8S || (snap_arguments(kubelet) && kubelet->pid == 0)) {
        reading->flags = reading->unit->flags;
        return true;
    }
    return kubelet_flags_read(kubelet->arguments, kubelet->argument_count, 0, reading->arena, &reading->flags, reading->error);
}

bool kubelet_read(struct kubelet *kubelet, struct arena *arena, struct error *error)
{
    struct reading reading = {.kubelet = kubelet, .arena = arena, .error = error};
    if (!read_command(&reading)) {
        return false;
    }
    if (kubelet->pid == 0 && reading.unit && !snap_arguments(kubelet) && !take_command(kubelet, reading.unit, arena)) {
        return error_out_of_memory(error);
    }
    if (kubelet->version.text[0] == '\0') {
        kubelet->version = kubelet_version_ask(kubelet->program, is_multiple(kubelet), arena);
    }
    if (!take_flags(&reading)) {
        return false;
    }
    kubelet->dynamic_config = flag_value(&reading, "dynamic-config-dir") != NULL;
    kubelet->config_file = absolute(flag_value(&reading, "config"), arena);
    kubelet->config_folder = absolute(flag_value(&reading, "config-dir"), arena);
    reading.config = (struct config_files){.file = kubelet->config_file, .folder = kubelet->config_folder, .suffix = ".conf"};
    layout_recognise(kubelet, "", arena);
    return read_settings(&reading) && read_healthz(&reading);
}

const char *kubelet_setting_origin(const struct kubelet *kubelet, const struct kubelet_setting *setting, struct arena *arena)
{
    static const char *const flags[] = {"--container-runtime", "--container-runtime-endpoint", "--image-service-endpoint",
                                        "--cgroup-driver"};
    const struct kubelet_setting *const settings[] = {&kubelet->container_runtime, &kubelet->runtime_endpoint,
                                                      &kubelet->image_endpoint, &kubelet->cgroup_driver};
    static const char *const keys[] = {"containerRuntime", "containerRuntimeEndpoint", "imageServiceEndpoint", "cgroupDriver"};
    const char *flag = "a flag", *key = "a key";
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        if (setting == settings[i]) {
            flag = flags[i];
            key = layout_is_outer(kubelet->layout) && i < 3 ? flags[i] + 2 : keys[i]; /* theirs are called like the flags */
        }
    }
    char text[1024];
    bool of_flag = setting->source == KUBELET_SOURCE_FLAG;
    if (setting->source == KUBELET_SOURCE_DEFAULT) {
        bool plain = !layout_is_outer(kubelet->layout);
        snprintf(text, sizeof text, "default%s%s", plain ? "" : " of ", plain ? "" : layout_name(kubelet->layout));
    } else if (!setting->place.file) {
        snprintf(text, sizeof text, "%s on the command line, from no file of its unit", flag);
    } else {
        bool listed = setting->source == KUBELET_SOURCE_LIST;
        snprintf(text, sizeof text, "%s%s in %s:%u%s%s%s", of_flag ? flag : key, listed ? " under kubelet-arg" : "",
                 setting->place.file, setting->place.line, setting->variable ? " (" : "",
                 setting->variable ? setting->variable : "", setting->variable ? ")" : "");
    }
    return arena_string(arena, bytes_of_string(text));
}
