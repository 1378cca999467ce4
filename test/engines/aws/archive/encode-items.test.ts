/** Items that become a table: pauses in between, which may say that the time is up. */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { encodeItems } from '../../../../shared/engines/aws/archive/encode-items.ts';

const objectOf = (lines: number) =>
  gzipSync(Array.from({ length: lines }, (_, n) => (n % 2 === 0 ? `{"n":${n}}\n` : 'no JSON\n')).join(''));

/** How many lines were named as skipped when each step was made; and those named until the end. */
async function encoded(lines: number, endsAt = Number.POSITIVE_INFINITY) {
  const atSteps: number[] = [];
  let skipped = 0;
  const work = encodeItems([objectOf(lines)], {
    async step() {
      atSteps.push(skipped);
      if (atSteps.length === endsAt) throw new Error('time is up');
    },
    skip: () => void skipped++,
  });
  const error = await work.then(
    () => undefined,
    ({ message }) => message,
  );
  return { atSteps, skipped, error };
}

test('a step comes before each 1,000 lines, the first of them too', async () => {
  const { atSteps, error } = await encoded(2001);
  expect(error).toBeUndefined();
  expect(atSteps.slice(0, 3)).toEqual([0, 500, 1000]);
});

test('nothing more is read once a step has failed', async () => {
  expect(await encoded(2001, 1)).toEqual({ atSteps: [0], skipped: 0, error: 'time is up' });
  expect(await encoded(2001, 2)).toEqual({ atSteps: [0, 500], skipped: 500, error: 'time is up' });
});
