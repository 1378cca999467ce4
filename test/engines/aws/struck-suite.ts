/** The tests of operations of the engine `aws`, each struck at every one of its calls. */
import { describe, expect, test } from 'vitest';
import { type Golden, textOf, withoutSizes } from '../../golden.ts';
import { carryOut, FAULT_KINDS, type Operation, type Outcome } from './struck-calls.ts';

export const operation = <P>(one: Operation<P>): Operation<never> => one as unknown as Operation<never>;

/** `golden`: the calls of each, with all that they are given. */
export function describeOperations(operations: readonly Operation<never>[], golden: Golden): void {
  describe.each(operations)('an engine that $name', (one) => {
    let plain: Outcome | undefined;
    const unstruck = async () => {
      plain ??= await carryOut(one);
      return plain;
    };

    test('leaves nothing in progress', async () => {
      const { error, leftOver, made } = await unstruck();
      expect(error).toBeUndefined();
      expect(made.length).toBeGreaterThan(0);
      expect(leftOver).toBe(0);
    });

    test('makes the same calls as ever, and gives the same result', async () => {
      const { result, texts } = await unstruck();
      const lines = [...texts, `returns ${textOf(result)}`];
      golden.compare(one.name, one.isCompressed ? lines.map(withoutSizes) : lines);
    });

    test('reads what was written last, however much other reads lag', async () => {
      const { result, left } = await unstruck();
      const outcome = await carryOut(one, undefined, { isStale: true });
      expect(outcome.error).toBeUndefined();
      if (one.readsIndex) return;
      expect(outcome.result).toEqual(result);
      expect(outcome.left).toEqual(left);
    });

    test.each(FAULT_KINDS)('copes with each call that is struck: %s', async (kind) => {
      const { made, result, left } = await unstruck();
      for (const [i, command] of made.entries()) {
        const outcome = await carryOut(one, { call: i + 1, kind });
        const hidden = one.hides?.includes(command);
        const what = `call ${i + 1}, ${command}`;
        // If several calls run at once, the others continue.
        if (outcome.error === undefined || !one.isConcurrent)
          expect(outcome.leftOver, `${what}: calls left under way`).toBe(0);
        if (kind === 'throttled' || (kind === 'repeated' && !hidden))
          expect(outcome.error, what).toBeUndefined();
        else if (kind !== 'lost' && kind !== 'repeated' && !hidden) {
          expect(outcome.error ?? 'no error', what).toContain(
            one.isConcurrent ? kind : `call ${i + 1} ${kind}`,
          );
        }
        if (outcome.error === undefined && !hidden) expect(outcome.result, what).toEqual(result);
        if (!one.excuses?.includes(kind) && (outcome.error === undefined || !one.isOnce))
          expect(outcome.left, `what is there after ${what}`).toEqual(left);
      }
    });
  });

  test('the file of calls has no other operations', () => {
    expect(golden.names().toSorted()).toEqual(operations.map(({ name }) => name).toSorted());
  });
}
