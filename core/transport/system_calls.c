#include "system_calls.h"

#include <sys/syscall.h>
#include <unistd.h>

#ifdef CRIGATE_SANITIZED

#include <dlfcn.h>
#include <stdlib.h>

#define POINTER(name, result, parameters, by_kernel) result(*system_##name) parameters;
SYSTEM_CALLS(POINTER)

static void *next_of(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        abort();
    }
    return function;
}

static void find_next(void)
{
#define FIND(name, result, parameters, by_kernel) *(void **)&system_##name = next_of(#name);
    SYSTEM_CALLS(FIND)
}

#ifdef __SANITIZE_THREAD__
#define KERNEL_CALL(name, result, parameters, by_kernel)                                                                         \
    result(*next_##name) parameters;                                                                                             \
    static result kernel_##name parameters                                                                                       \
    {                                                                                                                            \
        return (result)syscall by_kernel;                                                                                        \
    }
SYSTEM_CALLS(KERNEL_CALL)

static void go_past_sanitizer(void)
{
#define GO_PAST(name, result, parameters, by_kernel)                                                                             \
    next_##name = system_##name;                                                                                                 \
    system_##name = kernel_##name;
    SYSTEM_CALLS(GO_PAST)
}
#else
static void go_past_sanitizer(void)
{
}
#endif

__attribute__((constructor)) void system_calls_find(void)
{
    if (!system_recvmsg) {
        find_next();
        go_past_sanitizer();
    }
}

#else

#define KERNEL_CALL(name, result, parameters, by_kernel)                                                                         \
    result system_##name parameters                                                                                              \
    {                                                                                                                            \
        return (result)syscall by_kernel;                                                                                        \
    }
SYSTEM_CALLS(KERNEL_CALL)

#endif
