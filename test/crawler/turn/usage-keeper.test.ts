/** The statements of a host about the use of its content, beside its pages: which files are asked for, and which statements are kept. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Head } from '../../../shared/core/frontier/head.ts';
import { MAX_ROBOTS_BYTES } from '../../../shared/core/robots/parse-robots.ts';
import { encodeRules } from '../../../shared/core/robots/rules-text.ts';
import { usageFileKey } from '../../../shared/core/robots/usage-files.ts';
import { TDMREP_PATH } from '../../../shared/core/usage/tdmrep-file.ts';
import { RobotsStore, STALE_MS } from '../../../shared/crawler/turn/robots/robots-store.ts';
import { UsageKeeper } from '../../../shared/crawler/turn/usage-keeper.ts';
import { T0 } from '../worker/fake-clock.ts';
import { type Answer, redirect, robots } from '../worker/scripted-fetcher.ts';
import { driven, openTurn, type TurnSituation } from './turn-bench.ts';
import { ORIGIN } from './turn-fakes.ts';

const TOOK_MS = 50;
const HOUR = 3_600_000;
const TDM = ORIGIN + TDMREP_PATH;
const LICENSE = `${ORIGIN}/license.xml`;
const OWN = `${ORIGIN}/robots.txt`;
const PAGE = `${ORIGIN}/art/1`;
const RESEARCH = { purpose: 'research' } as const;
const TRAINING = { purpose: 'train-ai' } as const;
const ROBOTS = robots('User-agent: *\nContent-Usage: /art train-ai=n\nLicense: /license.xml\n');
const json = (entries: object[], more: Partial<Answer> = {}): Answer => ({
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(entries),
  ...more,
});
const RESERVED = json([
  { location: '/art', 'tdm-reservation': 1, 'tdm-policy': 'https://a.test/policy' },
  { location: '/', 'tdm-reservation': 0 },
]);
const IS_RESERVED = { signal: 'tdm-reservation', source: 'tdmrep.json', value: '1' };
const RSL = {
  headers: { 'Content-Type': 'application/rsl+xml' },
  body: '<rsl xmlns="https://rslstandard.org/rsl"><content url="/art"><license><prohibits type="usage">train-ai</prohibits></license></content></rsl>',
};
const kept = (url: string, expiresAt: number, text?: string): Head['robots'][number] => ({
  origin: usageFileKey(url),
  expiresAt,
  ...(text === undefined ? { kind: 'allowAll' as const } : { kind: 'rules' as const, rules: text }),
});
const OLD_TEXT = encodeRules({
  rules: [],
  sitemaps: [],
  usage: [{ signal: 'tdm-reservation', pattern: '/', value: '1' }],
});
const OPEN = { origin: ORIGIN, kind: 'allowAll' as const, expiresAt: T0 + 24 * HOUR };

async function open(situation: TurnSituation = {}) {
  const turn = await openTurn({ config: RESEARCH, tookMs: TOOK_MS, ...situation });
  const { robots: keeper, knownRobots } = turn.parts;
  const usage = turn.parts.usage as UsageKeeper;
  return {
    ...turn,
    usage,
    keptAs: (url: string) => knownRobots.of(usageFileKey(url)),
    fetchRobots: () => driven(turn, keeper.fetch(ORIGIN)),
    fetch: (url = TDM) => driven(turn, usage.fetch(url)),
  };
}

describe('what robots.txt says about the use of a page', () => {
  test('is said for the paths that it names, as it is at the fetch', async () => {
    const { usage, fetchRobots, work } = await open({ site: { [OWN]: ROBOTS }, config: TRAINING });
    expect(await usage.ofRobots(PAGE)).toEqual([]);
    await fetchRobots();
    work.length = 0;
    expect(await usage.ofRobots(PAGE)).toContainEqual({
      signal: 'content-usage',
      source: 'robots.txt',
      value: 'train-ai=n',
    });
    expect(work).toEqual([`robots ${PAGE}`]);
    expect((await usage.ofRobots(`${ORIGIN}/other`)).map(({ signal }) => signal)).toEqual(['license']);
  });

  test('is nothing in a crawl that ignores robots.txt', async () => {
    const { usage, work } = await open({
      head: { robots: [OPEN] },
      config: { robots: 'ignore', ...TRAINING },
    });
    expect(await usage.ofRobots(PAGE)).toEqual([]);
    expect(await usage.missing(PAGE)).toEqual([]);
    expect(work).toEqual([]);
  });
});

describe('whether anything is said of a page', () => {
  const PLAIN = robots('User-agent: *\nDisallow: /private\n');
  const situations: readonly TurnSituation[] = [PLAIN, ROBOTS].flatMap((answer) =>
    ([{}, { purpose: 'archive' }, RESEARCH, TRAINING] as const).flatMap((purpose) =>
      (['obey', 'ignore'] as const).flatMap((obeys) =>
        [0, 100_000].map((maxHeadRules) => ({
          site: { [OWN]: answer },
          config: { ...purpose, robots: obeys },
          sizes: { maxHeadRules },
        })),
      ),
    ),
  );

  test('is known before it is asked for', async () => {
    const known = await Promise.all(
      situations.map(async (situation) => {
        const { usage, fetchRobots, parts, services } = await open(situation);
        await fetchRobots();
        const known = parts.knownRobots;
        // The next turn's, which knows only the head.
        const store = new RobotsStore(services, { ...parts, known, sitemapLinks: {} as never, version: 1 });
        const keepers = [usage, new UsageKeeper(services, { ...parts, known, store })];
        return Promise.all(
          keepers.map(async (one) => {
            const mayState = one.mayState(PAGE);
            const stated = [...(await one.ofRobots(PAGE)), ...(await one.ofFiles(PAGE))];
            return { mayState, hasStated: stated.length > 0 };
          }),
        );
      }),
    );
    expect(known.flat().filter(({ mayState, hasStated }) => hasStated && !mayState)).toEqual([]);
    expect(known.flat().filter(({ mayState }) => !mayState).length).toBeGreaterThan(10);
    expect(known.flat().filter(({ hasStated }) => hasStated).length).toBeGreaterThan(10);
  });
});

describe('the files that are to be fetched before a page', () => {
  test('are the one of TDMRep and the licences of robots.txt, for a purpose that heeds them', async () => {
    const { usage, fetchRobots } = await open({ site: { [OWN]: ROBOTS } });
    await fetchRobots();
    expect(await usage.missing(PAGE)).toEqual([TDM, LICENSE]);
  });

  test.each([
    ['none for an archive', { purpose: 'archive' }, []],
    ['none without a purpose', {}, []],
    ['licences alone for a search', { purpose: 'search' }, [LICENSE]],
  ] as const)('are %s', async (_what, config, files) => {
    const { usage, fetchRobots } = await open({ site: { [OWN]: ROBOTS }, config });
    await fetchRobots();
    expect(await usage.missing(PAGE)).toEqual(files);
  });

  test('are none while robots.txt is not known', async () => {
    const { usage, fetchRobots } = await open({ site: { [OWN]: ROBOTS } });
    expect(await usage.missing(PAGE)).toEqual([]);
    await fetchRobots();
    expect(await usage.missing(PAGE)).toEqual([TDM, LICENSE]);
  });

  test('are those that are not fresh any more', async () => {
    const { usage, clock } = await open({ head: { robots: [OPEN, kept(TDM, T0 + HOUR)] } });
    expect(await usage.missing(PAGE)).toEqual([]);
    await clock.advance(HOUR - 1);
    expect(await usage.missing(PAGE)).toEqual([]);
    await clock.advance(1);
    expect(await usage.missing(PAGE)).toEqual([TDM]);
  });
});

describe('a file that was fetched', () => {
  test('states what it says of each path, is archived, and stays as long as its headers say', async () => {
    const site = {
      [TDM]: { ...RESERVED, headers: { ...RESERVED.headers, 'Cache-Control': 'max-age=7200' } },
    };
    const { usage, fetch, keptAs, calls, disposed, parts, work } = await open({
      head: { robots: [OPEN] },
      site,
    });
    await fetch();
    expect(await usage.ofFiles(PAGE)).toEqual([
      IS_RESERVED,
      { signal: 'tdm-policy', source: 'tdmrep.json', value: 'https://a.test/policy' },
    ]);
    expect(await usage.ofFiles(`${ORIGIN}/x`)).toEqual([{ ...IS_RESERVED, value: '0' }]);
    expect(keptAs(TDM)?.expiresAt).toBe(T0 + TOOK_MS + 2 * HOUR);
    expect(await usage.missing(PAGE)).toEqual([]);
    expect(calls.filter((call) => call.startsWith('append'))).not.toEqual([]);
    expect(disposed).toEqual([TDM]);
    expect(work).toContain(`robots ${TDM}`);
    expect(parts.pace.nextFetchAt).toBe(T0 + TOOK_MS + 1000);
  });

  test('of a licence states what that allows', async () => {
    const site = { [OWN]: ROBOTS, [LICENSE]: RSL };
    const { usage, fetch, fetchRobots } = await open({ site, config: { purpose: 'search' } });
    await fetchRobots();
    await fetch(LICENSE);
    expect(await usage.ofFiles(PAGE)).toEqual([
      expect.objectContaining({ signal: 'rsl', source: 'license' }),
    ]);
  });

  test('says the same in any order in which they are fetched: that of TDMRep, then the licences', async () => {
    const turn = await open({ site: { [OWN]: ROBOTS, [LICENSE]: RSL, [TDM]: RESERVED }, config: TRAINING });
    const { usage, fetch, fetchRobots } = turn;
    expect(await usage.ofFiles(PAGE)).toEqual([]);
    await fetchRobots();
    await fetch(LICENSE);
    expect((await usage.ofFiles(PAGE)).map(({ signal }) => signal)).toEqual(['rsl']);
    await fetch(TDM);
    const ordered = ['tdm-reservation', 'tdm-policy', 'rsl'];
    expect((await usage.ofFiles(PAGE)).map(({ signal }) => signal)).toEqual(ordered);
    // Also if the first one takes longer to read.
    onTestFinished(() => void vi.restoreAllMocks());
    const { last } = RobotsStore.prototype;
    vi.spyOn(RobotsStore.prototype, 'last').mockImplementation(async function (this: RobotsStore, key) {
      if (key === usageFileKey(TDM)) await new Promise((resolve) => setImmediate(resolve));
      return last.call(this, key);
    });
    expect((await usage.ofFiles(PAGE)).map(({ signal }) => signal)).toEqual(ordered);
  });

  test('that fails twice keeps what it stated each time', async () => {
    const { usage, fetch, keptAs, clock } = await open({
      head: { robots: [OPEN, kept(TDM, T0, OLD_TEXT)] },
      site: { [TDM]: { status: 503 } },
    });
    await fetch();
    await clock.advance(HOUR);
    await fetch();
    expect(keptAs(TDM)?.expiresAt).toBeGreaterThan(T0 + HOUR + STALE_MS);
    expect(await usage.ofFiles(PAGE)).toEqual([IS_RESERVED]);
  });

  test('is asked for once by pages that need it at the same time, and again when it is asked for later', async () => {
    const turn = await open({ head: { robots: [OPEN] }, site: { [TDM]: RESERVED } });
    const { usage, fetcher, fetch } = turn;
    await driven(turn, Promise.all([usage.fetch(TDM), usage.fetch(TDM), usage.fetch(LICENSE)]));
    expect([fetcher.count(TDM), fetcher.count(LICENSE)]).toEqual([1, 1]);
    await fetch();
    expect(fetcher.count(TDM)).toBe(2);
  });

  test.each<[string, Answer, boolean]>([
    ['is not there', { status: 404 }, false],
    ['is no JSON', { body: 'no' }, false],
    ['is longer than is read', { ...RESERVED, truncated: 'length' }, false],
    [
      'is as long as robots.txt may be',
      json([{ location: '/', 'tdm-reservation': 1 }], {
        body: `${RESERVED.body}${' '.repeat(MAX_ROBOTS_BYTES - RESERVED.body!.length)}`,
      }),
      true,
    ],
    [
      'is longer',
      json([], { body: `${RESERVED.body}${' '.repeat(MAX_ROBOTS_BYTES + 1 - RESERVED.body!.length)}` }),
      false,
    ],
  ])('that %s: whether it states something', async (_what, answer, states) => {
    const { usage, fetch, keptAs, disposed } = await open({
      head: { robots: [OPEN] },
      site: { [TDM]: answer },
    });
    await fetch();
    expect((await usage.ofFiles(PAGE)).length > 0).toBe(states);
    expect(keptAs(TDM)?.expiresAt).toBe(T0 + TOOK_MS + 24 * HOUR);
    expect(disposed).toEqual([TDM]);
  });

  test('states nothing if it redirects to another host, and is asked for again after some minutes', async () => {
    const { usage, fetch, keptAs } = await open({
      head: { robots: [OPEN, kept(TDM, T0, OLD_TEXT)] },
      site: { [TDM]: redirect('http://b.test/tdm.json') },
    });
    expect(await usage.ofFiles(PAGE)).toEqual([IS_RESERVED]);
    await fetch();
    expect(await usage.ofFiles(PAGE)).toEqual([]);
    expect(keptAs(TDM)?.expiresAt).toBe(T0 + TOOK_MS + STALE_MS);
  });

  test.each<[string, Answer]>([
    ['cannot be reached', { fails: 'timeout' }],
    ['is answered by an error of the server', { status: 503 }],
  ])(
    'that %s: what it stated before is kept for some minutes, and the host has failed',
    async (_what, answer) => {
      const { usage, fetch, keptAs, parts } = await open({
        head: { robots: [OPEN, kept(TDM, T0, OLD_TEXT)] },
        site: { [TDM]: answer },
      });
      await fetch();
      expect(await usage.ofFiles(PAGE)).toEqual([IS_RESERVED]);
      expect(keptAs(TDM)?.expiresAt).toBe(T0 + TOOK_MS + STALE_MS);
      expect(parts.pace.clock.failures).toBe(1);
    },
  );

  test.each<[string, Answer]>([
    ['cannot be reached', { fails: 'timeout' }],
    ['is answered by an error of the server', { status: 503 }],
  ])('that %s, and was never known: it states nothing for some minutes', async (_what, answer) => {
    const { usage, fetch, keptAs } = await open({ head: { robots: [OPEN] }, site: { [TDM]: answer } });
    await fetch();
    expect(await usage.ofFiles(PAGE)).toEqual([]);
    expect(keptAs(TDM)).toMatchObject({ kind: 'allowAll', expiresAt: T0 + TOOK_MS + STALE_MS });
  });
});
