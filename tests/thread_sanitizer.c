/* What the thread sanitizer asks each program that is built with it. Compiled in, because tests start programs without their own
   environment, too.

   The sanitizer sees what is compiled with it, and calls into libc from everywhere. C core and what it stands on are Debian's,
   and not compiled with it: it sees their threads touch memory, and does not see the atomics by which they take turns. So what
   these libraries do is not judged, library by library. All that our own code does is judged, also where a library calls
   it; the one function that is named says why. Libraries without threads of their own (json-c, libyaml, protobuf-c)
   are not here: a race in one of them is ours. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

const char *__tsan_default_suppressions(void);

/* A program ends at the first race, with status 66: it may be one that is killed before it could say so at its end, or whose log
   nobody reads. One that ends by itself waits for a second by default, for races of threads that go on; tests start thousands. */
const char *__tsan_default_options(void);

const char *__tsan_default_options(void)
{
    return "halt_on_error=1:atexit_sleep_ms=20";
}

const char *__tsan_default_suppressions(void)
{
    return /* C core */
        "called_from_lib:libgrpc_unsecure.so\n"
        "called_from_lib:libgpr.so\n"
        "called_from_lib:libupb.so\n"
        "called_from_lib:libaddress_sorting.so\n"
        /* its locks, whose own bookkeeping is under a spin lock */
        "called_from_lib:libabsl_synchronization.so\n"
        "called_from_lib:libabsl_graphcycles_internal.so\n"
        /* its values, counted by reference */
        "called_from_lib:libabsl_status.so\n"
        "called_from_lib:libabsl_statusor.so\n"
        "called_from_lib:libabsl_cord.so\n"
        "called_from_lib:libabsl_cord_internal.so\n"
        "called_from_lib:libabsl_strings.so\n"
        /* its random numbers, from a pool that all threads share */
        "called_from_lib:libabsl_random_internal_pool_urbg.so\n"
        "called_from_lib:libabsl_random_internal_seed_material.so\n"
        /* its clock, and the time zone that is loaded once */
        "called_from_lib:libabsl_time.so\n"
        "called_from_lib:libabsl_time_zone.so\n"
        /* containers and strings of all these */
        "called_from_lib:libstdc++.so\n"
        /* C core does not join all of its threads before it ends */
        "thread:grpc_core::Thread::Thread\n"
        /* what C core lets go of when it has sent a slice, on a thread of its own, it got through a queue of its own */
        "race:^release_arena$\n";
}

/* Own code, by the address that a function returns to. */
extern const char __executable_start, etext;

static bool is_own_call(const void *from)
{
    return (const char *)from >= &__executable_start && (const char *)from < &etext;
}

/* Of the sanitizer's library. */
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);

/* The sanitizer does not judge when C core closes a descriptor, but must learn that it is closed. Else it takes the next file
   with this number, which a call that it does not see may have opened (openat), for C core's connection. */
int close(int fd)
{
    static _Atomic(void *) next;
    int (*sanitizers_close)(int fd);
    void *found = atomic_load(&next);
    if (!found) {
        found = dlsym(RTLD_NEXT, "close");
        atomic_store(&next, found);
    }
    memcpy(&sanitizers_close, &found, sizeof found);
    if (is_own_call(__builtin_return_address(0))) {
        return sanitizers_close(fd);
    }
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    int result = sanitizers_close(fd);
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    return result;
}
