import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeSorted } from '../../../shared/core/archive/merge-sorted.ts';

/**
 * The sorted texts in pieces. `state` counts the pieces that were read and says whether the source was
 * closed.
 */
function sourceOf(pieces: string[][], state = { asked: 0, isClosed: false }) {
  const iterate = async function* () {
    try {
      for (const piece of pieces) {
        state.asked++;
        yield piece;
      }
    } finally {
      state.isClosed = true;
    }
  };
  return { source: iterate(), state };
}

test('gives what sorting all at once would give, however the sources are cut', async () => {
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', ' ') });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(fc.array(texts))), async (lists) => {
      const sorted = lists.map((pieces) => {
        const order = pieces.flat().sort();
        return pieces.map((piece) => order.splice(0, piece.length));
      });
      const merged: string[] = [];
      for await (const text of mergeSorted(sorted.map((pieces) => sourceOf(pieces).source)))
        merged.push(text);
      expect(merged).toEqual(lists.flat(2).sort());
    }),
  );
});

test('asks a source for more only when what it gave is given out, and closes all of them when left', async () => {
  const a = sourceOf([['a', 'c'], ['d']]);
  const b = sourceOf([['b'], ['e']]);
  const seen: string[] = [];
  for await (const text of mergeSorted([a.source, b.source])) {
    seen.push(text);
    if (text === 'b') {
      expect([a.state.asked, b.state.asked]).toEqual([1, 1]);
      break;
    }
  }
  expect(seen).toEqual(['a', 'b']);
  expect([a.state.isClosed, b.state.isClosed]).toEqual([true, true]);
});

test('fails as a source fails, and closes the others', async () => {
  const whole = sourceOf([['a'], ['b']]);
  async function* broken() {
    yield ['a'];
    throw new Error('disk');
  }
  const merged = mergeSorted([whole.source, broken()]);
  await expect(async () => {
    for await (const _ of merged);
  }).rejects.toThrow('disk');
  expect(whole.state.isClosed).toBe(true);
});
