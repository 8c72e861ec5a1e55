// Package orders prints orders as a table, as command-line tools do.
package orders

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

func Widths(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for column, text := range row {
			if width := runewidth.StringWidth(text); width > widths[column] {
				widths[column] = width
			}
		}
	}
	return widths
}

func Render(rows [][]string) string {
	widths := Widths(rows)
	var table strings.Builder
	for _, row := range rows {
		for column, text := range row {
			table.WriteString(strings.ToUpper(text[:1]))
			table.WriteString(runewidth.FillRight(text[1:], widths[column]))
			table.WriteString(" | ")
		}
		table.WriteByte('\n')
	}
	return table.String()
}
