@Test class WholeTest {
    int prepared;
    @BeforeClass public void prepare() { prepared++; }
    public void once() { if (prepared != 1) throw new AssertionError(); }
    @Test(enabled = false) public void off() {}
    public int sum() { return prepared; }
    void other() {}
}
