/* cmocka, with what its header needs before it, and cases that register themselves:
 *
 *     TEST(a_name_that_says_what_holds)
 *     {
 *         assert_true(...);
 *     }
 *
 * The cases of a program run in the order of their file. A program without a main function of its own gets one that runs them. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define CMOCKA_DISABLE_DEPRECATION_WARNINGS /* cmocka 1 has nothing else for assert_in_range */
#include <cmocka.h>

/* Tests and fixtures get a state, whether they have one or not. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* The head of a case: a function that gets `void **state`. */
#define TEST(name)                                                                                                               \
    static void name(void **state);                                                                                              \
    __attribute__((constructor)) static void name##_registers(void)                                                              \
    {                                                                                                                            \
        tests_add(#name, name);                                                                                                  \
    }                                                                                                                            \
    static void name(void **state)

/* The fixture of each case below, up to the next EACH_TEST: what runs before the case, and after it. Either may be NULL. */
#define EACH_TEST(set_up, tear_down)                                                                                             \
    __attribute__((constructor)) static void set_up##_##tear_down##_each(void)                                                   \
    {                                                                                                                            \
        tests_each(set_up, tear_down);                                                                                           \
    }

/* The fixture of the program: what runs before the first case, and after the last. */
#define ALL_TESTS(set_up, tear_down)                                                                                             \
    __attribute__((constructor)) static void set_up##_##tear_down##_all(void)                                                    \
    {                                                                                                                            \
        tests_all(set_up, tear_down);                                                                                            \
    }

void tests_add(const char *name, CMUnitTestFunction test);
void tests_each(CMFixtureFunction set_up, CMFixtureFunction tear_down);
void tests_all(CMFixtureFunction set_up, CMFixtureFunction tear_down);

/* Runs the cases. Returns how many failed, for a main function to return. */
int tests_run(void);
