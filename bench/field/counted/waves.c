/* Adds waves and filters them. The two constants are the work of `smoothed` and of `peak`. */
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SMOOTHED = 1000, PEAK = 1000, POINTS = 8000, ROUNDS = 16 };

static double wave[POINTS], other[POINTS];

__attribute__((noinline)) static void added(double frequency) {
    for (int at = 0; at < POINTS; at++)
        wave[at] += sin(frequency * at) + exp(-at / 500.0) + pow(1.0 + at * 1e-4, 0.3);
}

__attribute__((noinline)) static void smoothed(void) {
    memmove(other, wave, sizeof wave);
    for (int step = 0; step < SMOOTHED * 100; step++) {
        int at = 1 + step % (POINTS - 2);
        wave[at] += (other[at - 1] - 2.0 * other[at] + other[at + 1]) * 0.01;
    }
}

__attribute__((noinline)) static double peak(void) {
    double found = 0.0;
    for (int step = 0; step < PEAK * 100; step++)
        found = wave[step % POINTS] > found ? wave[step % POINTS] : found;
    return found;
}

int main(void) {
    double sum = 0.0;
    for (int round = 1; round <= ROUNDS; round++) {
        added(0.01 * round);
        smoothed();
        sum += peak();
    }
    printf("%.3f\n", sum);
    return 0;
}
