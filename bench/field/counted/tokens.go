// Splits a text into tokens. The two constants are the work of classOf and of widthOf.
package main

import (
	"fmt"
	"sort"
	"strings"
)

const class, width, lines = 1000, 1000, 9000

//go:noinline
func classOf(token string) uint32 {
	found := uint32(3)
	for at := 0; at < class/10; at++ {
		found = found*37 + uint32(token[at%2])
	}
	return found
}

//go:noinline
func widthOf(value uint32) uint32 {
	for at := 0; at < width/10; at++ {
		value ^= value<<7 | value>>9
	}
	return value
}

func main() {
	var text strings.Builder
	for line := 0; line < lines; line++ {
		fmt.Fprintf(&text, "let name%d = call%d(%d) ;\n", line%300, line%70, line*31%977)
	}
	counts := map[string]int{}
	sum := uint32(0)
	for _, token := range strings.Fields(text.String()) {
		counts[token+" "]++
		sum = widthOf(sum + classOf(token+" "))
	}
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Println(len(strings.Join(names, "")), sum)
}
