#include "tests/unit/translate/lists/list_fixture.h"

#include <string.h>

#include "model/api.pb-c.h"
#include "tests/cmocka.h"
#include "translate/lists/item.h"

#define MOST_LABELS 4

static void *alloc(struct arena *arena, size_t size)
{
    void *memory = arena_zalloc(arena, size);
    assert_non_null(memory);
    return memory;
}

static char *text(struct arena *arena, const char *from)
{
    char *copy = arena_string(arena, bytes_of_string(from));
    assert_non_null(copy);
    return copy;
}

struct bytes fixture_pack(struct arena *arena, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *data = alloc(arena, size ? size : 1);
    protobuf_c_message_pack(message, data);
    return bytes_of(data, size);
}

static size_t label_count(const struct fixture_item *item)
{
    size_t count = 0;
    while (count < MOST_LABELS && item->labels[count].key) {
        count++;
    }
    return count;
}

static Model__PodSandbox *pod_of(struct arena *arena, const struct fixture_item *item)
{
    Model__PodSandbox *pod = alloc(arena, sizeof *pod);
    model__pod_sandbox__init(pod);
    pod->id = text(arena, item->id);
    pod->state = (Model__PodSandboxState)item->state;
    pod->n_labels = label_count(item);
    pod->labels = alloc(arena, (pod->n_labels + 1) * sizeof *pod->labels);
    for (size_t i = 0; i < pod->n_labels; i++) {
        pod->labels[i] = alloc(arena, sizeof **pod->labels);
        model__pod_sandbox__labels_entry__init(pod->labels[i]);
        pod->labels[i]->key = text(arena, item->labels[i].key);
        pod->labels[i]->value = text(arena, item->labels[i].value);
    }
    return pod;
}

static Model__Container *container_of(struct arena *arena, const struct fixture_item *item)
{
    Model__Container *container = alloc(arena, sizeof *container);
    model__container__init(container);
    container->id = text(arena, item->id);
    container->pod_sandbox_id = text(arena, item->pod);
    container->state = (Model__ContainerState)item->state;
    container->n_labels = label_count(item);
    container->labels = alloc(arena, (container->n_labels + 1) * sizeof *container->labels);
    for (size_t i = 0; i < container->n_labels; i++) {
        container->labels[i] = alloc(arena, sizeof **container->labels);
        model__container__labels_entry__init(container->labels[i]);
        container->labels[i]->key = text(arena, item->labels[i].key);
        container->labels[i]->value = text(arena, item->labels[i].value);
    }
    return container;
}

struct bytes fixture_list(struct arena *arena, enum id_kind kind, const struct fixture_item *items)
{
    size_t count = 0;
    while (items[count].id) {
        count++;
    }
    void **messages = alloc(arena, (count + 1) * sizeof(void *));
    for (size_t i = 0; i < count; i++) {
        messages[i] = kind == ID_POD ? (void *)pod_of(arena, &items[i]) : (void *)container_of(arena, &items[i]);
    }
    if (kind == ID_POD) {
        Model__ListPodSandboxResponse list = MODEL__LIST_POD_SANDBOX_RESPONSE__INIT;
        list.n_items = count;
        list.items = (Model__PodSandbox **)messages;
        return fixture_pack(arena, &list.base);
    }
    Model__ListContainersResponse list = MODEL__LIST_CONTAINERS_RESPONSE__INIT;
    list.n_containers = count;
    list.containers = (Model__Container **)messages;
    return fixture_pack(arena, &list.base);
}

struct bytes fixture_status(struct arena *arena, enum id_kind kind, const char *id, int state, size_t padding)
{
    char *pad = alloc(arena, padding + 1);
    memset(pad, 'x', padding);
    if (kind == ID_POD) {
        Model__PodSandboxStatus status = MODEL__POD_SANDBOX_STATUS__INIT;
        status.id = text(arena, id);
        status.state = (Model__PodSandboxState)state;
        status.runtime_handler = pad;
        Model__PodSandboxStatusResponse response = MODEL__POD_SANDBOX_STATUS_RESPONSE__INIT;
        response.status = &status;
        return fixture_pack(arena, &response.base);
    }
    Model__ContainerStatus status = MODEL__CONTAINER_STATUS__INIT;
    status.id = text(arena, id);
    status.state = (Model__ContainerState)state;
    status.log_path = pad;
    Model__ContainerStatusResponse response = MODEL__CONTAINER_STATUS_RESPONSE__INIT;
    response.status = &status;
    return fixture_pack(arena, &response.base);
}

const char *fixture_ids(struct arena *arena, enum id_kind kind, struct bytes list)
{
    struct list_items items = list_items_of(kind, DIALECT_V1, list);
    struct list_item item;
    char *ids = alloc(arena, list.len + 1);
    size_t len = 0;
    while (list_items_next(&items, &item)) {
        if (len > 0) {
            ids[len++] = ' ';
        }
        memcpy(ids + len, item.id.data, item.id.len);
        len += item.id.len;
    }
    ids[len] = '\0';
    return items.malformed ? "malformed" : ids;
}

struct bytes fixture_join(struct arena *arena, struct bytes first, struct bytes second)
{
    const struct bytes parts[] = {first, second};
    uint8_t *data = alloc(arena, first.len + second.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < 2; i++) {
        if (parts[i].len > 0) {
            memcpy(data + len, parts[i].data, parts[i].len);
            len += parts[i].len;
        }
    }
    return bytes_of(data, len);
}
