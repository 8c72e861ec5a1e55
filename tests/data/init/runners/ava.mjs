import test from 'ava';
test.beforeEach((t) => { t.context.n = 14; });
test.serial('a', (t) => { if (t.context.n !== 14) throw new Error(); t.is(sum(14), 0); });
test('b', (t) => { t.throws(() => { sum(14); throw new Error(); }); });
test.failing('x', (t) => t.fail());
