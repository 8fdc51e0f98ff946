#include <stdio.h>
#include <string.h>

#include "core/store/image_names.h"
#include "tests/cmocka.h"

static const struct image_names_speaker speaker = {.caller = DIALECT_V1_9, .slot = 1};

static struct bytes text(const char *string)
{
    return bytes_of_string(string);
}

static void expect(const struct image_names *names, struct image_names_speaker who, const char *reference, const char *name)
{
    assert_true(bytes_equal(image_names_find(names, who, text(reference)), text(name)));
}

TEST(the_last_name_is_remembered_for_whoever_said_it)
{
    struct image_names *names = image_names_new();
    image_names_learn(names, speaker, text("sha256:1"), text("busybox:1"));
    image_names_learn(names, speaker, text("sha256:2"), text("app:1"));
    expect(names, speaker, "sha256:1", "busybox:1");
    image_names_learn(names, speaker, text("sha256:1"), text("busybox:latest"));
    expect(names, speaker, "sha256:1", "busybox:latest");
    expect(names, speaker, "sha256:2", "app:1");
    expect(names, speaker, "sha256:", "");
    expect(names, (struct image_names_speaker){.caller = DIALECT_V1ALPHA2, .slot = 1}, "sha256:1", "");
    expect(names, (struct image_names_speaker){.caller = DIALECT_V1_9, .slot = 2}, "sha256:1", "");
    image_names_free(names);
}

TEST(what_is_empty_or_too_long_is_not_remembered)
{
    static char longest[1026];
    struct image_names *names = image_names_new();
    memset(longest, 'x', sizeof longest - 1);
    image_names_learn(names, speaker, text("a"), text(""));
    image_names_learn(names, speaker, text(""), text("busybox"));
    image_names_learn(names, speaker, text("b"), text(longest));
    image_names_learn(names, speaker, text(longest), text("busybox"));
    expect(names, speaker, "a", "");
    expect(names, speaker, "", "");
    expect(names, speaker, "b", "");
    expect(names, speaker, longest, "");
    image_names_learn(names, speaker, text("b"), text(longest + 1));
    expect(names, speaker, "b", longest + 1);
    image_names_free(names);
}

TEST(the_oldest_of_many_is_forgotten)
{
    struct image_names *names = image_names_new();
    for (int i = 0; i < 1025; i++) {
        char reference[16];
        snprintf(reference, sizeof reference, "r%d", i);
        image_names_learn(names, speaker, text(reference), text("name"));
    }
    expect(names, speaker, "r0", "");
    expect(names, speaker, "r1", "name");
    expect(names, speaker, "r1024", "name");
    image_names_free(names);
}
