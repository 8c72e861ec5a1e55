/* The native part of extension.py. The two constants are the work of `levels` and of `edges`. */
enum { LEVELS = 1000, EDGES = 1000 };

unsigned levels(const unsigned char *bytes, int size) {
    unsigned found = 0;
    for (int step = 0; step < LEVELS * 1000; step++)
        found += bytes[step % size] >> (step & 3);
    return found;
}

unsigned edges(const unsigned char *bytes, int size) {
    unsigned found = 0;
    for (int step = 1; step < EDGES * 1000; step++)
        found += bytes[step % size] > bytes[(step - 1) % size];
    return found;
}
