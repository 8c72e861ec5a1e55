// Writes rows as text and reads them again. The two constants are the work of `parity` and of `distance`.
#include <iostream>
#include <sstream>
#include <string>
#include <unordered_map>

constexpr int PARITY = 1000, DISTANCE = 1000, ROWS = 16000;

[[gnu::noinline]] static unsigned parity(unsigned value) {
    unsigned found = 0;
    for (int at = 0; at < PARITY / 4; at++)
        found ^= (value >> (at % 30)) & 1;
    return found;
}

[[gnu::noinline]] static unsigned distance(unsigned one, unsigned two) {
    unsigned found = 0;
    for (int at = 0; at < DISTANCE / 4; at++)
        found += (found ^ (one + at)) % 97 > two % 89;
    return found;
}

int main() {
    std::ostringstream out;
    for (int row = 0; row < ROWS; row++)
        out << "row" << row << ' ' << row * 0.5 << ' ' << row * 7919 % 1009 << '\n';
    std::istringstream in(out.str());
    std::unordered_map<std::string, double> sums;
    std::string name;
    double half;
    unsigned number, found = 0;
    while (in >> name >> half >> number) {
        sums[name.substr(0, 5)] += half;
        found += parity(number) + distance(number, found);
    }
    std::cout << sums.size() << ' ' << found << '\n';
}
