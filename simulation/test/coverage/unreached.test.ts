/** The list of ranges that no world needs to reach, compared with the program. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findBlocks } from '../../coverage/blocks.ts';
import { coveredFiles } from '../../coverage/covered-files.ts';
import { fileKey, keyOf, readAccepted, UNREACHED_FILE } from '../../coverage/unreached.ts';
import { readSource } from '../../mutants/scope.ts';

/** `STRAND_GOLDEN=write` removes the others from the file. */
test('each range that may stay unreached is one of the program', () => {
  const names = new Set(
    coveredFiles().flatMap((file) => {
      const source = readSource(file);
      return [fileKey(file), ...findBlocks(source).map((block) => keyOf(source, block))];
    }),
  );
  const present = Object.entries(readAccepted()).map(([reason, of = []]) => [
    reason,
    of.filter((name) => names.has(name)),
  ]);
  if (process.env.STRAND_GOLDEN === 'write')
    writeFileSync(UNREACHED_FILE, `${JSON.stringify(Object.fromEntries(present), undefined, 2)}\n`);
  const accepted = Object.values(readAccepted()).flat();
  expect(accepted.filter((name) => !names.has(name))).toEqual([]);
});
