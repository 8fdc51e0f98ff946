#include "core/hooks/describe.h"

#include "base/json/build.h"
#include "core/plugins/describe.h"

static void add_number(struct json_object *object, const char *key, uint64_t number)
{
    json_add(object, key, json_object_new_int64((int64_t)number));
}

static struct json_object *describe_known(const struct hooks *hooks)
{
    struct json_object *object = json_object_new_object();
    size_t pods = 0;
    size_t containers = 0;
    size_t bytes = 0;
    size_t environments = 0;
    const struct known *known;
    LIST_FOREACH(known, &hooks->known, link)
    {
        pods += fact_store_count(known->store, ID_POD);
        containers += fact_store_count(known->store, ID_CONTAINER);
        bytes += fact_store_memory(known->store);
        environments += fact_store_environment_memory(known->store);
    }
    add_number(object, "pods", pods);
    add_number(object, "containers", containers);
    add_number(object, "bytes", bytes);
    add_number(object, "environmentBytes", environments);
    return object;
}

struct json_object *hooks_summary(struct hooks *hooks)
{
    return plugin_set_summary(&hooks->plugins, &hooks->after);
}

bool hooks_refuse(const struct hooks *hooks)
{
    return plugin_set_refuses(&hooks->plugins);
}

void hooks_describe(struct hooks *hooks, struct json_object *object)
{
    plugin_set_describe(&hooks->plugins, &hooks->after, object);
    json_add(object, "known", describe_known(hooks));
}
