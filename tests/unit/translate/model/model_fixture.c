#include "tests/unit/translate/model/model_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/cmocka.h"
#include "translate/walk/text_table.h"

#define ARENA_CAP 65536

struct fixture fixture;

int fixture_end(void **state)
{
    arena_unref(fixture.model.arena);
    return 0;
}

static void begin(void)
{
    fixture_end(NULL);
    fixture = (struct fixture){
        .pod = MODEL__POD_SANDBOX_CONFIG__INIT,
        .pod_linux = MODEL__LINUX_POD_SANDBOX_CONFIG__INIT,
        .pod_security = MODEL__LINUX_SANDBOX_SECURITY_CONTEXT__INIT,
        .container = MODEL__CONTAINER_CONFIG__INIT,
        .container_linux = MODEL__LINUX_CONTAINER_CONFIG__INIT,
        .container_security = MODEL__LINUX_CONTAINER_SECURITY_CONTEXT__INIT,
        .namespaces = MODEL__NAMESPACE_OPTION__INIT,
    };
    fixture.model.path = "config";
    fixture.model.report = &fixture.report;
    fixture.model.arena = arena_new(ARENA_CAP);
    assert_non_null(fixture.model.arena);
}

void fixture_begin_pod(enum level level)
{
    begin();
    fixture.model.pod = &fixture.pod;
    fixture.pod.linux = level >= LEVEL_LINUX ? &fixture.pod_linux : NULL;
    fixture.pod_linux.security_context = level >= LEVEL_SECURITY ? &fixture.pod_security : NULL;
    fixture.pod_security.namespace_options = level >= LEVEL_NAMESPACES ? &fixture.namespaces : NULL;
}

void fixture_begin_container(enum level level)
{
    begin();
    fixture.model.container = &fixture.container;
    fixture.container.linux = level >= LEVEL_LINUX ? &fixture.container_linux : NULL;
    fixture.container_linux.security_context = level >= LEVEL_SECURITY ? &fixture.container_security : NULL;
    fixture.container_security.namespace_options = level >= LEVEL_NAMESPACES ? &fixture.namespaces : NULL;
}

static const ProtobufCMessage *message_of(const struct model *model)
{
    if (model->pod) {
        return &model->pod->base;
    }
    return model->container ? &model->container->base : &model->resources->base;
}

/* The caller frees it. */
static uint8_t *packed(const struct model *model, size_t *size)
{
    *size = protobuf_c_message_get_packed_size(message_of(model));
    uint8_t *data = malloc(*size + 1);
    assert_non_null(data);
    assert_int_equal(protobuf_c_message_pack(message_of(model), data), *size);
    return data;
}

bool fixture_run(normalisation *run)
{
    size_t size_before;
    uint8_t *before = packed(&fixture.model, &size_before);
    fixture.model.changed = false;
    fixture.error = (struct error){0};
    bool content = run(&fixture.model, &fixture.error);
    if (content) {
        size_t size_after;
        uint8_t *after = packed(&fixture.model, &size_after);
        bool same = size_before == size_after && memcmp(before, after, size_before) == 0;
        assert_int_equal(fixture.model.changed, !same);
        assert_int_equal(fixture.error.code, STATUS_OK);
        free(after);
    } else if (fixture.error.code != STATUS_RESOURCE_EXHAUSTED) {
        assert_int_equal(fixture.error.code, STATUS_INVALID_ARGUMENT);
        assert_memory_equal(fixture.error.message, "config.", strlen("config."));
    }
    free(before);
    return content;
}

void fixture_expect_refusal(normalisation *run, const char *field)
{
    assert_false(fixture_run(run));
    assert_int_equal(fixture.error.code, STATUS_INVALID_ARGUMENT);
    char start[256];
    int length = snprintf(start, sizeof start, "config.%s: ", field);
    assert_true(length > 0 && (size_t)length < sizeof start);
    if (strncmp(fixture.error.message, start, (size_t)length) != 0) {
        fail_msg("refused with \"%s\", expected to start with \"%s\"", fixture.error.message, start);
    }
    char reason[32];
    snprintf(reason, sizeof reason, ": the runtime's dialect %s ", dialects[fixture.model.to].name);
    bool by_rule = strstr(fixture.error.message, "\"translation: {lenient: [") != NULL;
    assert_int_equal(by_rule, strstr(fixture.error.message, reason) != NULL);
}

void fixture_expect_untouched(normalisation *run)
{
    if (!fixture_run(run)) {
        fail_msg("refused with \"%s\"", fixture.error.message);
    }
    assert_false(fixture.model.changed);
    assert_int_equal(fixture.report.dropped, 0);
}

void fixture_expect_exhausted(normalisation *run)
{
    struct arena *roomy = fixture.model.arena;
    fixture.model.arena = arena_new(0);
    assert_non_null(fixture.model.arena);
    assert_false(fixture_run(run));
    assert_int_equal(fixture.error.code, STATUS_RESOURCE_EXHAUSTED);
    arena_unref(fixture.model.arena);
    fixture.model.arena = roomy;
}

uint32_t fixture_losses(const char *field)
{
    for (size_t i = 0; i < TRANSLATION_RULE_COUNT; i++) {
        if (strcmp(translation_rules[i].field, field) == 0) {
            return fixture.report.rules[i].dropped;
        }
    }
    return 0;
}
