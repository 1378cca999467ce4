import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type BatchResult,
  packBatches,
  settleBatch,
} from '../../../../shared/engines/aws/queues/sqs-batch.ts';
import { RETRY_ATTEMPTS } from '../../../../shared/engines/aws/retry.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
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
  const results = settleBatch(ENTRIES, call, { what: 'Send', clock, isDone });
  return { sent, results: clock.drive(results) };
}

const all = (entries: Entry[]): BatchResult => ({ Successful: entries });
const failing =
  (bodies: string, Code: string, SenderFault = false) =>
  (entries: Entry[]): BatchResult => ({
    Successful: entries.filter(({ body }) => !bodies.includes(body)),
    Failed: entries.filter(({ body }) => bodies.includes(body)).map(({ Id }) => ({ Id, Code, SenderFault })),
  });

const NONE = [undefined, undefined, undefined];

test('a batch that succeeds is sent once', async () => {
  const { sent, results } = calling(all);
  expect(await results).toEqual(NONE);
  expect(sent).toEqual(['abc']);
});

test('only the entries that failed are sent again, in order', async () => {
  const { sent, results } = calling(failing('ac', 'InternalError'), failing('a', 'InternalError'), all);
  expect(await results).toEqual(NONE);
  expect(sent).toEqual(['abc', 'ac', 'a']);
});

test('an entry that the answer does not name is sent again', async () => {
  const { sent, results } = calling(([first]) => ({ Successful: [first!] }), all);
  expect(await results).toEqual(NONE);
  expect(sent).toEqual(['abc', 'bc']);
});

test('a single throttled entry is sent again, whether the error blames the sender or the service', async () => {
  const { sent, results } = calling(failing('b', 'KMS.ThrottlingException', true), all);
  expect(await results).toEqual(NONE);
  expect(sent).toEqual(['abc', 'b']);
});

test('a throttled call is made again', async () => {
  let isThrottled = false;
  const { sent, results } = calling((entries) => {
    if (isThrottled) return all(entries);
    isThrottled = true;
    throw throttle();
  });
  expect(await results).toEqual(NONE);
  expect(sent).toEqual(['abc', 'abc']);
});

test('an entry refused for what it is fails at once, with code and message, and the others are seen to the end', async () => {
  const { sent, results } = calling(
    (entries) => ({
      Failed: entries.map(({ Id, body }) =>
        body === 'b'
          ? { Id, Code: 'InvalidMessageContents', SenderFault: true }
          : { Id, Code: 'InternalError', SenderFault: false },
      ),
    }),
    failing('c', 'InternalError'),
    all,
  );
  const [a, b, c] = (await results)!;
  expect([a, c]).toEqual([undefined, undefined]);
  expect(b).toMatchObject({
    name: 'BatchFailure',
    message: 'Send: an entry failed; InvalidMessageContents: no message',
  });
  expect(sent).toEqual(['abc', 'ac', 'c']);
});

test('an entry that never succeeds fails in the end, and alone', async () => {
  const { sent, results } = calling(failing('b', 'InternalError'));
  expect(await results).toMatchObject([undefined, { name: 'BatchFailure' }, undefined]);
  expect(sent.length).toBe(RETRY_ATTEMPTS);
});

test('a call that fails is the result of all that were not done before', async () => {
  const down = () => {
    throw new Error('no network');
  };
  const { results } = calling(failing('bc', 'InternalError'), down);
  expect(await results).toMatchObject([undefined, { message: 'no network' }, { message: 'no network' }]);
});

test('an entry that failed with a code as good as done is done', async () => {
  const { sent, results } = calling(failing('ab', 'Gone', true));
  expect(await results).toEqual(NONE);
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
