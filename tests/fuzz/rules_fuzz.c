/* Any bytes as rules.yaml, methods.yaml or runtimes.yaml: codegen tells what is wrong with them, or has a plan. Input: a byte
   whose lowest two bits say which of the three the rest is; the others are the project's own. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "codegen/abilities.h"
#include "codegen/checks.h"
#include "codegen/differences.h"
#include "codegen/document.h"
#include "codegen/memory.h"
#include "codegen/method_checks.h"
#include "codegen/methods.h"
#include "codegen/mistakes.h"
#include "codegen/plan.h"
#include "codegen/rules.h"
#include "codegen/schema_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void load(struct schema *schema)
{
    for (const char *name = DIALECTS; *name;) {
        const char *dialect = memory_format("%.*s", (int)strcspn(name, " "), name);
        if (!schema_add(schema, dialect, memory_format("%s/%s.pb", DESCRIPTORS, dialect))) {
            abort();
        }
        name += strlen(dialect) + strspn(name + strlen(dialect), " ");
    }
    schema_complete(schema);
}

/* What the input is; the values are the two bits. */
enum input {
    INPUT_METHODS,
    INPUT_RULES,
    INPUT_RUNTIMES,
    INPUT_COUNT,
};

static void plan(struct document documents[INPUT_COUNT])
{
    struct schema schema = {0};
    struct rules rules;
    struct methods methods;
    struct abilities abilities;
    struct plan plan;
    size_t before = mistakes_count();
    load(&schema);
    rules_read(&documents[INPUT_RULES], &schema, &rules);
    methods_read(&documents[INPUT_METHODS], &methods);
    abilities_read(&documents[INPUT_RUNTIMES], &abilities);
    struct differences differences = differences_find(&schema);
    checks_run(&schema, &differences, &rules);
    methods_check(&methods, &schema, &rules);
    abilities_check(&abilities, &schema, &methods, &rules);
    if (mistakes_count() == before) {
        plan_make(&plan, &schema, &rules);
    }
}

/* The path of a file that holds these bytes; it is one and the same each time. */
static const char *file_of(const uint8_t *data, size_t size)
{
    static int file = -1;
    static char path[64];
    if (file < 0) {
        file = memfd_create("rules", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size) {
        abort();
    }
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    static const char *const own[INPUT_COUNT] = {
        [INPUT_METHODS] = TRANSLATE "/methods.yaml",
        [INPUT_RULES] = TRANSLATE "/rules.yaml",
        [INPUT_RUNTIMES] = TRANSLATE "/runtimes.yaml",
    };
    unsigned made = (data[0] & 3U) % INPUT_COUNT;
    const char *file = file_of(data + 1, size - 1);
    struct document documents[INPUT_COUNT];
    unsigned open = 0;
    while (open < INPUT_COUNT && document_open(&documents[open], open == made ? file : own[open])) {
        open++;
    }
    if (open == INPUT_COUNT) {
        plan(documents);
    }
    while (open > 0) {
        document_close(&documents[--open]);
    }
    memory_free();
    return 0;
}
