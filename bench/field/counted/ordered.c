/* Sorts lines and removes repeated ones. The two constants are the work of `weight` and of `checked`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WEIGHT = 1000, CHECKED = 1000, LINES = 50000 };

static char *lines[LINES];
static unsigned state = 99;

static int before(const void *one, const void *two) {
    return strcmp(*(char *const *)one, *(char *const *)two);
}

__attribute__((noinline)) static unsigned weight(const char *line) {
    unsigned found = 0;
    for (int at = 0; at < WEIGHT / 10; at++)
        found = found * 31 + (unsigned char)line[at & 7];
    return found;
}

__attribute__((noinline)) static unsigned checked(unsigned sum) {
    for (int at = 0; at < CHECKED / 10; at++)
        sum = (sum >> 1) ^ (0xedb88320u & (0u - (sum & 1)));
    return sum;
}

int main(void) {
    unsigned sum = 1;
    int left = 0;
    for (int at = 0; at < LINES; at++) {
        state = state * 1103515245u + 12345u;
        char text[80];
        int length = snprintf(text, sizeof text, "a common beginning of lines %06u", (state >> 8) % 40000);
        lines[at] = malloc((size_t)length + 1);
        memcpy(lines[at], text, (size_t)length + 1);
    }
    qsort(lines, LINES, sizeof *lines, before);
    for (int at = 1; at < LINES; at++) {
        sum = checked(sum ^ weight(lines[at]));
        if (strcmp(lines[left], lines[at]) != 0)
            lines[++left] = lines[at];
    }
    printf("%d %u\n", left, sum);
    return 0;
}
