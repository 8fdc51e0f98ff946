#include "tests/bench/plot/report.h"

#include <math.h>
#include <string.h>

double report_number(struct json_object *object, const char *key)
{
    struct json_object *value;
    return object && json_object_object_get_ex(object, key, &value) && value ? json_object_get_double(value) : NAN;
}

const char *report_text(struct json_object *object, const char *key)
{
    struct json_object *value;
    return json_object_object_get_ex(object, key, &value) ? json_object_get_string(value) : "";
}

struct json_object *report_way(struct json_object *measurement, const char *name)
{
    struct json_object *ways = json_object_object_get(measurement, "targets");
    for (size_t i = 0; i < json_object_array_length(ways); i++) {
        struct json_object *target = json_object_array_get_idx(ways, i);
        if (strcmp(report_text(target, "name"), name) == 0) {
            return target;
        }
    }
    return NULL;
}
