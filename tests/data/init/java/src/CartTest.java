class CartTest {
    double price;
    void setUp() { price = 2; }
    @Test void total() { if (java.util.stream.IntStream.range(0, 1000).sum() * price < 1) throw new AssertionError(); }
    @Test void fails() { throw new AssertionError(); }
    void other() {}
}
