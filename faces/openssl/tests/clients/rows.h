/* The table of differences that are meant (`../differences.txt`): a line for each, in six columns. */
#ifndef ROWS_H
#define ROWS_H

#include <fnmatch.h>
#include <stdatomic.h>

#include "check.h"

enum { MOST_ROWS = 64, COLUMNS = 6 };

/* Cipher, state, call, result of OpenSSL, result of this provider, reason. */
typedef struct {
    char *columns[COLUMNS];
    atomic_ulong met;
} Row;

static Row ROWS[MOST_ROWS];
static size_t ROW_COUNT;

/* Cuts a column out of a line, without the spaces around it. */
static char *column(char **line)
{
    char *text = *line, *end = strchr(text, '|');
    if (end)
        *end = 0, *line = end + 1;
    else
        *line = text + strlen(text);
    text += strspn(text, " ");
    for (size_t len = strlen(text); len > 0 && strchr(" \n", text[len - 1]); len--)
        text[len - 1] = 0;
    return text;
}

/* Reads the table, whose lines are kept for good. */
static void read_rows(const char *path)
{
    FILE *file = fopen(path, "r");
    CHECK(file, "%s cannot be read", path);
    char buffer[1024];
    while (fgets(buffer, sizeof buffer, file)) {
        if (buffer[0] == '#' || buffer[strspn(buffer, " \n")] == 0)
            continue;
        CHECK(ROW_COUNT < MOST_ROWS, "more than %d rows", MOST_ROWS);
        char *line = strdup(buffer);
        for (int at = 0; at < COLUMNS; at++)
            ROWS[ROW_COUNT].columns[at] = column(&line);
        CHECK(*ROWS[ROW_COUNT].columns[COLUMNS - 1], "a row of less than %d columns: %s", COLUMNS, buffer);
        ROW_COUNT++;
    }
    fclose(file);
}

/* True if one of the patterns of a column, with commas between them, matches. */
static int matches(const char *patterns, const char *text)
{
    char copy[256], *rest = copy;
    snprintf(copy, sizeof copy, "%s", patterns);
    for (char *pattern; (pattern = strsep(&rest, ",")) != NULL;)
        if (fnmatch(pattern + strspn(pattern, " "), text, 0) == 0)
            return 1;
    return 0;
}

/* True if all words of a state are among those that hold now, each between spaces. */
static int holds(const char *words, const char *state)
{
    char copy[256], word[64], *rest = copy;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *part; (part = strsep(&rest, " ")) != NULL;) {
        snprintf(word, sizeof word, " %s ", part);
        if (*part && strcmp(part, "-") != 0 && !strstr(state, word))
            return 0;
    }
    return 1;
}

/* The row that allows a difference, which counts as met; NULL if none does. */
static const Row *row_of(const char *cipher, const char *state, const char *call, const char *theirs, const char *ours)
{
    for (size_t at = 0; at < ROW_COUNT; at++) {
        char **columns = ROWS[at].columns;
        if (matches(columns[0], cipher) && holds(columns[1], state) && matches(columns[2], call)
            && matches(columns[3], theirs) && matches(columns[4], ours)) {
            atomic_fetch_add(&ROWS[at].met, 1);
            return &ROWS[at];
        }
    }
    return NULL;
}

#endif
