beforeEach(() => { globalThis.n = 14; });
describe('all', () => { it.each([[1], [2]])('a %i', (m) => { expect(sum(n + m)).toBe(jest.fn()); }); });
test('b', (done) => { sum(n); setImmediate(done); });
test.skip('x', () => {});
