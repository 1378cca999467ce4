import { expect, test } from 'vitest';
import { type FetchedResponse, sentRequest } from '../../../../shared/core/outcome/fetch-outcome.ts';
import { memoryBody } from '../../../../shared/core/outcome/memory-body.ts';
import { KeptShell } from '../../../../shared/crawler/turn/render/kept-shell.ts';

const URL = 'http://a.test/';
const answer = (changes: Partial<FetchedResponse> = {}): FetchedResponse => ({
  status: 'response',
  url: URL,
  startedAt: 1000,
  endedAt: 1010,
  httpStatus: 200,
  statusText: 'OK',
  headers: [],
  body: memoryBody(Buffer.from('shell')),
  requestHead: new Uint8Array(),
  ipAddress: '',
  receivedBytes: 99,
  ...changes,
});

function keptAt(now: () => number) {
  return new KeptShell({ now });
}

test('a page is given again without a request, as of now, for ten minutes', async () => {
  let now = 2000;
  const shell = keptAt(() => now);
  await shell.keep(answer());
  const found = shell.find(URL);
  expect(found).toMatchObject({ startedAt: 2000, endedAt: 2000, cache: { kind: 'kept' } });
  expect(found).not.toHaveProperty('receivedBytes');
  expect(sentRequest(found!)).toBe(false);
  expect(Buffer.from(await found!.body.bytes()).toString()).toBe('shell');
  expect(shell.find(`${URL}other`)).toBeUndefined();
  now = 601_001;
  expect(shell.find(URL)).toBeUndefined();
});

test.each<[string, Partial<FetchedResponse>]>([
  ['has another status', { httpStatus: 503 }],
  ['broke off', { truncated: 'disconnect' }],
  ['is large', { body: memoryBody(new Uint8Array(2_000_001)) }],
])('a page that %s is not kept', async (_, changes) => {
  const shell = keptAt(() => 2000);
  await shell.keep(answer());
  await shell.keep(answer(changes));
  expect(shell.find(URL)).toBeUndefined();
});
