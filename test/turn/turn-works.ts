/** Turns, and pieces of them, for tests that look at all of their calls. */
import type { Crawl } from '../../shared/crawl-state/crawls.ts';
import { NEW_HEAD } from '../../shared/frontier/head.ts';
import { linkerHash, sketchOf } from '../../shared/frontier/linker-sketch.ts';
import type { Message } from '../../shared/frontier/message.ts';
import { encodeRules } from '../../shared/robots/rules-text.ts';
import { usageFileKey } from '../../shared/robots/usage-files.ts';
import { openHost } from '../../shared/turn/open-host.ts';
import { Soft404Probe } from '../../shared/turn/soft-404-probe.ts';
import { runTurn } from '../../shared/turn/turn.ts';
import type { UsageKeeper } from '../../shared/turn/usage-keeper.ts';
import { T0 } from '../worker/fake-clock.ts';
import { page, redirect, robots, type Site } from '../worker/scripted-fetcher.ts';
import { SILENT } from '../worker/world.ts';
import type { Work } from './struck-turn.ts';
import { CRAWL_ID, driven, link, OPEN_ROBOTS, type OpenTurn } from './turn-bench.ts';
import { HOST, ORIGIN } from './turn-fakes.ts';

export const links = (...paths: string[]): Message => ({
  kind: 'links',
  crawl: CRAWL_ID,
  links: paths.map((path) => link(path)),
});
export const WAKE: Message = { kind: 'wake', crawl: CRAWL_ID };

export async function turnBy(
  turn: OpenTurn,
  messages: readonly Message[],
  receiveCount = 1,
): Promise<unknown> {
  const { services, clock } = turn;
  const crawl = (await services.crawls.get(CRAWL_ID)) as Crawl;
  const deliveries = messages.map((message, i) => ({ id: `d${i}`, receiveCount, message }));
  const until = clock.now() + 600_000;
  const lease = { endsAt: until, receiveUntil: until, lockFor: async () => {} };
  return runTurn(services, crawl, { host: HOST, deliveries, lease });
}

const xml = (body: string) => ({ headers: { 'Content-Type': 'application/xml' }, body });
const TDM = `${ORIGIN}/.well-known/tdmrep.json`;
export const SITE: Site = {
  [`${ORIGIN}/robots.txt`]: robots('User-agent: *\nDisallow: /secret\nSitemap: /map.xml\n'),
  [`${ORIGIN}/1`]: page('/2', '/secret', 'http://b.test/', 'http://c.test/x'),
  [`${ORIGIN}/2`]: redirect('/3'),
  [`${ORIGIN}/3`]: page('http://d.test/'),
  [`${ORIGIN}/4`]: { status: 503 },
  [`${ORIGIN}/map.xml`]: xml(
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${ORIGIN}/5</loc></url></urlset>`,
  ),
  [TDM]: {
    headers: { 'Content-Type': 'application/json' },
    body: '[{"location":"/","tdm-reservation":1}]',
  },
};
const config = { delayMs: 100, scope: 'any', domainBudget: 'off' } as const;
/** Ports that an engine may have. */
const optional = {
  skips: { note: () => {}, makeDurable: async () => {} },
  items: { stage: async () => 'staged', publish: async () => {} },
  changes: { stage: async () => 'staged', publish: async () => {} },
} as never;
const LINKED = { linkers: sketchOf(['x.test', 'y.test'].map(linkerHash)) };
const FULL = { ...config, maxHostsPerDomain: 1 };
const opens =
  (fields: object = {}) =>
  (turn: OpenTurn) =>
    openHost(turn.services, turn.parts.crawl, NEW_HEAD, [link('/1', fields), link('/2')]);
const usageOf = (turn: OpenTurn) => turn.parts.usage as UsageKeeper;
const probed = (site: Site, head: NonNullable<Work['situation']['head']> = OPEN_ROBOTS): Work => ({
  situation: { site, config, head },
  run(turn) {
    const soft404 = { takeProbe: () => `${ORIGIN}/nowhere`, answer: () => [] };
    return new Soft404Probe(turn.services, { ...turn.parts, soft404: soft404 as never }).runIfDue();
  },
});
const LONG_RULES = encodeRules({
  rules: [],
  sitemaps: [],
  usage: [{ signal: 'tdm-reservation', pattern: '/', value: '1' }],
});
const keptTdm = { origin: usageFileKey(TDM), kind: 'rules' as const, rules: LONG_RULES, expiresAt: T0 };

export const WORKS: readonly [string, Work][] = [
  [
    'a turn that fetches robots.txt and pages, and sends links to other hosts',
    {
      situation: { site: SITE, config: { ...config, sitemaps: 'robots' } },
      run: (turn) => turnBy(turn, [links('/1', '/4')]),
    },
  ],
  [
    'a turn of a host that was visited before',
    {
      situation: {
        site: SITE,
        config,
        head: OPEN_ROBOTS,
        sizes: { maxSegments: 2, maxFreshRecords: 1 } as never,
      },
      async prepare(turn) {
        for (const path of ['/3', '/4', '/6', '/7']) {
          await driven(turn, turnBy(turn, [links(path)]));
          await turn.clock.advance(5000);
        }
      },
      run: (turn) => turnBy(turn, [WAKE, links('/1')]),
    },
  ],
  [
    'a turn that another host has asked for its robots.txt',
    {
      situation: { site: SITE, config },
      run: (turn) => turnBy(turn, [{ kind: 'robots', crawl: CRAWL_ID, url: `${ORIGIN}/robots.txt` }]),
    },
  ],
  [
    'a turn after its worker has died some times',
    { situation: { site: SITE, config, head: OPEN_ROBOTS }, run: (turn) => turnBy(turn, [links('/1')], 3) },
  ],
  [
    'a turn that publishes what its host had staged',
    {
      situation: {
        site: SITE,
        config,
        optional,
        head: { ...OPEN_ROBOTS, stagedItems: 'one', stagedChanges: 'two' } as never,
      },
      run: (turn) => turnBy(turn, [links('/1')]),
      // The next turn does it.
      survivesAfterCommit: ['items.publish', 'changes.publish'],
    },
  ],
  [
    'a turn that finds payloads again, and remembers new ones',
    {
      situation: {
        site: { ...SITE, [`${ORIGIN}/8`]: page('http://d.test/') },
        config: { ...config, revisits: true, metadata: true },
        head: OPEN_ROBOTS,
        optional: { payloads: { find: async () => undefined, add: async () => {} } },
      },
      run: (turn) => turnBy(turn, [links('/3', '/8')]),
    },
  ],
  [
    'a turn that has items of hooks, and changes of pages to report',
    {
      situation: {
        site: SITE,
        config: { ...config, recrawlEveryMs: 86_400_000, changeFeed: true },
        head: OPEN_ROBOTS,
        optional,
      },
      async prepare(turn) {
        Object.assign(turn.services, { hooks: { ...SILENT, onPage: async () => ({ items: ['{"a":1}'] }) } });
      },
      run: (turn) => turnBy(turn, [links('/1', '/3')]),
      survivesAfterCommit: ['items.publish', 'changes.publish'],
    },
  ],
  [
    'a turn that fetches pages again',
    {
      situation: { site: SITE, config: { ...config, recrawlEveryMs: 60_000 }, head: OPEN_ROBOTS },
      async prepare(turn) {
        await driven(turn, turnBy(turn, [links('/1', '/3', '/4')]));
        await turn.clock.advance(90_000);
      },
      run: (turn) => turnBy(turn, [WAKE]),
    },
  ],
  [
    'a turn of a crawl that takes some bytes a second of all hosts',
    {
      situation: { site: SITE, config: { ...config, maxBytesPerSecond: 100_000 }, head: OPEN_ROBOTS },
      run: (turn) => turnBy(turn, [links('/1', '/3')]),
    },
  ],
  [
    'a turn of a host whose robots.txt another host has',
    {
      situation: {
        site: { ...SITE, [`${ORIGIN}/robots.txt`]: redirect('http://b.test/robots.txt') },
        config,
      },
      run: (turn) => turnBy(turn, [links('/1')]),
    },
  ],
  [
    'a turn that keeps within the budget of its domain',
    {
      situation: { site: SITE, config: { ...config, domainBudget: 100 }, head: OPEN_ROBOTS },
      run: (turn) => turnBy(turn, [links('/1', '/3')]),
    },
  ],
  [
    'a turn for a purpose that heeds the statements of the site',
    {
      situation: { site: SITE, config: { ...config, purpose: 'research' } },
      run: (turn) => turnBy(turn, [links('/1')]),
    },
  ],
  ['a host that is opened', { situation: { config: { ...FULL, maxHostsPerDomain: 5 } }, run: opens() }],
  [
    'a host that its domain has no room for',
    {
      situation: { config: FULL, optional },
      prepare: (turn) =>
        turn.services.domains.change(CRAWL_ID, HOST, (state) => ({
          state: { ...state, hosts: 'AAAA' },
          result: 0,
        })),
      run: opens(),
    },
  ],
  [
    'a host whose domain learns which others link to it',
    { situation: { config: { ...config, maxHostsPerDomain: 'off' } }, run: opens(LINKED) },
  ],
  [
    'a host that is opened with the pages that its links are worth',
    {
      situation: { config: { ...config, domainBudget: 'links:20' } },
      run: opens(LINKED),
    },
  ],
  [
    'a file beside robots.txt',
    { situation: { site: SITE, config, head: OPEN_ROBOTS }, run: (turn) => usageOf(turn).fetch(TDM) },
  ],
  [
    'a file beside robots.txt whose statements are long',
    {
      situation: { site: SITE, config, head: OPEN_ROBOTS, sizes: { maxHeadRules: 1 } },
      run: (turn) => usageOf(turn).fetch(TDM),
    },
  ],
  [
    'a file beside robots.txt that redirects elsewhere',
    {
      situation: {
        site: { [TDM]: redirect('http://b.test/') },
        config,
        head: OPEN_ROBOTS,
        sizes: { maxHeadRules: 1 },
      },
      run: (turn) => usageOf(turn).fetch(TDM),
    },
  ],
  [
    'a file beside robots.txt that cannot be had any more',
    {
      situation: {
        site: { [TDM]: { status: 503 } },
        config,
        head: { robots: [...OPEN_ROBOTS.robots, keptTdm] },
      },
      run: (turn) => usageOf(turn).fetch(TDM),
    },
  ],
  [
    'the statements of files, of which one is long',
    {
      situation: {
        site: SITE,
        config: { ...config, purpose: 'research' },
        head: OPEN_ROBOTS,
        sizes: { maxHeadRules: 1 },
      },
      async prepare(turn) {
        await driven(turn, usageOf(turn).fetch(TDM));
        await turn.engine.ledgers.commit(CRAWL_ID, HOST, { ...NEW_HEAD, ...OPEN_ROBOTS, version: 2 });
      },
      async run(turn) {
        // In the place of the file's rules in memory.
        const fetched = usageOf(turn).fetch(TDM);
        await fetched;
        return usageOf(turn).ofFiles(`${ORIGIN}/1`);
      },
    },
  ],
  ['a probe for pages that do not exist', probed({ [`${ORIGIN}/nowhere`]: page() })],
  [
    'a probe of a host that has failed before, in a crawl to which nobody has answered',
    probed(
      { [`${ORIGIN}/nowhere`]: { fails: 'timeout' } },
      { ...OPEN_ROBOTS, clock: { nextFetchAt: 0, failures: 2 }, totals: { ...NEW_HEAD.totals, requests: 5 } },
    ),
  ],
  [
    'a robots.txt that redirects, and is long',
    {
      situation: {
        site: {
          [`${ORIGIN}/robots.txt`]: redirect('/there.txt'),
          [`${ORIGIN}/there.txt`]: robots('User-agent: *\nDisallow: /secret\n'),
        },
        config,
        sizes: { maxHeadRules: 1 },
      },
      run: (turn) => turn.parts.robots.fetch(ORIGIN),
    },
  ],
  [
    'a robots.txt that another host is asked for',
    {
      situation: { site: { [`${ORIGIN}/robots.txt`]: redirect('http://b.test/robots.txt') }, config },
      run: (turn) => turn.parts.robots.fetch(ORIGIN),
    },
  ],
  [
    'a robots.txt that is fetched for others',
    {
      situation: { site: SITE, config },
      run: (turn) => turn.parts.robots.fetchForOthers(`${ORIGIN}/robots.txt`),
    },
  ],
];
