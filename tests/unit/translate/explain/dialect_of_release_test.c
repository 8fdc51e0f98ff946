/* Which dialect a runtime speaks, judged by what its Version tells. */
#include "tests/cmocka.h"
#include "translate/explain/release.h"
#include "translate/schema/method.h"

static const struct {
    const char *name, *version;
    enum dialect answered, dialect;
} rows[] = {
    {"containerd", "1.2.13", DIALECT_V1ALPHA2, DIALECT_V1_12},
    {"containerd", "v1.2.0", DIALECT_V1ALPHA2, DIALECT_V1_12},
    {"containerd", "1.1.0-rc.2", DIALECT_V1ALPHA2, DIALECT_V1_12},
    {"containerd", "1.2", DIALECT_V1ALPHA2, DIALECT_V1_12},
    {"cri-containerd", "1.0.0-beta.1", DIALECT_V1ALPHA2, DIALECT_V1_12},
    {"cri-o", "1.12.6", DIALECT_V1ALPHA2, DIALECT_V1_12},
    {"CRI-O", "1.9.16", DIALECT_V1ALPHA2, DIALECT_V1_12},
    {"containerd", "1.3.0", DIALECT_V1ALPHA2, DIALECT_V1ALPHA2},
    {"containerd", "v1.20.0", DIALECT_V1ALPHA2, DIALECT_V1ALPHA2},
    {"containerd", "2.0.0", DIALECT_V1ALPHA2, DIALECT_V1ALPHA2},
    {"cri-o", "1.13.0", DIALECT_V1ALPHA2, DIALECT_V1ALPHA2},
    {"docker", "1.12.6", DIALECT_V1ALPHA2, DIALECT_V1ALPHA2},
    {"containerd", "", DIALECT_V1ALPHA2, DIALECT_V1ALPHA2},
    {"containerd", "1", DIALECT_V1ALPHA2, DIALECT_V1ALPHA2},
    {"containerd", "unknown", DIALECT_V1ALPHA2, DIALECT_V1ALPHA2},
    {"containerd", "99999999999999999999.0", DIALECT_V1ALPHA2, DIALECT_V1ALPHA2},
    {"", "1.2.0", DIALECT_V1ALPHA2, DIALECT_V1ALPHA2},
    /* Another package tells by itself. */
    {"containerd", "1.2.0", DIALECT_V1, DIALECT_V1},
    {"cri-containerd", "1.0.0", DIALECT_V1_9, DIALECT_V1_9},
};

TEST(only_names_and_versions_of_that_time_are_taken_for_older)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum dialect found = release_dialect_of(rows[i].answered, rows[i].name, rows[i].version);
        if (found != rows[i].dialect) {
            fail_msg("%s %s is taken for %s", rows[i].name, rows[i].version, dialects[found].name);
        }
    }
}
