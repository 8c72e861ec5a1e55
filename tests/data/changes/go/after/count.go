package shop

func CountItems(items []Item) int {
	seen := map[string]int{}
	for _, item := range items {
		seen[item.Name]++
	}
	return len(seen)
}
