#include "node/install/crictl.h"

#include "node/files/node_folder.h"
#include "node/files/yaml_edit.h"
#include "node/preflight/socket.h"

static bool names(const char *value, const char *endpoint)
{
    const char *path = socket_path(value), *other = endpoint ? socket_path(endpoint) : NULL;
    return path && other && node_path_is_same(path, other);
}

/* Sets the key if it names one of the runtime's sockets, or if it is missing and `creates`. false: the file is none of crictl's.
 */
static bool lead(struct crictl_plan *plan, const char *key, const char *endpoint, const char *const *sockets, bool creates,
                 struct arena *arena, struct error *error)
{
    struct yaml_edit_value found;
    enum yaml_edit_found kind = yaml_edit_find(CRICTL_FILE, plan->file.after, key, arena, &found, error);
    if (kind == YAML_EDIT_INVALID) {
        return false;
    }
    if (kind == YAML_EDIT_OTHER) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "%s:%u: %s is not a plain value", CRICTL_FILE,
                         (unsigned)found.place.line, key);
    }
    bool absent = kind == YAML_EDIT_ABSENT || found.value[0] == '\0';
    if (absent ? !creates : !names(found.value, sockets[0]) && !names(found.value, sockets[1])) {
        return true;
    }
    plan->writes = true;
    return yaml_edit_set(CRICTL_FILE, plan->file.after, key, endpoint, arena, &plan->file.after, error);
}

static bool plan_file(struct crictl_plan *plan, const char *endpoint, const char *const *sockets, bool creates,
                      struct arena *arena, struct error *error)
{
    struct node_file *before = &plan->file.before;
    if (!node_file_read(CRICTL_FILE, arena, before, error)) {
        return false;
    }
    plan->file.after = before->text;
    if (!before->present && !creates) {
        return true;
    }
    return lead(plan, "runtime-endpoint", endpoint, sockets, creates, arena, error) &&
           lead(plan, "image-endpoint", endpoint, sockets, false, arena, error) &&
           (!plan->writes || (node_file_check_owner(CRICTL_FILE, error) && node_file_check_links(before, error)));
}

bool crictl_plan(struct crictl_plan *plan, const char *endpoint, const char *direct, const char *images, bool creates,
                 struct arena *arena, struct error *error)
{
    const char *const sockets[] = {direct, images};
    struct error why;
    *plan = (struct crictl_plan){.file = {.mode = 0644, .why = "crictl's runtime endpoint"}};
    if (!plan_file(plan, endpoint, sockets, creates, arena, &why)) {
        plan->writes = false;
        plan->warning = arena_string(arena, bytes_of_string(why.message));
        return plan->warning || error_out_of_memory(error);
    }
    return true;
}
