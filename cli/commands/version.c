#include "cli/commands/version.h"

#include <absl/base/config.h>
#include <elf.h>
#include <gnu/libc-version.h>
#include <grpc/grpc.h>
#include <json-c/json.h>
#include <link.h>
#include <llhttp.h>
#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>
#include <yaml.h>

#include "base/options/output.h"

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

struct version_options {
    bool verbose;
};

static const struct option_row rows[] = {
    {'v', "verbose", NULL,
     "also print whether the program is static, and the versions of its libraries; for a static program, also the Debian "
     "packages that it was linked from",
     COMPLETE_NOTHING, NULL, OPTION_FLAG(struct version_options, verbose)},
    {OPTION_ROW_HELP},
};

const struct command_line version_command_line = {
    .command = "version",
    .synopsis = "crigate version [-v]",
    .about = "Prints the version of crigate.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .after = "Exit status: 0 success, 64 wrong arguments.",
};

/* The packages of the archives of a static program, see cmake/package-versions. */
static const struct package {
    const char *name;
    const char *version;
} packages[] = {
#define PACKAGE(name, version) {name, version},
#include "generated/packages.inc"
    {NULL, NULL},
};

/* Whether that is a program, which comes first, that a loader started. */
static int has_loader(struct dl_phdr_info *object, size_t size, void *found)
{
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type == PT_INTERP) {
            *(bool *)found = true;
        }
    }
    return 1;
}

/* Abseil and llhttp have no function for their version, and xxHash is all in its header: these are the versions that the program
   was compiled with. All others are asked the library that runs. */
static void print_libraries(void)
{
    printf("C core: %s\n", grpc_version_string());
    printf("abseil: %d.%d\n", ABSL_LTS_RELEASE_VERSION, ABSL_LTS_RELEASE_PATCH_LEVEL);
    printf("protobuf-c: %s\n", protobuf_c_version());
    printf("libyaml: %s\n", yaml_get_version_string());
    printf("json-c: %s\n", json_c_version());
    printf("llhttp: %d.%d.%d\n", LLHTTP_VERSION_MAJOR, LLHTTP_VERSION_MINOR, LLHTTP_VERSION_PATCH);
    printf("xxHash: %d.%d.%d\n", XXH_VERSION_MAJOR, XXH_VERSION_MINOR, XXH_VERSION_RELEASE);
    printf("glibc: %s\n", gnu_get_libc_version());
}

static void print_all(void)
{
    bool is_dynamic = false;
    dl_iterate_phdr(has_loader, &is_dynamic);
    printf("linked: %s\n", is_dynamic ? "dynamic" : "static");
    printf("compiler: %s\n", COMPILER);
    print_libraries();
    for (const struct package *package = packages; !is_dynamic && package->name; package++) {
        printf("package %s: %s\n", package->name, package->version);
    }
}

int version_command(int argc, char **argv)
{
    struct version_options options = {0};
    int status = options_read(&version_command_line, &options, argc, argv, 0);
    if (status >= 0) {
        return status;
    }
    puts("crigate " CRIGATE_VERSION);
    if (options.verbose) {
        print_all();
    }
    return command_is_printed() ? EXIT_SUCCESS : EXIT_FAILURE;
}
