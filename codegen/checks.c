#include "checks.h"

#include <string.h>

#include "codegen/memory.h"
#include "codegen/mistakes.h"

/* What is at hand while checking. */
struct check {
    const struct schema *schema;
    const struct differences *differences;
    const struct rules *rules;
};

static struct place rules_place(const struct check *check)
{
    return (struct place){check->rules->file, 0, 0};
}

/* Differences and rules */

static void check_differences(const struct check *check)
{
    for (size_t i = 0; i < check->differences->count; i++) {
        const struct difference *difference = &check->differences->entries[i];
        const struct field_rule *rule = rules_field(check->rules, difference->key);
        if (rule == NULL || !rule->in[difference->dialect]) {
            mistake(rules_place(check), "%s %s: say what becomes of it in rules.yaml under fields",
                    check->schema->dialects[difference->dialect].name, difference->text);
        }
    }
}

void checks_run(const struct schema *schema, const struct differences *differences, const struct rules *rules)
{
    const struct check check = {schema, differences, rules};
    check_differences(&check);
}
