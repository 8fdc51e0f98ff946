#include "sim/journal.h"

#include "sim/common/fields.h"
#include "sim/common/journal_line.h"

static struct json_object *add_thing(struct json_object *things, const char *id)
{
    struct json_object *thing = json_object_new_object();
    field_set_text(thing, "id", id);
    json_object_array_add(things, thing);
    return thing;
}

void journal_write_restored(FILE *journal, const struct simulation *simulation)
{
    struct json_object *line = json_object_new_object();
    struct json_object *restored = field_new_object(line, "restored");
    struct json_object *pods = field_new_array(restored, "pods");
    for (size_t i = 0; i < simulation->pods.count; i++) {
        const struct pod *pod = simulation->pods.items[i];
        field_share(add_thing(pods, pod->id), "metadata", field_child(pod->config, "metadata"));
    }
    struct json_object *containers = field_new_array(restored, "containers");
    for (size_t i = 0; i < simulation->containers.count; i++) {
        const struct container *container = simulation->containers.items[i];
        field_set_text(add_thing(containers, container->id), "podSandboxId", container->pod->id);
    }
    journal_append(journal, line);
}
