/* The hooks and their messages as schema tables, made from the descriptors of apis/hook_v1alpha1. */
#pragma once

#include <stddef.h>

#include "base/bytes/bytes.h"
#include "translate/schema/schema.h"

#define HOOK_SERVICE "runtime.v1alpha1.RuntimeHookService"

/* A method of the service. */
struct hook {
    const char *name; /* "PreRunPodSandbox": as in the file of a plugin */
    const char *path; /* "/runtime.v1alpha1.RuntimeHookService/PreRunPodSandboxHook" */
    const struct schema_message *request;
    const struct schema_message *response;
};

struct hook_schema;

/* All hooks. The caller frees it, after everything that was found in it. Never NULL. */
struct hook_schema *hook_schema_new(void);
void hook_schema_free(struct hook_schema *schema);

size_t hook_count(const struct hook_schema *schema);

/* The hook at `index`, in the order of the service. */
const struct hook *hook_at(const struct hook_schema *schema, size_t index);

/* The hook of that name, with or without "Hook" at its end; NULL if there is none. */
const struct hook *hook_by_name(const struct hook_schema *schema, struct bytes name);

/* The hook with that path, or NULL. */
const struct hook *hook_by_path(const struct hook_schema *schema, struct bytes path);
