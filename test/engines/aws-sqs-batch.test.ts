import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RETRY_ATTEMPTS } from '../../shared/engines/aws/retry.ts';
import { type BatchResult, callBatch, inLanes, packBatches } from '../../shared/engines/aws/sqs-batch.ts';
import { createFakeClock } from '../worker/fake-clock.ts';
import { throttle } from './fake-sqs.ts';

const ENTRIES = [{ body: 'a' }, { body: 'b' }, { body: 'c' }];
type Entry = (typeof ENTRIES)[number] & { Id: string };

/** Calls with an answer for each attempt; the last one holds for all after it. */
function calling(...answers: ((entries: Entry[]) => BatchResult)[]) {
  const clock = createFakeClock();
  const sent: string[] = [];
  const call = async (entries: Entry[]) => {
    sent.push(entries.map(({ body }) => body).join(''));
    return (answers[sent.length - 1] ?? answers.at(-1)!)(entries);
  };
  const isDone = (code: string | undefined) => code === 'Gone';
  const result = callBatch(ENTRIES, call, { what: 'Send', clock, isDone }).catch((error) => error);
  return { sent, result: clock.drive(result) };
}

const all = (entries: Entry[]): BatchResult => ({ Successful: entries });
const failing =
  (bodies: string, Code: string, SenderFault = false) =>
  (entries: Entry[]): BatchResult => ({
    Successful: entries.filter(({ body }) => !bodies.includes(body)),
    Failed: entries.filter(({ body }) => bodies.includes(body)).map(({ Id }) => ({ Id, Code, SenderFault })),
  });

test('a batch that succeeds is sent once', async () => {
  const { sent, result } = calling(all);
  expect(await result).toBeUndefined();
  expect(sent).toEqual(['abc']);
});

test('only the entries that failed are sent again, in order', async () => {
  const { sent, result } = calling(failing('ac', 'InternalError'), failing('a', 'InternalError'), all);
  expect(await result).toBeUndefined();
  expect(sent).toEqual(['abc', 'ac', 'a']);
});

test('an entry that the answer does not name is sent again', async () => {
  const { sent, result } = calling(([first]) => ({ Successful: [first!] }), all);
  expect(await result).toBeUndefined();
  expect(sent).toEqual(['abc', 'bc']);
});

test('an entry throttled by itself is sent again, whoever is said to be at fault', async () => {
  const { sent, result } = calling(failing('b', 'KMS.ThrottlingException', true), all);
  expect(await result).toBeUndefined();
  expect(sent).toEqual(['abc', 'b']);
});

test('a throttled call is made again', async () => {
  let isThrottled = false;
  const { sent, result } = calling((entries) => {
    if (isThrottled) return all(entries);
    isThrottled = true;
    throw throttle();
  });
  expect(await result).toBeUndefined();
  expect(sent).toEqual(['abc', 'abc']);
});

test('an entry refused for what it is fails the call at once, with code and message', async () => {
  const { sent, result } = calling(failing('b', 'InvalidMessageContents', true));
  expect(await result).toMatchObject({
    name: 'BatchFailure',
    message: 'Send: 1 of the entries failed; InvalidMessageContents: no message',
  });
  expect(sent).toEqual(['abc']);
});

test('an entry that never succeeds fails the call in the end', async () => {
  const { sent, result } = calling(failing('b', 'InternalError'));
  expect(await result).toMatchObject({ name: 'BatchFailure' });
  expect(sent.length).toBe(RETRY_ATTEMPTS);
});

test('an entry that failed with a code as good as done is done', async () => {
  const { sent, result } = calling(failing('ab', 'Gone', true));
  expect(await result).toBeUndefined();
  expect(sent).toEqual(['abc']);
});

const item = fc.record({ group: fc.constantFrom(...'abcdefgh'), size: fc.integer({ min: 1, max: 50 }) });

test('packs everything, within the limits, each group in order and in one chain', () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 60 }), (items) => {
      const chains = packBatches(items, 100);
      for (const batch of chains.flat()) {
        expect(batch.length).toBeGreaterThan(0);
        expect(batch.length).toBeLessThanOrEqual(10);
        expect(batch.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(100);
      }
      const packed = chains.map((chain) => chain.flat());
      expect(packed.flat().length).toBe(items.length);
      for (const group of 'abcdefgh') {
        const of = (list: typeof items) => list.filter((one) => one.group === group);
        const inChains = packed.filter((chain) => of(chain).length > 0);
        expect(inChains.length).toBeLessThanOrEqual(1);
        expect(of(inChains.flat())).toEqual(of(items));
      }
    }),
  );
});

test('splits no group that fits into a batch', () => {
  const items = [...'aaaabbbbbbcccd'].map((group) => ({ group, size: 1 }));
  const groups = packBatches(items, 100).map((chain) =>
    chain.map((batch) => batch.map(({ group }) => group).join('')),
  );
  expect(groups).toEqual([['aaaabbbbbb'], ['cccd']]);
});

test('work in lanes is done at most so many at once, and begins nothing after an error', async () => {
  const begun: number[] = [];
  let active = 0;
  const work = async (n: number) => {
    begun.push(n);
    active++;
    expect(active).toBeLessThanOrEqual(2);
    await new Promise((resolve) => setImmediate(resolve));
    active--;
    if (n === 3) throw new Error('three');
  };
  await expect(inLanes([1, 2, 3, 4, 5, 6, 7, 8], 2, work)).rejects.toThrow('three');
  expect(begun.length).toBeLessThan(6);
  await inLanes([1, 2], 2, work);
});
