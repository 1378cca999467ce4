/** The states of hosts, domains and addresses that heads keep: the same events give the same ones in each version. */
import { expect, test } from 'vitest';
import { mixHash } from '../../../shared/core/base/mix-hash.ts';
import { SIZES } from '../../../shared/core/base/sizes.ts';
import { crawlConfigSchema } from '../../../shared/core/crawl/config.ts';
import { type AddressLease, claimLease, unusedLease } from '../../../shared/core/frontier/address-lease.ts';
import { hostRate, maxBytesRestMs, paidUntil } from '../../../shared/core/frontier/byte-rate.ts';
import { maxRestMs, maxWaitMs } from '../../../shared/core/frontier/clamp-times.ts';
import { createCombinationWatch } from '../../../shared/core/frontier/combination-watch.ts';
import { type CrawlRateState, claimTime } from '../../../shared/core/frontier/crawl-rate.ts';
import {
  grantPages,
  NO_DOMAIN_STATE,
  openedCheck,
  openedHosts,
  periodAt,
  periodEnd,
  takeBackPages,
  withHost,
  withLinkers,
} from '../../../shared/core/frontier/domain-state.ts';
import { foldLink } from '../../../shared/core/frontier/fold-links.ts';
import { createFolderWatch } from '../../../shared/core/frontier/folder-watch.ts';
import { budgetByLinks, medianLinkers, roundedLinkers } from '../../../shared/core/frontier/link-budget.ts';
import {
  countLinkers,
  linkerHash,
  mergeSketches,
  sketchOf,
} from '../../../shared/core/frontier/linker-sketch.ts';
import {
  kindAfter,
  newRecord,
  raisedFromNote,
  raisedRecord,
} from '../../../shared/core/frontier/merge-link.ts';
import { type Link, linkOf } from '../../../shared/core/frontier/message.ts';
import {
  afterAnswer,
  afterFailure,
  afterNothing,
  FRESH_CLOCK,
  type HostClock,
  isHopeless,
  maxGapAfter,
} from '../../../shared/core/frontier/politeness.ts';
import { isSeedRecord, levelOf, levelOfLink, rankOf } from '../../../shared/core/frontier/rank.ts';
import { type Place, RateLine } from '../../../shared/core/frontier/rate-line.ts';
import { noteOfRecord } from '../../../shared/core/frontier/run.ts';
import { createTemplateCounts, quotaTemplateOf } from '../../../shared/core/frontier/template-counts.ts';
import { createTemplateWatch } from '../../../shared/core/frontier/template-watch.ts';
import { needsText, unpackMemory, windowOf, worthOfText } from '../../../shared/core/frontier/text-memory.ts';
import { distinctTexts, sampleText } from '../../../shared/core/frontier/text-sample.ts';
import { closedGroups, createTrapWatch } from '../../../shared/core/frontier/trap-watch.ts';
import {
  causeOfFailure,
  countsAgainstHost,
  hostFailureOf,
  isPassing,
  judge,
} from '../../../shared/core/frontier/verdict.ts';
import { FAILURE_CODES } from '../../../shared/core/outcome/failure-codes.ts';
import type { FetchOutcome } from '../../../shared/core/outcome/fetch-outcome.ts';
import { openGolden } from '../../golden.ts';
import { type Draw, draws, inPieces, shown } from '../../long-trace.ts';

const golden = openGolden('kept-states.txt', import.meta.url);
const T0 = 1_800_000_000_000;
const CONFIG = crawlConfigSchema().parse({});
const WATCH_SIZES = { ...SIZES, minTextPages: 4, minTrapPages: 12, minTrapWindow: 6, maxTrapWindow: 20 };

/** URLs of a site with articles, a calendar, a shop of filters, words in paths and folders without an end. */
function urlOf(draw: Draw, n: number): string {
  const word = () => draw.of(['red', 'blue', 'large', 'small', 'wood', 'steel']);
  const path = [
    () => `/articles/${n}`,
    () => `/calendar?year=${draw.int(3000)}&month=${draw.int(12)}`,
    () => `/shop?color=${word()}&size=${draw.int(3)}&${draw.of(['brand', 'sort'])}=${word()}`,
    () => `/shelves/${draw.of(['a', 'b', 'c'])}?${word()}=1&${word()}=2&page=${draw.int(9)}`,
    () => `/tags/${word()}/${word()}/`,
    () => `/deep/${word()}/${word()}/${draw.int(1e6)}`,
    () => `/deep/${draw.int(40)}/x/${word()}+${word()}`,
    () => `/${word()}`,
    () => `/t${draw.int(25)}z/${draw.int(100)}`,
    () => `/old${draw.int(60)}/in/${word()}%2f${n}`,
  ];
  return `https://a.test${draw.of(path)()}`;
}

function pageOf(draw: Draw, n: number) {
  const url = urlOf(draw, n);
  const newLinks = Array.from({ length: draw.chance(0.1) ? 55 : draw.int(5) }, (_, i) =>
    draw.chance(0.5) ? `${url.replace(/[?].*$/, '')}/${draw.of(['a', 'b'])}${i}` : urlOf(draw, n * 100 + i),
  );
  const textHash = draw.chance(0.1) ? undefined : draw.chance(0.6) ? draw.int(6) : mixHash(n);
  return {
    url,
    brought: { newLinks, ...(textHash !== undefined && { textHash }), isCopy: draw.chance(0.1) },
  };
}

test('templates that add nothing new', () => {
  const draw = draws(1);
  const options = { minNew: 0.3, sizes: WATCH_SIZES };
  let watch = createTemplateWatch(
    [{ template: '/t?a', pages: 9, fresh: 0.01, seen: [], isClosed: true }],
    options,
  );
  const lines: string[] = [];
  for (let n = 0; n < 1500; n++) {
    const { url, brought } = pageOf(draw, n);
    const wants = Number(watch.wantsText(url));
    watch.count(url, brought);
    if (n % 7 === 0) watch = createTemplateWatch(JSON.parse(JSON.stringify(watch.state())), options);
    const asked = [url, 'https://a.test/t?a=x', 'https://a.test/t?a=y', ...brought.newLinks].map(
      (one) => `${watch.closedBy(one)} ${Number(watch.isClosed(one))} ${shown(watch.worthOfLink(one))}`,
    );
    lines.push(shown([url, wants, asked, watch.closed().length, watch.state()]));
  }
  golden.compare('templates', inPieces(lines, 250));
});

test('combinations and folders that add nothing new', () => {
  const draw = draws(2);
  const known = new Set<string>();
  const isKnown = (url: string) => known.has(url);
  const options = { minNew: 0.3, sizes: WATCH_SIZES };
  let combinations = createCombinationWatch([], { ...options, isKnown });
  let folders = createFolderWatch([], options);
  const lines: string[] = [];
  for (let n = 0; n < 1500; n++) {
    const { url, brought } = pageOf(draw, n);
    const { newLinks, textHash } = brought;
    known.add(url);
    const wants = Number(folders.wantsText(url));
    const asked: unknown[] = [];
    combinations.count(url, newLinks, (prefix) => {
      asked.push(prefix);
      return draw.of([0, 0, 0, 0.2, 0.5]);
    });
    folders.count(url, { newLinks, textHash, worthOfLink: (link) => (link.length % 9 === 0 ? 0.5 : 0) });
    if (n % 7 === 0) {
      combinations = createCombinationWatch(JSON.parse(JSON.stringify(combinations.state())), {
        ...options,
        isKnown,
      });
      folders = createFolderWatch(JSON.parse(JSON.stringify(folders.state())), options);
    }
    const closed = [url, ...newLinks].map((one) => [combinations.closedBy(one), folders.closedBy(one)]);
    lines.push(shown([url, wants, asked, closed, combinations.state()]), shown(folders.state()));
  }
  golden.compare('combinations and folders', inPieces(lines, 500));
});

test('all of what adds nothing new', () => {
  const draw = draws(3);
  const known = new Set<string>();
  const options = { minNew: 0.3, isKnown: (url: string) => known.has(url), sizes: WATCH_SIZES };
  let traps = createTrapWatch({}, options);
  const lines: string[] = [];
  for (let n = 0; n < 700; n++) {
    const { url, brought } = pageOf(draw, n);
    known.add(url);
    const wants = Number(traps.wantsText(url));
    traps.count(url, brought);
    const state = traps.state();
    if (n % 11 === 0) traps = createTrapWatch(JSON.parse(JSON.stringify(state)), options);
    lines.push(shown([url, wants, traps.isClosed(url), traps.closedBy(url), state, closedGroups(state)]));
  }
  golden.compare('traps', inPieces(lines, 100));
});

test('texts that a group has had', () => {
  const draw = draws(4);
  const memory = unpackMemory({});
  const sample = { level: 0, texts: [] as number[] };
  const lines: string[] = [];
  for (let n = 0; n < 600; n++) {
    const text = draw.chance(0.5) ? draw.int(14) : n;
    const worth = worthOfText(memory, text, { ...WATCH_SIZES, minTrapWindow: draw.of([3, 9]) });
    const isNew = sampleText(sample, mixHash(text), draw.chance(0.5) ? 5 : undefined);
    lines.push(shown([worth, memory, isNew, sample, distinctTexts(sample), windowOf(n, WATCH_SIZES)]));
  }
  const asked = [0.97, 0.98, 0.99].map((fresh) =>
    Array.from({ length: 40 }, (_, n) => Number(needsText({ fresh }, `https://a.test/${n}`))).join(''),
  );
  golden.compare('texts', [...inPieces(lines, 100), ...asked]);
});

test('counts of pages by template', () => {
  const draw = draws(5);
  let counts = createTemplateCounts(undefined, 20);
  const lines: string[] = [shown([counts.highest, counts.state()])];
  for (let n = 0; n < 800; n++) {
    const depth = draw.int(3);
    const kind = draw.of([undefined, undefined, undefined, 'sitemap', 'requisite'] as const);
    const template = quotaTemplateOf({ url: urlOf(draw, n), depth, kind });
    if (template === undefined) continue;
    counts.add(template);
    if (n % 5 === 0) counts = createTemplateCounts(counts.state(), 20);
    lines.push(shown([template, counts.of(template), counts.of('/none'), counts.highest, counts.state()]));
  }
  const long = (length: number) => quotaTemplateOf({ url: `https://a.test/${'a'.repeat(length)}`, depth: 1 });
  lines.push(shown([94, 95, 96].map((length) => long(length)?.length)));
  golden.compare('template counts', inPieces(lines, 100));
});

test('the domains that link to one, and its budget', () => {
  const draw = draws(6);
  const lines: string[] = [];
  let all = '';
  const others = [''];
  for (let n = 0; n < 500; n++) {
    const hashes = Array.from({ length: draw.of([0, 1, 2, 11, 12, 13, 40]) }, () =>
      linkerHash(`d${draw.int(n < 100 ? 8 : 4000)}.test`),
    );
    const one = sketchOf(hashes);
    others.push(one);
    const merged = mergeSketches(draw.of(others), one);
    if (n % 9 === 0) all = mergeSketches(all, one);
    const counts = [one, merged, all].map(countLinkers);
    const budgets = counts.map(() => budgetByLinks(100, draw.of([undefined, one, all]), draw.of([0, 1, 5])));
    lines.push(shown([one, merged, all, counts, budgets]));
  }
  golden.compare('linkers', inPieces(lines, 50));
  const strange = ['~', '~AAAA', 'A', 'AAAAAA==', 'AAAAAAA', '~~', 'AAAA'.repeat(20), `~${'A'.repeat(64)}`];
  golden.compare(
    'sketches that are none',
    strange.map((text) =>
      shown([text, countLinkers(text), mergeSketches(text, 'AAAAAQ=='), mergeSketches('AAAAAQ==', text)]),
    ),
  );
  const rounded = [0, 1, 11, 12, 13, 14, 15, 16, 17, 20, 24, 30, 100, 1000, 1e6].map(roundedLinkers);
  const medians = [
    undefined,
    {},
    { 0: 99 },
    { 3: 9 },
    { 3: 10 },
    { 3: 11 },
    { 3: 11, 5: 0, 2: -4 },
    { 10: 30, 9: 5, 2: 4 },
    { 2: 10, 3: 10, 4: 10, 5: 100 },
    { 1: 5, 7: 15, 8: 1 },
  ].map((counts) => medianLinkers(counts as never));
  golden.compare('budgets by links', [shown(rounded), shown(medians)]);
});

test('opened hosts and granted pages of a domain', () => {
  const draw = draws(7);
  const lines: string[] = [];
  let state = NO_DOMAIN_STATE as typeof NO_DOMAIN_STATE & { linkers?: string };
  for (let n = 0; n < 300; n++) {
    const host = `h${draw.int(60)}.a.test`;
    const period = 100 + draw.int(9) - (n % 2);
    const wanted = draw.of([0, 1, 5, 700]);
    const { state: granted, pages } = grantPages(state, {
      period,
      wanted,
      budget: draw.of([0, 1, 19, 20, 21, 500, 9000]),
    });
    state = granted;
    if (draw.chance(0.3)) state = withHost(state, host);
    if (draw.chance(0.2))
      state = takeBackPages(state, { period: period + draw.int(2), pages: draw.int(pages + 9) });
    if (draw.chance(0.1)) state = withLinkers(state, sketchOf([draw.int(40)]));
    lines.push(shown([pages, openedHosts(state), openedCheck(state)(host), state]));
  }
  for (const domain of ['a.test', 'b.test', 'c.test'])
    for (const everyMs of [1, 1000, 3_600_000]) {
      const period = periodAt(domain, T0, everyMs);
      const end = periodEnd(domain, period, everyMs);
      lines.push(
        shown([period, end - T0, periodAt(domain, end - 1, everyMs), periodAt(domain, end, everyMs)]),
      );
    }
  const same = withHost(state, 'h1.a.test');
  expect(withHost(same, 'h1.a.test')).toBe(same);
  expect(withLinkers(state, '')).toBe(state);
  golden.compare('domains', inPieces(lines, 50));
});

test('the lease of an address', () => {
  const draw = draws(8);
  const lines: string[] = [];
  let lease: AddressLease | undefined;
  let now = T0;
  for (let n = 0; n < 900; n++) {
    now += draw.of([0, 1, 250, 1999, 2000, 2001, 4000, 30_000, -100]);
    const owner = `w${draw.int(n < 600 ? 5 : 90)}`;
    const delayMs = draw.of([0, 250, 60_000]);
    const claim = { owner, now, delayMs, requestMs: draw.of([0, 5000, 90_000]), isIdle: draw.chance(0.6) };
    if (draw.chance(0.2)) {
      const unused = unusedLease(lease, claim);
      lines.push(shown([claim, unused]));
      lease = unused ?? lease;
      continue;
    }
    const claimed = claimLease(
      n % 97 === 5 && lease ? { ...lease, until: now + draw.of([7e4, 7e8]) } : lease,
      claim,
    );
    lines.push(shown([claim, claimed]));
    lease = claimed.lease ?? lease;
  }
  golden.compare('leases', inPieces(lines, 100));
});

test('the bytes a second of a host and of a crawl', () => {
  const draw = draws(9);
  const lines: string[] = [];
  let rate: CrawlRateState | undefined;
  let now = T0;
  let paid = 0;
  for (let n = 0; n < 500; n++) {
    now += draw.int(4000);
    const bytesPerSecond = draw.of([100, 1000, 1e6]);
    const claimed = claimTime(rate, {
      now,
      bytesPerSecond,
      ms: draw.of([0.5, 2000, 1e6, 3e7]),
      isOwed: draw.chance(0.3),
    });
    rate = n % 50 === 0 ? undefined : (claimed.rate ?? rate);
    paid = paidUntil(
      paid,
      { startedAt: now - draw.int(9000), endedAt: now },
      draw.of([0, 77, 1e6, 1e9]),
      bytesPerSecond,
    );
    lines.push(shown([claimed, paid - now]));
  }
  golden.compare('claimed bytes', inPieces(lines, 50));
  const rates = [undefined, 50, 1e9].flatMap((maxBytesPerSecond) =>
    [undefined, 70, 40].map((maxBytesPerSecondPerHost) => {
      const config = { ...CONFIG, maxBytesPerSecond, maxBytesPerSecondPerHost, perHost: 2 };
      const rest = [maxRestMs(config), maxRestMs({ ...config, ipDelayMs: 5 }), maxWaitMs(config)];
      return shown([hostRate(config), maxBytesRestMs(config), maxBytesRestMs(config, 5), rest]);
    }),
  );
  golden.compare('rests for bytes', rates);
});

test('the line of requests that share the bytes of a crawl', () => {
  const draw = draws(10);
  const lines: string[] = [];
  let now = 1000;
  for (const seed of [1, 2, 3]) {
    const line = new RateLine();
    const places: Place[] = [];
    const joined: Place[] = [];
    for (let n = 0; n < 250; n++) {
      now += draw.of([0, 0, 1, 300, 1000, 2500]);
      const rate = draw.chance(0.9) ? [400, 20_000, 1e6][seed - 1]! : 9000;
      const steps: Record<string, () => unknown> = {
        take() {
          const place = line.take(now, rate);
          if (typeof place === 'object') places.push(place);
          return place;
        },
        claim() {
          const ms = line.claimMs(now, rate);
          line.add(ms, now + draw.of([-500, 0, 700]));
          return ms;
        },
        owed() {
          const ms = line.owedMs;
          line.settled(ms);
          return ms;
        },
        back() {
          const place = places.pop();
          if (place) line.giveBack(place, rate);
          return place;
        },
        join() {
          const place = places.shift();
          if (!place) return undefined;
          joined.push(place);
          line.join(now, place, rate);
          return line.waitMs(now);
        },
        begun() {
          if (joined[0]) line.begun(now, joined[0], rate);
          return line.waitMs(now);
        },
        ended() {
          const place = joined.shift();
          if (place) line.ended(now, place, draw.of([undefined, 0, 900, 60_000, 5e7]), rate);
          return line.waitMs(now);
        },
      };
      const name = draw.of([...Object.keys(steps), 'take', 'claim', 'join', 'ended']);
      lines.push(shown([now, name, steps[name]?.(), line.owedMs, line.waitMs(now)]));
    }
  }
  golden.compare('lines', inPieces(lines, 50));
});

test('the clock of a host', () => {
  const draw = draws(11);
  const lines: string[] = [];
  let clock: HostClock = FRESH_CLOCK;
  let now = T0;
  for (let n = 0; n < 700; n++) {
    now += draw.int(20_000);
    const crawlDelayMs = draw.of([undefined, 0, 1500.5, 1e9]);
    const request = {
      startedAt: now - draw.int(9000),
      endedAt: now,
      ...(crawlDelayMs !== undefined && { crawlDelayMs }),
    };
    const config = {
      ...CONFIG,
      ...{ adaptive: draw.chance(0.5), adaptiveFactor: 2.5, delayMs: draw.of([0, 250]), maxHostFailures: 7 },
      ...{ backoffMs: draw.of([1000, 1e6]), maxRetryAfterMs: 50_000 },
    };
    const code = draw.of([undefined, undefined, 'certificateExpired', 'reservedName', 'noResponse'] as const);
    const failure = {
      ...{ cause: { code: 'fetchFailed', ...(code && { failure: code }), detail: 'x' } as const, code },
      ...{ weight: draw.int(3), retryAfterMs: draw.of([undefined, 0, 7000, 1e9]) },
    };
    const after = [
      afterAnswer,
      afterNothing,
      (...args: Parameters<typeof afterNothing>) =>
        afterFailure(args[0], args[1], failure, args[2], draw.of([0, 0.5, 0.99])),
    ];
    const next = draw.of(after)(clock, request, config);
    lines.push(
      shown([
        next.nextFetchAt - now,
        next,
        isHopeless(next, config),
        maxGapAfter(draw.int(9999), crawlDelayMs, config),
      ]),
    );
    clock = draw.chance(0.1) ? FRESH_CLOCK : next;
  }
  golden.compare('clocks', inPieces(lines, 70));
});

test('the verdict on each outcome of a fetch', () => {
  const limits = { maxAttempts: 3, retryMs: 10_000, backoffMs: 1000, maxBackoffMs: 3000 };
  const response = (httpStatus: number, truncated?: string) =>
    ({ status: 'response', httpStatus, truncated, body: { size: 7 } }) as unknown as FetchOutcome;
  const statuses = [
    100, 199, 200, 204, 299, 300, 301, 302, 303, 304, 307, 308, 309, 400, 403, 404, 405, 408, 409, 410, 411,
  ];
  const later = [425, 429, 451, 500, 501, 502, 503, 504, 505, 520, 521, 522, 523, 524, 525, 598, 599, 600];
  const lines = [...statuses, ...later].map((httpStatus) =>
    shown([
      httpStatus,
      isPassing(httpStatus),
      countsAgainstHost(httpStatus),
      ...[0, 1, 2].map((attempts) => judge(response(httpStatus), { attempts }, limits, 70)),
    ]),
  );
  for (const truncated of ['disconnect', 'time', 'length'])
    for (const httpStatus of [200, 301, 404, 500])
      lines.push(
        shown([
          truncated,
          httpStatus,
          judge(response(httpStatus, truncated), { attempts: 0 }, limits),
          judge(response(httpStatus, truncated), { attempts: 2 }, limits, 9),
        ]),
      );
  const reasons = [
    'dns',
    'connect',
    'tls',
    'timeout',
    'reset',
    'protocol',
    'headersTooLarge',
    'blockedAddress',
    'blockedPort',
    'proxy',
    'middleware',
    'aborted',
  ] as const;
  for (const reason of reasons)
    for (const code of [undefined, FAILURE_CODES[0]])
      for (const isStaleConnection of [undefined, true]) {
        const outcome = {
          status: 'failed',
          reason,
          code,
          isStaleConnection,
          message: `${reason}!`,
        } as unknown as FetchOutcome & { status: 'failed' };
        const cause = causeOfFailure(outcome);
        lines.push(
          shown([
            reason,
            code,
            isStaleConnection,
            hostFailureOf(outcome, cause),
            ...[0, 1, 2].map((attempts) => judge(outcome, { attempts }, limits, 70)),
          ]),
        );
      }
  golden.compare('verdicts', inPieces(lines, 8));
});

test('ranks, and what further links make of a URL', () => {
  const draw = draws(12);
  const lines: string[] = [];
  for (let n = 0; n < 1500; n++) {
    const anyLink = (): Link =>
      linkOf({
        ...{ url: `https://a.test/${draw.int(3)}`, depth: draw.of([0, 1, 2, 14, 15, 16, 30]) },
        ...{
          via: draw.of([undefined, `https://b.test/${draw.int(500)}`]),
          redirects: draw.of([undefined, 2]),
        },
        ...{ isSeed: draw.of([undefined, undefined, true]), level: draw.of([undefined, 0, 3, 7, 9]) },
        ...{
          kind: draw.of([undefined, undefined, 'requisite', 'sitemap'] as const),
          linkers: draw.of([undefined, '', sketchOf([draw.int(9)])]),
        },
      } as Link);
    const [one, other] = [anyLink(), anyLink()];
    const record = newRecord(one, T0);
    const known = draw.chance(0.2) ? { ...record, state: 'gone' as const } : record;
    const note = noteOfRecord(known);
    const folded = new Map<string, Link>();
    for (const link of [one, other, anyLink(), anyLink()]) foldLink(folded, link);
    const ranks = [rankOf(known.depth, known.level, known.kind), levelOf(one.url, one.via), levelOfLink(one)];
    lines.push(
      shown([one, record, note, ranks, isSeedRecord(known), kindAfter(known, other)]),
      shown([raisedRecord(known, other), raisedFromNote(record, note, other), [...folded.values()]]),
    );
  }
  golden.compare('links', inPieces(lines, 300));
});
