import { expect, it, type Mock } from 'vitest';
it('a', () => expect(sum(14)).toBe(expect.any(Number)));
it('b', () => { const n: number = 14; sum(n); });
