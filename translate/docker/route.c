#include "translate/docker/route.h"

/* ---- decoding ---- */

static int hex_value(uint8_t digit)
{
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    digit |= 0x20;
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* Decodes %XX, and in a query `+`. The result has room for one more byte. */
static bool decode(struct bytes text, bool query, struct arena *arena, struct bytes *decoded, struct error *error)
{
    uint8_t *out = arena_alloc(arena, text.len + 1);
    size_t len = 0;
    if (!out) {
        return error_no_memory(error);
    }
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = text.data[i];
        if (byte == '%') {
            int high = i + 2 < text.len ? hex_value(text.data[i + 1]) : -1;
            int low = high >= 0 ? hex_value(text.data[i + 2]) : -1;
            if (low < 0) {
                return error_set(error, STATUS_INVALID_ARGUMENT,
                                 "the request's target has a %% that is not followed by two hexadecimal digits");
            }
            byte = (uint8_t)(high << 4 | low);
            i += 2;
        } else if (query && byte == '+') {
            byte = ' ';
        }
        out[len++] = byte;
    }
    *decoded = bytes_of(out, len);
    return true;
}

/* Takes off what is before the separator; without one, everything. */
static struct bytes take_until(struct bytes *rest, uint8_t separator)
{
    const uint8_t *found = rest->len > 0 ? memchr(rest->data, separator, rest->len) : NULL;
    struct bytes before = bytes_of(rest->data, found ? (size_t)(found - rest->data) : rest->len);
    *rest = bytes_after(*rest, before.len + (found ? 1 : 0));
    return before;
}

/* ---- the path ---- */

static bool is(struct bytes text, const char *word)
{
    return bytes_equal(text, bytes_of_string(word));
}

/* Cleans a decoded path in place: no empty elements, no "." and "..". A slash at its end stays. */
static struct bytes clean(struct bytes path, uint8_t *out)
{
    struct bytes rest = path;
    bool ends_in_slash = path.len > 0 && path.data[path.len - 1] == '/';
    size_t len = 0;
    while (rest.len > 0) {
        struct bytes element = take_until(&rest, '/');
        if (is(element, "..")) {
            while (len > 0 && out[--len] != '/') {
            }
        } else if (element.len > 0 && !is(element, ".")) {
            out[len++] = '/';
            memmove(out + len, element.data, element.len);
            len += element.len;
        }
    }
    if (ends_in_slash || len == 0) {
        out[len++] = '/';
    }
    return bytes_of(out, len);
}

/* Takes off "/v1.41", if a path follows. */
static struct bytes without_version(struct bytes path)
{
    size_t len = 2;
    if (!bytes_start_with(path, bytes_of_string("/v"))) {
        return path;
    }
    while (len < path.len && ((path.data[len] >= '0' && path.data[len] <= '9') || path.data[len] == '.')) {
        len++;
    }
    return len > 2 && len < path.len && path.data[len] == '/' ? bytes_after(path, len) : path;
}

/* What becomes of a container, by the end of the path. */
static void read_action(struct bytes of_container, struct docker_route *route)
{
    static const struct {
        const char *end;
        enum docker_route_kind kind;
    } actions[] = {{"/start", DOCKER_START}, {"/stop", DOCKER_STOP}, {"/update", DOCKER_UPDATE}};
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        size_t len = strlen(actions[i].end);
        if (bytes_end_with(of_container, bytes_of_string(actions[i].end)) && of_container.len > len) {
            route->kind = actions[i].kind;
            route->container = bytes_of(of_container.data, of_container.len - len);
        }
    }
}

static void read_path(struct bytes method, struct bytes path, struct docker_route *route)
{
    static const char folder[] = "/containers/";
    path = without_version(path);
    if (!bytes_start_with(path, bytes_of_string(folder)) || path.len == strlen(folder)) {
        return;
    }
    struct bytes of_container = bytes_after(path, strlen(folder));
    if (is(method, "DELETE")) {
        route->kind = DOCKER_REMOVE;
        route->container = of_container;
    } else if (is(method, "POST") && is(of_container, "create")) {
        route->kind = DOCKER_CREATE;
    } else if (is(method, "POST")) {
        read_action(of_container, route);
    }
}

/* ---- the query ---- */

static bool read_name(struct bytes query, struct arena *arena, struct docker_route *route, struct error *error)
{
    bool found = false;
    if (query.len > 0 && memchr(query.data, ';', query.len)) {
        return error_set(error, STATUS_INVALID_ARGUMENT,
                         "the request's query has a semicolon, which some programs treat as a separator");
    }
    while (query.len > 0) {
        struct bytes value = take_until(&query, '&');
        struct bytes key = take_until(&value, '=');
        if (!decode(key, true, arena, &key, error) || !decode(value, true, arena, &value, error)) {
            return false;
        }
        if (!is(key, "name")) {
            continue;
        }
        if (found) {
            return error_set(error, STATUS_INVALID_ARGUMENT, "the request's query has the parameter name twice");
        }
        found = true;
        route->name = value;
    }
    return true;
}

bool docker_route_read(struct bytes method, struct bytes target, struct arena *arena, struct docker_route *route,
                       struct error *error)
{
    struct bytes query = target;
    struct bytes raw = take_until(&query, '?');
    struct bytes path = {0};
    *route = (struct docker_route){.kind = DOCKER_OTHER};
    if (is(target, "*")) {
        return true;
    }
    if (raw.len == 0 || raw.data[0] != '/') {
        return error_set(error, STATUS_INVALID_ARGUMENT, "the request's target is not a path");
    }
    if (!decode(raw, false, arena, &path, error)) {
        return false;
    }
    /* Cleaned, it is not longer, except for a slash in the place of nothing. */
    uint8_t *cleaned = arena_alloc(arena, path.len + 1);
    if (!cleaned) {
        return error_no_memory(error);
    }
    read_path(method, clean(path, cleaned), route);
    return route->kind != DOCKER_CREATE || read_name(query, arena, route, error);
}
