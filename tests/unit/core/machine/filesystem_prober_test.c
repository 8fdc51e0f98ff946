#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/machine/filesystem_prober.h"
#include "tests/cmocka.h"

#define MOST_TRIES 3000 /* of 10 ms */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool hanging;   /* the world of "/remote/..." */
static unsigned begun; /* looks at it */
static unsigned ended;

static bool is_remote(const char *path)
{
    return strncmp(path, "/remote", strlen("/remote")) == 0;
}

/* Nothing is at "/nowhere"; looks below "/remote" come back only when nothing hangs. Of a path, its length is seen. */
static bool probe(const char *path, struct folder *folder)
{
    pthread_mutex_lock(&lock);
    begun += is_remote(path);
    while (is_remote(path) && hanging) {
        pthread_cond_wait(&changed, &lock);
    }
    ended += is_remote(path);
    pthread_mutex_unlock(&lock);
    snprintf(folder->path, sizeof folder->path, "/true%s", path);
    folder->has_usage = true;
    folder->usage.used_bytes = strlen(path);
    return strcmp(path, "/nowhere") != 0;
}

static void set_hanging(bool hangs)
{
    pthread_mutex_lock(&lock);
    hanging = hangs;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static unsigned count(const unsigned *number)
{
    pthread_mutex_lock(&lock);
    unsigned value = *number;
    pthread_mutex_unlock(&lock);
    return value;
}

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

static void wait_for(const unsigned *number, unsigned least)
{
    for (unsigned tries = 0; count(number) < least; tries++) {
        assert_true(tries < MOST_TRIES);
        rest();
    }
}

static struct filesystem_prober *begin(void)
{
    pthread_mutex_lock(&lock);
    begun = 0;
    ended = 0;
    pthread_mutex_unlock(&lock);
    struct filesystem_prober *prober = filesystem_prober_new(probe);
    assert_non_null(prober);
    return prober;
}

/* Looks that hung end after it. */
static void end(struct filesystem_prober *prober)
{
    filesystem_prober_free(prober);
    set_hanging(false);
    wait_for(&ended, count(&begun));
}

/* A thread that is slow to start is no failure. */
static void expect_seen(struct filesystem_prober *prober, const char *path)
{
    struct folder folder;
    unsigned tries = 0;
    while (!filesystem_prober_probe(prober, path, &folder)) {
        assert_true(++tries < MOST_TRIES);
        rest();
    }
    assert_memory_equal(folder.path, "/true", strlen("/true"));
    assert_string_equal(folder.path + strlen("/true"), path);
    assert_true(folder.has_usage);
    assert_int_equal(folder.usage.used_bytes, strlen(path));
}

TEST(what_is_there_is_seen)
{
    struct filesystem_prober *prober = begin();
    struct folder folder;
    expect_seen(prober, "/a");
    expect_seen(prober, "/longer");
    expect_seen(prober, "/a");
    assert_false(filesystem_prober_probe(prober, "/nowhere", &folder));
    end(prober);
    filesystem_prober_free(NULL);
}

TEST(more_paths_than_are_remembered_are_seen)
{
    struct filesystem_prober *prober = begin();
    for (int i = 0; i < 3 * FILESYSTEM_PROBER_FOLDERS; i++) {
        char path[32];
        snprintf(path, sizeof path, "/many/%d", i);
        expect_seen(prober, path);
    }
    end(prober);
}

TEST(a_look_that_hangs_is_made_once_and_holds_nothing_up)
{
    struct filesystem_prober *prober = begin();
    struct folder folder;
    set_hanging(true);
    for (int i = 0; i < 5; i++) {
        assert_false(filesystem_prober_probe(prober, "/remote/a", &folder));
        expect_seen(prober, "/local");
    }
    wait_for(&begun, 1);
    assert_int_equal(count(&begun), 1);
    set_hanging(false);
    expect_seen(prober, "/remote/a");
    end(prober);
}

/* Every answer until the second look hangs, and some after, is that of the first. */
TEST(what_was_seen_stands_in_for_a_look_that_hangs)
{
    struct filesystem_prober *prober = begin();
    struct folder folder;
    expect_seen(prober, "/remote/a");
    unsigned before = count(&begun);
    set_hanging(true);
    for (unsigned tries = 0; count(&begun) == before; tries++) {
        assert_true(tries < MOST_TRIES);
        assert_true(filesystem_prober_probe(prober, "/remote/a", &folder));
        rest();
    }
    for (int i = 0; i < 5; i++) {
        assert_true(filesystem_prober_probe(prober, "/remote/a", &folder));
        assert_int_equal(folder.usage.used_bytes, strlen("/remote/a"));
    }
    assert_int_equal(count(&begun), before + 1);
    end(prober);
}

TEST(probes_that_hang_are_bounded_and_outlive_the_prober)
{
    struct filesystem_prober *prober = begin();
    struct folder folder;
    set_hanging(true);
    for (int i = 0; i < 2 * FILESYSTEM_PROBER_FOLDERS; i++) {
        char path[32];
        snprintf(path, sizeof path, "/remote/%d", i);
        assert_false(filesystem_prober_probe(prober, path, &folder));
    }
    assert_false(filesystem_prober_probe(prober, "/local", &folder));
    wait_for(&begun, FILESYSTEM_PROBER_FOLDERS);
    end(prober);
    assert_int_equal(count(&begun), FILESYSTEM_PROBER_FOLDERS);
}
