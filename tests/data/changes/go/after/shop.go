package shop

import "sort"

type Item struct {
	Name  string
	Price int
}

type Cart struct{ items []Item }

// Value is the sum.
func (c Cart) Value() int {
	sum := 0
	for _, item := range c.items { // each
		sum += item.Price
	}

	return sum
}

func (c *Cart) Add(item Item) {
	c.items = append([]Item{item}, c.items...)
}

func Ranked(items []Item) []Item {
	sort.Slice(items, func(a, b int) bool {
		return items[a].Price > items[b].Price
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
