import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { differenceOf, type LineDifference } from '../../api/text-difference.ts';

/** The text of one side. */
const sideOf = (lines: readonly LineDifference[], side: 'removed' | 'added'): string[] =>
  lines
    .filter(({ kind }) => kind === 'same' || kind === 'changed' || kind === side)
    .map(({ parts }) =>
      parts
        .filter(({ kind }) => kind === 'same' || kind === side)
        .map(({ text }) => text)
        .join(''),
    );

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');

describe('the difference of two texts', () => {
  test('names the words of a line that have changed', () => {
    expect(differenceOf('One\nIt costs 5 dollars now', 'One\nIt costs 7 dollars now')).toEqual([
      { kind: 'same', parts: [{ kind: 'same', text: 'One' }] },
      {
        kind: 'changed',
        parts: [
          { kind: 'same', text: 'It costs ' },
          { kind: 'removed', text: '5' },
          { kind: 'added', text: '7' },
          { kind: 'same', text: ' dollars now' },
        ],
      },
    ]);
  });

  test('lines that are alike in nothing are removed and added', () => {
    expect(differenceOf('a b c', 'x y z').map(({ kind }) => kind)).toEqual(['removed', 'added']);
  });

  test('new lines do not change those below them', () => {
    const kinds = differenceOf('one\ntwo\nthree', 'one\nnew\ntwo\nthree').map(({ kind }) => kind);
    expect(kinds).toEqual(['same', 'added', 'same', 'same']);
  });

  test('both texts can be read from it, whatever they are', () => {
    const line = fc.array(fc.constantFrom('a', 'b', 'the', '', ' ', 'ß', '.', '\u202e'), { maxLength: 6 });
    const text = fc
      .array(
        line.map((words) => words.join(' ')),
        { maxLength: 12 },
      )
      .map((all) => all.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = differenceOf(before, after);
        expect(sideOf(lines, 'removed')).toEqual(linesOf(before));
        expect(sideOf(lines, 'added')).toEqual(linesOf(after));
      }),
    );
  });

  test('very long texts without a line in common end in their time', () => {
    const text = (word: string) => Array.from({ length: 100_000 }, (_, i) => `${word} ${i}`).join('\n');
    expect(differenceOf(text('a'), text('b')).length).toBe(100_000);
    const line = (word: string) => Array.from({ length: 200_000 }, (_, i) => `${word}${i}`).join(' ');
    expect(differenceOf(line('a'), line('b')).map(({ kind }) => kind)).toEqual(['removed', 'added']);
  });
});
