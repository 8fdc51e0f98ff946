#include <stdio.h>
#include <string.h>

#include "model/api.pb-c.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"
#include "tests/unit/translate/lists/list_fixture.h"
#include "translate/lists/filter.h"

/* What a ListContainersRequest asks for. */
struct wish {
    const char *id;
    const char *pod;
    int state; /* -1: any */
    size_t label_count;
    struct fixture_label labels[3];
};

static struct bytes request_of(const struct wish *wish)
{
    Model__ContainerFilter filter = MODEL__CONTAINER_FILTER__INIT;
    Model__ContainerStateValue wrapper = MODEL__CONTAINER_STATE_VALUE__INIT;
    Model__ContainerFilter__LabelSelectorEntry entries[3];
    Model__ContainerFilter__LabelSelectorEntry *pointers[3];
    for (size_t i = 0; i < wish->label_count; i++) {
        model__container_filter__label_selector_entry__init(&entries[i]);
        entries[i].key = arena_string(arena, bytes_of_string(wish->labels[i].key));
        entries[i].value = arena_string(arena, bytes_of_string(wish->labels[i].value));
        pointers[i] = &entries[i];
    }
    filter.id = arena_string(arena, bytes_of_string(wish->id));
    filter.pod_sandbox_id = arena_string(arena, bytes_of_string(wish->pod));
    filter.n_label_selector = wish->label_count;
    filter.label_selector = pointers;
    if (wish->state >= 0) {
        wrapper.state = (Model__ContainerState)wish->state;
        filter.state = &wrapper;
    }
    Model__ListContainersRequest request = MODEL__LIST_CONTAINERS_REQUEST__INIT;
    request.filter = &filter;
    return fixture_pack(arena, &request.base);
}

static const struct fixture_item containers[] = {
    {"aa11", "pod1", 1, {{"app", "web"}, {"tier", "front"}}},
    {"aa22", "pod1", 0, {{"app", "db"}}},
    {"bb33", "pod2", 1, {{"app", "web"}, {"empty", ""}}},
    {"bb", "pod22", 2, {{0}}},
    {0},
};

/* The ids that a request leaves. */
static const char *chosen_by(struct bytes request, struct bytes list)
{
    struct list_filter filter;
    struct error error = {0};
    if (!list_filter_read(&filter, ID_CONTAINER, DIALECT_V1, request, arena, &error)) {
        return error.message[0] ? "refused" : "refused without reason";
    }
    struct list_items items = list_items_of(ID_CONTAINER, DIALECT_V1_9, list);
    struct list_item item;
    struct bytes chosen = {0};
    while (list_items_next(&items, &item)) {
        if (list_filter_matches(&filter, &item)) {
            chosen = chosen.len ? fixture_join(arena, chosen, item.whole) : item.whole;
        }
    }
    assert_false(items.malformed);
    return fixture_ids(arena, ID_CONTAINER, chosen);
}

static const char *chosen(struct wish wish)
{
    return chosen_by(request_of(&wish), fixture_list(arena, ID_CONTAINER, containers));
}

ALL_TESTS(arena_begin, arena_end)

TEST(without_filter_all_match)
{
    assert_string_equal(chosen_by(bytes_of(NULL, 0), fixture_list(arena, ID_CONTAINER, containers)), "aa11 aa22 bb33 bb");
    assert_string_equal(chosen((struct wish){.state = -1}), "aa11 aa22 bb33 bb");
}

TEST(ids_may_be_cut)
{
    assert_string_equal(chosen((struct wish){.id = "aa22", .state = -1}), "aa22");
    assert_string_equal(chosen((struct wish){.id = "aa", .state = -1}), "aa11 aa22");
    assert_string_equal(chosen((struct wish){.id = "aa223", .state = -1}), "");
    assert_string_equal(chosen((struct wish){.id = "bb", .state = -1}), "bb33 bb");
    assert_string_equal(chosen((struct wish){.pod = "pod1", .state = -1}), "aa11 aa22");
    assert_string_equal(chosen((struct wish){.pod = "pod2", .state = -1}), "bb33 bb");
}

/* The first state is 0, which is not written: the wrapper alone says that it is asked for. */
TEST(states_are_asked_for_by_a_wrapper)
{
    assert_string_equal(chosen((struct wish){.state = 0}), "aa22");
    assert_string_equal(chosen((struct wish){.state = 1}), "aa11 bb33");
    assert_string_equal(chosen((struct wish){.state = 3}), "");
}

TEST(all_labels_must_be_there)
{
    assert_string_equal(chosen((struct wish){.state = -1, .label_count = 1, .labels = {{"app", "web"}}}), "aa11 bb33");
    assert_string_equal(chosen((struct wish){.state = -1, .label_count = 2, .labels = {{"tier", "front"}, {"app", "web"}}}),
                        "aa11");
    assert_string_equal(chosen((struct wish){.state = -1, .label_count = 1, .labels = {{"app", "we"}}}), "");
    assert_string_equal(chosen((struct wish){.state = -1, .label_count = 1, .labels = {{"empty", ""}}}), "bb33");
    assert_string_equal(chosen((struct wish){.state = -1, .label_count = 1, .labels = {{"missing", ""}}}), "");
    assert_string_equal(chosen((struct wish){.id = "b", .state = 1, .label_count = 1, .labels = {{"app", "web"}}}), "bb33");
}

TEST(the_last_of_equal_keys_counts)
{
    assert_string_equal(chosen((struct wish){.state = -1, .label_count = 2, .labels = {{"app", "web"}, {"app", "db"}}}), "aa22");
    const struct fixture_item twice[] = {
        {"a", "p", 0, {{"app", "web"}, {"app", "db"}}}, {"b", "p", 0, {{"app", "db"}, {"app", "web"}, {"app", "web"}}}, {0}};
    const struct wish wish = {.state = -1, .label_count = 1, .labels = {{"app", "web"}}};
    assert_string_equal(chosen_by(request_of(&wish), fixture_list(arena, ID_CONTAINER, twice)), "b");
}

TEST(pods_are_filtered_alike)
{
    Model__PodSandboxFilter wanted = MODEL__POD_SANDBOX_FILTER__INIT;
    Model__PodSandboxStateValue wrapper = MODEL__POD_SANDBOX_STATE_VALUE__INIT;
    Model__ListPodSandboxRequest request = MODEL__LIST_POD_SANDBOX_REQUEST__INIT;
    wrapper.state = MODEL__POD_SANDBOX_STATE__SANDBOX_NOTREADY;
    wanted.state = &wrapper;
    request.filter = &wanted;
    const struct fixture_item pods[] = {{.id = "ready"}, {.id = "stopped", .state = 1}, {0}};
    for (size_t dialect = 0; dialect < DIALECT_COUNT; dialect++) {
        struct list_filter filter;
        assert_true(list_filter_read(&filter, ID_POD, (enum dialect)dialect, fixture_pack(arena, &request.base), arena, NULL));
        struct list_items items = list_items_of(ID_POD, (enum dialect)dialect, fixture_list(arena, ID_POD, pods));
        struct list_item item;
        assert_true(list_items_next(&items, &item));
        assert_false(list_filter_matches(&filter, &item));
        assert_true(list_items_next(&items, &item));
        assert_true(list_filter_matches(&filter, &item));
    }
}

/* Cut anywhere, or with a field of the wrong kind: refused with a reason, or a filter as before; never a crash. */
TEST(malformed_filters_are_refused)
{
    const struct wish wish = {.id = "aa", .state = 1, .label_count = 1, .labels = {{"app", "web"}}};
    struct bytes request = request_of(&wish);
    for (size_t len = 1; len < request.len; len++) {
        struct bytes cut = bytes_of(request.data, len);
        assert_string_equal(chosen_by(cut, bytes_of(NULL, 0)), "refused");
    }
    assert_string_equal(chosen_by(bytes_of("\x08\x01", 2), bytes_of(NULL, 0)), "refused");
    assert_string_equal(chosen_by(bytes_of("\x0A\x02\x08\x01", 4), bytes_of(NULL, 0)), "refused");
    assert_string_equal(chosen_by(bytes_of("\x0A\x04\x12\x02\x0A\x00", 6), bytes_of(NULL, 0)), "refused");
    assert_string_equal(chosen_by(bytes_of("\x0A\x04\x22\x02\x08\x01", 6), bytes_of(NULL, 0)), "refused");
    assert_string_equal(chosen_by(bytes_of("\x7A\x01\x00", 3), fixture_list(arena, ID_CONTAINER, containers)),
                        "aa11 aa22 bb33 bb");
}

/* Many labels on both sides cost a walk, not a product. */
TEST(many_labels_are_no_trouble)
{
    enum { COUNT = 20000 };
    Model__ContainerFilter filter = MODEL__CONTAINER_FILTER__INIT;
    Model__Container container = MODEL__CONTAINER__INIT;
    filter.n_label_selector = container.n_labels = COUNT;
    filter.label_selector = arena_zalloc(arena, COUNT * sizeof(void *));
    container.labels = arena_zalloc(arena, COUNT * sizeof(void *));
    for (size_t i = 0; i < COUNT; i++) {
        filter.label_selector[i] = arena_zalloc(arena, sizeof **filter.label_selector);
        container.labels[i] = arena_zalloc(arena, sizeof **container.labels);
        model__container_filter__label_selector_entry__init(filter.label_selector[i]);
        model__container__labels_entry__init(container.labels[i]);
        char key[32];
        snprintf(key, sizeof key, "label-%zu", i * 7919 % COUNT);
        filter.label_selector[i]->key = arena_string(arena, bytes_of_string(key));
        snprintf(key, sizeof key, "label-%zu", i);
        container.labels[i]->key = arena_string(arena, bytes_of_string(key));
    }
    Model__Container *all[] = {&container};
    container.id = (char[]){"a"};
    Model__ListContainersRequest request = MODEL__LIST_CONTAINERS_REQUEST__INIT;
    Model__ListContainersResponse list = MODEL__LIST_CONTAINERS_RESPONSE__INIT;
    request.filter = &filter;
    list.n_containers = 1;
    list.containers = all;
    assert_string_equal(chosen_by(fixture_pack(arena, &request.base), fixture_pack(arena, &list.base)), "a");
    container.n_labels--;
    assert_string_equal(chosen_by(fixture_pack(arena, &request.base), fixture_pack(arena, &list.base)), "");
}
