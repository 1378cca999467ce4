import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeOwnText, encodeOwnText, ownText } from '../../../shared/core/alike/own-text.ts';
import { ALIKE, sharedText } from '../../../shared/core/alike/shared-text.ts';
import { blocksOf } from './blocks-of.ts';

const NOTHING = { has: () => false };
const textOf = (html: string) => ownText(blocksOf(html), NOTHING);
const paragraphs = (...blocks: readonly string[]) => textOf(blocks.map((text) => `<p>${text}</p>`).join(''));
const words = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => name + String.fromCharCode(97 + (n % 26), 97 + n / 26)).join(' ');

const word = fc.constantFrom('a', 'b', 'c', 'd');
const html = fc
  .array(fc.array(word, { minLength: 1, maxLength: 8 }), { maxLength: 6 })
  .map((blocks) => blocks.map((block) => `<p>${block.join(' ')}</p>`).join(''));

/** The same by its definition, of texts without equal blocks of their own: a table of all pairs of words. */
function byDefinition(a: string, b: string): number {
  const blocksIn = (text: string): string[] => text.match(/(?<=<p>)[^<]+/g) ?? [];
  const [blocksA, blocksB] = [blocksIn(a), blocksIn(b)];
  const wordsOf = (blocks: readonly string[]) => blocks.join(' ').split(' ').filter(Boolean);
  const equal = wordsOf(blocksA.filter((block) => blocksB.includes(block))).length;
  const x = wordsOf(blocksA.filter((block) => !blocksB.includes(block)));
  const y = wordsOf(blocksB.filter((block) => !blocksA.includes(block)));
  const table = Array.from({ length: x.length + 1 }, () => new Array<number>(y.length + 1).fill(0));
  for (let i = 0; i < x.length; i++)
    for (let j = 0; j < y.length; j++)
      table[i + 1]![j + 1] =
        x[i] === y[j] ? table[i]![j]! + 1 : Math.max(table[i]![j + 1]!, table[i + 1]![j]!);
  const most = Math.max(x.length, y.length);
  return most === 0 ? 1 : (equal + table[x.length]![y.length]! - 0.1 * most) / (equal + most);
}

test('equal texts share all, whatever the order of their paragraphs, their numbers and dates', () => {
  const [a, b] = [words('x', 40), words('y', 40)];
  expect(sharedText(paragraphs(a, b), paragraphs(b, a))).toBe(1);
  expect(sharedText(paragraphs(a, `${b} for 12.99`), paragraphs(a, `${b} for 7`))).toBe(1);
  expect(sharedText(paragraphs(a), paragraphs(b))).toBe(0);
});

test('a name that differs in few sentences is little; another paragraph is much', () => {
  const blocks = Array.from({ length: 10 }, (_, n) => `${words(`w${String.fromCharCode(97 + n)}`, 20)}`);
  const named = (name: string) => paragraphs(...blocks.map((text, n) => (n < 5 ? `${name} ${text}` : text)));
  expect(sharedText(named('hammer'), named('chisel'))).toBeGreaterThan(ALIKE);
  const other = paragraphs(...blocks.slice(0, 8), words('zz', 20), words('yy', 20));
  expect(sharedText(paragraphs(...blocks), other)).toBe(0);
  expect(sharedText(paragraphs(...blocks), other, 0.7)).toBeGreaterThan(0.7);
});

test('the words of the blocks that differ are compared in their order, by the table of all pairs', () => {
  fc.assert(
    fc.property(html, html, (a, b) => {
      const [x, y] = [textOf(a), textOf(b)];
      const found = sharedText(x, y, 0.01);
      if (new Set(x.blocks).size < x.blocks.length || new Set(y.blocks).size < y.blocks.length) return;
      const expected = byDefinition(a, b);
      const [few, many] = [x.words.length, y.words.length].sort((n, m) => n - m) as [number, number];
      expect(found).toBeCloseTo(expected < 0.01 || few < 0.01 * many ? 0 : expected, 9);
    }),
  );
});

test('it is the same both ways, 1 of a text and itself, and less than the least is 0', () => {
  fc.assert(
    fc.property(html, html, fc.double({ min: 0.05, max: 1, noNaN: true }), (a, b, least) => {
      const [x, y] = [textOf(a), textOf(b)];
      const found = sharedText(x, y, least);
      expect(sharedText(y, x, least)).toBe(found);
      expect(found === 0 || found >= least).toBe(true);
      expect(found).toBe(sharedText(x, y, 0.01) >= least ? sharedText(x, y, 0.01) : 0);
      expect(sharedText(x, x, least)).toBe(1);
    }),
  );
});

describe('whatever the texts are', () => {
  test('two long ones that differ everywhere are judged at once', () => {
    const long = (first: string) => {
      const all = Array.from(
        { length: 20_000 },
        (_, n) => (n % 9 === 0 ? first : 'x') + n.toString(36).replaceAll(/\d/g, 'z'),
      );
      return textOf(`<p>${all.join(' ')}`);
    };
    expect(sharedText(long('a'), long('b'), 0.7)).toBeGreaterThan(0);
  });

  test('what is stored is read again', () => {
    fc.assert(
      fc.property(html, (a) => {
        expect(decodeOwnText(encodeOwnText(textOf(a)))).toEqual(textOf(a));
      }),
    );
    const common = new Set(blocksOf('<p>a b').blocks);
    expect(ownText(blocksOf('<p>a b<p>c d e'), common).words).toHaveLength(3);
  });
});
