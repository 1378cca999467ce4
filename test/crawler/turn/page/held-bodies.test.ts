/** The bodies of a turn: none is left in memory or on the disk when it ends. */
import { expect, test } from 'vitest';
import type { FetchedResponse, FetchOutcome } from '../../../../shared/core/outcome/fetch-outcome.ts';
import { HeldBodies } from '../../../../shared/crawler/turn/page/held-bodies.ts';

function setUp() {
  const bodies = new HeldBodies();
  const disposed: string[] = [];
  const respond = (url: string, fails = false) => {
    const body = {
      size: 3,
      sha1: new Uint8Array([1]),
      bytes: async () => Buffer.from(url),
      async *chunks() {
        yield Buffer.from(url);
      },
      async dispose() {
        await new Promise((resolve) => setImmediate(resolve));
        disposed.push(url);
        if (fails) throw new Error('no such file');
      },
    };
    return bodies.hold({ status: 'response', url, httpStatus: 200, body } as never) as FetchedResponse;
  };
  return { bodies, disposed, respond };
}

test('a body is what it was: it can be read, whole and in pieces, and disposed of', async () => {
  const { respond, disposed } = setUp();
  const response = respond('a');
  expect(response).toMatchObject({ status: 'response', url: 'a', httpStatus: 200 });
  const { body } = response;
  expect([body.size, [...body.sha1]]).toEqual([3, [1]]);
  expect(String(await body.bytes())).toBe('a');
  for await (const piece of body.chunks()) expect(String(piece)).toBe('a');
  await body.dispose();
  expect(disposed).toEqual(['a']);
});

test('at the end those are disposed of that are left, once, and one that cannot be hinders nobody', async () => {
  const { bodies, respond, disposed } = setUp();
  await respond('a').body.dispose();
  respond('b', true);
  respond('c');
  await bodies.release();
  expect(disposed).toEqual(['a', 'b', 'c']);
  await bodies.release();
  expect(disposed).toHaveLength(3);
});

test('an outcome without a response stays as it is', () => {
  const failure = { status: 'failed', reason: 'timeout' } as unknown as FetchOutcome;
  expect(new HeldBodies().hold(failure)).toBe(failure);
});
