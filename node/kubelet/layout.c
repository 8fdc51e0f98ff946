#include "node/kubelet/layout.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "node/kubelet/owners.h"
#include "node/kubelet/process.h"
#include "node/systemd/join.h"
#include "node/systemd/unit_command.h"

#define KUBEADM_FLAGS "/var/lib/kubelet/kubeadm-flags.env"
#define KUBEADM_INSTANCE "/var/lib/kubelet/instance-config.yaml"

const char *layout_name(enum kubelet_layout layout)
{
    return owners[layout].name;
}

/* ---- evidence ---- */

struct scene {
    const struct kubelet *kubelet;
    const char *root;
    const char *system; /* ID of os-release; "" if it is not known */
    struct arena *arena;
};

static bool begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* A folder ends in "/". */
static bool is_at(const char *path, const char *place)
{
    size_t len = strlen(place);
    return len > 0 && place[len - 1] == '/' ? begins(path, place) : strcmp(path, place) == 0;
}

static bool unit_reads(const struct systemd_unit *unit, const char *beginning)
{
    for (size_t i = 0; i < unit->environment_file_count; i++) {
        if (begins(unit->environment_files[i], beginning)) {
            return true;
        }
    }
    return false;
}

static bool has_drop_in(const struct systemd_unit *unit, const char *part)
{
    for (size_t i = 0; i < unit->drop_in_count; i++) {
        if (strstr(unit->drop_ins[i], part)) {
            return true;
        }
    }
    return false;
}

static bool exists(const struct scene *scene, const char *folder, const char *path)
{
    const char *whole = join_strings(scene->arena, scene->root, folder, path, (char *)NULL);
    return whole && access(whole, F_OK) == 0;
}

static bool has_unit_file(const struct scene *scene, const char *name)
{
    static const char *const folders[] = {"/etc/systemd/system/", "/run/systemd/system/", "/usr/lib/systemd/system/",
                                          "/lib/systemd/system/"};
    bool found = false;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        found = found || exists(scene, folders[i], name);
    }
    return found;
}

static bool is_there(const struct scene *scene, const struct clue *clue)
{
    const struct kubelet *kubelet = scene->kubelet;
    switch (clue->kind) {
    case CLUE_NONE:
        break;
    case CLUE_UNIT:
        return kubelet->unit.name && begins(kubelet->unit.name, clue->text);
    case CLUE_OWN_UNIT:
        return kubelet->unit.fragment && begins(kubelet->unit.fragment, "/etc/");
    case CLUE_READS:
        return unit_reads(&kubelet->unit, clue->text);
    case CLUE_DROP_IN:
        return has_drop_in(&kubelet->unit, clue->text);
    case CLUE_PROGRAM:
        return strstr(kubelet->program, clue->text) != NULL;
    case CLUE_STARTER:
        return kubelet->starter && strcmp(basename(kubelet->starter), clue->text) == 0;
    case CLUE_CONFIG:
        return kubelet->config_file && is_at(kubelet->config_file, clue->text);
    case CLUE_PATH:
        return exists(scene, "", clue->text);
    case CLUE_UNIT_FILE:
        return has_unit_file(scene, clue->text);
    case CLUE_SYSTEM:
        return strcmp(scene->system, clue->text) == 0;
    }
    return true;
}

static bool has_evidence(const struct scene *scene, const struct owner *owner)
{
    for (size_t i = 0; i < OWNER_MOST_EVIDENCE && owner->evidence[i][0].kind != CLUE_NONE; i++) {
        bool all = true;
        for (size_t j = 0; j < OWNER_MOST_CLUES; j++) {
            all = all && is_there(scene, &owner->evidence[i][j]);
        }
        if (all) {
            return true;
        }
    }
    return false;
}

/* The line ID=, with or without quotes, as in os-release(5). */
static const char *read_system(const char *root, struct arena *arena)
{
    static const char *const paths[] = {"/etc/os-release", "/usr/lib/os-release"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct node_file file;
        bool is_link;
        const char *path = join_strings(arena, root, paths[i], (char *)NULL);
        if (!path || !read_through_link(path, arena, &file, &is_link, NULL) || !file.present) {
            continue;
        }
        const char *text = (const char *)file.text.data, *line = begins(text, "ID=") ? text : strstr(text, "\nID=");
        const char *value = line ? strchr(line, '=') + 1 : "";
        value += strspn(value, "\"'");
        return arena_string(arena, bytes_of(value, strcspn(value, "\"'\n")));
    }
    return NULL;
}

static const char *find_starter(const struct kubelet *kubelet, struct arena *arena)
{
    struct process process, parent;
    bool known = kubelet->pid > 0 && process_read(kubelet->pid, arena, &process) && process.parent > 1 &&
                 process_read(process.parent, arena, &parent);
    return known ? parent.program : NULL;
}

static enum kubelet_layout recognise(const struct scene *scene)
{
    for (enum kubelet_layout i = 0; i < KUBELET_LAYOUT_COUNT; i++) {
        if (has_evidence(scene, &owners[i])) {
            return i;
        }
    }
    return KUBELET_PLAIN;
}

void layout_recognise(struct kubelet *kubelet, const char *root, struct arena *arena)
{
    if (kubelet->layout == KUBELET_PLAIN) {
        const char *system = read_system(root, arena);
        const struct scene scene = {.kubelet = kubelet, .root = root, .system = system ? system : "", .arena = arena};
        kubelet->starter = kubelet->starter ? kubelet->starter : find_starter(kubelet, arena);
        kubelet->layout = recognise(&scene);
        bool flags = unit_reads(&kubelet->unit, KUBEADM_FLAGS) && exists(&scene, "", KUBEADM_FLAGS);
        kubelet->kubeadm_flags = flags ? KUBEADM_FLAGS : NULL;
        kubelet->kubeadm_instance = exists(&scene, "", KUBEADM_INSTANCE) ? KUBEADM_INSTANCE : NULL;
    }
}

const char *layout_own_endpoint(const struct kubelet *kubelet)
{
    return kubelet->own_endpoint ? kubelet->own_endpoint : owners[kubelet->layout].own_endpoint;
}

/* ---- what is done ---- */

bool layout_is_outer(enum kubelet_layout layout)
{
    return layout == KUBELET_K3S || layout == KUBELET_RKE2;
}

bool layout_writes(enum kubelet_layout layout, const char *path)
{
    bool writes = false;
    for (size_t i = 0; path && i < OWNER_MOST_PATHS && owners[layout].writes[i]; i++) {
        writes = writes || is_at(path, owners[layout].writes[i]);
    }
    return writes;
}

bool layout_is_doubtful(const struct kubelet *kubelet)
{
    const struct owner *owner = &owners[kubelet->layout];
    const struct kubelet_setting *endpoint = &kubelet->runtime_endpoint;
    return owner->way && !owner->writes[0] && endpoint->source != KUBELET_SOURCE_LIST &&
           !(endpoint->place.file && strstr(owner->way, endpoint->place.file));
}

/* k3s and RKE2 start their own containerd only while they have no endpoint of another; then crigate edits that one. */
static bool is_refused(const struct kubelet *kubelet)
{
    enum kubelet_source source = kubelet->runtime_endpoint.source;
    bool outer = layout_is_outer(kubelet->layout);
    return owners[kubelet->layout].way && (!outer || source == KUBELET_SOURCE_DEFAULT || source == KUBELET_SOURCE_LIST);
}

const char *layout_obstacle(const struct kubelet *kubelet)
{
    if (kubelet->rootless) {
        return "the kubelet runs without root privileges: its files are its user's, and crigate does not edit them";
    }
    if (kubelet->dynamic_config) {
        return "the kubelet has --dynamic-config-dir: its configuration comes from the API server, not from this node's files";
    }
    if (is_refused(kubelet) && kubelet->runtime_endpoint.source == KUBELET_SOURCE_LIST) {
        return "the kubelet's runtime endpoint is among its arguments under kubelet-arg, which crigate does not edit";
    }
    if (is_refused(kubelet)) {
        return owners[kubelet->layout].why;
    }
    if (kubelet->unclear) {
        return kubelet->unclear;
    }
    if (kubelet->version.major == 0) {
        return "the kubelet's version, on which the files that it reads depend, could not be determined (crigate runs PROGRAM "
               "--version only if only root can write to the program)";
    }
    return NULL;
}

/* ---- what people do ---- */

/* The text with the values of {endpoint}, {unit}, {program} and {list}. */
static const char *fill_in(const char *text, const struct kubelet *kubelet, const char *endpoint, struct arena *arena)
{
    const struct {
        const char *name, *value;
    } values[] = {{"{endpoint}", endpoint},
                  {"{unit}", kubelet->unit.name ? kubelet->unit.name : "kubelet.service"},
                  {"{program}", kubelet->program},
                  {"{list}", kubelet->argument_list ? kubelet->argument_list : ""}};
    const char *filled = "";
    while (filled && *text) {
        size_t len = strcspn(text + 1, "{") + 1;
        const char *value = arena_string(arena, bytes_of(text, len));
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            if (begins(text, values[i].name)) {
                value = values[i].value;
                len = strlen(values[i].name);
            }
        }
        filled = value ? join_strings(arena, filled, value, (char *)NULL) : NULL;
        text += len;
    }
    return filled;
}

const char *layout_warning(const struct kubelet *kubelet, const char *endpoint, struct arena *arena)
{
    const struct owner *owner = &owners[kubelet->layout];
    return !owner->way && owner->why ? fill_in(owner->why, kubelet, endpoint, arena) : NULL;
}

const char *layout_instruction(const struct kubelet *kubelet, const char *endpoint, struct arena *arena)
{
    if (is_refused(kubelet)) {
        return fill_in(owners[kubelet->layout].way, kubelet, endpoint, arena);
    }
    if (kubelet->dynamic_config) {
        return join_strings(arena, "give the kubelet --container-runtime-endpoint=", endpoint,
                            " on its command line, and restart it", (char *)NULL);
    }
    bool in_config = kubelet->version.major == 0 || kubelet_is_since(kubelet, 1, 27);
    return join_strings(arena, "give the kubelet --container-runtime-endpoint=", endpoint,
                        in_config ? ", or its configuration file containerRuntimeEndpoint: " : "", in_config ? endpoint : "",
                        kubelet_is_since(kubelet, 1, 0) && !kubelet_is_since(kubelet, 1, KUBELET_FIRST_WITHOUT_DOCKER)
                            ? ", and --container-runtime=remote"
                            : "",
                        ", and restart it", (char *)NULL);
}
