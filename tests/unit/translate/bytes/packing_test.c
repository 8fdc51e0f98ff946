/* Messages that go into an arena as bytes, and out of bytes as structs. */
#include "model/api.pb-c.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"
#include "translate/bytes/packing.h"

static struct bytes packed_version(void)
{
    Model__VersionRequest request = MODEL__VERSION_REQUEST__INIT;
    struct bytes packed;
    request.version = (char *)(uintptr_t) "0.1.0";
    assert_true(arena_pack(arena, &request.base, &packed));
    return packed;
}

EACH_TEST(arena_begin, arena_end)

TEST(what_is_decoded_lies_in_the_arena)
{
    struct bytes packed = packed_version();
    size_t before = arena_used(arena);
    const Model__VersionRequest *read = arena_unpack(arena, &model__version_request__descriptor, packed);
    assert_non_null(read);
    assert_string_equal(read->version, "0.1.0");
    assert_true(arena_used(arena) >= before + sizeof *read + sizeof "0.1.0");
}

TEST(the_arena_bounds_both)
{
    struct bytes packed = packed_version(), again;
    struct arena *small = arena_new(sizeof(Model__VersionRequest) + 1);
    Model__VersionRequest *read = arena_unpack(arena, &model__version_request__descriptor, packed);
    assert_null(arena_unpack(small, &model__version_request__descriptor, packed));
    assert_non_null(arena_alloc(small, sizeof(Model__VersionRequest) + 1 - arena_used(small)));
    assert_false(arena_pack(small, &read->base, &again));
    arena_unref(small);
}

TEST(what_is_no_message_is_refused)
{
    assert_null(arena_unpack(arena, &model__version_request__descriptor, bytes_of_string("\x0A\x7F")));
}
