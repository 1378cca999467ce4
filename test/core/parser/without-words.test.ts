import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutWords } from '../../../shared/core/parser/without-words.ts';

function rest(words: readonly string[], ...pieces: string[]): string {
  let all = '';
  const sink = withoutWords(new Set(words), {
    add(text, from, to) {
      all += text.slice(from, to);
    },
    endRun() {
      all += '|';
    },
  });
  for (const piece of pieces) sink.add(`<${piece}>`, 1, 1 + piece.length);
  sink.endRun();
  return all;
}

test('leaves out whole words, in any case, of any script', () => {
  expect(rest(['red', 'lamp', '\u00e9t\u00e9'], 'A Red, lamp; redder lamps in \u00c9T\u00c9.')).toBe(
    'A , ; redder lamps in .|',
  );
});

test('finds a word that is cut, and none beyond the end of a run', () => {
  expect(rest(['red'], 'a r', 'e', 'd b')).toBe('a  b|');
  expect(rest(['red'], 're', 'dder')).toBe('redder|');
});

test('pieces make the same as the whole', () => {
  const piece = fc.string({ unit: fc.constantFrom('r', 'e', 'd', ' ', '-', 'x') });
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      expect(rest(['red', 'x'], ...pieces)).toBe(rest(['red', 'x'], pieces.join('')));
    }),
  );
});

test('a word without an end keeps nothing for long', () => {
  const long = 'a'.repeat(100_000);
  expect(rest(['red'], ...long.match(/.{1,1000}/g)!).length).toBe(long.length + 1);
});
