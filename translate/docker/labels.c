#include "translate/docker/labels.h"

#include "translate/docker/object.h"

static const char annotation_prefix[] = "annotation.";

static enum docker_label_kind kind_of(struct bytes key, bool of_pod)
{
    static const struct {
        const char *key;
        enum docker_label_kind kind;
    } own[] = {
        {"io.kubernetes.docker.type", DOCKER_TYPE},
        {"io.kubernetes.sandbox.id", DOCKER_SANDBOX_ID},
        {"io.kubernetes.container.logpath", DOCKER_OWN},
    };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        if (bytes_equal(key, bytes_of_string(own[i].key))) {
            return own[i].kind;
        }
    }
    if (of_pod && bytes_equal(key, bytes_of_string("io.kubernetes.container.name"))) {
        return DOCKER_OWN;
    }
    return bytes_start_with(key, bytes_of_string(annotation_prefix)) ? DOCKER_ANNOTATION : DOCKER_LABEL;
}

bool docker_labels_open(struct bytes object, bool of_pod, struct arena *arena, struct docker_labels *labels, struct error *error)
{
    *labels = (struct docker_labels){.arena = arena, .of_pod = of_pod};
    if (docker_is_null(object)) {
        return true;
    }
    labels->open = json_scan_open(object, true, &labels->scan);
    return labels->open || error_set(error, STATUS_INVALID_ARGUMENT, "Labels: not an object");
}

bool docker_labels_next(struct docker_labels *labels, struct docker_label *label, struct error *error)
{
    struct bytes key;
    if (!labels->open) {
        return false;
    }
    if (!json_scan_next(&labels->scan, &key, &label->text)) {
        return labels->scan.malformed && error_set(error, STATUS_INVALID_ARGUMENT, "Labels: not JSON");
    }
    if (!json_scan_string(bytes_of(key.data - 1, key.len + 2), labels->arena, &label->key)) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "Labels: a key with a NUL, or that is not UTF-8");
    }
    label->kind = kind_of(label->key, labels->of_pod);
    if (label->kind == DOCKER_ANNOTATION) {
        label->key = bytes_after(label->key, strlen(annotation_prefix));
    }
    return docker_read_text("Labels", label->text, labels->arena, &label->value, error);
}

bool docker_label_key(enum docker_label_kind kind, struct bytes key, struct arena *arena, struct bytes *whole,
                      struct error *error)
{
    struct bytes parts[] = {kind == DOCKER_ANNOTATION ? bytes_of_string(annotation_prefix) : (struct bytes){0}, key};
    *whole = arena_join(arena, parts, 2);
    if (!whole->data) {
        return error_no_memory(error);
    }
    return kind_of(*whole, false) == kind ||
           error_set(error, STATUS_INVALID_ARGUMENT, "labels[%.*s]: among Docker's labels it would mean something else",
                     BYTES_SHOWN(key, 100));
}
