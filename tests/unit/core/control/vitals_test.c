/* Whether the kubelet is well, by its answer to /healthz, and what crigate's status says of runtimes and callers. */
#include <arpa/inet.h>
#include <json-c/json.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/interrupt.h"
#include "core/control/crigate_status.h"
#include "node/kubelet/healthz.h"
#include "node/kubelet/wait.h"
#include "tests/cmocka.h"

static struct error error;

/* ---- the answer ---- */

static bool is_well(const char *answer)
{
    error = (struct error){0};
    return healthz_is_well(bytes_of_string(answer), &error);
}

TEST(ok_is_well)
{
    assert_true(is_well("HTTP/1.0 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nok"));
    assert_true(is_well("HTTP/1.1 200 OK\r\n\r\nok\n"));
}

TEST(anything_else_is_not)
{
    static const char *const answers[] = {"",
                                          "HTTP/1.0",
                                          "HTTP/1.0 ",
                                          "HTTP/1.0 20",
                                          "HTTP/1.0 200 OK\r\n\r\n",
                                          "HTTP/1.0 200 OK\r\nok",
                                          "HTTP/1.0 200 OK\r\n\r\nokay",
                                          "HTTP/1.0 500 Internal Server Error\r\n\r\nok",
                                          "SSH-2.0-OpenSSH_9.2\r\n\r\nok",
                                          "ok"};
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        assert_false(is_well(answers[i]));
        assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
    }
    assert_false(is_well("HTTP/1.0 500 \033[31mno\r\n\r\n"));
    assert_string_equal(error.message, "it answers \"500 ?[31mno\"");
}

/* ---- asking ---- */

struct server {
    int listener;
    const char *answer; /* NULL: none, and the connection stays open */
    size_t repeats;
    char address[32];
    pthread_t thread;
    char request[256];
};

static void *serve(void *state)
{
    struct server *server = state;
    int connection = accept(server->listener, NULL, NULL);
    ssize_t len = recv(connection, server->request, sizeof server->request - 1, 0);
    server->request[len > 0 ? len : 0] = '\0';
    for (size_t i = 0; server->answer && i < server->repeats; i++) {
        if (send(connection, server->answer, strlen(server->answer), MSG_NOSIGNAL) < 0) {
            break;
        }
    }
    if (!server->answer) {
        char end;
        assert_true(recv(connection, &end, 1, 0) <= 0); /* until the other side gives up */
    }
    close(connection);
    return NULL;
}

static void start(struct server *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)(void *)&address, len), 0);
    assert_int_equal(listen(server->listener, 1), 0);
    assert_int_equal(getsockname(server->listener, (struct sockaddr *)(void *)&address, &len), 0);
    snprintf(server->address, sizeof server->address, "127.0.0.1:%u", (unsigned)ntohs(address.sin_port));
    assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void stop_server(struct server *server)
{
    pthread_join(server->thread, NULL);
    close(server->listener);
}

TEST(a_server_that_says_ok_is_well)
{
    struct server server = {.answer = "HTTP/1.0 200 OK\r\n\r\nok", .repeats = 1};
    start(&server);
    assert_true(healthz_ask(server.address, 60000, &error));
    stop_server(&server);
    assert_int_equal(strncmp(server.request, "GET /healthz HTTP/1.0\r\n", 23), 0);
    assert_non_null(strstr(server.request, server.address));
}

TEST(a_server_that_says_too_much_is_cut_off)
{
    struct server server = {.answer = "HTTP/1.0 200 OK\r\n\r\nnot so well, as can be read from all of this", .repeats = 1000000};
    start(&server);
    assert_false(healthz_ask(server.address, 60000, &error));
    stop_server(&server);
    assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
}

TEST(a_server_that_says_nothing_is_given_up)
{
    struct server server = {.answer = NULL};
    start(&server);
    assert_false(healthz_ask(server.address, 100, &error));
    stop_server(&server);
    assert_int_equal(error.code, STATUS_UNAVAILABLE);
}

TEST(nobody_there_is_not_well)
{
    struct server server = {.answer = NULL};
    start(&server);
    /* Whoever is connected keeps the port from others; then nobody listens at it. */
    assert_false(healthz_ask(server.address, 100, &error));
    stop_server(&server);
    assert_false(healthz_ask(server.address, 60000, &error));
    assert_int_equal(error.code, STATUS_UNAVAILABLE);
}

TEST(only_addresses_with_a_port_are_asked)
{
    static const char *const addresses[] = {"",    "127.0.0.1", "127.0.0.1:",   "127.0.0.1:0",   "127.0.0.1:65536", "host:1",
                                            ":::", "[::1]",     "127.0.0.1:-1", "127.0.0.1: 80", "300.0.0.1:1"};
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        assert_false(healthz_ask(addresses[i], 1000, &error));
        assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
    }
}

/* ---- crigate's status ---- */

static struct json_object *parse(const char *text)
{
    struct json_object *json = json_tokener_parse(text);
    assert_non_null(json);
    return json;
}

TEST(calls_of_a_process_are_those_of_all_its_connections)
{
    struct json_object *status =
        parse("{\"callers\": [{\"pid\": 7, \"calls\": 3}, {\"pid\": 8, \"calls\": 100}, {\"pid\": 7, \"calls\": 4},"
              "{\"pid\": \"7\", \"calls\": 50}, {\"pid\": 7}, 7, null]}");
    assert_int_equal(crigate_status_calls_of(status, 7), 7);
    assert_int_equal(crigate_status_calls_of(status, 9), 0);
    json_object_put(status);
    status = parse("{\"callers\": 7}");
    assert_int_equal(crigate_status_calls_of(status, 7), 0);
    json_object_put(status);
}

TEST(the_primary_may_not_be_the_default)
{
    struct json_object *status = parse("{\"runtimes\": [{\"name\": \"a\", \"role\": \"default\", \"state\": \"away\"},"
                                       "{\"name\": \"b\", \"role\": \"primary, not default\", \"state\": \"ready\"}]}");
    assert_true(crigate_status_primary_ready(status, &error));
    json_object_put(status);
    status = parse("{\"runtimes\": [{\"name\": \"a\", \"role\": \"default\", \"state\": \"ready\"},"
                   "{\"name\": \"b\", \"role\": \"primary\", \"state\": \"away\", \"note\": \"nothing answers\"}]}");
    assert_false(crigate_status_primary_ready(status, &error));
    assert_string_equal(error.message, "its primary b is away: nothing answers");
    json_object_put(status);
    status = parse("{}");
    assert_false(crigate_status_primary_ready(status, &error));
    json_object_put(status);
}

TEST(pods_that_are_not_known_are_not_none)
{
    struct json_object *status =
        parse("{\"runtimes\": [{\"endpoint\": \"unix:///a\", \"pods\": 2}, {\"endpoint\": \"unix:///b\"},"
              "{\"endpoint\": \"unix:///c\", \"pods\": 0, \"lastKnownAgeMilliseconds\": 5},"
              "{\"endpoint\": \"unix:///never\", \"pods\": 0}]}");
    assert_int_equal(crigate_status_pods_of(status, "unix:///a"), 2);
    assert_int_equal(crigate_status_pods_of(status, "unix:///b"), -1);
    assert_int_equal(crigate_status_pods_of(status, "unix:///c"), 0);
    assert_int_equal(crigate_status_pods_of(status, "unix:///d"), -1);
    assert_int_equal(crigate_status_pods_of(status, "unix:///never"), -1);
    const char *name = NULL;
    assert_int_equal(crigate_status_runtime_count(status), 4);
    assert_string_equal(crigate_status_endpoint(status, 2, &name), "unix:///c");
    assert_string_equal(name, "");
    assert_string_equal(crigate_status_endpoint(status, 4, &name), "");
    assert_int_equal(crigate_status_runtime_count(NULL), 0);
    json_object_put(status);
}

/* ---- processes and signals ---- */

TEST(a_process_is_its_number_and_its_time)
{
    char begins[32];
    struct process_identity own = process_identity(getpid());
    snprintf(begins, sizeof begins, "%d.", (int)getpid());
    assert_int_equal(strncmp(own.text, begins, strlen(begins)), 0);
    assert_true(strlen(own.text) > strlen(begins));
    char boot[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    assert_non_null(file);
    assert_non_null(fgets(boot, sizeof boot, file));
    fclose(file);
    boot[strcspn(boot, "\n")] = '\0';
    assert_non_null(strstr(own.text, boot)); /* a process of another boot may have begun at the same time */
    assert_string_equal(process_identity(getpid()).text, own.text);
    assert_string_not_equal(process_identity(getppid()).text, own.text);
    assert_string_equal(process_identity(0).text, "");
}

TEST(a_signal_ends_a_wait_until_signals_are_held)
{
    interrupts_catch();
    assert_null(interrupt_seen());
    assert_true(interrupt_sleep(1));
    raise(SIGTERM);
    raise(SIGINT);
    assert_false(interrupt_sleep(3600 * 1000U));
    assert_string_equal(interrupt_seen(), "SIGTERM");
    interrupts_hold();
    assert_null(interrupt_seen());
    assert_true(interrupt_sleep(1));
}
