/* A packer: text is matched against what came before, counted, coded, unpacked and checked; recorded by perf. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 6000
#define WINDOW 64
#define SYMBOLS 256

volatile long sink;

unsigned next_random(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 8) & 0xffffu;
}

void fill(unsigned char *text, unsigned seed)
{
    int place = 0;
    while (place < SIZE) {
        int length = (int)(next_random(&seed) % 12u) + 3;
        int back = place > 200 && next_random(&seed) % 3u ? (int)(next_random(&seed) % 180u) + 15 : 0;
        for (int step = 0; step < length && place < SIZE; step++, place++)
            text[place] = back ? text[place - back] : (unsigned char)('a' + next_random(&seed) % 20u);
    }
}

int match_length(const unsigned char *text, int here, int there)
{
    int length = 0;
    while (here + length < SIZE && length < 32 && text[here + length] == text[there + length])
        length++;
    return length;
}

int longest(const unsigned char *text, int place, int *distance)
{
    int best = 0;
    for (int back = 1; back <= WINDOW && back <= place; back++) {
        int length = text[place] == text[place - back] ? match_length(text, place, place - back) : 0;
        if (length > best) {
            best = length;
            *distance = back;
        }
    }
    return best;
}

int matched(const unsigned char *text, unsigned char *packed)
{
    int place = 0, size = 0;
    while (place < SIZE) {
        int distance = 0, length = longest(text, place, &distance);
        if (length >= 4) {
            packed[size++] = (unsigned char)(128 + length);
            packed[size++] = (unsigned char)distance;
            place += length;
        } else {
            packed[size++] = text[place++];
        }
    }
    return size;
}

void count_symbols(const unsigned char *packed, int size, int *counts)
{
    memset(counts, 0, SYMBOLS * sizeof *counts);
    for (int place = 0; place < size; place++)
        counts[packed[place]]++;
}

void code_lengths(const int *counts, int *lengths)
{
    int weights[2 * SYMBOLS], parents[2 * SYMBOLS], nodes = SYMBOLS, left = 0;
    for (int symbol = 0; symbol < SYMBOLS; symbol++) {
        weights[symbol] = counts[symbol];
        parents[symbol] = 0;
        left += counts[symbol] > 0;
    }
    while (left > 1) {
        int first = -1, second = -1;
        for (int node = 0; node < nodes; node++) {
            if (!weights[node] || parents[node])
                continue;
            if (first < 0 || weights[node] < weights[first]) {
                second = first;
                first = node;
            } else if (second < 0 || weights[node] < weights[second]) {
                second = node;
            }
        }
        weights[nodes] = weights[first] + weights[second];
        parents[nodes] = 0;
        parents[first] = parents[second] = nodes++;
        left--;
    }
    for (int symbol = 0; symbol < SYMBOLS; symbol++) {
        lengths[symbol] = 0;
        for (int node = symbol; counts[symbol] && parents[node]; node = parents[node])
            lengths[symbol]++;
    }
}

long coded_bits(const unsigned char *packed, int size, const int *lengths)
{
    long bits = 0;
    for (int pass = 0; pass < 6; pass++)
        for (int place = 0; place < size; place++)
            bits += lengths[packed[place]];
    return bits / 6;
}

int unpacked(const unsigned char *packed, int size, unsigned char *text)
{
    int filled = 0;
    for (int place = 0; place < size; place++) {
        if (packed[place] < 128) {
            text[filled++] = packed[place];
            continue;
        }
        int length = packed[place] - 128, distance = packed[++place];
        for (int step = 0; step < length; step++, filled++)
            text[filled] = text[filled - distance];
    }
    return filled;
}

unsigned crc(const unsigned char *text, int size)
{
    unsigned state = 0xffffffffu;
    for (int place = 0; place < size; place++) {
        state ^= text[place];
        for (int bit = 0; bit < 8; bit++)
            state = state & 1u ? (state >> 1) ^ 0xedb88320u : state >> 1;
    }
    return ~state;
}

int differing(const unsigned char *left, const unsigned char *right)
{
    int count = 0;
    for (int pass = 0; pass < 6; pass++)
        for (int place = 0; place < SIZE; place++)
            count += left[place] != right[place];
    return count;
}

unsigned pack(unsigned seed)
{
    static unsigned char text[SIZE], packed[2 * SIZE], again[SIZE + 64];
    int counts[SYMBOLS], lengths[SYMBOLS];
    fill(text, seed);
    int size = matched(text, packed);
    count_symbols(packed, size, counts);
    code_lengths(counts, lengths);
    long bits = coded_bits(packed, size, lengths);
    unpacked(packed, size, again);
    return crc(again, SIZE) + (unsigned)bits + (unsigned)differing(text, again);
}

int main(int count, char **arguments)
{
    int rounds = count > 1 ? atoi(arguments[1]) : 1;
    unsigned state = 0;
    for (int number = 0; number < rounds; number++)
        state = state * 31u + pack((unsigned)number + 1u);
    printf("%u %ld\n", state, sink);
    return 0;
}
