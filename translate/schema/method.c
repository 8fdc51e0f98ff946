#include "translate/schema/method.h"

#include <stdlib.h>
#include <string.h>

#include "translate/schema/method_index.h"

static int compare_path(const void *key, const void *element)
{
    return bytes_compare(*(const struct bytes *)key, bytes_of_string(((const struct method_path *)element)->path));
}

const struct method *method_find(struct bytes path, enum dialect *caller)
{
    const struct method_path *found = bsearch(&path, method_paths, method_path_count, sizeof(*method_paths), compare_path);
    if (found == NULL) {
        return NULL;
    }
    *caller = found->caller;
    return &methods[found->method];
}

static int compare_name(const void *name, const void *element)
{
    return strcmp(name, methods[*(const uint16_t *)element].name);
}

const struct method *method_by_name(const char *name)
{
    const uint16_t *found = bsearch(name, methods_by_name, method_count, sizeof(*methods_by_name), compare_name);
    return found == NULL ? NULL : &methods[*found];
}

bool method_path_package(struct bytes path, enum dialect *caller)
{
    for (size_t i = 0; i < method_service_count; i++) {
        if (bytes_start_with(path, bytes_of_string(method_services[i].prefix))) {
            *caller = method_services[i].caller;
            return true;
        }
    }
    return false;
}

struct bytes method_service_at(size_t i, enum service *service)
{
    if (i >= method_service_count) {
        return (struct bytes){0};
    }
    struct bytes path = bytes_of_string(method_services[i].prefix);
    *service = (enum service)method_services[i].service;
    return bytes_of(path.data + 1, path.len - 2); /* without the slashes */
}
