/* Writes docs/translation.md: the text of docs/translation.md.in, with tables of all differences between the dialects, and of
   what runtimes ignore. They come from the tables that conversions use, through translate/explain/explain.h, as does the output
   of `crigate explain`. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "translate/explain/explain.h"
#include "translate/walk/table.h"

/* How a rule's field is translated, for each way in which some pair of dialects meets it. */
struct seen {
    bool met[2]; /* by enum way */
    enum verdict verdict[2];
    const char *how;
};

static struct seen seen[TRANSLATION_DIFFERENCE_COUNT];

/* ---- what all pairs say ---- */

struct pair_count {
    unsigned of[VERDICT_COUNT];
    enum way way;
};

static void count(void *state, const struct explained *explained)
{
    struct pair_count *counts = state;
    counts->of[explained->verdict]++;
    if (explained->rule) {
        struct seen *rule = &seen[explained->rule - rule_texts];
        if (rule->met[counts->way] && rule->verdict[counts->way] != explained->verdict) {
            fprintf(stderr, "translation_page: %s is treated in two ways; the page has no form for that\n", explained->subject);
            exit(1);
        }
        rule->met[counts->way] = true;
        rule->verdict[counts->way] = explained->verdict;
        rule->how = explained->how ? explained->how : rule->how;
    }
}

static struct pair_count count_pair(enum dialect caller, enum dialect runtime, enum way way)
{
    struct pair_count counts = {.way = way};
    explain(&(struct explain_scope){caller, runtime, way, NULL}, count, &counts);
    return counts;
}

/* ---- cells ---- */

/* A cell of a Markdown table cannot contain a bar. */
static void put_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '|') {
            putchar('\\');
        }
        putchar(*text);
    }
}

static void put_dialects(unsigned dialect_bits)
{
    const char *comma = "";
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        if (dialect_bits >> i & 1U) {
            printf("%s`%s`", comma, dialects[i].name);
            comma = ", ";
        }
    }
}

static void put_counts(const struct pair_count *counts)
{
    const char *comma = "";
    for (size_t i = 0; i < VERDICT_COUNT; i++) {
        if (counts->of[i] > 0) {
            printf("%s%u %s", comma, counts->of[i], verdict_name((enum verdict)i));
            comma = ", ";
        }
    }
}

static void put_verdict(const struct seen *rule, enum way way)
{
    fputs(rule->met[way] ? verdict_name(rule->verdict[way]) : "", stdout);
}

/* ---- pairs ---- */

static unsigned lacking_methods(enum dialect caller, enum dialect runtime)
{
    unsigned lacking = 0;
    for (uint16_t i = 0; i < method_count; i++) {
        lacking += methods[i].in[caller].path && !methods[i].in[runtime].path;
    }
    return lacking;
}

static void write_pairs(void)
{
    puts("| caller | runtime | in requests | in answers | RPCs that the runtime lacks |\n| --- | --- | --- | --- | --- |");
    for (size_t caller = 0; caller < DIALECT_COUNT; caller++) {
        for (size_t runtime = 0; runtime < DIALECT_COUNT; runtime++) {
            if (dialects[caller].caller != caller) {
                continue;
            }
            struct pair_count requests = count_pair((enum dialect)caller, (enum dialect)runtime, WAY_REQUEST);
            struct pair_count answers = count_pair((enum dialect)caller, (enum dialect)runtime, WAY_ANSWER);
            printf("| `%s` | `%s` | ", dialects[caller].name, dialects[runtime].name);
            put_counts(&requests);
            fputs(" | ", stdout);
            put_counts(&answers);
            printf(" | %u |\n", lacking_methods((enum dialect)caller, (enum dialect)runtime));
        }
    }
}

/* ---- RPCs ---- */

static unsigned dialects_with(const struct method *method)
{
    unsigned with = 0;
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        with |= method->in[i].path ? 1U << i : 0;
    }
    return with;
}

static void write_rpcs(void)
{
    puts("| RPC | in | a runtime without it | why |\n| --- | --- | --- | --- |");
    for (uint16_t i = 0; i < method_count; i++) {
        if (method_without[i]) {
            printf("| `%s` | ", methods[i].name);
            put_dialects(dialects_with(&methods[i]));
            printf(" | %s | ", explain_lacking(&methods[i]));
            put_text(method_without[i]);
            puts(" |");
        }
    }
}

/* ---- fields ---- */

/* Whether two rules share one row: their fields are treated in the same way, for the same reason, in the same dialects. */
static bool same_row(uint16_t a, uint16_t b)
{
    return rule_texts[a].has == rule_texts[b].has && rule_texts[a].differs == rule_texts[b].differs && !rule_texts[a].older &&
           !rule_texts[b].older && memcmp(seen[a].met, seen[b].met, sizeof seen[a].met) == 0 &&
           memcmp(seen[a].verdict, seen[b].verdict, sizeof seen[a].verdict) == 0 && seen[a].how == seen[b].how &&
           strcmp(translation_rules[a].why, translation_rules[b].why) == 0;
}

/* The subjects of a row: "`MemoryUsage.rss_bytes`, `.page_faults`". */
static void put_subjects(uint16_t first)
{
    const char *before = "";
    for (uint16_t i = first; i < TRANSLATION_DIFFERENCE_COUNT; i++) {
        const char *subject = translation_rules[i].field;
        if (same_row(first, i)) {
            size_t message = strcspn(subject, ".");
            bool same_message = strncmp(subject, before, message + 1) == 0;
            printf("%s`%s`", i > first ? ", " : "", same_message ? subject + message : subject);
            before = subject;
        }
    }
}

static bool is_told_above(uint16_t rule)
{
    for (uint16_t i = 0; i < rule; i++) {
        if (same_row(i, rule)) {
            return true;
        }
    }
    return false;
}

static void put_why(uint16_t rule)
{
    put_text(translation_rules[rule].why);
    if (seen[rule].how) {
        fputs("; ", stdout);
        put_text(seen[rule].how);
    }
}

/* The oldest dialect from which on all have the rule's subject as the model has it; DIALECT_COUNT where the model has it not. */
static size_t since(uint16_t rule)
{
    size_t dialect = DIALECT_COUNT;
    while (dialect > 0 && rule_texts[rule].has >> (dialect - 1) & 1U && !(rule_texts[rule].differs >> (dialect - 1) & 1U)) {
        dialect--;
    }
    return dialect;
}

static void write_since(size_t dialect)
{
    puts("| field or value | in a request to an older runtime | in an answer to an older caller | why |\n"
         "| --- | --- | --- | --- |");
    for (uint16_t i = 0; i < TRANSLATION_DIFFERENCE_COUNT; i++) {
        if (since(i) != dialect || rule_texts[i].older || is_told_above(i)) {
            continue;
        }
        fputs("| ", stdout);
        put_subjects(i);
        fputs(" | ", stdout);
        put_verdict(&seen[i], WAY_REQUEST);
        fputs(" | ", stdout);
        put_verdict(&seen[i], WAY_ANSWER);
        fputs(" | ", stdout);
        put_why(i);
        puts(" |");
    }
}

static bool has_rows(size_t dialect)
{
    for (uint16_t i = 0; i < TRANSLATION_DIFFERENCE_COUNT; i++) {
        if (since(i) == dialect && !rule_texts[i].older) {
            return true;
        }
    }
    return false;
}

static void write_fields(void)
{
    for (size_t dialect = 1; dialect < DIALECT_COUNT; dialect++) {
        if (has_rows(dialect)) {
            printf("### Since `%s`\n\n", dialects[dialect].name);
            write_since(dialect);
            putchar('\n');
        }
    }
    if (has_rows(DIALECT_COUNT)) {
        printf("### Gone with `%s`\n\n", dialects[DIALECT_MODEL].name);
        write_since(DIALECT_COUNT);
        putchar('\n');
    }
    puts("### In another form\n\n| field | form | before that | passes | why |\n| --- | --- | --- | --- | --- |");
    for (uint16_t i = 0; i < TRANSLATION_DIFFERENCE_COUNT; i++) {
        if (rule_texts[i].older) {
            const struct seen *rule = &seen[i];
            printf("| `%s` | `%s`, since `%s` | `%s` | %s | ", translation_rules[i].field, rule_texts[i].type,
                   dialects[since(i)].name, rule_texts[i].older,
                   verdict_name(rule->verdict[rule->met[WAY_REQUEST] ? WAY_REQUEST : WAY_ANSWER]));
            put_why(i);
            puts(" |");
        }
    }
}

/* ---- what runtimes ignore ---- */

static void put_rpcs_about(uint8_t entry)
{
    const char *comma = "";
    for (uint16_t i = 0; i < method_count; i++) {
        if (ability_requests[i].entries >> entry & 1U) {
            printf("%s`%s`", comma, methods[i].name);
            comma = ", ";
        }
    }
}

static void write_abilities(void)
{
    puts("| field | in | if the value asks for something | ignored by |\n| --- | --- | --- | --- |");
    for (uint8_t i = 0; i < ability_entry_count; i++) {
        const struct ability *ability = &ability_entries[i];
        printf("| `%s` | ", translation_rules[ability->rule].field);
        put_rpcs_about(i);
        printf(" | %s | ", explain_class(ability->class));
        for (uint8_t j = 0; j < ability->ignored_by_count; j++) {
            const struct ability_ignored *ignored = &ability->ignored_by[j];
            printf("%s%s", j > 0 ? ", " : "", ability_runtimes[ignored->runtime].name);
            if (ignored->range_count > 0) {
                printf(" `%s`", ignored->versions);
            }
        }
        puts(" |");
    }
}

/* ---- the page ---- */

static const struct {
    const char *mark;
    void (*write)(void);
} tables[] = {
    {"{{pairs}}\n", write_pairs},
    {"{{rpcs}}\n", write_rpcs},
    {"{{fields}}\n", write_fields},
    {"{{abilities}}\n", write_abilities},
};

static void write_line(const char *line)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (strcmp(tables[i].mark, line) == 0) {
            tables[i].write();
            return;
        }
    }
    fputs(line, stdout);
}

/* Fills `seen`, whichever table comes first. A rule that no pair meets would be a row that says nothing. */
static bool look_at_all_pairs(void)
{
    for (size_t caller = 0; caller < DIALECT_COUNT; caller++) {
        for (size_t runtime = 0; runtime < DIALECT_COUNT; runtime++) {
            count_pair((enum dialect)caller, (enum dialect)runtime, WAY_REQUEST);
            count_pair((enum dialect)caller, (enum dialect)runtime, WAY_ANSWER);
        }
    }
    bool all = true;
    for (uint16_t i = 0; i < TRANSLATION_DIFFERENCE_COUNT; i++) {
        if (!seen[i].met[WAY_REQUEST] && !seen[i].met[WAY_ANSWER]) {
            fprintf(stderr, "translation_page: no call between any two dialects meets %s\n", translation_rules[i].field);
            all = false;
        }
    }
    return all;
}

int main(int argc, char **argv)
{
    FILE *text = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (!text || !freopen(argv[2], "w", stdout)) {
        fprintf(stderr, "usage: translation_page TEXT PAGE: %s\n", argc == 3 ? strerror(errno) : "two files, please");
        return 2;
    }
    if (!look_at_all_pairs()) {
        return 1;
    }
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, text) > 0) {
        write_line(line);
    }
    bool good = !ferror(text) && fflush(stdout) == 0 && !ferror(stdout);
    free(line);
    fclose(text);
    return good ? 0 : 1;
}
