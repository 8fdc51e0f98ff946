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

/* Of the sanitizer's library. */
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);

/* The sanitizer does not judge when C core closes a descriptor, but must know that it is closed: the next file with this number
   may come from a call that the sanitizer does not see (openat), and would be taken for the connection. */
static int close_unjudged(int fd)
{
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    int result = next_close(fd);
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    return result;
}

static void go_past_sanitizer(void)
{
#define GO_PAST(name, result, parameters, by_kernel)                                                                             \
    next_##name = system_##name;                                                                                                 \
    system_##name = kernel_##name;
    SYSTEM_CALLS(GO_PAST)
    system_close = close_unjudged;
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
