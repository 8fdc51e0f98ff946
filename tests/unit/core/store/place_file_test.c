/* The file that says where a runtime was, and the sockets that `endpoint: docker` may mean. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/map/socket.h"
#include "core/store/place_file.h"
#include "tests/cmocka.h"

static char folder[64];
static char path[128];
static struct state_file file;
static struct error error;

static int begin(void **state)
{
    error = (struct error){0};
    strcpy(folder, "/tmp/place_file_test_XXXXXX");
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/docker.place", folder);
    file = (struct state_file){.folder = folder, .name = "docker", .endpoint = "unix:///run/cri-dockerd.sock"};
    return 0;
}

static int end(void **state)
{
    unlink(path);
    return rmdir(folder);
}

EACH_TEST(begin, end)

TEST(it_has_the_endpoint_and_whether_there_may_be_pods)
{
    struct stat status;
    for (int i = 0; i < 2; i++) {
        bool holds = i == 0;
        assert_true(place_file_write(&file, i == 1, &error));
        assert_true(place_file_read(&file, &holds, &error));
        assert_int_equal(holds, i == 1);
    }
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_true(place_file_remove(&file, &error));
    assert_int_equal(stat(path, &status), -1);
}

TEST(without_a_file_it_is_not_found)
{
    bool holds;
    assert_false(place_file_read(&file, &holds, &error));
    assert_int_equal(error.code, STATUS_NOT_FOUND);
    assert_false(place_file_remove(&file, &error));
    assert_int_equal(error.code, STATUS_NOT_FOUND);
}

TEST(another_endpoint_or_runtime_is_told_apart)
{
    bool holds;
    struct state_file other = file;
    assert_true(place_file_write(&file, true, &error));
    other.endpoint = "unix:///run/dockershim.sock";
    assert_false(place_file_read(&other, &holds, &error));
    assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
    assert_string_equal(error.message, "the file belongs to another endpoint");
    char renamed[128];
    snprintf(renamed, sizeof renamed, "%s/other.place", folder);
    assert_int_equal(rename(path, renamed), 0);
    other = file;
    other.name = "other";
    assert_false(place_file_read(&other, &holds, &error));
    assert_string_equal(error.message, "the file belongs to another runtime");
    assert_int_equal(unlink(renamed), 0);
}

static void put(const uint8_t *content, size_t len)
{
    int written = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(written >= 0);
    assert_int_equal(write(written, content, len), len);
    close(written);
}

TEST(no_damaged_file_is_believed)
{
    uint8_t content[2048] = {0};
    bool holds;
    assert_true(place_file_write(&file, true, &error));
    int good = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = read(good, content, sizeof content);
    close(good);
    assert_true(len > 40);
    for (size_t i = 0; i < (size_t)len; i++) {
        put(content, i);
        assert_false(place_file_read(&file, &holds, &error));
        content[i] ^= 1;
        put(content, (size_t)len);
        assert_false(place_file_read(&file, &holds, &error));
        content[i] ^= 1;
    }
    put(content, (size_t)len + 1);
    assert_false(place_file_read(&file, &holds, &error));
    put(content, sizeof content);
    assert_false(place_file_read(&file, &holds, &error));
    put(content, (size_t)len);
    assert_true(place_file_read(&file, &holds, &error));
    /* Others could have written it. */
    assert_int_equal(chmod(path, 0620), 0);
    assert_false(place_file_read(&file, &holds, &error));
    assert_int_equal(error.code, STATUS_DATA_LOSS);
}

/* As on a full disk: a draft cannot be written beside it. */
TEST(a_file_is_written_over_if_there_is_no_room_for_another)
{
    bool holds;
    char draft[sizeof path + 8];
    struct stat before, after;
    assert_true(place_file_write(&file, false, &error));
    assert_int_equal(stat(path, &before), 0);
    snprintf(draft, sizeof draft, "%s.new", path);
    assert_int_equal(mkdir(draft, 0700), 0);
    assert_true(place_file_write(&file, true, &error));
    assert_true(place_file_read(&file, &holds, &error));
    assert_true(holds);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(rmdir(draft), 0);
}

TEST(a_long_name_has_no_file)
{
    char name[300];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    file.name = name;
    assert_false(place_file_write(&file, true, &error));
    assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
}

/* ---- which sockets `docker` may mean ---- */

EACH_TEST(NULL, NULL)

TEST(a_candidate_is_known_by_both_of_its_paths)
{
    assert_ptr_equal(docker_candidate_at("unix:///run/cri-dockerd.sock"), &docker_candidates[0]);
    assert_ptr_equal(docker_candidate_at("unix:///var/run/cri-dockerd.sock"), &docker_candidates[0]);
    assert_ptr_equal(docker_candidate_at("/var/run/dockershim.sock"), &docker_candidates[1]);
    assert_ptr_equal(docker_candidate_at("unix:///run/crigate-docker/cri-dockerd.sock"), &docker_candidates[2]);
    assert_null(docker_candidate_at("unix:///var/lib/run/dockershim.sock"));
    assert_null(docker_candidate_at("unix:///run/docker.sock"));
    assert_null(docker_candidate_at("docker"));
    assert_true(docker_is_engine("unix:///var/run/docker.sock"));
    assert_true(docker_is_engine("/run/docker.sock"));
    assert_false(docker_is_engine("unix:///run/cri-dockerd.sock"));
    assert_true(docker_is_meant("docker"));
    assert_false(docker_is_meant("unix:///docker"));
    assert_string_equal(docker_endpoint_now("unix:///run/x.sock"), "unix:///run/x.sock");
}

TEST(each_failure_says_what_to_do)
{
    char text[DOCKER_TEXT_SIZE];
    docker_explain(&docker_candidates[0], ECONNREFUSED, text);
    assert_string_equal(text, "no program is listening on /run/cri-dockerd.sock; start cri-dockerd, or crigate-docker.service");
    docker_explain(&docker_candidates[2], ECONNREFUSED, text);
    assert_string_equal(text, "no program is listening on /run/crigate-docker/cri-dockerd.sock; start crigate-docker.service");
    docker_explain(&docker_candidates[2], ENOENT, text);
    assert_string_equal(text, "/run/crigate-docker/cri-dockerd.sock is gone; start crigate-docker.service");
    docker_explain(&docker_candidates[1], EACCES, text);
    assert_string_equal(text, "cannot connect to /run/dockershim.sock: Permission denied");
    docker_explain(NULL, ENOENT, text);
    assert_non_null(strstr(text, "(/run/cri-dockerd.sock, /run/dockershim.sock, /run/crigate-docker/cri-dockerd.sock); "));
    assert_true(strlen(text) < DOCKER_TEXT_SIZE - 1);
}
