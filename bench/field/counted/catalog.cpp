// Indexes titles by their words. The two constants are the work of `score` and of `folded`.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

constexpr int SCORE = 1000, FOLDED = 1000, TITLES = 9000;

[[gnu::noinline]] static unsigned score(const std::string &word) {
    unsigned found = 7;
    for (int at = 0; at < SCORE / 10; at++)
        found = found * 33 + static_cast<unsigned char>(word[at % 2]);
    return found;
}

[[gnu::noinline]] static unsigned folded(unsigned value) {
    for (int at = 0; at < FOLDED / 10; at++)
        value ^= value << 13, value ^= value >> 17, value ^= value << 5;
    return value;
}

static std::string title_of(unsigned seed) {
    static const char *const words[] = {"river", "mountain", "observatory", "lighthouse", "ox", "correspondence"};
    std::string found;
    for (int at = 0; at < 5; at++, seed = seed * 1664525u + 1013904223u)
        found += std::string(words[(seed >> 16) % 6]) + std::to_string(seed % 40) + " ";
    return found;
}

int main() {
    std::map<std::string, std::vector<int>> index;
    unsigned sum = 1;
    for (int number = 0; number < TITLES; number++) {
        const std::string title = title_of(static_cast<unsigned>(number) * 2654435761u);
        for (std::size_t at = 0, end; (end = title.find(' ', at)) != std::string::npos; at = end + 1) {
            const std::string word = title.substr(at, end - at);
            index[word].push_back(number);
            sum = folded(sum + score(word));
        }
    }
    std::size_t longest = 0;
    for (const auto &entry : index)
        longest = std::max(longest, entry.second.size());
    std::printf("%zu %zu %u\n", index.size(), longest, sum);
}
