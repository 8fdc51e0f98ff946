#include "translate/docker/name.h"

#define PARTS 6

static bool read_attempt(struct bytes text, uint32_t *attempt)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || sum > UINT32_MAX) {
            return false;
        }
        sum = 10 * sum + (uint64_t)(text.data[i] - '0');
    }
    *attempt = (uint32_t)sum;
    return text.len > 0 && sum <= UINT32_MAX;
}

bool docker_name_read(struct bytes text, struct docker_name *name)
{
    struct bytes parts[PARTS + 1];
    size_t count = 0;
    if (text.len > 0 && text.data[0] == '/') {
        text = bytes_after(text, 1);
    }
    for (bool more = true; more; count++) {
        const uint8_t *end = text.len > 0 ? memchr(text.data, '_', text.len) : NULL;
        if (count > PARTS) {
            return false;
        }
        parts[count] = bytes_of(text.data, end ? (size_t)(end - text.data) : text.len);
        more = end != NULL;
        text = bytes_after(text, parts[count].len + (more ? 1 : 0));
    }
    *name = (struct docker_name){0};
    if (count < PARTS || !bytes_equal(parts[0], bytes_of_string("k8s")) || !read_attempt(parts[5], &name->attempt)) {
        return false;
    }
    name->container = parts[1];
    name->pod = parts[2];
    name->space = parts[3];
    name->uid = parts[4];
    return true;
}
