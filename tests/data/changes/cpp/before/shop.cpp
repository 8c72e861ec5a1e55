#include <map>
#include <string>
#include <vector>

namespace shop {

struct Item { std::string name; int price; };

class Cart {
 public:
  void add(const Item &item) { items_.push_back(item); }
  int value() const;
 private:
  std::vector<Item> items_;
};

int Cart::value() const {
  int sum = 0;
  for (const auto &item : items_) sum += item.price;
  return sum;
}

int count_all(const std::vector<Item> &items) {
  std::map<std::string, int> seen;
  for (const auto &item : items) ++seen[item.name];
  return static_cast<int>(seen.size());
}

template <class T>
T largest(const std::vector<T> &values) {
  T best{};
  for (const auto &value : values) best = value < best ? best : value;
  return best;
}

int area(int side) { return side * side; }
int area(int width, int height) { return width * height; }

bool operator<(const Item &a, const Item &b) { return a.price < b.price; }

}  // namespace shop
