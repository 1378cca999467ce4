/** The tool, with a few fixed mutants of the program: it keeps working, and worlds notice. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FaultName } from '../../models/faults.ts';
import { applyEdits } from '../../mutants/edit.ts';
import { type Mutant, mutantsOfAll } from '../../mutants/mutants.ts';
import { writeOverlay } from '../../mutants/overlay.ts';
import { refusalsOf } from '../../mutants/refusals.ts';
import { runWorlds } from '../../mutants/run-tests.ts';
import { mutatedFiles, readSource } from '../../mutants/scope.ts';
import type { WorldSpec } from '../../worlds/spec.ts';

const all = mutantsOfAll(mutatedFiles());

test('what the linter or the compiler refuses is known without a test', async () => {
  const find = (functionName: string, operator: string) =>
    all.find((mutant) => mutant.functionName === functionName && mutant.operator === operator) as Mutant;
  const unawaited = find('TurnCommit.run', 'drop-await');
  const ofAnotherType = find('isThrottleCode', 'argument-instead');
  // In another file than the others, so that all are checked at once.
  const allowed = find('runInLines', 'number');
  const refusals = await refusalsOf([unawaited, ofAnotherType, allowed], ['shared']);
  expect(refusals.get(unawaited)).toMatchObject({ by: 'lint', why: expect.stringContaining('Promise') });
  expect(refusals.get(ofAnotherType)).toMatchObject({ by: 'tsc', why: expect.stringContaining('TS2') });
  expect(refusals.size).toBe(2);
});

describe('worlds notice', () => {
  const FEW: readonly (readonly [what: string, functionName: string, operator: string, begins: string])[] = [
    ['a head that is written without its condition', 'HeadStore.#put', 'drop-property', '...condition'],
    ['a token that is not sent', 'TurnCommit.run', 'drop-statement', 'await this.#sendToken('],
    ['links that are not sent', 'TurnCommit.#sendLinks', 'drop-statement', 'await exchange.send('],
  ];
  // By these alone, a head written without its condition is noticed in one world of ten, by all faults in one of fifteen that take longer.
  const faults = [
    'receivedUnseen',
    'messageTwice',
    'workerFrozen',
    'callFailsAfter',
    'conditionAnswerLost',
  ] satisfies FaultName[];
  // They end with the first that notices. By seeds from some before the first that noticed it when this was written.
  const specs = Array.from({ length: 80 }, (_, i): WorldSpec => ({ seed: i + 24, faults }));

  test.each(FEW)(
    '%s',
    async (_, functionName, operator, begins) => {
      const mutant = all.find(
        ({ edits: [edit], ...one }) =>
          one.functionName === functionName &&
          one.operator === operator &&
          readSource(one.file).slice(edit?.start, edit?.end).startsWith(begins),
      );
      if (!mutant) throw new Error(`There is no mutant ${operator} of ${functionName} at ${begins}`);
      const folder = mkdtempSync(join(tmpdir(), 'strand-mutant-'));
      try {
        writeOverlay(folder, [[mutant.file, applyEdits(readSource(mutant.file), mutant.edits)]]);
        const { lines, end, err } = await runWorlds(folder, specs);
        expect(err).not.toContain('SyntaxError');
        expect(end === 'died' || lines.at(-1)?.broken.length).toBeTruthy();
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    300_000,
  );
});
