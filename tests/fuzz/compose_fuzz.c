/* Composed answers of a hostile runtime: whatever it answers at first and to what it is asked, the outcome is an answer that the
   caller can read, the runtime's own, or an error with a text; and questions come to an end. Input: three bytes (which
   composition; the caller's and the runtime's dialect, and what the map says; how much time goes by), then pieces behind two
   bytes of length: request, first answer, answers to questions. The whole is played twice, the second time with what was learned
   in the first. */
#include "tests/fuzz/fuzz.h"
#include "translate/compose/compose.h"
#include "translate/convert/convert.h"
#include "translate/json/json.h"
#include "translate/walk/node.h"

#define MOST_COMPOSITIONS 64
#define PIECES (2 + COMPOSE_QUESTIONS)
#define MINUTE 60000

struct input {
    const struct method *method;
    enum compose_occasion occasion;
    enum dialect caller, runtime;
    struct compose_settings settings;
    int64_t step;
    struct bytes pieces[PIECES];
};

static bool choose(unsigned wanted, struct input *input)
{
    unsigned count = 0;
    struct input found[MOST_COMPOSITIONS];
    for (uint16_t i = 0; i < method_count; i++) {
        for (unsigned occasion = 0; occasion < COMPOSE_OCCASIONS; occasion++) {
            if (composition_of(&methods[i], occasion)) {
                must(count < MOST_COMPOSITIONS);
                found[count++] = (struct input){.method = &methods[i], .occasion = (enum compose_occasion)occasion};
            }
        }
    }
    *input = found[wanted % count];
    return true;
}

static bool read_input(struct bytes bytes, struct input *input)
{
    if (bytes.len < 3 || !choose(bytes.data[0], input)) {
        return false;
    }
    uint8_t flags = bytes.data[1];
    input->caller = dialects[flags & 3].caller;
    input->runtime = dialects[flags >> 2 & 3].caller;
    input->settings.cgroup_driver = (enum cgroup_driver)((flags >> 4 & 3) % CGROUP_DRIVER_COUNT);
    input->settings.storage = flags & 64 ? "/storage" : NULL;
    input->step = bytes.data[2] * (int64_t)MINUTE / 16;
    bytes = bytes_after(bytes, 3);
    for (size_t i = 0; i < PIECES; i++) {
        input->pieces[i] = fuzz_take_piece(&bytes);
    }
    return input->method->in[input->caller].path != NULL;
}

static bool usage(void *state, struct bytes directory, struct filesystem_usage *result)
{
    (void)state;
    *result = (struct filesystem_usage){.taken_at = 1, .used_bytes = directory.len, .inodes_used = 1};
    return true;
}

static bool is_part(const char *part, size_t length)
{
    return length > 0 && part[0] != '.' && length < 256;
}

/* Whatever a runtime says, a path leads to a container below the root. */
static void memory_of(void *state, struct container_memory *containers, size_t count)
{
    (void)state;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < containers[i].count; j++) {
            const char *path = containers[i].cgroups[j];
            for (size_t length; *path; path += length + (path[length] == '/')) {
                length = strcspn(path, "/");
                must(is_part(path, length));
                must(path[length] != '\0' ||
                     strspn(path + (*path == 'd' ? strlen("docker-") * (length != 64) : 0), "0123456789abcdef") == 64);
            }
        }
        containers[i].known = containers[i].count > 0;
        containers[i].working_set = i;
    }
}

/* As core/ does: the question in the runtime's words, and its answer in the model's. */
static bool ask(const struct input *input, struct composing *composing, const struct method **asked_for)
{
    const struct method *question = *asked_for = method_by_name(composing->question);
    must(question && question->in[input->runtime].path);
    struct conversion there = {
        .method = question, .from = DIALECT_MODEL, .to = input->runtime, .arena = composing->arena, .node = composing->node};
    struct conversion back = {
        .method = question, .from = input->runtime, .to = DIALECT_MODEL, .arena = composing->arena, .node = composing->node};
    struct bytes asked;
    struct error error = {0};
    if (!convert_request(&there, composing->asking, &asked, &error)) {
        return false;
    }
    struct bytes answer = input->pieces[2 + composing->asked];
    return convert_response(&back, answer, &composing->answers[composing->asked++], &error);
}

static bool is_readable(const struct schema_message *message, struct bytes bytes)
{
    struct error error = {0};
    struct json_object *json = json_from_message(message, bytes, JSON_EXACT, &error);
    bool readable = json || error.code == STATUS_RESOURCE_EXHAUSTED;
    json_object_put(json);
    return readable;
}

/* What a runtime says in bytes that are no message, inside of an answer that is, may still be in there. */
static void check_answer(const struct input *input, const struct composing *composing, const struct method *const *questions)
{
    const struct method *method = composing->method;
    struct conversion conversion = {.method = method, .from = DIALECT_MODEL, .to = composing->caller, .arena = composing->arena};
    struct bytes out;
    struct error error = {0};
    bool sound = true;
    for (size_t i = 0; i < composing->asked; i++) {
        sound = sound && is_readable(questions[i]->in[DIALECT_MODEL].response, composing->answers[i]);
    }
    if (input->occasion == COMPOSE_ANSWERED) {
        sound = is_readable(method->in[composing->runtime].response, composing->received);
    }
    bool converted = convert_response(&conversion, composing->composed, &out, &error);
    must(converted || (!sound && error.code == STATUS_INTERNAL));
    must(!sound || is_readable(method->in[composing->caller].response, out));
}

static void play(const struct input *input, struct compose_memory *memory, int64_t now, struct arena *arena)
{
    static const struct node node = {.usage_of_directory = usage, .memory_of_containers = memory_of};
    struct composing composing = {
        .method = input->method,
        .caller = input->caller,
        .runtime = input->runtime,
        .request = input->pieces[0],
        .sent = input->pieces[0],
        .received = input->method->in[input->runtime].path ? input->pieces[1] : (struct bytes){0},
        .elapsed = now,
        .now = now,
        .runtime_name = "main",
        .reported_name = "docker",
        .failure = input->pieces[1],
        .settings = &input->settings,
        .memory = memory,
        .node = &node,
        .arena = arena,
    };
    struct error error = {0};
    if (input->occasion == COMPOSE_ANSWERED && !input->method->in[input->runtime].path) {
        return;
    }
    const struct method *questions[COMPOSE_QUESTIONS];
    bool good, answered = true;
    do {
        composing.outcome = COMPOSED_NOTHING;
        good = composition_of(input->method, input->occasion)(&composing, &error);
        if (good && composing.outcome == COMPOSED_QUESTION) {
            must(composing.asked < COMPOSE_QUESTIONS);
            answered = ask(input, &composing, &questions[composing.asked]);
        }
    } while (good && answered && composing.outcome == COMPOSED_QUESTION);
    must(good ? error.code == STATUS_OK : error.code != STATUS_OK && error.message[0] != '\0');
    if (good && composing.outcome == COMPOSED_ANSWER) {
        check_answer(input, &composing, questions);
    }
}

void fuzz_try(struct bytes bytes, struct arena *arena)
{
    struct input input;
    if (!read_input(bytes, &input)) {
        return;
    }
    struct compose_memory memory = {0};
    play(&input, &memory, 1, arena);
    play(&input, &memory, 1 + input.step, arena);
    compose_memory_clear(&memory);
}
