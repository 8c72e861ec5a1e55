package shop

func BenchmarkSmall(b *testing.B) {
	for range b.N {
		parse(small)
	}
}

func BenchmarkLarge(b *testing.B) {
	for range b.N {
		parse(large)
	}
}
