/* The JSON codec, on a schema by hand: both directions, what logs may show, and what is refused. */
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes/base64.h"
#include "base/bytes/utf8.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"
#include "tests/unit/translate/json/sample_schema.h"
#include "translate/json/json.h"
#include "translate/json/syntax.h"

#define BYTES(...) bytes_of((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* The message that a JSON text says; the test fails when there is none. */
static struct bytes encoded(const char *text)
{
    struct error error = {0};
    struct json_object *json = json_from_text(bytes_of_string(text), &error);
    struct bytes bytes = {0};
    if (!json || !json_to_message(&sample_message, json, false, arena, &bytes, &error)) {
        fail_msg("%s: %s", text, error.message);
    }
    json_object_put(json);
    return bytes;
}

static void assert_shows(struct bytes bytes, enum json_style style, const char *expected)
{
    struct error error = {0};
    struct json_object *json = json_from_message(&sample_message, bytes, style, &error);
    if (!json) {
        fail_msg("expected %s, got: %s", expected, error.message);
    }
    assert_string_equal(json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE), expected);
    json_object_put(json);
}

/* `text` becomes bytes, and these become `expected`. */
static void assert_becomes(const char *text, const char *expected)
{
    assert_shows(encoded(text), JSON_EXACT, expected);
}

static void assert_keeps(const char *text)
{
    assert_becomes(text, text);
}

static void assert_refused_text(const char *text, const char *message)
{
    struct error error = {0};
    struct json_object *json = json_from_text(bytes_of_string(text), &error);
    struct bytes bytes;
    if (json) {
        assert_false(json_to_message(&sample_message, json, false, arena, &bytes, &error));
    }
    assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
    assert_string_equal(error.message, message);
    json_object_put(json);
}

static void assert_refused_bytes(struct bytes bytes, const char *message)
{
    struct error error = {0};
    assert_null(json_from_message(&sample_message, bytes, JSON_EXACT, &error));
    assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
    assert_string_equal(error.message, message);
}

ALL_TESTS(arena_begin, arena_end)

TEST(scalars_go_both_ways)
{
    assert_keeps("{\"containerId\":\"abc\",\"count\":-2147483648,\"total\":\"-9223372036854775808\","
                 "\"attempt\":4294967295,\"bytesUsed\":\"18446744073709551615\",\"tty\":true,\"avg10\":0.1,"
                 "\"level\":\"LEVEL_ONE\",\"data\":\"AP8=\",\"CDIDevices\":\"x\"}");
    assert_keeps("{\"count\":2147483647,\"total\":\"9223372036854775807\",\"level\":\"LEVEL_MINUS\"}");
}

TEST(encoding_is_that_of_protobuf)
{
    struct bytes bytes = encoded("{\"tty\":true,\"containerId\":\"hi\",\"count\":-1,\"groups\":[1,300],\"env\":{}}");
    assert_true(bytes_equal(bytes, BYTES(0x0A, 2, 'h', 'i', 0x10, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01,
                                         0x30, 1, 0x52, 0, 0x6A, 3, 1, 0xAC, 2)));
    bytes = encoded("{\"annotations\":{\"a\":\"\"},\"avg10\":1}");
    assert_true(bytes_equal(bytes, BYTES(0x39, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F, 0x72, 5, 0x0A, 1, 'a', 0x12, 0)));
    assert_int_equal(encoded("{}").len, 0);
}

TEST(defaults_are_left_out)
{
    const char *defaults = "{\"containerId\":\"\",\"count\":0,\"total\":\"0\",\"attempt\":0,\"bytesUsed\":0,\"tty\":false,"
                           "\"avg10\":0,\"level\":0,\"output\":\"\",\"env\":null,\"args\":[],\"annotations\":{},\"groups\":[]}";
    assert_int_equal(encoded(defaults).len, 0);
    assert_shows(BYTES(0x10, 0, 0x0A, 0, 0x39, 0, 0, 0, 0, 0, 0, 0, 0, 0x6A, 0), JSON_EXACT, "{}");
    assert_keeps("{\"env\":{},\"args\":[\"\"],\"groups\":[\"0\"],\"annotations\":{\"\":\"\"},\"levels\":[\"LEVEL_ZERO\"]}");
}

TEST(both_spellings_of_a_name_are_read)
{
    assert_becomes("{\"container_id\":\"a\",\"CDI_devices\":\"b\"}", "{\"containerId\":\"a\",\"CDIDevices\":\"b\"}");
    assert_refused_text("{\"container_id\":\"a\",\"containerId\":\"a\"}", "containerId: also given as \"container_id\"");
}

TEST(numbers_are_read_as_numbers_or_text)
{
    assert_becomes("{\"count\":\"-7\",\"total\":1e3,\"attempt\":\"1.5e1\",\"bytesUsed\":18446744073709551615}",
                   "{\"count\":-7,\"total\":\"1000\",\"attempt\":15,\"bytesUsed\":\"18446744073709551615\"}");
    assert_becomes("{\"avg10\":\"2.5\",\"loads\":[1,\"NaN\",\"Infinity\",\"-Infinity\",1e300]}",
                   "{\"avg10\":2.5,\"loads\":[1,\"NaN\",\"Infinity\",\"-Infinity\",1e+300]}");
    assert_becomes("{\"containerId\":\"\\\"99999999999999999999\",\"total\":-9223372036854775808}",
                   "{\"containerId\":\"\\\"99999999999999999999\",\"total\":\"-9223372036854775808\"}");
    assert_keeps("{\"avg10\":-0.0,\"loads\":[1e-300,0.30000000000000004]}");
}

TEST(numbers_out_of_range_are_refused)
{
    const char *const whole32 = "count: expected a whole number of 32 bits";
    assert_refused_text("{\"count\":2147483648}", whole32);
    assert_refused_text("{\"count\":-2147483649}", whole32);
    assert_refused_text("{\"count\":1.5}", whole32);
    assert_refused_text("{\"count\":\"\"}", whole32);
    assert_refused_text("{\"count\":\"0x10\"}", whole32);
    assert_refused_text("{\"count\":\" 1\"}", whole32);
    assert_refused_text("{\"count\":\"1\\u0000\"}", whole32);
    assert_refused_text("{\"count\":true}", whole32);
    assert_refused_text("{\"total\":9223372036854775808}", "total: expected a whole number of 64 bits");
    assert_refused_text("{\"total\":-1e19}", "total: expected a whole number of 64 bits");
    assert_refused_text("{\"attempt\":-1}", "attempt: expected a whole number of 32 bits, not negative");
    assert_refused_text("{\"bytesUsed\":\"18446744073709551616\"}",
                        "bytesUsed: expected a whole number of 64 bits, not negative");
    assert_refused_text("{\"bytesUsed\":1e20}", "bytesUsed: expected a whole number of 64 bits, not negative");
    assert_refused_text("{\"avg10\":\"nan\"}", "avg10: expected a number");
    assert_refused_text("{\"avg10\":\"1e999\"}", "avg10: expected a number");
    assert_refused_text("{\"avg10\":1e999}", "avg10: expected a number");
}

TEST(wrong_kinds_are_refused_with_their_path)
{
    assert_refused_text("{\"child\":{\"children\":[{},{\"env\":{\"key\":5}}]}}", "child.children[1].env.key: expected a string");
    assert_refused_text("{\"annotations\":{\"app\":1}}", "annotations[\"app\"]: expected a string");
    assert_refused_text("{\"annotations\":{\"app\":null}}", "annotations[\"app\"]: null is not allowed here");
    assert_refused_text("{\"annotations\":[]}", "annotations: expected an object");
    assert_refused_text("{\"args\":\"x\"}", "args: expected a list");
    assert_refused_text("{\"args\":[null]}", "args[0]: null is not allowed here");
    assert_refused_text("{\"env\":7}", "env: expected an object");
    assert_refused_text("{\"tty\":\"true\"}", "tty: expected true or false");
    assert_refused_text("{\"level\":\"LEVEL_TWO\"}", "level: the enum has no value of that name");
    assert_refused_text("{\"level\":[]}", "level: expected the name or the number of an enum value");
    assert_refused_text("{\"data\":\"a\"}", "data: expected base64");
    assert_refused_text("{\"data\":\"a===\"}", "data: expected base64");
    assert_refused_text("{\"byNumber\":{\"x\":{}}}", "byNumber[\"x\"]: expected a whole number of 32 bits");
    assert_refused_text("{\"byFlag\":{\"1\":1}}", "byFlag[\"1\"]: expected true or false");
    assert_refused_text("{\"child\":{\"colour\":1}}", "child: Sample has no field \"colour\"");
    assert_refused_text("{\"colour\":null}", "Sample has no field \"colour\"");
}

TEST(unknown_keys_are_ignored_when_asked)
{
    struct error error = {0};
    struct bytes bytes;
    struct json_object *json = json_from_text(bytes_of_string("{\"colour\":1,\"child\":{\"size\":2},\"count\":3}"), &error);
    assert_true(json_to_message(&sample_message, json, true, arena, &bytes, &error));
    assert_shows(bytes, JSON_EXACT, "{\"count\":3,\"child\":{}}");
    json_object_put(json);
}

TEST(text_must_be_one_strict_object)
{
    assert_refused_text("", "JSON: the text ends too early");
    assert_refused_text("{\"count\":", "JSON: the text ends too early");
    assert_refused_text("[]", "JSON: expected an object");
    assert_refused_text("{\"avg10\":[1, -9223372036854775809]}", "JSON: a whole number beyond 64 bits");
    struct error error = {0};
    const char *const bad[] = {"{} {}",
                               "{}x",

                               "{\"count\":1,}",
                               "{\"count\":01}",
                               "{\"password\":\"\xFF\"}",
                               "null",
                               "7",
                               "{\"count\":99999999999999999999}",
                               "{\"avg10\":nan}",
                               "/**/{}"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (json_from_text(bytes_of_string(bad[i]), &error)) {
            fail_msg("taken: %s", bad[i]);
        }
        assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
    }
    assert_null(json_from_text(bytes_of("{}\0x", 4), &error));
    struct json_object *json = json_from_text(bytes_of_string(" {}\n"), &error);
    assert_non_null(json);
    json_object_put(json);
}

TEST(enums_without_a_name_are_numbers)
{
    assert_keeps("{\"level\":77,\"levels\":[\"LEVEL_ZERO\",-5,\"LEVEL_MINUS\"]}");
    assert_becomes("{\"level\":1}", "{\"level\":\"LEVEL_ONE\"}");
}

/* CRI 1.33 to 1.36 has SIGTERM, 1.37 SIGNAL_SIGTERM. */
TEST(the_name_of_the_enum_need_not_stand_before_its_values)
{
    assert_becomes("{\"level\":\"ONE\",\"levels\":[\"ZERO\",\"MINUS\"]}",
                   "{\"level\":\"LEVEL_ONE\",\"levels\":[\"LEVEL_ZERO\",\"LEVEL_MINUS\"]}");
    assert_refused_text("{\"level\":\"EL_ONE\"}", "level: the enum has no value of that name");
    assert_refused_text("{\"level\":\"_ONE\"}", "level: the enum has no value of that name");
    assert_refused_text("{\"level\":\"\"}", "level: the enum has no value of that name");
}

TEST(base64_is_read_in_both_alphabets)
{
    assert_becomes("{\"data\":\"-_-_\"}", "{\"data\":\"+/+/\"}");
    assert_becomes("{\"data\":\"+/+_AA\"}", "{\"data\":\"+/+/AA==\"}");
    for (size_t size = 0; size < 40; size++) {
        uint8_t bytes[40], back[64];
        char text[64];
        for (size_t i = 0; i < size; i++) {
            bytes[i] = (uint8_t)(251 * i + 7 * size);
        }
        base64_encode(bytes_of(bytes, size), text);
        size_t read;
        assert_true(base64_decode(bytes_of(text, base64_encoded_size(size)), back, &read));
        assert_true(bytes_equal(bytes_of(back, read), bytes_of(bytes, size)));
    }
}

TEST(key_value_is_plain_text)
{
    assert_keeps("{\"env\":{\"key\":\"A\",\"value\":\"x=y é\"}}");
    assert_shows(BYTES(0x52, 6, 0x12, 4, 'a', 0xFF, 0xC3, 'b'), JSON_EXACT,
                 "{\"env\":{\"value\":\"a\xEF\xBF\xBD\xEF\xBF\xBD"
                 "b\"}}");
}

TEST(invalid_utf8_becomes_replacement_characters)
{
    assert_shows(BYTES(0x0A, 4, 0xED, 0xA0, 0x80, 'x'), JSON_EXACT,
                 "{\"containerId\":\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDx\"}");
    assert_shows(BYTES(0x72, 4, 0x0A, 2, 'a', 0x80), JSON_EXACT, "{\"annotations\":{\"a\xEF\xBF\xBD\":\"\"}}");
    assert_shows(BYTES(0x72, 5, 0x0A, 3, 'a', 0, 'b'), JSON_EXACT,
                 "{\"annotations\":{\"a\xEF\xBF\xBD"
                 "b\":\"\"}}");
    assert_shows(BYTES(0x0A, 3, 'a', 0, 'b'), JSON_EXACT, "{\"containerId\":\"a\\u0000b\"}");
    assert_int_equal(utf8_character_size(BYTES(0xC0, 0x80)), 0);
    assert_int_equal(utf8_character_size(BYTES(0xF4, 0x8F, 0xBF, 0xBF)), 4);
    assert_int_equal(utf8_character_size(BYTES(0xF4, 0x90, 0x80, 0x80)), 0);
    assert_int_equal(utf8_character_size(BYTES(0xE2, 0x82)), 0);
}

/* With at most four levels: this is wrong there, or nothing. */
static void assert_syntax(const char *text, enum json_tokener_error expected, size_t expected_offset)
{
    size_t offset = 9999;
    enum json_tokener_error problem = json_syntax_check(bytes_of_string(text), 4, &offset);
    if (problem != expected || offset != expected_offset) {
        fail_msg("%s: %s at %zu", text, json_tokener_error_desc(problem), offset);
    }
}

TEST(texts_are_utf8)
{
    assert_keeps("{\"containerId\":\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\"}");
    assert_keeps("{\"annotations\":{\"\xC3\xBC\":\"\xC3\x9F\"}}");
    assert_keeps("{\"args\":[\"\x7F\"]}");
    assert_syntax("{\"a\":\"\xC3\xA4\xFF\"}", json_tokener_error_parse_utf8_string, 8);
    assert_syntax("{\"\xC3\":1}", json_tokener_error_parse_utf8_string, 2);
    assert_syntax("[\"\xC0\x80\"]", json_tokener_error_parse_utf8_string, 2);
    assert_syntax("[\"\xED\xA0\x80\"]", json_tokener_error_parse_utf8_string, 2);
    assert_syntax("[\"\xE2\x82", json_tokener_error_parse_utf8_string, 2);
    assert_syntax("\xFF\xFE{", json_tokener_error_parse_utf8_string, 0);
    assert_syntax("\xEF\xBB\xBF{}", json_tokener_error_parse_unexpected, 0);
}

TEST(the_grammar_is_that_of_the_rfc)
{
    static const char *const good[] = {
        "7",
        " null ",
        "[]",
        "\t\r\n {} ",
        "-0.5e+10",
        "[0,-1,1.25,2E3,4e-5]",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "[[[[]]]]",
        "[true,{}]",
        "{\"\":false}",
        "{\"a\":[{}],\"a\":1}",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_syntax(good[i], json_tokener_success, strlen(good[i]));
    }
    assert_syntax("", json_tokener_continue, 0);
    assert_syntax(" ", json_tokener_continue, 1);
    assert_syntax("[1,", json_tokener_continue, 3);
    assert_syntax("{\"a\"", json_tokener_continue, 4);
    assert_syntax("\"\\", json_tokener_continue, 2);
    assert_syntax("\"\\u00", json_tokener_continue, 5);
    assert_syntax("-", json_tokener_continue, 1);
    assert_syntax("1e", json_tokener_continue, 2);
    assert_syntax("[1,]", json_tokener_error_parse_unexpected, 3);
    assert_syntax("{\"a\":1,}", json_tokener_error_parse_unexpected, 7);
    assert_syntax("{,}", json_tokener_error_parse_unexpected, 1);
    assert_syntax("{\"a\":}", json_tokener_error_parse_unexpected, 5);
    assert_syntax("{} {}", json_tokener_error_parse_unexpected, 3);
    assert_syntax("{}]", json_tokener_error_parse_unexpected, 2);
    assert_syntax("{}\f", json_tokener_error_parse_unexpected, 2);
    assert_syntax("/**/{}", json_tokener_error_parse_unexpected, 0);
    assert_syntax("+1", json_tokener_error_parse_unexpected, 0);
    assert_syntax(".5", json_tokener_error_parse_unexpected, 0);
    assert_syntax("01", json_tokener_error_parse_unexpected, 1);
    assert_syntax("'a'", json_tokener_error_parse_unexpected, 0);
    assert_syntax("{'a':1}", json_tokener_error_parse_object_key_name, 1);
    assert_syntax("{a:1}", json_tokener_error_parse_object_key_name, 1);
    assert_syntax("{\"a\" 1}", json_tokener_error_parse_object_key_sep, 5);
    assert_syntax("{\"a\":1 \"b\"", json_tokener_error_parse_object_value_sep, 7);
    assert_syntax("{\"a\":1]", json_tokener_error_parse_object_value_sep, 6);
    assert_syntax("[1 2]", json_tokener_error_parse_array, 3);
    assert_syntax("[1}", json_tokener_error_parse_array, 2);
    assert_syntax("[-a]", json_tokener_error_parse_number, 2);
    assert_syntax("1.", json_tokener_continue, 2);
    assert_syntax("[1.]", json_tokener_error_parse_number, 3);
    assert_syntax("[1e+]", json_tokener_error_parse_number, 4);
    assert_syntax("[NaN]", json_tokener_error_parse_boolean, 1);
    assert_syntax("-Infinity", json_tokener_error_parse_number, 1);
    assert_syntax("TRUE", json_tokener_error_parse_boolean, 0);
    assert_syntax("[nul]", json_tokener_error_parse_boolean, 1);
    assert_syntax("[\"\\x\"]", json_tokener_error_parse_string, 3);
    assert_syntax("[\"\\u00g0\"]", json_tokener_error_parse_string, 6);
    assert_syntax("[\"\n\"]", json_tokener_error_parse_string, 2);
    assert_syntax("[[[[[]]]]]", json_tokener_error_depth, 4);
    assert_syntax("[[[],{\"a\":[]}]]", json_tokener_success, 15);
    size_t offset;
    assert_int_equal(json_syntax_check(bytes_of("[\0]", 3), 4, &offset), json_tokener_error_parse_unexpected);
    assert_int_equal(json_syntax_check((struct bytes){0}, 4, &offset), json_tokener_continue);
}

TEST(escapes_become_characters)
{
    assert_becomes("{\"args\":[\"\\u00e4\",\"\\ud83d\\ude00\"]}", "{\"args\":[\"\xC3\xA4\",\"\xF0\x9F\x98\x80\"]}");
    /* Halves of pairs. */
    assert_becomes("{\"args\":[\"\\ud83d\",\"\\ude00\",\"\\ud83d\\n\"]}",
                   "{\"args\":[\"\xEF\xBF\xBD\",\"\xEF\xBF\xBD\",\"\xEF\xBF\xBD\\n\"]}");
    assert_keeps("{\"containerId\":\"a\\u0000b\"}");
}

TEST(maps_go_both_ways)
{
    assert_keeps("{\"annotations\":{\"b\":\"1\",\"a\":\"2\"},\"byNumber\":{\"-4\":{\"key\":\"k\"},\"0\":{}},"
                 "\"byFlag\":{\"true\":\"1\",\"false\":\"0\"}}");
    assert_shows(BYTES(0x72, 3, 0x0A, 1, 'k', 0x72, 6, 0x0A, 1, 'k', 0x12, 1, 'v'), JSON_EXACT,
                 "{\"annotations\":{\"k\":\"v\"}}");
    assert_shows(BYTES(0x72, 6, 0x12, 1, 'v', 0x0A, 1, 'k'), JSON_EXACT, "{\"annotations\":{\"k\":\"v\"}}");
    assert_shows(BYTES(0xA2, 1, 0), JSON_EXACT, "{\"byNumber\":{\"0\":{}}}");
}

TEST(packed_and_unpacked_lists_are_read)
{
    assert_shows(BYTES(0x68, 5, 0x6A, 2, 6, 7, 0x68, 8), JSON_EXACT, "{\"groups\":[\"5\",\"6\",\"7\",\"8\"]}");
    assert_shows(BYTES(0x8A, 1, 8, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F, 0x89, 1, 0, 0, 0, 0, 0, 0, 0, 0x40), JSON_EXACT,
                 "{\"loads\":[1,2]}");
    assert_refused_bytes(BYTES(0x8A, 1, 7, 0, 0, 0, 0, 0, 0, 0), "loads: malformed packed list");
    assert_refused_bytes(BYTES(0x6A, 2, 1, 0x80), "groups: malformed packed list");
}

TEST(the_last_scalar_wins)
{
    assert_shows(BYTES(0x10, 5, 0x10, 6), JSON_EXACT, "{\"count\":6}");
    assert_shows(BYTES(0x10, 5, 0x10, 0), JSON_EXACT, "{}");
    assert_shows(BYTES(0x10, 0x85, 0x80, 0x80, 0x80, 0x80, 1), JSON_EXACT, "{\"count\":5}");
}

TEST(unknown_fields_are_left_out)
{
    assert_shows(BYTES(0xF0, 0x7F, 1, 0xFA, 0x7F, 1, 'x', 0x10, 1), JSON_EXACT, "{\"count\":1}");
}

TEST(bytes_that_are_not_the_message_are_refused)
{
    assert_refused_bytes(BYTES(0x0A), "malformed bytes");
    assert_refused_bytes(BYTES(0x7A, 2, 0x52, 9), "child: malformed bytes");
    assert_refused_bytes(BYTES(0xB2, 1, 0, 0xB2, 1, 3, 0x5A, 1, 0x0C), "children[1].envs[0]: malformed bytes");
    assert_refused_bytes(BYTES(0x08, 1), "container_id: wire type 0 is not that of a string field");
    assert_refused_bytes(BYTES(0x12, 1, 1), "count: wire type 2 is not that of a int32 field");
    assert_refused_bytes(BYTES(0x52, 0, 0x52, 0), "env: a message that may occur only once occurs twice");
    assert_refused_bytes(BYTES(0x72, 2, 0x08, 1), "annotations[0]: wire type 0 is not that of a string field");
    assert_refused_bytes(BYTES(0xA2, 1, 4, 0x12, 0, 0x12, 0), "by_number[0]: a map entry with two values");
}

TEST(nesting_is_bounded)
{
    uint8_t bytes[80];
    struct bytes deepest = {0};
    for (unsigned i = 0; i <= 33; i++) {
        struct error error = {0};
        struct json_object *json = json_from_message(&sample_message, deepest, JSON_EXACT, &error);
        if (i == 33) {
            assert_null(json);
            assert_non_null(strstr(error.message, "child.child: messages nested too deeply"));
            break;
        }
        assert_non_null(json);
        struct bytes back;
        assert_true(json_to_message(&sample_message, json, false, arena, &back, &error));
        assert_true(bytes_equal(back, deepest));
        const char *text = json_object_to_json_string(json);
        struct json_object *reread = json_from_text(bytes_of_string(text), &error);
        assert_true(json_object_equal(json, reread));
        json_object_put(reread);
        json_object_put(json);
        size_t start = sizeof bytes - deepest.len - 2;
        bytes[start] = 0x7A;
        bytes[start + 1] = (uint8_t)deepest.len;
        deepest = bytes_of(bytes + start, deepest.len + 2);
    }
}

TEST(deep_text_is_refused)
{
    char text[2000];
    memset(text, '[', sizeof text);
    struct error error = {0};
    assert_null(json_from_text(bytes_of(text, sizeof text), &error));
    assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, " at byte 69"));
}

TEST(memory_stays_linear)
{
    size_t size = 1 << 20;
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i += 2) {
        bytes[i] = 0x5A;
        bytes[i + 1] = 0;
    }
    struct error error = {0};
    assert_null(json_from_message(&sample_message, bytes_of(bytes, size), JSON_EXACT, &error));
    assert_int_equal(error.code, STATUS_RESOURCE_EXHAUSTED);
    free(bytes);
}

TEST(the_arena_cap_is_kept)
{
    struct arena *small = arena_new(16);
    struct error error = {0};
    struct bytes bytes;
    struct json_object *json = json_from_text(bytes_of_string("{\"containerId\":\"more than sixteen bytes\"}"), &error);
    assert_false(json_to_message(&sample_message, json, false, small, &bytes, &error));
    assert_int_equal(error.code, STATUS_RESOURCE_EXHAUSTED);
    json_object_put(json);
    arena_unref(small);
}

TEST(logs_hide_what_is_private)
{
    struct bytes bytes = encoded("{\"containerId\":\"id\",\"output\":\"AAAA\",\"env\":{\"key\":\"K\",\"value\":\"v\"},"
                                 "\"annotations\":{\"a\":\"1\",\"kubectl.kubernetes.io/last-applied-configuration\":\"{}\"},"
                                 "\"password\":\"p\",\"info\":{\"x\":\"12345\",\"y\":\"\"},\"tokens\":[\"t\"],"
                                 "\"settings\":{\"s\":\"1\"},\"credentials\":{\"key\":\"k\"},\"pin\":7}");
    assert_shows(bytes, JSON_LOG,
                 "{\"containerId\":\"id\",\"output\":\"(3 bytes)\",\"env\":{\"key\":\"K\",\"value\":\"(hidden)\"},"
                 "\"annotations\":{\"a\":\"1\",\"kubectl.kubernetes.io/last-applied-configuration\":\"(hidden)\"},"
                 "\"password\":\"(hidden)\",\"info\":{\"x\":\"(5 bytes)\",\"y\":\"\"},\"tokens\":\"(hidden)\","
                 "\"settings\":{\"s\":\"(hidden)\"},\"credentials\":\"(hidden)\",\"pin\":\"(hidden)\"}");
    assert_shows(bytes, JSON_LOG_ENVS,
                 "{\"containerId\":\"id\",\"output\":\"(3 bytes)\",\"env\":{\"key\":\"K\",\"value\":\"v\"},"
                 "\"annotations\":{\"a\":\"1\",\"kubectl.kubernetes.io/last-applied-configuration\":\"(hidden)\"},"
                 "\"password\":\"(hidden)\",\"info\":{\"x\":\"(5 bytes)\",\"y\":\"\"},\"tokens\":\"(hidden)\","
                 "\"settings\":{\"s\":\"1\"},\"credentials\":\"(hidden)\",\"pin\":\"(hidden)\"}");
}

TEST(exact_shows_everything)
{
    assert_keeps("{\"output\":\"AAAA\",\"annotations\":{\"kubectl.kubernetes.io/last-applied-configuration\":\"{}\"},"
                 "\"password\":\"p\",\"tokens\":[\"t\"],\"credentials\":{\"key\":\"k\"}}");
}

TEST(the_template_is_a_message_with_every_field)
{
    struct json_object *json = json_template(&sample_message);
    assert_non_null(json);
    assert_int_equal(json_object_object_length(json), sample_message.field_count);
    json_object_put(json);
}
