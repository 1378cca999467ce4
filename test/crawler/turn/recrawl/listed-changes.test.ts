/** Sitemaps and feeds as hints that known pages have changed, and lists whose new links make them worth more. */
import { expect, test, vi } from 'vitest';
import type { HostRecrawl } from '../../../../shared/core/frontier/head.ts';
import type { UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import { rateCode } from '../../../../shared/core/recrawl/change-rate.ts';
import { newLinksOf } from '../../../../shared/core/recrawl/page-importance.ts';
import { UrlVisit } from '../../../../shared/crawler/turn/page/visit.ts';
import { ListedChanges } from '../../../../shared/crawler/turn/recrawl/listed-changes.ts';
import { T0 } from '../../worker/fake-clock.ts';
import { type Answer, page } from '../../worker/scripted-fetcher.ts';
import { driven, link, OPEN_ROBOTS, type OpenTurn, openTurn, type TurnSituation } from '../turn-bench.ts';
import { HOST, ORIGIN } from '../turn-fakes.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const MAP = '/map.xml';
/** Nine hints of ten came with a change, and a fifth of the pages without one had changed. */
const TRUE_HINTS = [90, 10, 20, 80];
const FALSE_HINTS = [20, 80, 20, 80];

const head = (hints: readonly number[] | undefined): TurnSituation['head'] => ({
  ...OPEN_ROBOTS,
  recrawl: { pool: [10, 100, 100], ...(hints && { hints }) } as HostRecrawl,
});

const xml = (body: string): Answer => ({ headers: { 'Content-Type': 'application/xml' }, body });
const iso = (at: number): string => new Date(at).toISOString();
const urlset = (times: readonly (readonly [string, number])[]): Answer =>
  xml(
    `<urlset>${times.map(([path, at]) => `<url><loc>${ORIGIN}${path}</loc><lastmod>${iso(at)}</lastmod></url>`).join('')}</urlset>`,
  );

/** A turn of a host whose URLs were fetched some hours ago, and are due in days. */
async function opened(paths: readonly string[], situation: TurnSituation, hoursAgo = 12): Promise<OpenTurn> {
  const turn = await openTurn({
    config: { recrawl: 'changes', recrawlPerDay: 10 },
    links: paths.map((path) => link(path, { kind: path === MAP ? 'sitemap' : undefined })),
    ...situation,
  });
  const { ledger, recrawl } = turn.parts;
  await recrawl.times.load();
  for (const path of paths) {
    const record = (await ledger.next(T0, path === MAP)) as UrlRecord;
    const fetchedAt = T0 - hoursAgo * HOUR;
    ledger.settle({
      ...record,
      state: 'fetched',
      dueAt: path === MAP ? T0 : T0 + 9 * DAY,
      result: { fetchedAt, httpStatus: 200, digest: new Uint8Array(20) },
      recrawl: { history: 1, rate: rateCode(0.05), changedAt: fetchedAt, misses: 0, capturedAt: fetchedAt },
    });
  }
  return turn;
}

async function fetchDue(turn: OpenTurn): Promise<UrlRecord> {
  const { ledger } = turn.parts;
  const record = (await ledger.nextRefetch(T0)) as UrlRecord;
  return driven(turn, new UrlVisit(turn.services, turn.parts, record).run(undefined));
}

const PAGES = ['/a', '/b', '/c'];

/** The days until the pages are due, after a sitemap or feed was read that gives times to them. */
async function daysAfter(
  answer: Answer,
  hints: readonly number[] | undefined = TRUE_HINTS,
  config?: TurnSituation['config'],
): Promise<number[]> {
  const turn = await opened([MAP, ...PAGES], {
    head: head(hints),
    site: { [ORIGIN + MAP]: answer },
    ...(config && { config }),
  });
  await fetchDue(turn);
  const records = await turn.parts.ledger.findAgain(
    PAGES.map((path) => ORIGIN + path),
    async () => {},
  );
  return records.map(({ dueAt }) => Math.round((dueAt - T0) / HOUR) / 24);
}

test('a page that a true list says is modified is due at once, and others are as before', async () => {
  const times = [
    ['/a', T0 - HOUR],
    ['/b', T0 - 20 * DAY],
    ['/unknown', T0 - HOUR],
  ] as const;
  expect(await daysAfter(urlset(times))).toEqual([0, 9, 9]);
  const feed = `<feed><entry><link href="${ORIGIN}/c"/><updated>${iso(T0 - HOUR)}</updated></entry></feed>`;
  expect(await daysAfter(xml(feed)), 'a feed').toEqual([9, 9, 0]);
});

test('a page whose record takes long to read is due when it has been read, not before', async () => {
  const turn = await opened([MAP, ...PAGES], {
    head: head(TRUE_HINTS),
    site: { [ORIGIN + MAP]: urlset([['/a', T0 - HOUR]]) },
  });
  const { ledger } = turn.parts;
  const find = ledger.findAgain.bind(ledger);
  const slow = vi.spyOn(ledger, 'findAgain').mockImplementation(async (...asked) => {
    const found = await find(...asked);
    await turn.clock.sleep(HOUR);
    return found;
  });
  await fetchDue(turn);
  slow.mockRestore();
  const [record] = await find([`${ORIGIN}/a`], async () => {});
  expect(record?.dueAt).toBeGreaterThanOrEqual(T0 + HOUR);
  expect(record?.dueAt).toBeLessThan(T0 + HOUR + 2000);
});

test('a list that has not proved true changes nothing, and is noted', async () => {
  const times = PAGES.map((path, n) => [path, T0 - HOUR + n] as const);
  expect(await daysAfter(urlset(times), FALSE_HINTS)).toEqual([9, 9, 9]);
  expect(await daysAfter(urlset(times), [0, 0, 0, 0])).toEqual([9, 9, 9]);
  const turn = await opened([MAP, ...PAGES], {
    head: head(undefined),
    site: { [ORIGIN + MAP]: urlset(times) },
  });
  await fetchDue(turn);
  const records = await turn.parts.ledger.findAgain([`${ORIGIN}/b`], async () => {});
  expect(records[0]?.recrawl).toMatchObject({ hints: 1, hintedAt: T0 - HOUR + 1 });
});

test('a time that nearly all entries have is that of a build', async () => {
  const times = [...PAGES, ...Array.from({ length: 20 }, (_, n) => `/a?${n}`)];
  const turn = await opened([MAP, ...times], {
    head: head(TRUE_HINTS),
    site: { [ORIGIN + MAP]: urlset(times.map((path) => [path, T0 - HOUR])) },
  });
  await fetchDue(turn);
  const [record] = await turn.parts.ledger.findAgain([`${ORIGIN}/a`], async () => {});
  expect(record?.recrawl?.hints).toBeUndefined();
});

test('with a fixed interval lists move nothing', async () => {
  const config = { recrawlEveryMs: 10 * DAY };
  expect(await daysAfter(urlset([['/a', T0 - HOUR]]), TRUE_HINTS, config)).toEqual([9, 9, 9]);
});

test('a hint counts when its page is fetched, by what that shows, and only once', async () => {
  const hinted = { hints: 2, hintedAt: T0 - HOUR };
  for (const [body, expected] of [
    ['<p>quite another text</p>', [91, 10, 20, 80]],
    ['', [90, 11, 20, 80]],
  ] as const) {
    const turn = await opened(['/a'], { head: head(TRUE_HINTS), site: { [`${ORIGIN}/a`]: { body } } });
    const { ledger, recrawl } = turn.parts;
    const [record] = await ledger.findAgain([`${ORIGIN}/a`], async () => {});
    // The bytes of the empty page are the ones that it had.
    const digest = Buffer.from('da39a3ee5e6b4b0d3255bfef95601890afd80709', 'hex');
    ledger.amend({
      ...(record as UrlRecord),
      dueAt: T0,
      result: { ...record!.result!, digest },
      recrawl: { ...record!.recrawl!, ...hinted },
    });
    const after = await fetchDue(turn);
    expect(after.recrawl?.hints).toBeUndefined();
    expect(after.recrawl?.hintedAt).toBe(hinted.hintedAt);
    const counts = recrawl.state()?.hints?.map((count) => Math.round(count));
    expect(counts).toEqual(expected);
  }
});

test('a change of a page that brings new links makes it worth more, and due sooner', async () => {
  const due = async (...links: string[]) => {
    const turn = await opened(['/list', '/a'], {
      head: head(undefined),
      site: { [`${ORIGIN}/list`]: page('/a', ...links) },
    });
    const { ledger, recrawl } = turn.parts;
    await recrawl.times.load();
    const [record] = await ledger.findAgain([`${ORIGIN}/list`], async () => {});
    ledger.amend({ ...(record as UrlRecord), dueAt: T0 });
    const after = await fetchDue(turn);
    return { days: (after.dueAt - T0) / DAY, brings: newLinksOf(after.recrawl?.newLinks as number) };
  };
  const [old, three] = [await due('/a'), await due('/x', '/y', '/z')];
  expect(old.brings).toBe(0);
  expect(three.brings).toBeCloseTo(3, 1);
  // 13 times the importance: about 3.6 times the fetches.
  expect(old.days / three.days).toBeGreaterThan(2.5);
});

test('each list moves the pages that it names itself', async () => {
  const turn = await opened([MAP, ...PAGES], { head: head(TRUE_HINTS) });
  const { listed, ledger } = turn.parts;
  for (const path of ['/a', '/b']) {
    const links = [{ url: ORIGIN + path, kind: 'url', modifiedAt: T0 - HOUR }];
    await listed.take({ type: 'sitemap', links } as never, undefined);
  }
  const urls = PAGES.map((path) => ORIGIN + path);
  const records = await ledger.findAgain(urls, async () => {});
  expect(records.map(({ dueAt }) => Math.round((dueAt - T0) / DAY))).toEqual([0, 0, 9]);
});

test('of a very long list the newest ten thousand hints are looked at', async () => {
  const asked: string[][] = [];
  const ledger = {
    has: () => true,
    findAgain: async (urls: Iterable<string>) => {
      asked.push([...urls]);
      return [];
    },
  };
  const recrawl = { usesHints: true, hints: { begin: () => {} } };
  const changes = new ListedChanges({ engine: { clock: { now: () => T0 } }, work: {} } as never, {
    crawl: { host: HOST, nameOf: (url: string) => url } as never,
    ledger: ledger as never,
    recrawl: recrawl as never,
  });
  const links = Array.from({ length: 10_001 }, (_, i) => ({
    url: `${ORIGIN}/${i}`,
    kind: 'url',
    modifiedAt: T0 - 1000 * HOUR + ((i * 7919) % 10_001) * 1000,
  }));
  await changes.take({ type: 'sitemap', links } as never, undefined);
  expect(asked[0]).toHaveLength(10_000);
  const oldest = links.toSorted((a, b) => a.modifiedAt - b.modifiedAt)[0];
  expect(asked[0]).not.toContain(oldest?.url);
});

test.each([[[3, 200, 100]], [[100, 200, 3]], [[200, 3, 100]]])(
  'a list that names a page by several URLs is a hint by the newest of their times: %j hours ago',
  async (hours) => {
    const feed = urlset([
      ...hours.map((ago) => [`/a?utm_source=${ago}`, T0 - ago * HOUR] as const),
      ['/b', T0 - 300 * HOUR],
    ]);
    const [named = 0, other] = await daysAfter(feed);
    expect(named).toBeLessThan(1);
    expect(other).toBe(9);
  },
);
