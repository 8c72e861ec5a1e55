package orders

import (
	"fmt"
	"testing"
)

func BenchmarkRender(b *testing.B) {
	rows := make([][]string, 200)
	for i := range rows {
		rows[i] = []string{fmt.Sprintf("customer %d", i*7919%1000), "crème brûlée", "日本語の注文", fmt.Sprint(i * 31)}
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		Render(rows)
	}
}
