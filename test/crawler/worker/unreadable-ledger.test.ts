/** Hosts whose stored state is gone or damaged: no later turn could read it, so the crawl could never end. */
import { describe, expect, test } from 'vitest';
import { optionalText } from '../../../shared/core/causes/cause-text.ts';
import { CorruptBytes, NewerFormat } from '../../../shared/core/frontier/bytes.ts';
import { type Head, NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { partsOf } from '../../../shared/core/frontier/head-parts.ts';
import { LostPart } from '../../../shared/crawler/ports/lost-part.ts';
import type { Delivery } from '../../../shared/crawler/ports/turn-queue.ts';
import { wakeAllHosts } from '../../../shared/crawler/routing/waker.ts';
import { giveUpUnreadable, unreadableCause } from '../../../shared/crawler/turn/unreadable-ledger.ts';
import { page, type Site } from './scripted-fetcher.ts';
import { begin, createWorld, runToEnd, startProcess, type World } from './world.ts';

const PATHS = Array.from({ length: 20 }, (_, n) => `/${n}`);
const siteOf = (host: string): Site => ({
  [`http://${host}/`]: page(...PATHS),
  ...Object.fromEntries(PATHS.map((path) => [`http://${host}${path}`, page()])),
});
const SITE: Site = { ...siteOf('a.test'), ...siteOf('b.test') };
const SEEDS = ['http://a.test/', 'http://b.test/'];

/** Two hosts that a process has half crawled, for each of these crawls. */
async function halfCrawled(crawls = ['crawl']): Promise<World> {
  const world = createWorld(SITE);
  for (const crawl of crawls) await begin(world, SEEDS, { delayMs: 1000 }, crawl);
  const { clock, engine, fetcher } = world;
  const process = startProcess(engine, fetcher, { crawls });
  await clock.drive(process.ended, async () => fetcher.log.length >= 20 * crawls.length);
  process.stop();
  await clock.drive(process.ended);
  return { ...world, engine: engine.reopen() };
}

const headIn = async ({ engine }: World, host: string, crawl = 'crawl'): Promise<Head> =>
  (await engine.ledgers.loadHead(crawl, host)) as Head;

/** Deletes what the head names, or damages it. */
async function lose({ engine: { ledgers } }: World, how: 'deleted' | 'damaged', crawl = 'crawl') {
  const parts = partsOf((await ledgers.loadHead(crawl, 'a.test')) as Head);
  expect(parts.length).toBeGreaterThan(0);
  await ledgers.deleteParts(crawl, 'a.test', parts);
  if (how === 'damaged')
    for (const part of parts) await ledgers.putPart(crawl, 'a.test', part, Uint8Array.from([1, 200, 3]));
}

const pagesOf = ({ fetcher }: World, host: string) =>
  new Set(fetcher.log.filter((request) => request.host === host).map(({ url }) => url)).size;

describe('a host whose parts are', () => {
  test.each([
    ['deleted', "its stored state cannot be read: the part \\S+ of a.test's ledger is not there"],
    ['damaged', 'its stored state cannot be read: '],
  ] as const)('%s is given up, and the crawl ends with the others', async (how, cause) => {
    const world = await halfCrawled();
    await lose(world, how);
    const before = pagesOf(world, 'a.test');
    const errors = await runToEnd(world);
    expect(errors.length).toBeLessThan(how === 'deleted' ? 1 : 10);
    const { setAside, dueAt, token } = await headIn(world, 'a.test');
    expect(optionalText(setAside?.cause)).toMatch(new RegExp(`^${cause}`));
    expect([dueAt, token]).toEqual([undefined, undefined]);
    expect(world.engine.messages('a.test')).toEqual([]);
    expect(pagesOf(world, 'a.test')).toBe(before);
    // With robots.txt.
    expect(pagesOf(world, 'b.test')).toBe(PATHS.length + 2);
  });

  test('deleted holds up no other crawl of the host', async () => {
    const crawls = ['one', 'two'];
    const world = await halfCrawled(crawls);
    for (const crawl of crawls) expect((await headIn(world, 'a.test', crawl)).version).toBeGreaterThan(0);
    await lose(world, 'deleted', 'one');
    expect(await runToEnd(world, crawls)).toEqual([]);
    expect((await headIn(world, 'a.test', 'one')).setAside?.cause.code).toBe('ledgerUnreadable');
    const { ledger, setAside } = await headIn(world, 'a.test', 'two');
    expect([ledger.counts.waiting, ledger.counts.fetched, setAside]).toEqual([
      0,
      PATHS.length + 1,
      undefined,
    ]);
  });

  test('deleted, and then put back, goes on when the crawl is resumed; until then it stays given up', async () => {
    const world = await halfCrawled();
    const { ledgers } = world.engine;
    const parts = partsOf(await headIn(world, 'a.test'));
    const kept = await Promise.all(parts.map((part) => ledgers.readPart('crawl', 'a.test', part)));
    await lose(world, 'deleted');
    await runToEnd(world);
    const { version } = await headIn(world, 'a.test');
    await wakeAllHosts(world.engine, 'crawl', 1);
    expect(await runToEnd(world)).toEqual([]);
    expect((await headIn(world, 'a.test')).version).toBe(version);
    for (const [i, part] of parts.entries()) await ledgers.putPart('crawl', 'a.test', part, kept[i]!);
    await wakeAllHosts(world.engine, 'crawl', 2);
    expect(await runToEnd(world)).toEqual([]);
    const { setAside, ledger } = await headIn(world, 'a.test');
    expect([setAside, ledger.counts.waiting]).toEqual([undefined, 0]);
  });
});

describe('an error of a turn', () => {
  const deliveries = (receiveCount: number) => [{ receiveCount }] as unknown as readonly Delivery[];

  test.each([
    ['a part that is not there', new LostPart('a.test', 'p'), 1, true],
    ['bytes that cannot be decoded, again and again', new CorruptBytes('x'), 5, true],
    ['bytes that cannot be decoded, at first', new CorruptBytes('x'), 4, false],
    ['a format of a newer version', new NewerFormat('x'), 100, false],
    ['any other error', new Error('AccessDenied'), 100, false],
    ['what is no error', 'x', 100, false],
  ])('shows whether the ledger can be read: %s', (_, error, receives, isUnreadable) => {
    expect(unreadableCause(error, deliveries(receives)) !== undefined).toBe(isUnreadable);
  });

  const giveUp = async (head: Head | undefined, error: unknown) => {
    const commits: Head[] = [];
    await giveUpUnreadable(
      { loadHead: async () => head, commit: async (_crawl, _host, next) => void commits.push(next) },
      { crawl: 'c', host: 'a.test', cause: { code: 'ledgerUnreadable', detail: 'x' }, error, now: 7 },
    );
    return commits;
  };
  const naming = (part: string): Head => ({
    ...NEW_HEAD,
    version: 3,
    token: 't',
    dueAt: 5,
    intent: { url: 'http://a.test/1', tries: 1 },
    ledger: { ...NEW_HEAD.ledger, segments: [part] },
  });

  test('gives the host up if its head names the part, and changes nothing if that is done', async () => {
    const [next, ...none] = await giveUp(naming('p'), new LostPart('a.test', 'p'));
    expect(none).toEqual([]);
    expect(next).toEqual({
      ...naming('p'),
      version: 4,
      token: undefined,
      dueAt: undefined,
      intent: undefined,
      setAside: { cause: { code: 'ledgerUnreadable', detail: 'x' }, at: 7 },
    });
    expect(await giveUp(next, new LostPart('a.test', 'p'))).toEqual([]);
  });

  test('is thrown if another turn has replaced the head since, or the host is gone', async () => {
    const error = new LostPart('a.test', 'p');
    await expect(giveUp(naming('q'), error)).rejects.toBe(error);
    await expect(giveUp(undefined, error)).rejects.toBe(error);
  });
});
