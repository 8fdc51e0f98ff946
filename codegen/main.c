#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/abilities.h"
#include "codegen/checks.h"
#include "codegen/differences.h"
#include "codegen/document.h"
#include "codegen/emit.h"
#include "codegen/hooks.h"
#include "codegen/memory.h"
#include "codegen/method_checks.h"
#include "codegen/methods.h"
#include "codegen/mistakes.h"
#include "codegen/plan.h"
#include "codegen/rules.h"
#include "codegen/schema_load.h"

static const char usage[] =
    "usage: codegen --rules FILE --methods FILE --hooks FILE --runtimes FILE --out FOLDER DIALECT=FILE.pb ...\n"
    "       codegen --list-differences DIALECT=FILE.pb ...\n"
    "\n"
    "Reads the FileDescriptorSets of CRI's dialects, oldest to newest, and writes the tables that translate/ works by.\n"
    "Fails, naming message and field, where a difference between a dialect and the newest has no rule, a rule has no\n"
    "difference, an RPC has no row, hooks.yaml has no word for a field that plugins could see, or runtimes.yaml has an\n"
    "entry that fits no request.\n"
    "\n"
    "  --rules FILE        translate/rules.yaml\n"
    "  --methods FILE      translate/methods.yaml\n"
    "  --hooks FILE        translate/hooks.yaml\n"
    "  --runtimes FILE     translate/runtimes.yaml\n"
    "  --out FOLDER        where to write; must exist\n"
    "  --list-differences  print what differs from the newest dialect, a line each, and write nothing\n"
    "  --help              print this\n";

/* The files besides the schemas, and the folder to write to. */
enum path {
    PATH_RULES,
    PATH_METHODS,
    PATH_HOOKS,
    PATH_RUNTIMES,
    INPUT_COUNT,
    PATH_OUT = INPUT_COUNT,
    PATH_COUNT,
};

struct options {
    const char *paths[PATH_COUNT];
    bool list_differences;
    bool help;
};

static bool parse_options(int argc, char **argv, struct options *options)
{
    static const struct option names[] = {
        {"rules", required_argument, NULL, PATH_RULES},
        {"methods", required_argument, NULL, PATH_METHODS},
        {"hooks", required_argument, NULL, PATH_HOOKS},
        {"runtimes", required_argument, NULL, PATH_RUNTIMES},
        {"out", required_argument, NULL, PATH_OUT},
        {"list-differences", no_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
        if (option == '?') {
            return false;
        }
        options->list_differences = options->list_differences || option == 'l';
        options->help = options->help || option == 'h';
        if (option < PATH_COUNT) {
            options->paths[option] = optarg;
        }
    }
    bool complete = true;
    for (size_t i = 0; i < PATH_COUNT; i++) {
        complete = complete && options->paths[i] != NULL;
    }
    return options->help || (optind < argc && (options->list_differences || complete));
}

static bool load_schema(struct schema *schema, char **arguments)
{
    bool loaded = true;
    for (char **argument = arguments; *argument != NULL; argument++) {
        const char *equals = strchr(*argument, '=');
        if (equals == NULL || equals == *argument) {
            mistake((struct place){*argument, 0, 0}, "write DIALECT=FILE.pb");
            loaded = false;
            continue;
        }
        loaded = schema_add(schema, memory_format("%.*s", (int)(equals - *argument), *argument), equals + 1) && loaded;
    }
    schema_complete(schema);
    return loaded;
}

/* Reports all mistakes in the files before anything is written. */
static void generate_from(const struct schema *schema, struct document documents[INPUT_COUNT], const char *folder)
{
    struct rules rules;
    struct methods methods;
    struct hooks hooks;
    struct abilities abilities;
    struct plan plan;
    rules_read(&documents[PATH_RULES], schema, &rules);
    methods_read(&documents[PATH_METHODS], &methods);
    hooks_read(&documents[PATH_HOOKS], &hooks);
    abilities_read(&documents[PATH_RUNTIMES], &abilities);
    struct differences differences = differences_find(schema);
    checks_run(schema, &differences, &rules);
    methods_check(&methods, schema, &rules);
    hooks_check(&hooks, schema);
    abilities_check(&abilities, schema, &methods, &rules);
    if (mistakes_count() == 0) {
        plan_make(&plan, schema, &rules);
    }
    if (mistakes_count() == 0) {
        emit_all(&(struct emission){schema, &rules, &methods, &hooks, &abilities, &plan}, folder);
    }
}

static void generate(const struct schema *schema, const struct options *options)
{
    struct document documents[INPUT_COUNT];
    size_t open = 0;
    while (open < INPUT_COUNT && document_open(&documents[open], options->paths[open])) {
        open++;
    }
    if (open == INPUT_COUNT) {
        generate_from(schema, documents, options->paths[PATH_OUT]);
    }
    while (open > 0) {
        document_close(&documents[--open]);
    }
}

int main(int argc, char **argv)
{
    struct options options = {0};
    struct schema schema = {0};
    if (!parse_options(argc, argv, &options)) {
        fputs(usage, stderr);
        return 2;
    }
    if (options.help) {
        fputs(usage, stdout);
        return 0;
    }
    if (load_schema(&schema, argv + optind)) {
        if (options.list_differences) {
            struct differences differences = differences_find(&schema);
            differences_print(&differences, &schema, stdout);
        } else {
            generate(&schema, &options);
        }
    }
    memory_free();
    return mistakes_count() == 0 ? 0 : 1;
}
