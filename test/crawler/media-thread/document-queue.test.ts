import { expect, test } from 'vitest';
import { type DocumentPlace, DocumentQueue } from '../../../shared/crawler/media-thread/document-queue.ts';

/** Reads what waits, one after the other: `takes` says how long each takes. Returns their names in that order. */
async function order(
  waiting: readonly string[],
  takes: (name: string) => { readonly usedMs: number; readonly metLimit?: boolean },
): Promise<string[]> {
  const queue = new DocumentQueue(1);
  const read: string[] = [];
  const first = (await queue.acquire('first.test', Number.POSITIVE_INFINITY))!;
  const all = waiting.map(async (name) => {
    const place = (await queue.acquire(name.split('/')[0]!, Number.POSITIVE_INFINITY))!;
    read.push(name);
    place.release({ metLimit: false, ...takes(name) });
  });
  first.release({ usedMs: 1, metLimit: false });
  await Promise.all(all);
  return read;
}

const named = (domain: string, count: number) => Array.from({ length: count }, (_, i) => `${domain}/${i}`);

test('each domain has the same share of time, in the order of arrival', async () => {
  const read = await order([...named('a', 4), ...named('b', 2), 'c/0'], () => ({ usedMs: 10 }));
  expect(read).toEqual(['a/0', 'b/0', 'c/0', 'a/1', 'b/1', 'a/2', 'a/3']);
});

test('documents that take long take the place of many short ones of other domains', async () => {
  const read = await order([...named('long', 3), ...named('short', 12)], (name) => ({
    usedMs: name.startsWith('long') ? 50 : 10,
  }));
  expect(read.indexOf('long/1')).toBeGreaterThan(read.indexOf('short/3'));
  expect(read.indexOf('long/2')).toBeGreaterThan(read.indexOf('short/8'));
});

test('a domain whose documents met the limit comes after all others', async () => {
  const read = await order([...named('a', 3), ...named('b', 3)], (name) => ({
    usedMs: name === 'a/0' ? 10 : 30,
    metLimit: name === 'a/0',
  }));
  expect(read).toEqual(['a/0', 'b/0', 'b/1', 'b/2', 'a/1', 'a/2']);
});

test('of 300 domains that take all that they may, an innocent one waits for each of them once at most', async () => {
  const evil = Array.from({ length: 300 }, (_, i) => named(`evil${i}`, 3)).flat();
  const read = await order([...evil, ...named('innocent', 6)], (name) =>
    name.startsWith('evil') ? { usedMs: 40_000, metLimit: true } : { usedMs: 20 },
  );
  expect(read.slice(300, 306)).toEqual(named('innocent', 6));
});

test('a domain that had nothing to read gains no share for later', async () => {
  const queue = new DocumentQueue(1);
  const take = async (domain: string) => (await queue.acquire(domain, 1000))!;
  (await take('idle')).release({ usedMs: 1, metLimit: false });
  for (let i = 0; i < 9; i++) (await take('a')).release({ usedMs: 10, metLimit: false });
  const held = await take('a');
  const got: string[] = [];
  const all = ['idle', 'idle', 'b', 'a'].map(async (domain) => {
    const place = await take(domain);
    got.push(domain);
    place.release({ usedMs: 10, metLimit: false });
  });
  held.release({ usedMs: 10, metLimit: false });
  await Promise.all(all);
  expect(got).toEqual(['idle', 'b', 'idle', 'a']);
});

test('one that waited too long leaves the queue to others', async () => {
  const queue = new DocumentQueue(1);
  const held = (await queue.acquire('a', 1000))!;
  expect(await queue.acquire('b', 1)).toBeUndefined();
  const waiting = queue.acquire('c', Number.POSITIVE_INFINITY);
  held.release({ usedMs: 1, metLimit: false });
  expect(await waiting).toMatchObject({ share: 1 });
});

test('each limit that was met halves the share of the next', async () => {
  const queue = new DocumentQueue(1);
  const shares: number[] = [];
  for (const metLimit of [true, false, true, true]) {
    const place: DocumentPlace = (await queue.acquire('a', 1000))!;
    shares.push(place.share);
    place.release({ usedMs: 1, metLimit });
  }
  expect(shares).toEqual([1, 0.5, 0.5, 0.25]);
});
