import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FetchOutcome } from '../../../shared/core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../../shared/core/outcome/fetch-request.ts';
import { createDocumentParser } from '../../../shared/core/parser/document.ts';
import { parseRobots } from '../../../shared/core/robots/parse-robots.ts';
import { isAllowed, pathAndQuery } from '../../../shared/core/robots/rules.ts';
import { canonicalize, createResolver } from '../../../shared/core/url/canonical.ts';
import { hostKey } from '../../../shared/core/url/host-key.ts';
import { createFaults, type Faults, NO_FAULTS } from '../../models/faults.ts';
import { createProcess, type SimProcess } from '../../models/process.ts';
import { randomOf } from '../../models/random.ts';
import { createVirtualTime, drive, T0, type VirtualTime } from '../../models/virtual-time.ts';
import { createAtlas } from '../../web/atlas.ts';
import { HOST_KIND_NAMES, type HostKind, shapeOf, type WebShape } from '../../web/shape.ts';
import { createSimWeb } from '../../web/web.ts';
import type { SimWeb, WebRequest } from '../../worlds/spec.ts';

const CONFIG = { totalTimeoutMs: 120_000, userAgent: 'Strand/0.1' };

interface Scene {
  readonly time: VirtualTime;
  readonly web: SimWeb;
  readonly process: SimProcess;
  readonly requests: WebRequest[];
  get(url: string, request?: Partial<FetchRequest>): Promise<FetchOutcome>;
}

function sceneOf(seed: number, shape: WebShape, faults: Faults = NO_FAULTS, skewMs = 0): Scene {
  const time = createVirtualTime(randomOf(seed, 'ties'));
  const requests: WebRequest[] = [];
  const web = createSimWeb({ seed, time, faults, shape, onRequest: (request) => requests.push(request) });
  const random = randomOf(seed, 'process');
  const process = createProcess({ name: 'worker', time, random, faults: NO_FAULTS, skewMs });
  const fetcher = web.fetcherOf(process, CONFIG);
  const get = (url: string, request: Partial<FetchRequest> = {}) =>
    drive(time, fetcher.fetch({ url, ...request }));
  return { time, web, process, requests, get };
}

/** Returns the facts that the crawler reads from the page, if that came whole. */
async function factsOf(outcome: FetchOutcome, url: string) {
  if (outcome.status !== 'response' || outcome.httpStatus !== 200 || outcome.truncated) return undefined;
  const parser = createDocumentParser({
    url,
    headers: outcome.headers,
    maxDecodedBytes: 1e7,
    maxLinks: 6000,
    resolve: (reference, base) => createResolver(base)(reference),
  });
  parser.write(await outcome.body.bytes());
  return parser.end();
}

/** URLs that are reached from the seeds, in the order of their discovery, up to a limit. */
function reachable(web: SimWeb, max: number): string[] {
  const urls = new Set(web.seeds);
  for (const url of urls) {
    if (urls.size >= max) break;
    for (const link of web.linksOf(url)) urls.add(link);
    const target = web.redirectOf(url);
    if (target !== undefined) urls.add(target);
  }
  return [...urls].slice(0, max);
}

/** Returns the links that the crawler reads from the response. */
async function parsedLinks(
  outcome: FetchOutcome,
  url: string,
  { isSitemap = false, wantsFeeds = true } = {},
): Promise<string[]> {
  if (outcome.status !== 'response' || outcome.httpStatus !== 200) return [];
  const parser = createDocumentParser({
    url,
    headers: outcome.headers,
    maxDecodedBytes: 1e7,
    maxLinks: 6000,
    wantsFeeds,
    ...(isSitemap && { kind: 'sitemap' }),
    resolve: (reference, base) => createResolver(base)(reference),
  });
  parser.write(await outcome.body.bytes());
  return (await parser.end()).links.map((link) => link.url);
}

const canonicalOr = (url: string | undefined) => (url === undefined ? undefined : canonicalize(url));

const seeds = fc.integer({ min: 0, max: 1e9 });
const kinds = fc.constantFrom<HostKind>(...HOST_KIND_NAMES);
const hourLater = async ({ time }: Scene) => time.advance(3_600_000);

describe('truth', () => {
  test('a crawler that leaves out feeds finds the same links but those that are named as alternates', async () => {
    let left = 0;
    for (let seed = 0; seed < 12; seed++) {
      const { web, get } = sceneOf(seed, shapeOf(seed, { kinds: ['ordinary'], feedShare: 1 }));
      for (const url of reachable(web, 20)) {
        const found = await parsedLinks(await get(url), url, { wantsFeeds: false });
        const links = found.length > 0 ? web.linksOf(url) : [];
        expect(found).toEqual(links.filter((link) => !web.isAlternateFeed(link)));
        left += links.length - found.length;
      }
    }
    expect(left).toBeGreaterThan(5);
  });

  test('the crawler finds in each page just the links that the web says it has, in their order', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, async (seed) => {
        const scene = sceneOf(seed, shapeOf(seed));
        await hourLater(scene);
        for (const url of reachable(scene.web, 60)) {
          const outcome = await scene.get(url);
          if (outcome.status !== 'response' || outcome.httpStatus !== 200 || outcome.truncated) continue;
          expect(await parsedLinks(outcome, url)).toEqual(scene.web.linksOf(url));
        }
      }),
      { numRuns: 60 },
    );
  });

  test('the crawler finds in each page the canonical URL that the web says it names, of every kind', async () => {
    const kinds = new Map<string, number>();
    const count = (kind: string) => kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    for (let seed = 0; seed < 30; seed++) {
      const shape = shapeOf(seed, { kinds: ['ordinary'], canonicalShare: 0.6, maxPages: 25, hosts: 4 });
      const { web, get } = sceneOf(seed, shape);
      for (const url of reachable(web, 60)) {
        const facts = await factsOf(await get(url), url);
        const named = web.canonicalOf(url);
        if (!facts) continue;
        expect(facts.canonical?.startsWith('ftp:') ? undefined : canonicalOr(facts.canonical)).toBe(named);
        if (named === undefined) continue;
        const answer = await get(named);
        const status = answer.status === 'response' ? answer.httpStatus : answer.status;
        const leadsBack = web.redirectOf(named) === url || web.canonicalOf(named) === url;
        count(named === url ? 'itself' : leadsBack ? `${status} back` : `${status}`);
        if (hostKey(named) !== hostKey(url)) count('elsewhere');
      }
    }
    for (const kind of [
      'itself',
      '200',
      '200 back',
      '301',
      '301 back',
      '404',
      '410',
      '500',
      'failed',
      'elsewhere',
    ])
      expect(kinds.get(kind) ?? 0, kind).toBeGreaterThan(3);
  });

  test('the crawler finds in robots.txt, sitemaps and indexes what the web says is there', async () => {
    const seen = { named: 0, entries: 0, indexes: 0, guests: 0 };
    for (let seed = 0; seed < 40; seed++) {
      const scene = sceneOf(seed, shapeOf(seed, { kinds: ['forbidding'], namedShare: 1, maxPages: 10 }));
      for (const seedUrl of scene.web.seeds) {
        const robotsUrl = new URL('/robots.txt', seedUrl).href;
        const robots = await scene.get(robotsUrl);
        const text = robots.status === 'response' ? await robots.body.bytes() : Buffer.alloc(0);
        const named = scene.web.sitemapsNamedIn(robotsUrl);
        expect(parseRobots(text, 'Strand').sitemaps).toEqual(named);
        const lists = new Set(named);
        for (const url of lists) {
          seen.named++;
          if (hostKey(url) !== hostKey(robotsUrl)) seen.guests++;
          const target = scene.web.redirectOf(url);
          const outcome = await scene.get(url);
          if (target !== undefined) {
            expect(headerOf(outcome, 'Location')).toBe(target);
            lists.add(target);
          } else {
            const links = await parsedLinks(outcome, url, { isSitemap: true });
            expect(links).toEqual(scene.web.linksOf(url));
            seen.entries += links.length;
            if (scene.web.isIndex(url)) seen.indexes++;
            if (scene.web.isIndex(url)) for (const link of links) lists.add(link);
          }
        }
      }
    }
    expect(seen.entries).toBeGreaterThan(300);
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
  });

  test('pages lead to the feed of their host, as their alternate or by a link, and it leads to pages', async () => {
    const types = new Set<string | undefined>();
    let items = 0;
    for (let seed = 0; seed < 30; seed++) {
      const scene = sceneOf(seed, shapeOf(seed, { kinds: ['ordinary'], feedShare: 1, maxPages: 10 }));
      for (const url of reachable(scene.web, 60)) {
        if (!url.includes('/feeds/')) continue;
        const outcome = await scene.get(url);
        types.add(headerOf(outcome, 'Content-Type'));
        const links = await parsedLinks(outcome, url);
        expect(links).toEqual(scene.web.linksOf(url));
        items += links.length;
      }
    }
    expect(types).toEqual(new Set(['application/rss+xml', 'application/atom+xml']));
    expect(items).toBeGreaterThan(100);
  });

  test('every URL is canonical', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { web } = sceneOf(seed, shapeOf(seed));
        for (const url of reachable(web, 100)) expect(canonicalize(url)).toBe(url);
      }),
      { numRuns: 60 },
    );
  });

  test('a redirect leads where the web says', async () => {
    let redirects = 0;
    for (let seed = 0; seed < 40; seed++) {
      const scene = sceneOf(seed, shapeOf(seed, { kinds: ['moving'], hosts: 4, maxPages: 40 }));
      for (const url of reachable(scene.web, 80)) {
        const outcome = await scene.get(url);
        if (outcome.status !== 'response') continue;
        const location = outcome.headers.find(([name]) => name === 'Location')?.[1];
        const target = location === undefined ? undefined : canonicalize(location, url);
        expect(target).toBe(scene.web.redirectOf(url));
        if (target !== undefined) redirects++;
      }
    }
    expect(redirects).toBeGreaterThan(200);
  });

  test('an answer forbids the use of a page just where the web says, on hosts that answer 200 for missing pages, too', async () => {
    const counts = { forbidden: 0, soft: 0 };
    for (let seed = 0; seed < 12; seed++) {
      const shape = shapeOf(seed, {
        kinds: ['ordinary'],
        hosts: 4,
        maxPages: 60,
        usageShare: 1,
        softShare: 1,
      });
      const scene = sceneOf(seed, shape);
      for (const url of reachable(scene.web, 200)) {
        const outcome = await scene.get(url);
        if (outcome.status !== 'response' || outcome.httpStatus !== 200) continue;
        const isForbidden = outcome.headers.some(([name]) => name === 'Content-Usage');
        expect(scene.web.reservesUse(url) === 'inField').toBe(isForbidden);
        if (isForbidden) counts.forbidden++;
        if (scene.web.isMissing(url)) counts.soft++;
      }
    }
    expect(counts.forbidden).toBeGreaterThan(100);
    expect(counts.soft).toBeGreaterThan(20);
  });

  test('from the seeds all pages of all hosts are reached', () => {
    for (let seed = 0; seed < 60; seed++) {
      const shape = shapeOf(seed, { kinds: HOST_KIND_NAMES.filter((kind) => kind !== 'trap') });
      const { hosts, places } = createAtlas(seed, shape);
      const urls = new Set(reachable(sceneOf(seed, shape).web, 1e6));
      for (let number = 0; number < hosts.count; number++) {
        const host = hosts.of(number);
        for (let page = 0; page < host.pages; page++) expect(urls).toContain(places.pageUrl(host, page));
      }
    }
  });

  test("robots.txt allows the crawler what the web's own rules allow, and asks for the same delay", async () => {
    let forbidden = 0;
    await fc.assert(
      fc.asyncProperty(seeds, kinds, fc.integer({ min: 0, max: 9 }), async (seed, kind, hours) => {
        const scene = sceneOf(seed, shapeOf(seed, { kinds: [kind], maxPages: 40 }));
        await scene.time.advance(3_600_000 * (1 + hours));
        for (const seedUrl of scene.web.seeds) {
          const host = hostKey(seedUrl);
          let outcome = await scene.get(new URL('/robots.txt', seedUrl).href);
          const location = headerOf(outcome, 'Location');
          expect(scene.web.redirectOf(outcome.url)).toBe(location);
          if (location !== undefined) outcome = await scene.get(location);
          const version = scene.requests.at(-1)?.robotsVersion;
          if (outcome.status !== 'response' || version === undefined) continue;
          const text = outcome.httpStatus === 200 ? await outcome.body.bytes() : Buffer.alloc(0);
          const rules = parseRobots(text, 'Strand');
          expect(rules.crawlDelayMs).toBe(scene.web.crawlDelayMs(host, version));
          for (const url of reachable(scene.web, 150)) {
            if (hostKey(url) !== host) continue;
            const { allowed } = isAllowed(rules, pathAndQuery(url));
            expect(allowed).toBe(scene.web.allows(url, version));
            if (!allowed) forbidden++;
          }
        }
      }),
      { numRuns: 150 },
    );
    expect(forbidden).toBeGreaterThan(50);
  });

  test('rules that change do so within hours', async () => {
    const scene = sceneOf(3, shapeOf(3, { kinds: ['robotsChanging'], hosts: 6, maxPages: 30 }));
    const versions = new Set<number | undefined>();
    for (let hour = 0; hour < 8; hour++) {
      await scene.get(new URL('/robots.txt', scene.web.seeds[0]).href);
      versions.add(scene.requests.at(-1)?.robotsVersion);
      await hourLater(scene);
    }
    expect(versions.size).toBeGreaterThan(2);
  });
});

const withoutScheme = (url: string): string => url.slice(url.indexOf(':'));

const headerOf = (outcome: FetchOutcome, name: string): string | undefined =>
  outcome.status === 'response' ? outcome.headers.find(([given]) => given === name)?.[1] : undefined;

describe('a web', () => {
  test('is the same for the same seed, and another for another', async () => {
    const of = async (seed: number) => {
      const scene = sceneOf(seed, shapeOf(1));
      for (const url of reachable(scene.web, 40)) await scene.get(url);
      return scene.requests;
    };
    expect(await of(1)).toEqual(await of(1));
    expect(await of(1)).not.toEqual(await of(2));
  });

  test('serves the same page whenever it is asked', async () => {
    const scene = sceneOf(5, shapeOf(5, { kinds: ['ordinary'], hosts: 3, maxPages: 25 }));
    for (const url of reachable(scene.web, 40)) {
      await scene.get(url);
      await scene.get(url);
      const [first, second] = scene.requests.slice(-2);
      expect(second?.sha1).toBe(first?.sha1);
    }
  });

  test('of ten million hosts needs none of them before it is visited', async () => {
    const shape = { ...shapeOf(1), hosts: 1e7, plain: true, maxPages: 1000, seedHosts: 0 };
    const { web, get } = sceneOf(1, shape);
    const url = 'http://h9876543.sim.test/';
    expect((await get(url)).status).toBe('response');
    expect(web.linksOf(url).length).toBeGreaterThan(0);
    expect(await get('http://h10000000.sim.test/')).toMatchObject({ reason: 'dns' });
  });

  test('may have a host to which every page links, and one that is slow and large', async () => {
    const hugeHost = { pages: 1_000_000, responseMs: 2000 };
    const shape = { ...shapeOf(1), hosts: 100, plain: true, popularHost: true, hugeHost, seedHosts: 1 };
    const { web, get } = sceneOf(1, shape);
    const urls = reachable(web, 500);
    expect(web.seeds).toHaveLength(2);
    for (const url of urls)
      expect(web.linksOf(url).some((link) => link.startsWith('http://h100.sim.test/'))).toBe(true);
    const outcome = await get('http://h101.sim.test/');
    expect(outcome.endedAt - outcome.startedAt).toBeGreaterThan(900);
  });

  test('has calendars without end', () => {
    const { web } = sceneOf(1, shapeOf(1, { kinds: ['trap'], hosts: 1 }));
    expect(reachable(web, 5000)).toHaveLength(5000);
  });

  test('fills its pages up to the size wanted', async () => {
    const { get } = sceneOf(1, { ...shapeOf(1), plain: true, bodyBytes: 30_000 });
    const outcome = await get('http://h0.sim.test/');
    expect(outcome.status === 'response' && outcome.body.size).toBeGreaterThan(28_000);
  });

  test.each<[HostKind, RegExp]>([
    ['ordinary', /^200 \d+$/],
    ['slow', /^200 (?:[2-9]|1\d)\d{3}$/],
    ['broken', /^(?:reset|500|503) \d+$/],
    ['dead', /^(?:connect|tls|timeout) \d+$/],
    ['nameless', /^dns \d+$/],
    ['trap', /^200 \d+$/],
  ])('has hosts that are %s', async (kind, expected) => {
    for (let seed = 0; seed < 10; seed++) {
      const { web, get } = sceneOf(seed, shapeOf(seed, { kinds: [kind], hosts: 2 }));
      const outcome = await get(web.seeds[0] as string);
      const what = outcome.status === 'failed' ? outcome.reason : outcome.httpStatus;
      expect(`${what} ${outcome.endedAt - outcome.startedAt}`).toMatch(expected);
    }
  });

  test('has pages that fail once or twice, and others that fail forever', async () => {
    const tries: number[] = [];
    for (let seed = 0; seed < 20; seed++) {
      const { web, get } = sceneOf(seed, shapeOf(seed, { kinds: ['flaky'], hosts: 1, maxPages: 25 }));
      const isServed = (outcome: FetchOutcome) =>
        outcome.status === 'response' && outcome.httpStatus < 500 && !outcome.truncated;
      for (const url of reachable(web, 40).filter((link) => /h0\.sim/.test(link))) {
        let failed = 0;
        while (failed < 9 && !isServed(await get(url))) failed++;
        tries.push(failed);
      }
    }
    expect(tries).toEqual(expect.arrayContaining([0, 1, 2, 9]));
    expect(new Set(tries).size).toBe(4);
  });

  test('has hosts with pages at both schemes, each at one of them and redirected to from the other', async () => {
    let redirects = 0;
    for (let seed = 0; seed < 60; seed++) {
      const { web, get } = sceneOf(seed, shapeOf(seed, { kinds: ['ordinary'], hosts: 6, maxPages: 25 }));
      for (const url of reachable(web, 80)) {
        const target = web.redirectOf(url);
        if (target === undefined || target === url || withoutScheme(target) !== withoutScheme(url)) continue;
        redirects++;
        expect(await get(url)).toMatchObject({ httpStatus: 301 });
        expect(web.redirectOf(target)).not.toBe(url);
      }
    }
    expect(redirects).toBeGreaterThan(5);
  });

  test('has hosts that fail at first and are well later', async () => {
    for (const kind of ['failing', 'unresolved', 'robotsFailing'] as const) {
      let repaired = 0;
      for (let seed = 0; seed < 10; seed++) {
        const scene = sceneOf(seed, shapeOf(seed, { kinds: [kind], hosts: 1 }));
        const robots = new URL('/robots.txt', scene.web.seeds[0]).href;
        const isWell = (outcome: FetchOutcome) => outcome.status === 'response' && outcome.httpStatus < 500;
        const before = isWell(await scene.get(robots));
        await hourLater(scene);
        expect(isWell(await scene.get(robots))).toBe(true);
        if (!before) repaired++;
      }
      expect(repaired).toBeGreaterThan(7);
    }
  });
});

describe('an exchange', () => {
  const shape: WebShape = { ...shapeOf(1), hosts: 1, maxPages: 1, plain: true, responseMs: [100] };
  const ROOT = 'http://h0.sim.test/';

  test('is by the clock of its process for it, and by the time of the world in the log', async () => {
    const scene = sceneOf(1, shape, NO_FAULTS, 5000);
    const outcome = await scene.get(ROOT);
    const [request] = scene.web.log;
    expect(request?.startedAt).toBe(T0);
    expect(outcome).toMatchObject({ startedAt: T0 + 5000, endedAt: (request?.endedAt ?? 0) + 5000 });
  });

  test('gives head and body to the caller as they arrive, and the digest of what it served to the log', async () => {
    const scene = sceneOf(1, { ...shape, bodyBytes: 100_000 });
    const pieces: { at: number; bytes: Uint8Array }[] = [];
    const outcome = await scene.get(ROOT, {
      onHead: () => (bytes) => pieces.push({ at: scene.time.now(), bytes }),
    });
    if (outcome.status !== 'response') throw new Error(outcome.message);
    const body = Buffer.concat(pieces.map(({ bytes }) => bytes));
    expect(body.equals(await outcome.body.bytes())).toBe(true);
    expect(new Set(pieces.map(({ at }) => at)).size).toBe(2);
    const sha1 = hash('sha1', body);
    expect(Buffer.from(outcome.body.sha1).toString('hex')).toBe(sha1);
    expect(scene.web.log[0]).toMatchObject({ sha1, httpStatus: 200, isCut: false });
    expect(Buffer.from(outcome.requestHead).toString()).toMatch(
      /^GET \/ HTTP\/1\.1\r\nhost: h0.sim.test\r\n.*\r\n\r\n$/s,
    );
  });

  test('continues at the server when the process dies, and nobody learns of it', async () => {
    const scene = sceneOf(1, shape);
    let isHeard = false;
    const count = () => {
      isHeard = true;
    };
    scene.web.fetcherOf(scene.process, CONFIG).fetch({ url: ROOT }).then(count, count);
    await scene.time.advance(1);
    scene.process.kill('test');
    await scene.time.advance(10_000);
    expect(isHeard).toBe(false);
    expect(scene.web.log[0]?.endedAt).toBeGreaterThan(T0 + 40);
  });

  test('is over for a process that froze when that continues', async () => {
    const scene = sceneOf(1, shape);
    scene.time.at(T0 + 10, scene.process.freeze);
    scene.time.at(T0 + 60_000, scene.process.thaw);
    expect(await scene.get(ROOT)).toMatchObject({ startedAt: T0, endedAt: T0 + 60_000 });
    expect(scene.web.log[0]?.endedAt).toBeLessThan(T0 + 1000);
  });

  test('ends when the client aborts it, at the server too', async () => {
    const scene = sceneOf(1, shape);
    const controller = new AbortController();
    scene.time.at(T0 + 10, () => controller.abort());
    const outcome = await scene.get(ROOT, { signal: controller.signal });
    expect(outcome).toMatchObject({ status: 'failed', reason: 'aborted', endedAt: T0 + 10 });
    expect(scene.web.log[0]?.endedAt).toBe(T0 + 10);
    expect(scene.web.log[0]?.httpStatus).toBeUndefined();
    await scene.get(ROOT, { signal: controller.signal });
    expect(scene.web.log).toHaveLength(1);
  });

  test('is cut where the body is longer than wanted', async () => {
    const scene = sceneOf(1, shape);
    const outcome = await scene.get(ROOT, { maxBodyBytes: 10 });
    expect(outcome).toMatchObject({ truncated: 'length', body: { size: 10 } });
    expect(scene.web.log[0]?.isCut).toBe(true);
  });

  test('that faults strike fails in every way, and is over when the client gives up', async () => {
    const now = () => T0;
    const names = ['httpFails', 'dnsFails'] as const;
    const ways = new Set<string>();
    for (let seed = 0; seed < 30; seed++) {
      const faults = createFaults({ seed, names, isCalm: () => now() > T0 });
      const scene = sceneOf(seed, shape, faults);
      for (let i = 0; i < 300; i++) {
        const outcome = await scene.get(ROOT);
        const request = scene.requests.at(-1);
        expect(outcome.endedAt).toBe(request?.endedAt);
        expect(outcome.endedAt - outcome.startedAt).toBeLessThanOrEqual(CONFIG.totalTimeoutMs);
        if (outcome.status === 'failed') {
          expect(request?.httpStatus).toBeUndefined();
          ways.add(outcome.reason);
        } else {
          expect(request?.sha1).toBe(hash('sha1', await outcome.body.bytes()));
          ways.add(outcome.truncated ?? String(outcome.httpStatus));
        }
      }
    }
    expect([...ways].toSorted()).toEqual([
      '200',
      '500',
      '502',
      '503',
      '799',
      'connect',
      'disconnect',
      'dns',
      'protocol',
      'reset',
      'time',
      'timeout',
    ]);
  });
});

test('pages vanish and come back, and hosts are away for hours, where the web is one of these', async () => {
  const kinds = ['ordinary'] as const;
  const seen = { away: 0, missing: 0, gone: 0, back: 0 };
  for (let seed = 0; seed < 12; seed++) {
    const shape = shapeOf(seed, { kinds, hosts: 2, maxPages: 12, responseMs: [1] });
    const [still, scene] = [sceneOf(seed, shape), sceneOf(seed, { ...shape, vanishes: 'pages' })];
    const urls = reachable(scene.web, 30);
    const before = new Map<string, number | string>();
    for (const atMs of [0, 3_000_000, 7_000_000, 8 * 86_400_000]) {
      for (const { time } of [still, scene]) await time.advance(T0 + atMs - time.now());
      for (const url of urls) {
        const [plain, outcome] = [await still.get(url), await scene.get(url)];
        const answer = outcome.status === 'response' ? outcome.httpStatus : outcome.reason;
        const isAsEver = answer === (plain.status === 'response' ? plain.httpStatus : plain.reason);
        if (atMs === 0) expect(isAsEver).toBe(true);
        if (!isAsEver) seen[answer === 'connect' ? 'away' : answer === 410 ? 'gone' : 'missing']++;
        if (isAsEver && answer === 200 && [404, 410].includes(Number(before.get(url)))) seen.back++;
        before.set(url, answer);
      }
    }
  }
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(2);
});

test('where hosts vanish, most of them answer 404 for all their pages for hours, and come back', async () => {
  let vanished = 0;
  for (let seed = 0; seed < 10; seed++) {
    const shape = shapeOf(seed, { kinds: ['ordinary'], hosts: 1, minPages: 12, vanishes: 'hosts' });
    const scene = sceneOf(seed, shape);
    const urls = reachable(scene.web, 30).filter((url) => url.includes('//h0.') && !url.includes('missing'));
    expect(urls.length).toBeGreaterThanOrEqual(12);
    const statusesAt = async (atMs: number) => {
      await scene.time.advance(T0 + atMs - scene.time.now());
      const outcomes = await Promise.all(urls.map((url) => scene.get(url)));
      return outcomes.map((outcome) => (outcome.status === 'response' ? outcome.httpStatus : outcome.reason));
    };
    const before = await statusesAt(0);
    const meanwhile = await statusesAt(40 * 60_000);
    if (!meanwhile.every((status, i) => before[i] !== 200 || status === 404)) continue;
    vanished++;
    expect(await statusesAt(8 * 86_400_000)).toEqual(before);
  }
  expect(vanished).toBeGreaterThan(4);
});
