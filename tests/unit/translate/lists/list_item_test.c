#include <string.h>

#include "model/api.pb-c.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"
#include "tests/unit/translate/lists/list_fixture.h"
#include "translate/bytes/packing.h"
#include "translate/lists/item.h"

static void expect_bytes(struct bytes bytes, const char *expected)
{
    assert_int_equal(bytes.len, strlen(expected));
    assert_memory_equal(bytes.data, expected, bytes.len);
}

ALL_TESTS(arena_begin, arena_end)

TEST(items_are_read_one_by_one)
{
    const struct fixture_item containers[] = {{"c1", "p1", 2, {{0}}}, {"c2", "p2", 0, {{0}}}, {0}};
    struct bytes list = fixture_list(arena, ID_CONTAINER, containers);
    struct list_items items = list_items_of(ID_CONTAINER, DIALECT_V1ALPHA2, list);
    struct list_item item;
    assert_true(list_items_next(&items, &item));
    expect_bytes(item.id, "c1");
    expect_bytes(item.pod_sandbox_id, "p1");
    assert_int_equal(item.state, 2);
    assert_ptr_equal(item.whole.data, list.data);
    assert_true(list_items_next(&items, &item));
    expect_bytes(item.id, "c2");
    assert_int_equal(item.state, 0);
    assert_ptr_equal(item.whole.data + item.whole.len, list.data + list.len);
    assert_false(list_items_next(&items, &item));
    assert_false(items.malformed);
}

TEST(malformed_lists_are_told)
{
    static const struct {
        const char *bytes;
        size_t len;
    } bad[] = {
        {"\x0A\x05\x0A", 3},         /* cut off */
        {"\x08\x01", 2},             /* items that are no messages */
        {"\x0A\x02\x08\x01", 4},     /* an id that is a number */
        {"\x0A\x03\x1A\x01\x00", 5}, /* a state that is bytes */
        {"\x0B\x0C", 2},             /* a group */
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct list_items items = list_items_of(ID_POD, DIALECT_V1, bytes_of(bad[i].bytes, bad[i].len));
        struct list_item item;
        while (list_items_next(&items, &item)) {
        }
        assert_true(items.malformed);
        assert_false(list_items_next(&items, &item));
        assert_false(list_is_well_formed(ID_POD, DIALECT_V1, bytes_of(bad[i].bytes, bad[i].len)));
    }
}

/* What only a look into every message finds. */
TEST(well_formed_is_asked_at_every_level)
{
    const struct fixture_item pods[] = {{"p", NULL, 1, {{"key", "value"}}}, {0}};
    assert_true(list_is_well_formed(ID_POD, DIALECT_V1, fixture_list(arena, ID_POD, pods)));
    assert_true(list_is_well_formed(ID_POD, DIALECT_V1_9, bytes_of(NULL, 0)));
    assert_true(status_is_well_formed(ID_CONTAINER, DIALECT_V1, fixture_status(arena, ID_CONTAINER, "c", 1, 10)));
    const struct bytes name_is_a_number = bytes_of("\x0A\x07\x0A\x01p\x12\x02\x08\x01", 9);
    struct list_items items = list_items_of(ID_POD, DIALECT_V1, name_is_a_number);
    struct list_item item;
    assert_true(list_items_next(&items, &item));
    assert_false(list_is_well_formed(ID_POD, DIALECT_V1, name_is_a_number));
    assert_false(status_is_well_formed(ID_POD, DIALECT_V1, bytes_of("\x0A\x04\x12\x02\x08\x01", 6)));
}

TEST(a_status_tells_whose_it_is)
{
    struct bytes id;
    int32_t told;
    assert_true(list_item_of_status(ID_POD, DIALECT_V1_12, fixture_status(arena, ID_POD, "p", 1, 0), &id, &told));
    expect_bytes(id, "p");
    assert_int_equal(told, 1);
    assert_true(list_item_of_status(ID_CONTAINER, DIALECT_V1, fixture_status(arena, ID_CONTAINER, "c", 2, 5), &id, &told));
    expect_bytes(id, "c");
    assert_int_equal(told, 2);
    assert_false(list_item_of_status(ID_POD, DIALECT_V1, bytes_of(NULL, 0), &id, &told));
    assert_false(list_item_of_status(ID_POD, DIALECT_V1, bytes_of("\x0A\x05", 2), &id, &told));
}

static Model__PodSandboxConfig__LabelsEntry pod_label = {
    .base = PROTOBUF_C_MESSAGE_INIT(&model__pod_sandbox_config__labels_entry__descriptor),
    .key = (char[]){"app"},
    .value = (char[]){"web"},
};
static Model__PodSandboxConfig__AnnotationsEntry pod_annotation = {
    .base = PROTOBUF_C_MESSAGE_INIT(&model__pod_sandbox_config__annotations_entry__descriptor),
    .key = (char[]){"note"},
    .value = (char[]){"text"},
};

static struct bytes run_pod_request(void)
{
    Model__PodSandboxMetadata metadata = MODEL__POD_SANDBOX_METADATA__INIT;
    Model__PodSandboxConfig config = MODEL__POD_SANDBOX_CONFIG__INIT;
    Model__RunPodSandboxRequest request = MODEL__RUN_POD_SANDBOX_REQUEST__INIT;
    metadata.name = (char[]){"web-0"};
    metadata.uid = (char[]){"uid-0"};
    metadata.namespace_ = (char[]){"default"};
    metadata.attempt = 3;
    config.metadata = &metadata;
    config.hostname = (char[]){"not in a list"};
    config.n_labels = 1;
    config.labels = (Model__PodSandboxConfig__LabelsEntry *[]){&pod_label};
    config.n_annotations = 1;
    config.annotations = (Model__PodSandboxConfig__AnnotationsEntry *[]){&pod_annotation};
    request.config = &config;
    request.runtime_handler = (char[]){"kata"};
    return fixture_pack(arena, &request.base);
}

TEST(a_new_pod_looks_like_a_listed_one)
{
    struct bytes list;
    struct error error = {0};
    assert_true(list_item_compose(ID_POD, DIALECT_V1, run_pod_request(), bytes_of_string("p1"), 1700000000123456789, arena, &list,
                                  &error));
    Model__ListPodSandboxResponse *response = arena_unpack(arena, &model__list_pod_sandbox_response__descriptor, list);
    assert_non_null(response);
    assert_int_equal(response->n_items, 1);
    const Model__PodSandbox *pod = response->items[0];
    assert_string_equal(pod->id, "p1");
    assert_int_equal(pod->state, MODEL__POD_SANDBOX_STATE__SANDBOX_READY);
    assert_true(pod->created_at == 1700000000123456789);
    assert_string_equal(pod->runtime_handler, "kata");
    assert_string_equal(pod->metadata->name, "web-0");
    assert_string_equal(pod->metadata->uid, "uid-0");
    assert_string_equal(pod->metadata->namespace_, "default");
    assert_int_equal(pod->metadata->attempt, 3);
    assert_int_equal(pod->n_labels, 1);
    assert_string_equal(pod->labels[0]->key, "app");
    assert_string_equal(pod->labels[0]->value, "web");
    assert_int_equal(pod->n_annotations, 1);
    assert_string_equal(pod->annotations[0]->key, "note");
    assert_int_equal(pod->base.n_unknown_fields, 0);
    assert_true(list_is_well_formed(ID_POD, DIALECT_V1, list));
}

/* The oldest dialect's pods have no handler; its requests neither, so that field 2 there is something unknown. */
TEST(a_dialect_without_handlers_shows_none)
{
    struct bytes list;
    assert_true(list_item_compose(ID_POD, DIALECT_V1_9, run_pod_request(), bytes_of_string("p1"), 1, arena, &list, NULL));
    Model__ListPodSandboxResponse *response = arena_unpack(arena, &model__list_pod_sandbox_response__descriptor, list);
    assert_non_null(response);
    assert_string_equal(response->items[0]->runtime_handler, "");
    assert_string_equal(response->items[0]->metadata->name, "web-0");
}

static struct bytes create_container_request(void)
{
    Model__ContainerMetadata metadata = MODEL__CONTAINER_METADATA__INIT;
    Model__ImageSpec image = MODEL__IMAGE_SPEC__INIT;
    Model__ContainerConfig config = MODEL__CONTAINER_CONFIG__INIT;
    Model__PodSandboxConfig pod = MODEL__POD_SANDBOX_CONFIG__INIT;
    Model__CreateContainerRequest request = MODEL__CREATE_CONTAINER_REQUEST__INIT;
    metadata.name = (char[]){"main"};
    image.image = (char[]){"registry/app:1"};
    config.metadata = &metadata;
    config.image = &image;
    config.log_path = (char[]){"not in a list"};
    pod.n_labels = 1;
    pod.labels = (Model__PodSandboxConfig__LabelsEntry *[]){&pod_label};
    request.pod_sandbox_id = (char[]){"p1"};
    request.config = &config;
    request.sandbox_config = &pod;
    return fixture_pack(arena, &request.base);
}

TEST(a_new_container_looks_like_a_listed_one)
{
    struct bytes list;
    assert_true(
        list_item_compose(ID_CONTAINER, DIALECT_V1, create_container_request(), bytes_of_string("c1"), 5, arena, &list, NULL));
    Model__ListContainersResponse *response = arena_unpack(arena, &model__list_containers_response__descriptor, list);
    assert_non_null(response);
    assert_int_equal(response->n_containers, 1);
    const Model__Container *container = response->containers[0];
    assert_string_equal(container->id, "c1");
    assert_string_equal(container->pod_sandbox_id, "p1");
    assert_string_equal(container->metadata->name, "main");
    assert_string_equal(container->image->image, "registry/app:1");
    assert_string_equal(container->image_ref, "");
    assert_int_equal(container->state, MODEL__CONTAINER_STATE__CONTAINER_CREATED);
    assert_true(container->created_at == 5);
    assert_int_equal(container->n_labels, 0);
}

static bool ends_between_fields(struct bytes message)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field)) {
            return false;
        }
    }
    return true;
}

TEST(requests_that_are_malformed_or_too_big_are_refused)
{
    struct bytes list;
    struct error error = {0};
    struct bytes request = create_container_request();
    for (size_t len = 1; len < request.len; len++) {
        struct bytes cut = bytes_of(request.data, len);
        /* Cut between two fields it is a request still. */
        bool whole = ends_between_fields(cut);
        assert_int_equal(list_item_compose(ID_CONTAINER, DIALECT_V1, cut, bytes_of_string("c"), 5, arena, &list, &error), whole);
    }
    assert_false(list_item_compose(ID_POD, DIALECT_V1, bytes_of("\x08\x01", 2), bytes_of_string("p"), 5, arena, &list, &error));
    assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
    struct arena *small = arena_new(64);
    assert_non_null(small);
    assert_false(list_item_compose(ID_CONTAINER, DIALECT_V1, request, bytes_of_string("c"), 5, small, &list, &error));
    assert_int_equal(error.code, STATUS_RESOURCE_EXHAUSTED);
    arena_unref(small);
}

TEST(a_list_is_cut_between_items)
{
    const struct fixture_item pods[] = {{"one", "", 0, {{0}}}, {"two", "", 0, {{0}}}, {"three", "", 0, {{0}}}, {0}};
    struct bytes list = fixture_list(arena, ID_POD, pods);
    struct bytes left = list;
    struct bytes part;
    size_t parts = 0;
    const uint8_t *expected = list.data;
    while (left.len > 0) {
        assert_true(list_cut(&left, 1, &part));
        assert_ptr_equal(part.data, expected);
        expected += part.len;
        struct list_items items = list_items_of(ID_POD, DIALECT_V1ALPHA2, part);
        struct list_item item;
        assert_true(list_items_next(&items, &item));
        expect_bytes(item.id, pods[parts++].id);
        assert_false(list_items_next(&items, &item));
        assert_false(items.malformed);
    }
    assert_int_equal(parts, 3);
    left = list;
    assert_true(list_cut(&left, list.len, &part));
    assert_int_equal(part.len, list.len);
    assert_int_equal(left.len, 0);
    left = list;
    assert_true(list_cut(&left, list.len - 1, &part));
    assert_true(part.len < list.len && part.len + left.len == list.len);
}

TEST(what_is_cut_off_is_no_list)
{
    const struct fixture_item pods[] = {{"one", "", 0, {{0}}}, {"two", "", 0, {{0}}}, {0}};
    struct bytes list = fixture_list(arena, ID_POD, pods);
    struct bytes part;
    list.len--;
    assert_false(list_cut(&list, list.len, &part));
}
