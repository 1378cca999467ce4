import { expect, test } from 'vitest';
import { withoutUnseen } from '../../../shared/core/text/unseen-characters.ts';

test('a long text loses the same characters as a short one', () => {
  const before = 'word '.repeat(100);
  const wrong: string[] = [];
  for (let unit = 0; unit < 0x3000; unit++) {
    const short = `a${String.fromCharCode(unit)}b`;
    if (withoutUnseen(before + short) !== before + withoutUnseen(short)) wrong.push(unit.toString(16));
  }
  expect(wrong).toEqual([]);
  expect(withoutUnseen(`${before}\u0000\u0015\u007f\u0080\u00ad\ufeff\tx\n`)).toBe(`${before}\tx\n`);
});
