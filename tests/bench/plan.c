#include "tests/bench/plan.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_SIZE 16

static struct scenario *last_scenario(struct plan *plan)
{
    return plan->scenario_count > 0 ? &plan->scenarios[plan->scenario_count - 1] : NULL;
}

static bool read_scenario(struct plan *plan, const char *line)
{
    struct scenario *grown = reallocarray(plan->scenarios, plan->scenario_count + 1, sizeof *grown);
    if (!grown) {
        return false;
    }
    plan->scenarios = grown;
    struct scenario *scenario = &grown[plan->scenario_count++];
    *scenario = (struct scenario){0};
    char containers[NUMBER_SIZE];
    if (sscanf(line, "scenario %63s %15s %127[^\n]", scenario->name, containers, scenario->title) != 3) {
        return false;
    }
    scenario->containers = strtoul(containers, NULL, 10);
    scenario->outside = plan->caller[0] != '\0';
    return true;
}

static bool read_caller(struct plan *plan, const char *line)
{
    return sscanf(line, "caller %255s", plan->caller) == 1;
}

static bool read_target_words(struct target *target, const char *words)
{
    int length;
    if (sscanf(words, "%63s %127s %n", target->name, target->package, &length) != 2) {
        return false;
    }
    for (words += length; *words != '\0'; words += length) {
        struct instance *instance = &target->instances[target->instance_count];
        char pid[NUMBER_SIZE];
        if (target->instance_count == PLAN_INSTANCES || sscanf(words, "%255s %15s %n", instance->address, pid, &length) != 2) {
            return false;
        }
        instance->pid = (pid_t)strtol(pid, NULL, 10);
        target->instance_count++;
    }
    return target->instance_count > 0;
}

/* The line without its first word. */
static const char *after_word(const char *line)
{
    line += strspn(line, " \t");
    return line + strcspn(line, " \t\n");
}

static struct target *add_target(struct plan *plan)
{
    struct scenario *scenario = last_scenario(plan);
    return scenario && scenario->target_count < PLAN_TARGETS ? &scenario->targets[scenario->target_count++] : NULL;
}

static bool read_target(struct plan *plan, const char *line)
{
    struct target *target = add_target(plan);
    return target && read_target_words(target, after_word(line));
}

static bool read_foreign(struct plan *plan, const char *line)
{
    struct target *target = add_target(plan);
    if (!target) {
        return false;
    }
    target->foreign = true;
    return read_target_words(target, after_word(line));
}

/* A target of that name, with a file in front of the address. */
static bool read_plugin(struct plan *plan, const char *line)
{
    struct target *target = add_target(plan);
    struct instance *instance = target ? &target->instances[0] : NULL;
    char pid[NUMBER_SIZE];
    if (!target || sscanf(line, "%63s %127s %255s %255s %15s", target->name, target->package, target->request_file,
                          instance->address, pid) != 5) {
        return false;
    }
    instance->pid = (pid_t)strtol(pid, NULL, 10);
    target->instance_count = 1;
    return true;
}

static bool read_before(struct plan *plan, const char *line)
{
    struct scenario *scenario = last_scenario(plan);
    struct target *target = scenario && scenario->target_count > 0 ? &scenario->targets[scenario->target_count - 1] : NULL;
    return target && sscanf(line, "before %127s %255s %255s", target->before.path, target->before.request_file,
                            target->before.address) == 3;
}

bool plan_read_callers(struct rpc *rpc, const char *list)
{
    rpc->caller_count = 0;
    for (const char *at = list; rpc->caller_count < PLAN_CALLER_COUNTS; at++) {
        char *end;
        unsigned long callers = strtoul(at, &end, 10);
        if (end == at || callers == 0 || callers > PLAN_CALLERS) {
            return false;
        }
        rpc->callers[rpc->caller_count++] = callers;
        if (*end != ',') {
            return *end == '\0';
        }
        at = end;
    }
    return false;
}

static bool read_rpc(struct plan *plan, const char *line)
{
    struct scenario *scenario = last_scenario(plan);
    if (!scenario || scenario->rpc_count == PLAN_CASES) {
        return false;
    }
    struct rpc *rpc = &scenario->rpcs[scenario->rpc_count++];
    char callers[PLAN_NAME_SIZE];
    return sscanf(line, "rpc %63s %63s", rpc->name, callers) == 2 && plan_read_callers(rpc, callers);
}

static bool read_start(struct plan *plan, const char *line)
{
    if (plan->start_count == PLAN_TARGETS) {
        return false;
    }
    struct start *start = &plan->starts[plan->start_count++];
    int length;
    if (sscanf(after_word(line), "%63s %127s %255s %n", start->target.name, start->target.package,
               start->target.instances[0].address, &length) != 3) {
        return false;
    }
    start->target.instance_count = 1;
    char *words = strdup(after_word(line) + length), *state = NULL;
    size_t count = 0;
    for (char *word = words ? strtok_r(words, " \n", &state) : NULL; word && count < PLAN_WORDS;
         word = strtok_r(NULL, " \n", &state)) {
        start->command[count++] = strdup(word);
    }
    free(words);
    return count > 0;
}

static bool read_memory(struct plan *plan, const char *line)
{
    return plan->memory_target_count < PLAN_TARGETS &&
           read_target_words(&plan->memory_targets[plan->memory_target_count++], after_word(line));
}

static const struct {
    const char *word;
    bool (*read)(struct plan *plan, const char *line);
} line_kinds[] = {{"caller", read_caller},   {"scenario", read_scenario}, {"target", read_target},
                  {"foreign", read_foreign}, {"plugin", read_plugin},     {"before", read_before},
                  {"rpc", read_rpc},         {"memory", read_memory},     {"start", read_start}};

static bool read_line(struct plan *plan, const char *line)
{
    char word[PLAN_NAME_SIZE] = "";
    if (sscanf(line, "%63s", word) != 1 || word[0] == '#') {
        return true;
    }
    for (size_t i = 0; i < sizeof line_kinds / sizeof line_kinds[0]; i++) {
        if (strcmp(word, line_kinds[i].word) == 0) {
            return line_kinds[i].read(plan, line);
        }
    }
    return false;
}

int plan_read(struct plan *plan, const char *path)
{
    *plan = (struct plan){0};
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        return -1;
    }
    char line[1024];
    unsigned number = 0;
    bool good = true;
    while (good && fgets(line, sizeof line, file)) {
        number++;
        good = read_line(plan, line);
    }
    fclose(file);
    if (!good) {
        fprintf(stderr, "bench: %s:%u: not a line of a plan, or one too many: %s", path, number, line);
        return -1;
    }
    return 0;
}

void plan_free(struct plan *plan)
{
    free(plan->scenarios);
    for (size_t i = 0; i < plan->start_count; i++) {
        for (char **word = plan->starts[i].command; *word; word++) {
            free(*word);
        }
    }
    *plan = (struct plan){0};
}
