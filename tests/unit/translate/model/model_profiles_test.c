#include "tests/cmocka.h"
#include "tests/unit/translate/model/model_fixture.h"

#define RUNTIME_DEFAULT MODEL__SECURITY_PROFILE__PROFILE_TYPE__RuntimeDefault
#define UNCONFINED MODEL__SECURITY_PROFILE__PROFILE_TYPE__Unconfined
#define LOCALHOST MODEL__SECURITY_PROFILE__PROFILE_TYPE__Localhost
#define LATER ((Model__SecurityProfile__ProfileType)7)

/* The three places where a profile is said. */
enum place {
    POD_SECCOMP,
    CONTAINER_SECCOMP,
    CONTAINER_APPARMOR,
    PLACES,
};

static void begin_at(enum place place)
{
    if (place == POD_SECCOMP) {
        fixture_begin_pod(LEVEL_SECURITY);
    } else {
        fixture_begin_container(LEVEL_SECURITY);
    }
}

static char **string_at(enum place place)
{
    switch (place) {
    case POD_SECCOMP:
        return &fixture.pod_security.seccomp_profile_path;
    case CONTAINER_SECCOMP:
        return &fixture.container_security.seccomp_profile_path;
    default:
        return &fixture.container_security.apparmor_profile;
    }
}

static Model__SecurityProfile **message_at(enum place place)
{
    switch (place) {
    case POD_SECCOMP:
        return &fixture.pod_security.seccomp;
    case CONTAINER_SECCOMP:
        return &fixture.container_security.seccomp;
    default:
        return &fixture.container_security.apparmor;
    }
}

static const char *const string_fields[PLACES] = {
    "linux.security_context.seccomp_profile_path",
    "linux.security_context.seccomp_profile_path",
    "linux.security_context.apparmor_profile",
};
static const char *const message_fields[PLACES] = {
    "linux.security_context.seccomp",
    "linux.security_context.seccomp",
    "linux.security_context.apparmor",
};

#define SECCOMP (1u << POD_SECCOMP | 1u << CONTAINER_SECCOMP)
#define APPARMOR (1u << CONTAINER_APPARMOR)

static const struct string_case {
    const char *string;
    unsigned places; /* where it means that; elsewhere it is refused */
    Model__SecurityProfile__ProfileType type;
    const char *localhost_ref;
} string_cases[] = {
    {"runtime/default", SECCOMP | APPARMOR, RUNTIME_DEFAULT, ""},
    {"docker/default", SECCOMP, RUNTIME_DEFAULT, ""},
    {"unconfined", SECCOMP | APPARMOR, UNCONFINED, ""},
    {"localhost//var/lib/kubelet/seccomp/x.json", SECCOMP | APPARMOR, LOCALHOST, "/var/lib/kubelet/seccomp/x.json"},
    {"localhost/var/lib/kubelet/seccomp/x.json", SECCOMP | APPARMOR, LOCALHOST, "var/lib/kubelet/seccomp/x.json"},
    {"localhost/nginx-profile", SECCOMP | APPARMOR, LOCALHOST, "nginx-profile"},
    {"localhost/", 0, RUNTIME_DEFAULT, ""},
    {"localhost", 0, RUNTIME_DEFAULT, ""},
    {"Unconfined", 0, RUNTIME_DEFAULT, ""},
    {"unconfined ", 0, RUNTIME_DEFAULT, ""},
    {"/var/lib/kubelet/seccomp/x.json", 0, RUNTIME_DEFAULT, ""},
};
#define STRING_CASES (sizeof string_cases / sizeof string_cases[0])

ALL_TESTS(NULL, fixture_end)

TEST(a_string_fills_the_message_and_stays)
{
    for (enum place place = 0; place < PLACES; place++) {
        for (size_t i = 0; i < STRING_CASES; i++) {
            begin_at(place);
            *string_at(place) = (char *)(uintptr_t)string_cases[i].string;
            if (string_cases[i].places & 1u << place) {
                assert_true(fixture_run(normalise_profiles_from_strings));
                const Model__SecurityProfile *message = *message_at(place);
                assert_non_null(message);
                assert_int_equal(message->profile_type, string_cases[i].type);
                assert_string_equal(message->localhost_ref, string_cases[i].localhost_ref);
            } else {
                fixture_expect_refusal(normalise_profiles_from_strings, string_fields[place]);
            }
            assert_string_equal(*string_at(place), string_cases[i].string);
        }
    }
}

TEST(an_empty_string_is_absent)
{
    for (enum place place = 0; place < PLACES; place++) {
        begin_at(place);
        fixture_expect_untouched(normalise_profiles_from_strings);
        assert_null(*message_at(place));
        fixture_expect_untouched(normalise_profiles_to_strings);
        fixture_expect_untouched(normalise_profiles_to_strings_only);
        fixture_expect_untouched(normalise_profiles_to_docker_strings);
        assert_string_equal(*string_at(place), "");
    }
}

TEST(absent_security_contexts_stay_absent)
{
    normalisation *const all[] = {normalise_profiles_from_strings, normalise_profiles_to_strings,
                                  normalise_profiles_to_strings_only, normalise_profiles_to_docker_strings,
                                  normalise_sandbox_apparmor};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        for (enum level level = LEVEL_EMPTY; level <= LEVEL_SECURITY; level++) {
            fixture_begin_pod(level);
            fixture_expect_untouched(all[i]);
            fixture_begin_container(level);
            fixture_expect_untouched(all[i]);
        }
    }
}

TEST(a_message_that_is_there_is_not_filled)
{
    for (enum place place = 0; place < PLACES; place++) {
        begin_at(place);
        Model__SecurityProfile message = MODEL__SECURITY_PROFILE__INIT;
        *message_at(place) = &message;
        char string[] = "unconfined";
        *string_at(place) = string;
        fixture_expect_untouched(normalise_profiles_from_strings);
        assert_int_equal(message.profile_type, RUNTIME_DEFAULT);
    }
}

static const struct message_case {
    Model__SecurityProfile__ProfileType type;
    const char *localhost_ref;
    const char *said;      /* string beside it */
    const char *string;    /* with messages or without; NULL: no string can say it */
    const char *docker[2]; /* seccomp and AppArmor, for runtimes that know docker/default */
} message_cases[] = {
    {RUNTIME_DEFAULT, "", "", "runtime/default", {"docker/default", "runtime/default"}},
    {RUNTIME_DEFAULT, "", "runtime/default", "runtime/default", {"docker/default", "runtime/default"}},
    {RUNTIME_DEFAULT, "", "unconfined", "runtime/default", {"docker/default", "runtime/default"}},
    {UNCONFINED, "", "", "unconfined", {"unconfined", "unconfined"}},
    {UNCONFINED, "", "localhost/x", "unconfined", {"unconfined", "unconfined"}},
    {LOCALHOST, "/p/x.json", "", "localhost//p/x.json", {"localhost//p/x.json", "localhost//p/x.json"}},
    {LOCALHOST, "x", "localhost/y", "localhost/x", {"localhost/x", "localhost/x"}},
    {LOCALHOST, "x", "localhost/x", "localhost/x", {"localhost/x", "localhost/x"}},
    {LOCALHOST, "", "", NULL, {NULL, NULL}},
    {LATER, "", "", NULL, {NULL, NULL}},
};
#define MESSAGE_CASES (sizeof message_cases / sizeof message_cases[0])

static void expect_filled(enum place place, const struct message_case *row, normalisation *run, const char *string, bool stays)
{
    begin_at(place);
    Model__SecurityProfile message = MODEL__SECURITY_PROFILE__INIT;
    message.profile_type = row->type;
    message.localhost_ref = (char *)(uintptr_t)row->localhost_ref;
    *message_at(place) = &message;
    *string_at(place) = (char *)(uintptr_t)row->said;
    if (!string && !stays) {
        fixture_expect_refusal(run, message_fields[place]);
    } else {
        assert_true(fixture_run(run));
        assert_string_equal(*string_at(place), string ? string : row->said);
        assert_ptr_equal(*message_at(place), stays ? &message : NULL);
    }
}

TEST(a_message_fills_the_string_and_wins_over_it)
{
    for (enum place place = 0; place < PLACES; place++) {
        for (size_t i = 0; i < MESSAGE_CASES; i++) {
            const struct message_case *row = &message_cases[i];
            expect_filled(place, row, normalise_profiles_to_strings, row->string, true);
            expect_filled(place, row, normalise_profiles_to_strings_only, row->string, false);
            expect_filled(place, row, normalise_profiles_to_docker_strings, row->docker[place == CONTAINER_APPARMOR], false);
        }
    }
}

TEST(what_strings_say_comes_back_as_it_was)
{
    static normalisation *const downs[] = {normalise_profiles_to_strings, normalise_profiles_to_strings_only,
                                           normalise_profiles_to_docker_strings};
    for (size_t down = 0; down < sizeof downs / sizeof downs[0]; down++) {
        for (enum place place = 0; place < PLACES; place++) {
            for (size_t i = 0; i < STRING_CASES; i++) {
                bool renamed = downs[down] == normalise_profiles_to_docker_strings && place != CONTAINER_APPARMOR &&
                               strcmp(string_cases[i].string, "runtime/default") == 0;
                if (!(string_cases[i].places & 1u << place) || renamed) {
                    continue;
                }
                begin_at(place);
                *string_at(place) = (char *)(uintptr_t)string_cases[i].string;
                assert_true(fixture_run(normalise_profiles_from_strings));
                assert_true(fixture_run(downs[down]));
                assert_string_equal(*string_at(place), string_cases[i].string);
            }
        }
    }
}

TEST(no_memory_is_exhaustion)
{
    for (enum place place = 0; place < PLACES; place++) {
        begin_at(place);
        char string[] = "unconfined";
        *string_at(place) = string;
        fixture_expect_exhausted(normalise_profiles_from_strings);
        char reference[] = "x";
        Model__SecurityProfile message = MODEL__SECURITY_PROFILE__INIT;
        message.profile_type = LOCALHOST;
        message.localhost_ref = reference;
        *message_at(place) = &message;
        fixture_expect_exhausted(normalise_profiles_to_strings);
    }
}

TEST(a_pods_apparmor_goes_down_only_as_the_default)
{
    static const struct {
        Model__SecurityProfile__ProfileType type;
        bool refused;
    } cases[] = {{RUNTIME_DEFAULT, false}, {UNCONFINED, true}, {LOCALHOST, true}, {LATER, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Model__SecurityProfile message = MODEL__SECURITY_PROFILE__INIT;
        message.profile_type = cases[i].type;
        fixture_begin_pod(LEVEL_SECURITY);
        fixture.pod_security.apparmor = &message;
        if (cases[i].refused) {
            fixture_expect_refusal(normalise_sandbox_apparmor, "linux.security_context.apparmor");
        } else {
            assert_true(fixture_run(normalise_sandbox_apparmor));
            assert_null(fixture.pod_security.apparmor);
        }
    }
}
