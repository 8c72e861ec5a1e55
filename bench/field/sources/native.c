/* Orders in native code: hashing, sorting, matrices and text; recorded by callgrind and by perf. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORDERS 400
#define SIDE 24

struct order {
    int number;
    int customer;
    double value;
    char text[48];
};

volatile long sink;

unsigned next_random(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 8) & 0xffffu;
}

void generate(struct order *orders, unsigned seed)
{
    for (int place = 0; place < ORDERS; place++) {
        orders[place].number = place;
        orders[place].customer = (int)(next_random(&seed) % 97u);
        orders[place].value = next_random(&seed) / 100.0;
        for (int letter = 0; letter < 47; letter++)
            orders[place].text[letter] = (char)('a' + next_random(&seed) % 26u);
        orders[place].text[47] = 0;
    }
}

unsigned checksum(const char *text)
{
    unsigned state = 7;
    for (int pass = 0; pass < 2; pass++)
        for (const char *place = text; *place; place++)
            state = state * 33u + (unsigned)*place;
    return state;
}

int count_vowels(const char *text)
{
    int count = 0;
    for (const char *place = text; *place; place++)
        if (strchr("aeiou", *place))
            count++;
    return count;
}

int by_value(const void *left, const void *right)
{
    const struct order *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->number - b->number;
}

void sort_orders(struct order *orders)
{
    qsort(orders, ORDERS, sizeof *orders, by_value);
}

double smooth(double *values, int count)
{
    double power = 0.0, last = 0.0;
    for (int pass = 0; pass < 8; pass++)
        for (int place = 0; place < count; place++)
            power += values[place] * values[place] * 1e-9;
    for (int place = 2; place < count - 2; place++) {
        last = (values[place - 2] + values[place - 1] + values[place] + values[place + 1] + values[place + 2]) / 5.0;
        values[place] = last;
    }
    return last + power * 1e-12;
}

double filtered(double *values, int count)
{
    double first = smooth(values, count);
    return first + smooth(values, count);
}

void multiply(double left[SIDE][SIDE], double right[SIDE][SIDE], double product[SIDE][SIDE])
{
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++) {
            double sum = 0.0;
            for (int place = 0; place < SIDE; place++)
                sum += left[row][place] * right[place][column];
            product[row][column] = sum;
        }
}

int sieve(int limit)
{
    static char composite[6000];
    int count = 0;
    memset(composite, 0, sizeof composite);
    for (int number = 2; number < limit; number++) {
        if (composite[number])
            continue;
        count++;
        for (int multiple = number * 2; multiple < limit; multiple += number)
            composite[multiple] = 1;
    }
    return count;
}

unsigned digest(struct order *orders)
{
    unsigned state = 17;
    for (int place = 0; place < ORDERS; place++)
        state = state * 31u + checksum(orders[place].text) + (unsigned)count_vowels(orders[place].text);
    return state;
}

unsigned batch(unsigned seed)
{
    static struct order orders[ORDERS];
    static double left[SIDE][SIDE], right[SIDE][SIDE], product[SIDE][SIDE], values[ORDERS];
    generate(orders, seed);
    unsigned state = digest(orders);
    sort_orders(orders);
    for (int place = 0; place < ORDERS; place++)
        values[place] = orders[place].value;
    double last = filtered(values, ORDERS);
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++) {
            left[row][column] = orders[(row * SIDE + column) % ORDERS].value;
            right[row][column] = left[row][column] * 0.5;
        }
    multiply(left, right, product);
    return state + (unsigned)sieve(5000) + (unsigned)last + (unsigned)product[3][5];
}

int main(int count, char **arguments)
{
    int rounds = count > 1 ? atoi(arguments[1]) : 1;
    unsigned state = 0;
    for (int number = 0; number < rounds; number++)
        state = state * 31u + batch((unsigned)number + 1u);
    printf("%u %ld\n", state, sink);
    return 0;
}
