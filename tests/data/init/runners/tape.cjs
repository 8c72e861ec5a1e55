const test = require('tape');
test('a', (t) => { t.plan(2); t.equal(sum(14), 0); setImmediate(() => t.pass()); });
test('b', { timeout: 9 }, (t) => { t.deepEqual(sum(14), {}); t.end(); });
test('x', (t) => { t.doesNotExist.thing(); t.missing[0](); throw new Error(); });
