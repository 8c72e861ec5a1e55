package shop

import "sort"

type Item struct {
	Name  string
	Price int
}

type Cart struct{ items []Item }

func (c *Cart) Add(item Item) {
	c.items = append(c.items, item)
}

func (c Cart) Value() int {
	sum := 0
	for _, item := range c.items {
		sum += item.Price
	}
	return sum
}

func CountAll(items []Item) int {
	seen := map[string]int{}
	for _, item := range items {
		seen[item.Name]++
	}
	return len(seen)
}

func Ranked(items []Item) []Item {
	sort.Slice(items, func(a, b int) bool {
		return items[a].Price < items[b].Price
	})
	return items
}

func Map[T any](items []Item, f func(Item) T) []T {
	var out []T
	for _, item := range items {
		out = append(out, f(item))
	}
	return out
}
