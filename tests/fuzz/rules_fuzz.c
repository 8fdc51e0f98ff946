/* Any bytes as rules.yaml, or as methods.yaml: codegen tells what is wrong with them, or has a plan. Input: a byte whose lowest
   bit says which of the two the rest is; the other one is the project's own. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

static void plan(struct document *rules_document, struct document *methods_document)
{
    struct schema schema = {0};
    struct rules rules;
    struct methods methods;
    struct plan plan;
    size_t before = mistakes_count();
    load(&schema);
    rules_read(rules_document, &schema, &rules);
    methods_read(methods_document, &methods);
    struct differences differences = differences_find(&schema);
    checks_run(&schema, &differences, &rules);
    methods_check(&methods, &schema, &rules);
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
    bool is_rules = data[0] & 1;
    const char *made = file_of(data + 1, size - 1);
    struct document rules, methods;
    bool rules_open = document_open(&rules, is_rules ? made : TRANSLATE "/rules.yaml");
    bool methods_open = document_open(&methods, is_rules ? TRANSLATE "/methods.yaml" : made);
    if (rules_open && methods_open) {
        plan(&rules, &methods);
    }
    if (rules_open) {
        document_close(&rules);
    }
    if (methods_open) {
        document_close(&methods);
    }
    memory_free();
    return 0;
}
