#include <stdlib.h>

#include "cmocka.h"

static struct CMUnitTest cases[128];
static size_t case_count;
static CMFixtureFunction each_set_up, each_tear_down, all_set_up, all_tear_down;

void tests_add(const char *name, CMUnitTestFunction test)
{
    if (case_count == sizeof cases / sizeof *cases)
        abort();
    cases[case_count++] =
        (struct CMUnitTest){.name = name, .test_func = test, .setup_func = each_set_up, .teardown_func = each_tear_down};
}

void tests_each(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    each_set_up = set_up;
    each_tear_down = tear_down;
}

void tests_all(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    all_set_up = set_up;
    all_tear_down = tear_down;
}

int tests_run(void)
{
    return _cmocka_run_group_tests("tests", cases, case_count, all_set_up, all_tear_down);
}

/* Only for programs that have none of their own. */
__attribute__((weak)) int main(void)
{
    return tests_run();
}
