/* Counts the words of a generated text. The two constants are the work of `mixed` and of `digits`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIXED = 1000, DIGITS = 1000, WORDS = 30000, SLOTS = 4096 };

struct entry { char *word; unsigned count; struct entry *next; };
static struct entry *table[SLOTS];
static unsigned state = 12345;

static unsigned drawn(unsigned below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

__attribute__((noinline)) static unsigned mixed(const char *word) {
    unsigned found = 2166136261u;
    for (int at = 0; at < MIXED / 10; at++)
        found = (found ^ (unsigned char)word[at % 3]) * 16777619u;
    return found;
}

__attribute__((noinline)) static unsigned digits(unsigned number) {
    unsigned found = 0;
    for (int at = 0; at < DIGITS / 10; at++)
        found += (number >> (at & 15)) & 7;
    return found;
}

__attribute__((noinline)) static char *text_of(size_t *size) {
    char *text = malloc(WORDS * 48), *end = text;
    for (int word = 0; word < WORDS; word++) {
        unsigned number = drawn(900);
        memset(end, 'a' + (int)(number % 26), 3 + number % 29);
        end += 3 + number % 29;
        end += sprintf(end, "%u ", number);
    }
    *end = 0;
    *size = (size_t)(end - text);
    return text;
}

__attribute__((noinline)) static void counted(const char *word, size_t length) {
    char copy[64];
    memcpy(copy, word, length);
    copy[length] = 0;
    unsigned slot = (mixed(copy) + (unsigned)strlen(copy)) % SLOTS;
    for (struct entry *each = table[slot]; each; each = each->next)
        if (strcmp(each->word, copy) == 0) {
            each->count++;
            return;
        }
    struct entry *entry = malloc(sizeof *entry);
    *entry = (struct entry){strdup(copy), 1, table[slot]};
    table[slot] = entry;
}

int main(void) {
    size_t size;
    unsigned sum = 0, most = 0;
    char *text = text_of(&size), *word = text;
    for (char *space; (space = strchr(word, ' ')); word = space + 1) {
        counted(word, (size_t)(space - word));
        sum += digits((unsigned)(space - word));
    }
    for (int slot = 0; slot < SLOTS; slot++)
        for (struct entry *each = table[slot]; each; each = each->next)
            most = each->count > most ? each->count : most;
    printf("%zu %u %u\n", size, sum, most);
    return 0;
}
