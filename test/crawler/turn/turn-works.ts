/** Turns, and pieces of them, for tests that look at all of their calls. */

import { type Head, NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { linkerHash, sketchOf } from '../../../shared/core/frontier/linker-sketch.ts';
import type { Message } from '../../../shared/core/frontier/message.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { encodeRules } from '../../../shared/core/robots/rules-text.ts';
import { usageFileKey } from '../../../shared/core/robots/usage-files.ts';
import type { Crawl } from '../../../shared/crawler/crawl-state/crawls.ts';
import { TurnCommit } from '../../../shared/crawler/turn/commit.ts';
import { CanonicalLinks } from '../../../shared/crawler/turn/copies/canonical-link.ts';
import { FetchLoop } from '../../../shared/crawler/turn/fetch-loop.ts';
import { UrlAdmission } from '../../../shared/crawler/turn/links/admission.ts';
import { DomainShare } from '../../../shared/crawler/turn/links/domain-share.ts';
import { KnownPages } from '../../../shared/crawler/turn/links/known-pages.ts';
import { LinkIntake } from '../../../shared/crawler/turn/links/link-intake.ts';
import { PageLinks } from '../../../shared/crawler/turn/links/page-links.ts';
import { SitemapLinks } from '../../../shared/crawler/turn/links/sitemap-links.ts';
import { planNextTurn, reviveIfCutShort } from '../../../shared/crawler/turn/next-turn.ts';
import { openHost } from '../../../shared/crawler/turn/open-host.ts';
import { HostPace } from '../../../shared/crawler/turn/pace/host-pace.ts';
import { Redirects } from '../../../shared/crawler/turn/page/redirects.ts';
import { Soft404Probe } from '../../../shared/crawler/turn/page/soft-404-probe.ts';
import { UrlVisit } from '../../../shared/crawler/turn/page/visit.ts';
import { ListedChanges } from '../../../shared/crawler/turn/recrawl/listed-changes.ts';
import { RecrawlPlan } from '../../../shared/crawler/turn/recrawl/recrawl-plan.ts';
import { MovedRobotsFinder } from '../../../shared/crawler/turn/robots/moved-robots.ts';
import { RobotsFetcher } from '../../../shared/crawler/turn/robots/robots-fetcher.ts';
import { RobotsKeeper } from '../../../shared/crawler/turn/robots/robots-keeper.ts';
import { RobotsStore } from '../../../shared/crawler/turn/robots/robots-store.ts';
import { runTurn } from '../../../shared/crawler/turn/turn.ts';
import { TurnHooks } from '../../../shared/crawler/turn/turn-hooks.ts';
import { TurnOutput } from '../../../shared/crawler/turn/turn-output.ts';
import type { UsageKeeper } from '../../../shared/crawler/turn/usage-keeper.ts';
import { T0 } from '../worker/fake-clock.ts';
import { page, redirect, robots, type Site } from '../worker/scripted-fetcher.ts';
import { SILENT } from '../worker/world.ts';
import type { Work } from './struck-turn.ts';
import { CRAWL_ID, driven, link, OPEN_ROBOTS, type OpenTurn } from './turn-bench.ts';
import { HOST, ORIGIN, PLAIN_FACTS, recordOf } from './turn-fakes.ts';

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

const DAY = 86_400_000;
/** A turn without end. */
const LONG = { endMs: 400 * DAY, lastRequestMs: 400 * DAY };
const loopOf = ({ services, parts }: OpenTurn) => new FetchLoop(services, parts);
const commitOf = ({ services, parts }: OpenTurn) => new TurnCommit(services, parts);
const admissionOf = ({ services, parts }: OpenTurn) =>
  new UrlAdmission(services, { ...parts, usage: parts.usage as UsageKeeper });
/** The decision about a URL. If it may be fetched, it turns out to be no page. */
async function decideOnce(turn: OpenTurn, admission: UrlAdmission, url: string): Promise<string> {
  const record = recordOf(url);
  const { outcome } = await admission.decide(record, ORIGIN);
  if (outcome === 'fetch') {
    turn.parts.allowance.end(false);
    turn.parts.templates.end(record, false);
  }
  return outcome;
}
const robotsOf = ({ services, parts }: OpenTurn) => {
  const known = parts.knownRobots;
  const sitemapLinks = new SitemapLinks(parts.crawl, parts.intake);
  const moved = new MovedRobotsFinder(services, { ...parts, known });
  const store = new RobotsStore(services, { ...parts, known, sitemapLinks, version: 1 });
  return { known, moved, store, keeper: new RobotsKeeper(services, { ...parts, known, moved, store }) };
};
/** The next URL of the ledger, for which a page is begun. */
async function takePage({ parts: { ledger, allowance, templates } }: OpenTurn): Promise<UrlRecord> {
  const record = (await ledger.next(T0 + 10 * DAY, true, false)) as UrlRecord;
  await templates.reserve(record);
  await allowance.reserve();
  allowance.begin();
  return record;
}
/** Visits that number of URLs, one after the other. */
const visits = (count: number) => async (turn: OpenTurn) => {
  const seen: object[] = [];
  for (let i = 0; i < count; i++) {
    const { url, state, result } = await new UrlVisit(turn.services, turn.parts, await takePage(turn)).run(
      undefined,
    );
    seen.push({ url, state, status: result?.httpStatus, cause: result?.cause });
  }
  return seen;
};
/** Makes known pages of the links of a turn: they were fetched at that time, and are due. */
async function knowAll(
  { parts: { ledger } }: OpenTurn,
  count: number,
  fetchedAt = T0 - 2 * DAY,
): Promise<void> {
  for (let i = 0; i < count; i++) {
    const record = (await ledger.next(T0, true, false)) as UrlRecord;
    const result = { fetchedAt, httpStatus: 200, digest: Buffer.alloc(20, i) };
    const recrawl = { history: 1, rate: 90, changedAt: fetchedAt, misses: 0, capturedAt: fetchedAt };
    ledger.settle({ ...record, state: 'fetched', dueAt: T0 - 1000 + i, result, recrawl });
  }
}
/** Rules of the host that deny a part of it, and that have grown old. */
const OLD_ROBOTS: Pick<Head, 'robots'> = {
  robots: [
    { origin: ORIGIN, kind: 'rules', rules: encodeRules({ rules: [], sitemaps: [] }), expiresAt: T0 - 1 },
  ],
};

/** Pieces that call no port. */
const QUIET = new Set([
  'known pages that are given due times',
  'a list that names known pages, read twice',
  'the hooks of a page that is fetched twice',
]);

/** Pieces of a turn, each by itself. */
const PIECES: readonly [string, Work][] = [
  [
    'the URLs of a turn, and its commit',
    {
      situation: { site: SITE, config: { ...config, sitemaps: 'robots' }, links: [link('/1'), link('/4')] },
      async run(turn) {
        await loopOf(turn).run();
        return commitOf(turn).run();
      },
    },
  ],
  [
    'the URLs of a turn with known pages and new ones, which take turns',
    {
      situation: {
        site: SITE,
        config: { ...config, recrawlEveryMs: DAY },
        head: OPEN_ROBOTS,
        links: [link('/1'), link('/3'), link('/4')],
      },
      async prepare(turn) {
        await knowAll(turn, 3);
        turn.parts.intake.mergeDelivered([link('/5'), link('/6')], T0);
        await turn.parts.recrawl.times.load();
      },
      async run(turn) {
        await loopOf(turn).run();
        await turn.clock.advance(2000);
        return commitOf(turn).run();
      },
    },
  ],
  [
    'the URLs of a turn that asks for a robots.txt for others, and is paused meanwhile',
    {
      situation: {
        site: { ...SITE, [`${ORIGIN}/r/robots.txt`]: robots('') },
        config,
        head: OPEN_ROBOTS,
        links: [link('/1'), link('/3')],
        askedRobots: [`${ORIGIN}/r/robots.txt`, `${ORIGIN}/q/robots.txt`],
      },
      async run(turn) {
        await loopOf(turn).run();
        await turn.engine.registry.setStatus(CRAWL_ID, 'paused', undefined, { from: ['running'] });
        await turn.clock.advance(5000);
        turn.parts.intake.mergeDelivered([link('/9')], T0);
        await loopOf(turn).run();
        return commitOf(turn).run();
      },
    },
  ],
  [
    'the visits of pages, with what they bring',
    {
      situation: {
        site: SITE,
        config,
        head: OPEN_ROBOTS,
        links: ['/1', '/2', '/4'].map((path) => link(path)),
      },
      run: visits(3),
    },
  ],
  [
    'the visits of a page that fails at first',
    {
      situation: {
        site: { [`${ORIGIN}/1`]: (before) => (before === 0 ? { status: 503 } : page('/2')) },
        config,
        head: OPEN_ROBOTS,
        links: [link('/1')],
      },
      run: visits(2),
    },
  ],
  [
    'the decisions about URLs of a host whose rules change',
    {
      situation: {
        site: {
          ...SITE,
          [`${ORIGIN}/robots.txt`]: (before) => robots(before === 0 ? '' : 'User-agent: *\nDisallow: /1\n'),
        },
        config: { ...config, robotsMaxAgeMs: 600_000, maxPagesPerTemplate: 1 },
        head: OLD_ROBOTS,
        ...LONG,
      },
      async run(turn) {
        const admission = admissionOf(turn);
        const decided: unknown[] = [];
        for (let i = 0; i < 2; i++) {
          for (const path of ['/1', '/t/1', '/t/2'])
            decided.push(await decideOnce(turn, admission, ORIGIN + path));
          await turn.clock.advance(DAY);
        }
        return decided;
      },
    },
  ],
  [
    'the decisions about a URL for a purpose, before and after its files are known',
    {
      situation: {
        site: { ...SITE, [TDM]: (before) => (before === 0 ? { status: 404 } : (SITE[TDM] as never)) },
        config: { ...config, purpose: 'train-ai', robotsMaxAgeMs: 600_000 },
        head: OPEN_ROBOTS,
        ...LONG,
      },
      async run(turn) {
        const admission = admissionOf(turn);
        const decided: unknown[] = [];
        for (let i = 0; i < 2; i++) {
          decided.push(await decideOnce(turn, admission, `${ORIGIN}/1`));
          await turn.clock.advance(DAY / 2);
        }
        return decided;
      },
    },
  ],
  [
    'exchanges with a host, each at its pace',
    {
      situation: { site: SITE, config: { ...config, ipDelayMs: 300 }, head: OPEN_ROBOTS },
      async run({ services, parts, clock }) {
        const pace = new HostPace(services, NEW_HEAD, {
          ...parts,
          lease: { endsAt: T0 + DAY, receiveUntil: T0 + DAY, lockFor: async () => {} },
          endBy: () => T0 + DAY,
          lastRequestAt: T0 + DAY,
        });
        const seen: unknown[] = [];
        for (const path of ['/1', '/4', '/1']) {
          if (!(await pace.waitForMoment())) break;
          const outcome = await pace.exchange({ url: ORIGIN + path });
          if (outcome.status === 'response') await outcome.body.dispose();
          pace.record(outcome, undefined, undefined);
          seen.push([outcome.url, clock.now() - T0, pace.nextFetchAt - T0]);
        }
        await pace.release();
        return seen;
      },
    },
  ],
  [
    'a robots.txt that changes from fetch to fetch',
    {
      situation: {
        site: {
          [`${ORIGIN}/robots.txt`]: (before) =>
            before === 1 ? { status: 503 } : robots(`User-agent: *\nDisallow: /${before}\n`),
        },
        config,
        sizes: { maxHeadRules: 1 },
        ...LONG,
      },
      async run(turn) {
        const { keeper } = robotsOf(turn);
        const seen: unknown[] = [];
        for (let i = 0; i < 4; i++) {
          seen.push(await keeper.fetch(ORIGIN), await keeper.known(ORIGIN));
          await turn.clock.advance(i === 1 ? 120_000 : DAY);
        }
        return seen;
      },
    },
  ],
  [
    'a file that is fetched for the robots.txt of others, twice',
    {
      situation: {
        site: { [`${ORIGIN}/r/robots.txt`]: (before) => robots(`User-agent: *\nDisallow: /${before}\n`) },
        config,
      },
      async run(turn) {
        const { keeper, known } = robotsOf(turn);
        for (let i = 0; i < 2; i++) {
          await keeper.fetchForOthers(`${ORIGIN}/r/robots.txt`);
          await turn.clock.advance(1000);
        }
        return known.robots;
      },
    },
  ],
  [
    'a file beside robots.txt that redirects within its host',
    {
      situation: {
        site: { [TDM]: redirect('/tdm.json'), [`${ORIGIN}/tdm.json`]: { body: '[]' } },
        config,
        head: OPEN_ROBOTS,
      },
      async run({ services, parts }) {
        const fetcher = new RobotsFetcher(services, { ...parts, known: parts.knownRobots });
        const fetched = await fetcher.fetch(TDM, { isBeside: true });
        if (fetched.kind === 'judged' && fetched.outcome.status === 'response')
          await fetched.outcome.body.dispose();
        return fetched.kind;
      },
    },
  ],
  [
    'the shares of a host in the budget of its domain',
    {
      situation: { config: { ...config, domainBudget: 2 }, links: [link('/1'), link('/2'), link('/3')] },
      async run({ services, parts, clock }) {
        const share = new DomainShare(services, { ...parts, share: undefined });
        const seen: unknown[] = [];
        for (let i = 0; i < 3; i++) seen.push(await share.reserve(), share.state());
        share.cancel();
        seen.push(await share.reserve());
        await clock.advance(40 * DAY);
        seen.push(await share.reserve(), share.state());
        await share.giveBack();
        return seen;
      },
    },
  ],
  [
    'known pages that are given due times',
    {
      situation: {
        config: { ...config, recrawlEveryMs: 5 * DAY },
        head: { ...OPEN_ROBOTS, recrawl: { pool: [0, 0, 0], isOff: true } },
        links: [link('/1'), link('/2'), link('/3')],
      },
      async prepare(turn) {
        await knowAll(turn, 3);
        await commitOf(turn).run();
      },
      async run({ services, parts, engine }) {
        const plan = new RecrawlPlan(engine, { ...parts, recrawl: { pool: [0, 0, 0], isOff: true } });
        await plan.times.load();
        await new KnownPages(services, { ...parts, recrawl: plan }).adopt();
        return [plan.isStarting, await parts.ledger.lookUp(`${ORIGIN}/1`)];
      },
    },
  ],
  [
    'a list that names known pages, read twice',
    {
      situation: {
        config: { ...config, recrawl: 'changes' },
        head: OPEN_ROBOTS,
        links: [link('/1'), link('/2')],
      },
      prepare: (turn) => knowAll(turn, 2),
      async run({ services, parts, clock }) {
        await parts.recrawl.times.load();
        const lists = new ListedChanges(services, parts);
        for (const day of [2, 1]) {
          const links = ['/1', '/2', '/3'].map((path, i) => ({
            url: ORIGIN + path,
            kind: 'url' as const,
            modifiedAt: T0 - DAY / day - i,
          }));
          await lists.take({ ...PLAIN_FACTS, type: 'sitemap', links }, undefined);
          await clock.advance(DAY);
        }
        return Promise.all(['/1', '/2'].map((path) => parts.ledger.lookUp(ORIGIN + path)));
      },
    },
  ],
  [
    'the hooks of a page that is fetched twice',
    {
      situation: {
        config,
        head: OPEN_ROBOTS,
        optional: { ...(optional as object), state: sharedState() } as never,
      },
      async run({ services, parts, events }) {
        let calls = 0;
        const hooks = {
          ...SILENT,
          extract: async ({ facts }: { facts: object }) => ({
            facts: { ...facts, title: `call ${++calls}` },
          }),
          onPage: async ({
            facts,
            state,
          }: {
            facts: { title?: string };
            state?: { get(key: string): unknown };
          }) => ({
            items: [JSON.stringify([facts.title, state?.get('key'), calls])],
            requests: [`${ORIGIN}/own/${calls}`, `${ORIGIN}/own`].map((url) => ({
              url,
              request: { method: 'GET' },
            })),
          }),
        };
        const called = new TurnHooks({ ...services, hooks: hooks as never }, parts);
        const response = { body: { size: 10 } };
        const seen: unknown[] = [];
        for (let i = 0; i < 2; i++)
          seen.push(
            await called.callForPage(recordOf(`${ORIGIN}/1`), {
              response: response as never,
              facts: PLAIN_FACTS,
              forItems: true,
            }),
          );
        return [seen, parts.output.items, events, parts.ledger.counts];
      },
    },
  ],
  [
    'the links of a page, with redirects and canonical ones',
    {
      situation: { config: { ...config, scope: 'host' }, head: OPEN_ROBOTS, optional },
      async run({ services, parts }) {
        const intake = new LinkIntake({ ...parts, skips: services.engine.skips });
        const sitemapLinks = new SitemapLinks(parts.crawl, intake);
        const record = recordOf(`${ORIGIN}/page`, { depth: 0, level: 9 });
        const links = ['/b', '/a', '/a?x=1', '/c'].map((path) => ({
          url: ORIGIN + path,
          kind: 'a' as const,
        }));
        const away = { url: 'http://b.test/', kind: 'a' as const };
        const facts = { ...PLAIN_FACTS, links: [...links, away] };
        const taken = await new PageLinks(services, { ...parts, intake, sitemapLinks }).take(
          record,
          {} as never,
          facts,
        );
        const canonical = new CanonicalLinks(parts.crawl, parts.ledger, intake);
        const redirects = new Redirects({ ...parts, intake, sitemapLinks });
        const seen: unknown[] = [taken];
        for (const url of [`${ORIGIN}/d`, `${ORIGIN}/d`, 'http://b.test/'])
          seen.push(
            await canonical.originalOf(record, url, T0),
            await redirects.follow(record, url, T0),
            await redirects.follow({ ...record, depth: 0, level: 15 }, `${url}new`, T0),
          );
        await intake.makeSkipsDurable();
        return [seen, [...intake.outLinks.values()], parts.counters.totals];
      },
    },
  ],
  [
    'pages that are archived, some of them again',
    {
      situation: {
        site: SITE,
        config: { ...config, revisits: true },
        head: OPEN_ROBOTS,
        optional: { payloads: { find: async () => undefined, add: async () => {} } },
      },
      async run({ services, parts }) {
        const output = new TurnOutput(services, parts.crawl, parts.quarantine);
        const fetcher = services.fetcherOf(parts.crawl.everywhere);
        const seen: unknown[] = [];
        for (const path of ['/1', '/robots.txt', '/1', '/3', '/1']) {
          const response = await fetcher.fetch({ url: ORIGIN + path, signal: services.stopping });
          if (response.status !== 'response') continue;
          const record = recordOf(ORIGIN + path);
          const archived = { url: record.url, date: '2026-01-01T00:00:00Z', sha1: response.body.sha1 };
          try {
            if (path === '/robots.txt') await output.archiveRobots(response);
            else seen.push(await output.archive(record, response, undefined));
            seen.push(await output.archiveAgain(record, response, archived, []));
          } finally {
            await response.body.dispose();
          }
        }
        await output.makeDurable();
        return seen;
      },
    },
  ],
  [
    'the plan of a next turn, of a crawl that was called finished and is limited meanwhile',
    {
      situation: {
        config: { ...config, requisites: true, maxPages: 1 },
        links: [link('/1')],
        status: 'finished',
      },
      async run({ services, parts, engine, clock }) {
        const seen: unknown[] = [await planNextTurn(engine, parts)];
        await engine.registry.setStatus(CRAWL_ID, 'limited', undefined, { from: ['running'] });
        await clock.advance(5000);
        seen.push(await planNextTurn(engine, parts));
        await reviveIfCutShort(engine, parts);
        seen.push((await services.crawls.get(CRAWL_ID))?.status);
        return seen;
      },
    },
  ],
];

/** A state of hooks with a value that is another one at each reading. */
function sharedState() {
  let reads = 0;
  return {
    async read() {
      const value = `value ${++reads}`;
      return { get: () => value, entries: () => [['key', value]], size: 1, chars: value.length };
    },
  };
}

/** Works that call no port. */
export const QUIET_WORKS = PIECES.filter(([name]) => QUIET.has(name));

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
    { situation: { site: SITE, config, head: OPEN_ROBOTS }, run: (turn) => turnBy(turn, [links('/1')], 4) },
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
  ...PIECES.filter(([name]) => !QUIET.has(name)),
];
