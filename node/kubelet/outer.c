#include "node/kubelet/outer.h"

#include <string.h>

#include "node/kubelet/config.h"
#include "node/kubelet/yaml_list.h"
#include "node/systemd/join.h"

#define ARGUMENTS "kubelet-arg"
#define CRI_DOCKERD "unix:///run/k3s/cri-dockerd/cri-dockerd.sock"
#define DOCKERSHIM "unix:///var/run/dockershim.sock"

struct outer {
    const struct kubelet *kubelet;
    const struct unit_command *unit; /* NULL: it has no files */
    struct config_files config;
    const char *list_file, *list_key; /* the last list of arguments in files; NULL: there is none */
    struct arena *arena;
    struct error *error;
};

static struct kubelet_setting of_flag(const struct outer *outer, const struct kubelet_flag *flag, size_t value_at)
{
    struct kubelet_setting setting = {.value = outer->unit->words[flag->value_word] + value_at, .source = KUBELET_SOURCE_FLAG};
    setting.place = unit_command_place(outer->unit, flag->value_word, value_at, &setting.variable);
    return setting;
}

static const struct kubelet_flag *last_flag(const struct outer *outer, const char *name)
{
    return outer->unit ? kubelet_flags_last(&outer->unit->flags, name) : NULL;
}

/* A setting of their own: a flag, else a key. */
static bool find_own(const struct outer *outer, const char *name, struct kubelet_setting *setting)
{
    const struct kubelet_flag *flag = last_flag(outer, name);
    *setting = (struct kubelet_setting){.value = "", .source = KUBELET_SOURCE_DEFAULT};
    if (flag && !flag->is_bare) {
        *setting = of_flag(outer, flag, flag->value_at);
        return true;
    }
    return config_find(&outer->config, name, outer->arena, setting, outer->error);
}

/* The value in "NAME=VALUE", with or without dashes; NULL: it is a different one. */
static const char *value_in(const char *argument, const char *name)
{
    argument += strspn(argument, "-");
    size_t len = strlen(name);
    return strncmp(argument, name, len) == 0 && argument[len] == '=' ? argument + len + 1 : NULL;
}

/* What a file has under the key. One without a plus takes the place of all that was before. */
static bool find_in_list(struct outer *outer, const char *path, struct bytes text, const char *key, const char *name,
                         struct kubelet_setting *setting)
{
    struct yaml_list list;
    if (!yaml_list_find(path, text, key, outer->arena, &list, outer->error)) {
        return false;
    }
    if (list.present) {
        outer->list_file = path;
        outer->list_key = key;
    }
    if (list.present && strcmp(key, ARGUMENTS) == 0) {
        *setting = (struct kubelet_setting){.value = "", .source = KUBELET_SOURCE_DEFAULT};
    }
    for (size_t i = 0; i < list.count; i++) {
        const char *value = value_in(list.items[i], name);
        if (value) {
            *setting = (struct kubelet_setting){
                .value = value, .source = KUBELET_SOURCE_LIST, .place = {.file = path, .line = list.lines[i]}};
        }
    }
    return true;
}

static bool find_in_file(struct outer *outer, const char *path, const char *name, struct kubelet_setting *setting)
{
    struct node_file file;
    bool is_link;
    return read_through_link(path, outer->arena, &file, &is_link, outer->error) &&
           (!file.present || (find_in_list(outer, path, file.text, ARGUMENTS, name, setting) &&
                              find_in_list(outer, path, file.text, ARGUMENTS "+", name, setting)));
}

/* Among the kubelet's arguments. Those on the command line take the place of all in files. */
static bool find_argument(struct outer *outer, const char *name, struct kubelet_setting *setting)
{
    const char **paths = NULL;
    size_t count = 0;
    *setting = (struct kubelet_setting){.value = "", .source = KUBELET_SOURCE_DEFAULT};
    if (!last_flag(outer, ARGUMENTS)) {
        bool good = find_in_file(outer, outer->config.file, name, setting) &&
                    config_drop_ins(&outer->config, outer->arena, &paths, &count, outer->error);
        for (size_t i = 0; good && i < count; i++) {
            good = find_in_file(outer, paths[i], name, setting);
        }
        return good;
    }
    for (size_t i = 0; i < outer->unit->flags.count; i++) {
        const struct kubelet_flag *flag = &outer->unit->flags.items[i];
        const char *value = strcmp(flag->name, ARGUMENTS) == 0 ? value_in(flag->value, name) : NULL;
        if (value) {
            *setting = of_flag(outer, flag, flag->value_at + (size_t)(value - flag->value));
            setting->source = KUBELET_SOURCE_LIST;
        }
    }
    return true;
}

/* The kubelet's arguments come last on its command line. */
static bool find_endpoint(struct outer *outer, const char *name, struct kubelet_setting *setting)
{
    return find_argument(outer, name, setting) && (setting->source == KUBELET_SOURCE_LIST || find_own(outer, name, setting));
}

static bool find_docker(const struct outer *outer, bool *docker)
{
    const struct kubelet_flag *flag = last_flag(outer, "docker");
    struct kubelet_setting key = {.value = ""};
    if (!flag && !config_find(&outer->config, "docker", outer->arena, &key, outer->error)) {
        return false;
    }
    *docker = strcmp(flag ? flag->value : key.value, "true") == 0;
    return true;
}

/* Where the program has its configuration: --config, or the usual place; drop-ins lie beside it. */
static bool find_files(struct outer *outer)
{
    const struct kubelet_flag *flag = last_flag(outer, "config");
    bool k3s = outer->kubelet->layout == KUBELET_K3S;
    const char *usual = k3s ? "/etc/rancher/k3s/config.yaml" : "/etc/rancher/rke2/config.yaml";
    outer->config.file = flag && flag->value[0] == '/' ? flag->value : usual;
    outer->config.folder = join_strings(outer->arena, outer->config.file, ".d", (char *)NULL);
    outer->config.suffix = ".yaml";
    return outer->config.folder || error_out_of_memory(outer->error);
}

/* Where one more argument has an effect: another list may take the place of one that comes before it. */
static bool describe_list(const struct outer *outer, struct kubelet *kubelet)
{
    const char *variable;
    const struct kubelet_flag *flag = last_flag(outer, ARGUMENTS);
    const char *unit = flag ? unit_command_place(outer->unit, flag->value_word, flag->value_at, &variable).file : NULL;
    const char *file = outer->list_file ? outer->list_file : outer->config.file;
    kubelet->argument_list =
        unit ? join_strings(outer->arena, "in ", unit, ", add to the command line (and run systemctl daemon-reload): --",
                            ARGUMENTS, "=", (char *)NULL)
             : join_strings(outer->arena, "in ", file, ", add to the list under ", outer->list_key ? outer->list_key : ARGUMENTS,
                            ": ", (char *)NULL);
    return kubelet->argument_list || error_out_of_memory(outer->error);
}

bool outer_read(struct kubelet *kubelet, const struct unit_command *unit, struct arena *arena, struct error *error)
{
    bool docker = false;
    struct outer outer = {.kubelet = kubelet, .unit = unit, .arena = arena, .error = error};
    kubelet->container_runtime = (struct kubelet_setting){.value = "", .source = KUBELET_SOURCE_DEFAULT};
    if (!find_files(&outer) || !find_endpoint(&outer, "container-runtime-endpoint", &kubelet->runtime_endpoint) ||
        !find_endpoint(&outer, "image-service-endpoint", &kubelet->image_endpoint) || !find_docker(&outer, &docker) ||
        !describe_list(&outer, kubelet)) {
        return false;
    }
    if (docker) { /* up to 1.23, the kubelet in k3s has Docker built in */
        bool shim = kubelet_is_since(kubelet, 1, 0) && !kubelet_is_since(kubelet, 1, KUBELET_FIRST_WITHOUT_DOCKER);
        kubelet->own_endpoint = shim ? DOCKERSHIM : CRI_DOCKERD;
    }
    return true;
}
