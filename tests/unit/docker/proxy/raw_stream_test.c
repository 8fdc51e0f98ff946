/* Which requests Docker may answer with a stream in both directions, though nobody asked for another protocol. */
#include "docker/proxy/raw_stream.h"
#include "tests/cmocka.h"

static bool may_answer(const char *method, const char *target)
{
    return raw_stream_may_answer(bytes_of_string(method), bytes_of_string(target));
}

TEST(attach_exec_and_sessions_become_streams)
{
    static const char *const targets[] = {"/containers/x/attach",
                                          "/v1.41/containers/x/attach?stream=1&stdin=1",
                                          "/exec/x/start",
                                          "/v1.18/exec/x/start",
                                          "/session",
                                          "/v1.41/session",
                                          "/v1.41/grpc?"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        assert_true(may_answer("POST", targets[i]));
        assert_false(may_answer("GET", targets[i]));
    }
}

TEST(nothing_else_does)
{
    static const char *const targets[] = {"/",
                                          "*",
                                          "/attach",
                                          "/containers/attach",
                                          "/containers/x/start",
                                          "/v1.41/containers/x/start?a=/exec/x/start",
                                          "/exec/x/json",
                                          "/exec/start",
                                          "/containers/create",
                                          "/images/x/attach",
                                          "/containers/x/attach/",
                                          "/containers/x/attach/ws",
                                          "/build?session=1"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        assert_false(may_answer("POST", targets[i]));
    }
}
