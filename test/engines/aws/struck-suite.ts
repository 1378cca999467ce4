/** The tests of operations of the engine `aws`, each struck at every one of its calls. */
import { describe, expect, test } from 'vitest';
import { type Golden, textOf, withoutSizes } from '../../golden.ts';
import { carryOut, FAULT_KINDS, type FaultKind, type Operation, type Outcome } from './struck-calls.ts';

export const operation = <P>(one: Operation<P>): Operation<never> => one as unknown as Operation<never>;

/** `golden`: the calls of each, with all that they are given. `kinds`: how each call is struck in turn. */
export function describeOperations(
  operations: readonly Operation<never>[],
  golden: Golden,
  kinds: readonly FaultKind[] = FAULT_KINDS,
): void {
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

    test.each(one.isLong ? [] : kinds)('copes with each call that is struck: %s', async (kind) => {
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

export const scenario = <P>(one: Operation<P>): Operation<never> => operation({ isOnce: true, ...one });

/**
 * Several calls of a module one after the other, so that a file with all that they send and return says what the module
 * does. Quicker than {@link describeOperations}: each call fails once, or all are refused once for their rate.
 */
export function describeScenarios(scenarios: readonly Operation<never>[], golden: Golden): void {
  describeOperations(scenarios, golden, ['fails']);
  const tried = scenarios.filter(({ excuses }) => !excuses?.includes('throttled'));
  test.each(tried)('$name: the same with each call refused once for its rate', async (one) => {
    const { result, made } = await carryOut(one);
    const outcome = await carryOut(one, { call: 'each', kind: 'throttled' });
    expect(outcome.error).toBeUndefined();
    if (one.isTimed) return;
    expect(new Set(outcome.made)).toEqual(new Set(made));
    expect(outcome.result).toEqual(result);
  });
}

/** The message of the error by which the promise is to fail; thrown on if it failed as the test's strike made it fail. */
export async function refusalOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => new Error('it was not refused'),
    (reason: Error) => reason,
  );
  if (/^call \d+ /.test(error.message) || error.message.includes('throttled')) throw error;
  return `${error.name}: ${error.message}`;
}
