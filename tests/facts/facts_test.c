/* Compares the descriptors of every dialect and of the protocol of hooks with the facts in this folder, both ways. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "tests/cmocka.h"

/* The whole file with a NUL behind it; the caller frees it. */
static char *read_file(const char *folder, const char *name, const char *suffix, size_t *length)
{
    char path[1024];
    assert_true((size_t)snprintf(path, sizeof(path), "%s/%s%s", folder, name, suffix) < sizeof(path));
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("cannot open %s", path);
    }
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size > 0);
    rewind(file);
    char *content = calloc((size_t)size + 1, 1);
    assert_non_null(content);
    assert_int_equal(fread(content, 1, (size_t)size, file), size);
    fclose(file);
    *length = (size_t)size;
    return content;
}

static void describe(struct facts *facts, const char *dialect)
{
    size_t length;
    char *content = read_file(DESCRIPTOR_FOLDER, dialect, ".pb", &length);
    Google__Protobuf__FileDescriptorSet *set =
        google__protobuf__file_descriptor_set__unpack(NULL, length, (const uint8_t *)content);
    assert_non_null(set);
    facts_describe(facts, set);
    google__protobuf__file_descriptor_set__free_unpacked(set, NULL);
    free(content);
}

static void descriptors_state_the_facts(void **state)
{
    const char *dialect = *state;
    size_t length;
    char *text = read_file(FACTS_FOLDER, dialect, ".facts", &length);
    struct facts expected = {0};
    struct facts actual = {0};
    assert_true(facts_parse(&expected, text, stderr));
    describe(&actual, dialect);

    size_t differences = facts_compare(&expected, &actual, stderr);
    if (differences != 0) {
        fail_msg("apis/%s/api.proto and tests/facts/%s.facts differ in %zu facts, see above", dialect, dialect, differences);
    }
    facts_free(&expected);
    facts_free(&actual);
    free(text);
}

/* A copy of `text` with the only occurrence of `from` replaced; the caller frees it. */
static char *replace(const char *text, const char *from, const char *to)
{
    const char *place = strstr(text, from);
    if (place == NULL || strstr(place + 1, from) != NULL) {
        fail_msg("\"%s\" does not occur exactly once", from);
    }
    char *result;
    assert_true(asprintf(&result, "%.*s%s%s", (int)(place - text), text, to, place + strlen(from)) > 0);
    return result;
}

/* If the list of v1 said `said` where it says `says`, the comparison would report exactly this. */
static const struct {
    const char *says;
    const char *said;
    const char *report;
} reports[] = {
    {"message StopPodSandboxResponse:\n", "", "additional: message StopPodSandboxResponse: declared\n"},
    {"message PodIP: 1", "message Nothing:\nmessage PodIP: 1", "missing: message Nothing: declared\n"},
    {", 5 propagation MountPropagation", "", "additional: message Mount field 5: propagation MountPropagation\n"},
    {"message PodIP: 1 ip string", "message PodIP: 1 ip string, 2 v6 bool", "missing: message PodIP field 2: v6 bool\n"},
    {"5 propagation MountPropagation", "99 propagation MountPropagation",
     "additional: message Mount field 5: propagation MountPropagation\n"
     "missing: message Mount field 99: propagation MountPropagation\n"},
    {"6 uidMappings repeated", "6 uid_mappings repeated",
     "different: message Mount field 6: expected \"uid_mappings repeated IDMapping\", is \"uidMappings repeated IDMapping\"\n"},
    {"6 uidMappings repeated", "6 uidMappings",
     "different: message Mount field 6: expected \"uidMappings IDMapping\", is \"uidMappings repeated IDMapping\"\n"},
    {"message PodIP: 1 ip string", "message PodIP: 1 ip bytes",
     "different: message PodIP field 1: expected \"ip bytes\", is \"ip string\"\n"},
    {"sysctls map<string,string>", "sysctls map<string,bytes>",
     "different: message LinuxPodSandboxConfig field 3: expected \"sysctls map<string,bytes>\", "
     "is \"sysctls map<string,string>\"\n"},
    {"enum SecurityProfile.ProfileType: 0 RuntimeDefault", "enum SecurityProfile.ProfileType: 0 Default",
     "different: enum SecurityProfile.ProfileType value 0: expected \"Default\", is \"RuntimeDefault\"\n"},
    {"enum Protocol: 0 TCP, 1 UDP, 2 SCTP", "enum Protocol: 0 TCP, 1 UDP", "additional: enum Protocol value 2: SCTP\n"},
    {"enum Protocol: 0 TCP, 1 UDP, 2 SCTP", "enum Protocol: 0 TCP, 1 UDP, 2 SCTP, 3 DCCP",
     "missing: enum Protocol value 3: DCCP\n"},
    {"rpc ImageService/StreamImages: StreamImagesRequest stream ", "rpc ImageService/StreamImages: StreamImagesRequest ",
     "different: rpc ImageService/StreamImages: expected \"StreamImagesRequest StreamImagesResponse\", "
     "is \"StreamImagesRequest stream StreamImagesResponse\"\n"},
    {"rpc RuntimeService/Version: VersionRequest", "rpc RuntimeService/Version: StatusRequest",
     "different: rpc RuntimeService/Version: expected \"StatusRequest VersionResponse\", is \"VersionRequest "
     "VersionResponse\"\n"},
    {"rpc RuntimeService/Version: VersionRequest VersionResponse\n", "",
     "additional: rpc RuntimeService/Version: VersionRequest VersionResponse\n"},
    {"rpc RuntimeService/Version:", "rpc RuntimeService/Name: VersionRequest VersionResponse\nrpc RuntimeService/Version:",
     "missing: rpc RuntimeService/Name: VersionRequest VersionResponse\n"},
    {"package runtime.v1\n", "package runtime.v2\n", "different: package: expected \"runtime.v2\", is \"runtime.v1\"\n"},
};

static void every_kind_of_difference_is_reported(void **state)
{
    size_t length;
    char *text = read_file(FACTS_FOLDER, "v1", ".facts", &length);
    struct facts actual = {0};
    describe(&actual, "v1");
    for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
        char *changed = replace(text, reports[i].says, reports[i].said);
        char *report;
        size_t report_length;
        FILE *stream = open_memstream(&report, &report_length);
        assert_non_null(stream);
        struct facts expected = {0};
        assert_true(facts_parse(&expected, changed, stream));
        assert_int_not_equal(facts_compare(&expected, &actual, stream), 0);
        fclose(stream);
        assert_string_equal(report, reports[i].report);
        facts_free(&expected);
        free(report);
        free(changed);
    }
    facts_free(&actual);
    free(text);
}

static void a_line_of_another_form_is_no_fact(void **state)
{
    static const char *const lines[] = {"massage Mount: 1 a string", "message Mount 1 a string", "message Mount: a string",
                                        "message Mount: 1",          "enum Protocol: TCP = 0",   "rpc"};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        char *report;
        size_t length;
        FILE *stream = open_memstream(&report, &length);
        assert_non_null(stream);
        struct facts facts = {0};
        assert_false(facts_parse(&facts, lines[i], stream));
        fclose(stream);
        assert_non_null(strstr(report, "line 1 is no fact"));
        facts_free(&facts);
        free(report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"descriptors_of_v1_9_state_the_facts", descriptors_state_the_facts, NULL, NULL, "v1_9"},
        {"descriptors_of_v1_12_state_the_facts", descriptors_state_the_facts, NULL, NULL, "v1_12"},
        {"descriptors_of_v1alpha2_state_the_facts", descriptors_state_the_facts, NULL, NULL, "v1alpha2"},
        {"descriptors_of_v1_state_the_facts", descriptors_state_the_facts, NULL, NULL, "v1"},
        {"descriptors_of_hooks_state_the_facts", descriptors_state_the_facts, NULL, NULL, "hook_v1alpha1"},
        cmocka_unit_test(every_kind_of_difference_is_reported),
        cmocka_unit_test(a_line_of_another_form_is_no_fact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
