import { beforeAll, describe, expect, it as works, vi } from 'vitest';
let n; beforeAll(() => { n = 14; });
describe('all', () => { works.each([[14], [13]])('a %i', (m) => { expect(sum(m)).toBe(0); }); });
works('b', async () => { await expect(Promise.resolve(sum(n))).resolves.not.toEqual(0); }, 99);
describe.skip('none', () => { works('x', () => {}); });
