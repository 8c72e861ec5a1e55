const { describe, it } = require('mocha');
describe('all', function () {
  this.timeout(9);
  beforeEach(function () { this.n = 14; });
  it('a', function () { if (this.n !== 14) throw new Error(); sum(this.n); });
});
it('b', (done) => { sum(14); setImmediate(done); });
it('x', () => { throw new Error(); });
