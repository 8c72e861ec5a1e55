/* The loops that take most of the time of large files: lines of folded stacks, fields and varints of protobuf, call trees.
 *
 * All answer as the Python they stand in for, which tests hold, and stop where that would do anything unusual. Input
 * is hostile: nothing is read outside the bytes given, and hashes are seeded, so that nobody can choose names that
 * collide. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIGITS 18
#define MAX_DEPTH 65535
#define SECOND_NUMBER 24 /* bytes at the end of a stack in which a second number is looked for */
#define MAX_VARINT 10
#define LENGTH 2 /* the wire type of a field of any length; that of a varint is 0 */
#define SAMPLE_LOCATION 1
#define SAMPLE_VALUE 2
#define MAX_LOOSE 64 /* bytes of locations that are not packed: Go's runtime packs more than two */

#ifndef SOURCE_SUM
#define SOURCE_SUM 0
#endif
const uint32_t profgate_source = SOURCE_SUM; /* CRC-32 of this file, by which a library of older code is recognised */

enum status { DONE, ODD_LINE, TOO_DEEP, NO_MEMORY };

/* The first members are known to Python, in this order. */
typedef struct {
    int64_t stacks, frames, names, path_size, depth, lines, two_numbers, status;
    int32_t *frame;   /* numbers of the frames that a stack does not share with the one before, stack by stack */
    int32_t *shared;  /* by stack: how many it shares */
    int32_t *fresh;   /* by stack: how many it does not */
    int64_t *value;   /* by stack */
    uint8_t *text;    /* all names, each followed by a line break */
    int64_t *start;   /* by name: its first byte, and one more: the end of the last */
    uint8_t *path;    /* the stack before without its last frame, a semicolon after each frame */
    /* The rest is C's own. */
    int64_t *path_end; /* by depth: where the path of that many frames ends */
    uint64_t *hash;    /* by name */
    int64_t *table;    /* numbers of names at the places of their hashes, or the next free one; -1 = free */
    int64_t stack_room, frame_room, name_room, text_room, path_room, depth_room, table_room;
    uint64_t seed;
} scan_t;

static int grow(void *buffer, int64_t *room, int64_t wanted, size_t size) {
    int64_t next = *room < 1024 ? 1024 : *room;
    void *before, *after;
    if (wanted <= *room) return 1;
    while (next < wanted) next *= 2; /* what is wanted follows the size of the input, far below 2^62 */
    memcpy(&before, buffer, sizeof before);
    after = realloc(before, (size_t)next * size);
    if (!after) return 0;
    memcpy(buffer, &after, sizeof after);
    *room = next;
    return 1;
}

/* Several columns of one table: all have room, or one of them has more than is said. */
static int grow_stacks(scan_t *scan) {
    int64_t rooms[3] = {scan->stack_room, scan->stack_room, scan->stack_room};
    int64_t wanted = scan->stacks + 1;
    if (wanted <= scan->stack_room) return 1;
    if (!grow(&scan->shared, &rooms[0], wanted, sizeof *scan->shared)) return 0;
    if (!grow(&scan->fresh, &rooms[1], wanted, sizeof *scan->fresh)) return 0;
    if (!grow(&scan->value, &rooms[2], wanted, sizeof *scan->value)) return 0;
    scan->stack_room = rooms[0];
    return 1;
}

static int grow_names(scan_t *scan) {
    int64_t rooms[2] = {scan->name_room, scan->name_room};
    int64_t wanted = scan->names + 2;
    if (wanted <= scan->name_room) return 1;
    if (!grow(&scan->start, &rooms[0], wanted, sizeof *scan->start)) return 0;
    if (!grow(&scan->hash, &rooms[1], wanted, sizeof *scan->hash)) return 0;
    scan->name_room = rooms[0];
    return 1;
}

static uint64_t mixed(uint64_t a, uint64_t b) {
    a ^= b;
    a ^= a >> 32;
    a *= 0xD6E8FEB86659FD93u;
    a ^= a >> 32;
    a *= 0xD6E8FEB86659FD93u;
    return a ^ a >> 32;
}

static uint64_t hash_of(const uint8_t *name, int64_t size, uint64_t seed) {
    uint64_t hash = seed ^ (uint64_t)size, word;
    for (; size >= 8; name += 8, size -= 8) {
        memcpy(&word, name, 8);
        hash = mixed(hash, word) + seed;
    }
    word = 0;
    memcpy(&word, name, (size_t)size);
    return mixed(hash, word);
}

static int make_table(scan_t *scan, int64_t room) {
    int64_t *table = malloc((size_t)room * sizeof *table);
    if (!table) return 0;
    for (int64_t place = 0; place < room; place++) table[place] = -1;
    for (int64_t name = 0; name < scan->names; name++) {
        uint64_t place = scan->hash[name] & (uint64_t)(room - 1);
        while (table[place] >= 0) place = (place + 1) & (uint64_t)(room - 1);
        table[place] = name;
    }
    free(scan->table);
    scan->table = table;
    scan->table_room = room;
    return 1;
}

/* The number of a name, which it gets when it is met first; -1 without memory. */
static int64_t number_of(scan_t *scan, const uint8_t *name, int64_t size) {
    uint64_t hash = hash_of(name, size, scan->seed), mask = (uint64_t)(scan->table_room - 1), place = hash & mask;
    int64_t known, number = scan->names;
    for (; (known = scan->table[place]) >= 0; place = (place + 1) & mask)
        if (scan->hash[known] == hash && scan->start[known + 1] - scan->start[known] == size + 1 &&
            memcmp(scan->text + scan->start[known], name, (size_t)size) == 0)
            return known;
    if (number >= INT32_MAX || !grow_names(scan)) return -1;
    if (!grow(&scan->text, &scan->text_room, scan->start[number] + size + 1, 1)) return -1;
    memcpy(scan->text + scan->start[number], name, (size_t)size);
    scan->text[scan->start[number] + size] = '\n';
    scan->start[number + 1] = scan->start[number] + size + 1;
    scan->hash[number] = hash;
    scan->table[place] = number;
    scan->names++;
    if (2 * scan->names > scan->table_room && !make_table(scan, 2 * scan->table_room)) return -1;
    return number;
}

void profgate_scan_free(scan_t *scan) {
    if (!scan) return;
    free(scan->frame), free(scan->shared), free(scan->fresh), free(scan->value), free(scan->text), free(scan->start);
    free(scan->path), free(scan->path_end), free(scan->hash), free(scan->table), free(scan);
}

scan_t *profgate_scan_new(uint64_t seed) {
    scan_t *scan = calloc(1, sizeof *scan);
    if (!scan) return NULL;
    scan->seed = seed;
    if (grow_names(scan) && grow(&scan->path, &scan->path_room, 1, 1) && grow(&scan->text, &scan->text_room, 1, 1) &&
        grow(&scan->path_end, &scan->depth_room, 1, sizeof *scan->path_end) && make_table(scan, 1024)) {
        scan->start[0] = scan->path_end[0] = 0;
        return scan;
    }
    profgate_scan_free(scan);
    return NULL;
}

/* What was made is taken: the stacks begin anew, the names and the path stay. */
void profgate_scan_taken(scan_t *scan) { scan->stacks = scan->frames = scan->lines = scan->two_numbers = 0; }

int64_t profgate_scan_name(scan_t *scan, const uint8_t *name, int64_t size) { return number_of(scan, name, size); }

/* Lengthens the path by text that ends in a semicolon. */
static int follow(scan_t *scan, const uint8_t *text, int64_t size) {
    if (!grow(&scan->path, &scan->path_room, scan->path_size + size, 1)) return 0;
    memcpy(scan->path + scan->path_size, text, (size_t)size);
    for (int64_t place = 0; place < size; place++) {
        if (text[place] != ';') continue;
        if (!grow(&scan->path_end, &scan->depth_room, scan->depth + 2, sizeof *scan->path_end)) return 0;
        scan->path_end[++scan->depth] = scan->path_size + place + 1;
    }
    scan->path_size += size;
    return 1;
}

/* Puts the path of the stack before; 0 without memory. */
int64_t profgate_scan_follow(scan_t *scan, const uint8_t *path, int64_t size) {
    scan->path_size = scan->depth = 0;
    return follow(scan, path, size);
}

/* Cuts the path to the whole frames that a line shares with it. */
static void share(scan_t *scan, const uint8_t *line, int64_t size) {
    int64_t most = size < scan->path_size ? size : scan->path_size, same = 0;
    while (same + 8 <= most && memcmp(line + same, scan->path + same, 8) == 0) same += 8;
    while (same < most && line[same] == scan->path[same]) same++;
    while (scan->path_end[scan->depth] > same) scan->depth--;
    scan->path_size = scan->path_end[scan->depth];
}

static int is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }
static int is_blank(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

/* Whether text ends in a blank and a number, with a fraction or without. */
static int ends_in_number(const uint8_t *text, int64_t size) {
    int64_t first = size > SECOND_NUMBER ? size - SECOND_NUMBER : 0, place = size - 1, digits = place;
    while (place >= first && is_digit(text[place])) place--;
    if (place < first || place == digits) return 0;
    if (text[place] == '.') {
        digits = --place;
        while (place >= first && is_digit(text[place])) place--;
        if (place < first || place == digits) return 0;
    }
    return text[place] == ' ' || text[place] == '\t';
}

/* The weight at the end of a line's rest and, in `stack`, the bytes before it; 0 where the line is odd. */
static int64_t weight_of(const uint8_t *rest, int64_t size, int64_t *stack) {
    int64_t blank = size - 1, value = 0;
    while (blank >= 0 && is_digit(rest[blank])) blank--;
    if (blank <= 0 || rest[blank] != ' ' || size - 1 - blank >= MAX_DIGITS) return 0;
    if (rest[0] == ' ' || rest[0] == '#' || is_blank(rest[blank - 1])) return 0;
    for (int64_t place = blank + 1; place < size; place++) value = 10 * value + (rest[place] - '0');
    for (const uint8_t *at = rest; (at = memchr(at, ';', (size_t)(rest + blank - at))); at++)
        if (at + 1 < rest + blank && at[1] == ' ') return 0;
    *stack = blank;
    return value;
}

/* Reads lines of data, each with its end, from a place on; gives back the place of the first that was not read. */
int64_t profgate_scan_lines(scan_t *scan, const uint8_t *data, int64_t at, int64_t size) {
    while (at < size) {
        const uint8_t *line = data + at, *end, *rest, *frame, *stop;
        int64_t stack = 0, value, before = scan->frames, shared;
        scan->status = ODD_LINE;
        share(scan, line, size - at); /* the path has no line break, so the shared part is within the line */
        rest = frame = line + scan->path_size;
        end = memchr(rest, '\n', (size_t)(data + size - rest));
        if (!end) return at;
        value = weight_of(rest, end - rest, &stack);
        if (!value) return at;
        shared = scan->depth;
        scan->status = NO_MEMORY;
        if (!grow_stacks(scan)) return at;
        for (stop = frame; stop; frame = stop + 1) {
            int64_t number;
            stop = memchr(frame, ';', (size_t)(rest + stack - frame));
            number = number_of(scan, frame, (stop ? stop : rest + stack) - frame);
            if (number < 0 || !grow(&scan->frame, &scan->frame_room, scan->frames + 1, sizeof *scan->frame)) return at;
            scan->frame[scan->frames++] = (int32_t)number;
            if (!stop) break;
        }
        if (!follow(scan, rest, frame - rest)) return at;
        scan->status = TOO_DEEP;
        if (scan->depth >= MAX_DEPTH) return at;
        scan->shared[scan->stacks] = (int32_t)shared;
        scan->fresh[scan->stacks] = (int32_t)(scan->frames - before);
        scan->value[scan->stacks++] = value;
        scan->two_numbers += ends_in_number(rest, stack);
        scan->lines++;
        at = end + 1 - data;
    }
    scan->status = DONE;
    return at;
}

/* The varint at a place, which is moved behind it; 0 where it has no end or more than ten bytes. */
static int number_at(const uint8_t *data, int64_t *at, int64_t end, uint64_t *value) {
    *value = 0;
    for (int64_t bits = 0; *at < end && bits < 7 * MAX_VARINT; bits += 7) {
        uint64_t byte = data[(*at)++];
        *value |= (byte & 0x7F) << bits;
        if (byte < 0x80) return 1;
    }
    return 0;
}

/* Finds the locations of a sample as packed varints, of which loose ones are copied, and its values; 0 where anything is
 * unusual. */
static int split_sample(const uint8_t *data, int64_t at, int64_t end, uint8_t *loose, const uint8_t **list, int64_t *size,
                        int64_t types, int64_t *value, int64_t stride) {
    int64_t values = 0;
    *list = loose;
    *size = 0;
    while (at < end) {
        uint64_t tag = data[at++], number;
        int64_t begin = at;
        if (tag < 8 || tag >= 0x80 || (tag & 7 & ~LENGTH) || !number_at(data, &at, end, &number)) return 0;
        if (tag & LENGTH) {
            if (number > (uint64_t)(end - at)) return 0;
            begin = at;
            at += (int64_t)number;
        }
        if (tag >> 3 == SAMPLE_VALUE) {
            for (; begin < at; value[stride * values++] = (int64_t)number)
                if (values == types || !number_at(data, &begin, at, &number)) return 0;
        } else if (tag == (SAMPLE_LOCATION << 3 | LENGTH)) {
            if (*list != loose || *size) return 0;
            *list = data + begin;
            *size = at - begin;
        } else if (tag >> 3 == SAMPLE_LOCATION) {
            if (*list != loose || *size + at - begin > MAX_LOOSE) return 0;
            memcpy(loose + *size, data + begin, (size_t)(at - begin));
            *size += at - begin;
        }
    }
    return values == types;
}

typedef struct {
    int64_t row;           /* of a location */
    int64_t frames, bytes; /* of the path from the root down to it */
} step_t;

typedef struct {
    const uint8_t *list; /* the locations of a sample as packed varints, the leaf first */
    int64_t size, depth, room;
    step_t *step; /* by depth, the root first; step 0 is above all */
} path_t;

/* Follows a list of locations, and gives how many steps at its end are those of the list before; -1 where a varint is
 * damaged, a location is unknown, or without memory. */
static int64_t follow_list(path_t *path, const uint8_t *list, int64_t size, const int32_t *row_of, int64_t ids,
                           const int64_t *offset) {
    const uint8_t *end = list + size, *before = path->list + path->size;
    int64_t most = size < path->size ? size : path->size, same = 0, shared = path->depth, at = 0, rest;
    while (same + 8 <= most && memcmp(end - same - 8, before - same - 8, 8) == 0) same += 8;
    while (same < most && end[-same - 1] == before[-same - 1]) same++;
    while (path->step[shared].bytes > same ||
           (shared && path->step[shared].bytes == same && same < size && end[-same - 1] >= 0x80))
        shared--;
    path->depth = shared;
    for (rest = size - path->step[shared].bytes; at < rest;) {
        uint64_t id;
        int64_t begin = at;
        if (!number_at(list, &at, rest, &id) || id >= (uint64_t)ids || row_of[id] < 0) return -1;
        if (!grow(&path->step, &path->room, ++path->depth + 1, sizeof *path->step)) return -1;
        path->step[path->depth] = (step_t){row_of[id], 0, size - begin};
    }
    for (int64_t first = shared + 1, last = path->depth; first < last; first++, last--) {
        step_t moved = path->step[first];
        path->step[first] = path->step[last];
        path->step[last] = moved;
    }
    for (step_t *step = path->step + shared + 1; step <= path->step + path->depth; step++)
        step->frames = step[-1].frames + offset[step->row + 1] - offset[step->row];
    path->list = list;
    path->size = size;
    return shared;
}

/* The samples of pprof from the last to the first: by sample, its values and how many frames it does not share with the
 * one before; and the depth and number of these frames. Frames and their offsets are by row of a location, rows by id.
 * Gives how many frames; -1 without room, where paths have more frames than most, or where anything is unusual. */
int64_t profgate_samples(const uint8_t *data, int64_t size, int64_t samples, int64_t types, int64_t ids, int64_t most,
                         int64_t room, const int64_t *start, const int64_t *end, const int32_t *row_of,
                         const int64_t *offset, const int32_t *frame_of, int64_t *fresh, int64_t *value,
                         uint16_t *depth, int64_t *frame) {
    uint8_t loose[2][MAX_LOOSE];
    path_t path = {.list = data};
    int32_t *before = malloc((MAX_DEPTH + 1) * sizeof *before); /* the frames of the last path that has any */
    int64_t count = 0, length = 0, made = before && grow(&path.step, &path.room, 1, sizeof *path.step) ? 0 : -1;
    if (made == 0) path.step[0] = (step_t){0, 0, 0};
    for (int64_t sample = 0; made == 0 && sample < samples; sample++) {
        int64_t at = start[samples - 1 - sample], stop = end[samples - 1 - sample], bytes, shared = -1, frames = 0;
        const uint8_t *list;
        if (at >= 0 && stop <= size &&
            split_sample(data, at, stop, loose[sample % 2], &list, &bytes, types, value + sample, samples))
            shared = follow_list(&path, list, bytes, row_of, ids, offset);
        if (shared >= 0) frames = path.step[path.depth].frames;
        most -= frames;
        if (shared < 0 || frames > MAX_DEPTH || most < 0) {
            made = -1;
            break;
        }
        while (shared && path.step[shared].frames == frames) shared--; /* a sample has a frame of its own at its end */
        fresh[sample] = 0;
        for (int64_t deep = path.step[shared].frames; shared++ < path.depth;)
            for (int64_t row = path.step[shared].row, place = offset[row + 1]; place-- > offset[row]; deep++) {
                if (!fresh[sample] && deep < length && deep < frames - 1 && before[deep] == frame_of[place]) continue;
                before[deep] = frame_of[place];
                fresh[sample]++;
                if (count < room) depth[count] = (uint16_t)deep, frame[count] = frame_of[place];
                count++;
            }
        if (frames) length = frames;
    }
    free(path.step), free(before);
    return made < 0 || count > room ? -1 : count;
}

/* Fields in a row from a place on that have a known tag of one byte and a length of one or two bytes: the tag of each,
 * and the start and the end of its content, at most as many as there is room for. Gives how many. */
int64_t profgate_fields(const uint8_t *data, int64_t size, int64_t at, const uint8_t *known, int64_t *field, int64_t room) {
    int64_t count = 0;
    while (count < room && at < size - 3 && known[data[at]]) {
        int64_t length = data[at + 1], start = at + 2;
        if (length >= 0x80) {
            if (data[start] >= 0x80) break;
            length += ((int64_t)data[start++] << 7) - 0x80;
        }
        if (start + length > size) break;
        field[3 * count] = data[at];
        field[3 * count + 1] = start;
        field[3 * count++ + 2] = at = start + length;
    }
    return count;
}

/* A row of a call tree. */
typedef struct {
    int32_t up, symbol, depth;
    int32_t place;       /* in preorder */
    int32_t first, next; /* the first child and the next sibling, by symbol; -1 = none */
} row_t;

typedef struct {
    row_t *row;
    int32_t *table; /* rows at the places of their hashes, or the next free one; -1 = free */
    int64_t rows, room;
    uint64_t seed;
} tree_t;

static int32_t *filled(int64_t room, int32_t value) {
    int32_t *made = malloc((size_t)room * sizeof *made);
    for (int64_t place = 0; made && place < room; place++) made[place] = value;
    return made;
}

/* The place in the table of the row with this parent and symbol, or the free one for it. */
static int32_t *slot_of(const tree_t *tree, int32_t up, int32_t symbol) {
    uint64_t mask = (uint64_t)(tree->room - 1), place = mixed((uint64_t)up << 32 | (uint32_t)symbol, tree->seed) & mask;
    int32_t row;
    while ((row = tree->table[place]) >= 0 && (tree->row[row].up != up || tree->row[row].symbol != symbol))
        place = (place + 1) & mask;
    return tree->table + place;
}

static int widen(tree_t *tree) {
    int32_t *table = filled(2 * tree->room, -1);
    if (!table) return 0;
    free(tree->table);
    tree->table = table;
    tree->room *= 2;
    for (int32_t row = 1; row < tree->rows; row++) *slot_of(tree, tree->row[row].up, tree->row[row].symbol) = row;
    return 1;
}

/* Makes the rows of all events; 0 without memory, or where a depth or a symbol is out of range. */
static int make_rows(tree_t *tree, int32_t *path, const uint16_t *depth, const int64_t *symbol, int64_t events,
                     int64_t symbols, int64_t *row_of) {
    int64_t row = 0, deepest = 0;
    for (int64_t event = 0; event < events; event++) {
        int32_t up = path[depth[event]], own = (int32_t)symbol[event];
        if (depth[event] > deepest || symbol[event] < 0 || symbol[event] >= symbols) return 0;
        deepest = depth[event] + 1;
        row++; /* a second stream mostly has its rows in the order of the first */
        if (row >= tree->rows || tree->row[row].up != up || tree->row[row].symbol != own) {
            int32_t *slot = slot_of(tree, up, own);
            row = *slot;
            if (row < 0) {
                row = tree->rows++;
                *slot = (int32_t)row;
                tree->row[row] = (row_t){up, own, (int32_t)deepest, 0, -1, -1};
                if (2 * tree->rows > tree->room && !widen(tree)) return 0;
            }
        }
        row_of[event] = path[deepest] = (int32_t)row;
    }
    return 1;
}

/* Lists the children of each row by symbol, from the rows in the order of their symbols; 0 without memory. */
static int list_children(tree_t *tree, int64_t symbols) {
    int32_t *start = filled(symbols + 1, 0), *order = filled(tree->rows, 0);
    int made = start && order;
    for (int64_t row = 1; made && row < tree->rows; row++) start[tree->row[row].symbol + 1]++;
    for (int64_t symbol = 1; made && symbol <= symbols; symbol++) start[symbol] += start[symbol - 1];
    for (int64_t row = 1; made && row < tree->rows; row++) order[start[tree->row[row].symbol]++] = (int32_t)row;
    for (int64_t place = made ? tree->rows - 2 : -1; place >= 0; place--) {
        row_t *row = tree->row + order[place], *up = tree->row + row->up;
        row->next = up->first;
        up->first = order[place];
    }
    free(start), free(order);
    return made;
}

/* The tree of all paths in a stream, where an event is below the last one whose depth is less by one. Its rows are in
 * preorder, siblings by symbol, and columns have room for one of each event and the root. Gives how many rows; -1
 * without memory, or where the stream is damaged. */
int64_t profgate_merge(int64_t events, int64_t symbols, uint64_t seed, const uint16_t *depth, const int64_t *symbol,
                       int64_t *row_of, int32_t *parent, int32_t *name, int32_t *level, int64_t *end) {
    tree_t tree = {malloc(((size_t)events + 1) * sizeof *tree.row), filled(1024, -1), 1, 1024, seed};
    int32_t *path = filled(MAX_DEPTH + 2, 0), place = 0;
    int made = events < INT32_MAX && tree.row && tree.table && path;
    if (made) tree.row[0] = (row_t){-1, -1, 0, 0, -1, -1};
    made = made && make_rows(&tree, path, depth, symbol, events, symbols, row_of) && list_children(&tree, symbols);
    for (int32_t row = made ? 0 : -1; row >= 0;) {
        row_t *own = tree.row + row;
        parent[place] = row ? tree.row[own->up].place : -1;
        name[place] = own->symbol;
        level[place] = own->depth;
        own->place = place++;
        row = own->first;
        for (; row < 0 && own; own = own->up < 0 ? NULL : tree.row + own->up) {
            end[own->place] = place;
            row = own->next;
        }
    }
    for (int64_t event = 0; made && event < events; event++) row_of[event] = tree.row[row_of[event]].place;
    free(tree.row), free(tree.table), free(path);
    return made ? tree.rows : -1;
}
