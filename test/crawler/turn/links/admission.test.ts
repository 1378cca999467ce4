import { expect, test } from 'vitest';
import type { Cause } from '../../../../shared/core/causes/cause.ts';
import type { CrawlOptions } from '../../../../shared/core/crawl/config.ts';
import type { UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import { parseRobots } from '../../../../shared/core/robots/parse-robots.ts';
import type { RobotsRules } from '../../../../shared/core/robots/robots-rules.ts';
import { requestUrl } from '../../../../shared/core/url/request-url.ts';
import type { UsageStatement } from '../../../../shared/core/usage/usage-statement.ts';
import { UrlAdmission, type UrlAdmissionOptions } from '../../../../shared/crawler/turn/links/admission.ts';
import { TemplateQuota } from '../../../../shared/crawler/turn/links/template-quota.ts';
import type { QuarantineAnswer } from '../../../../shared/crawler/turn/quarantine.ts';
import type { RobotsAccess } from '../../../../shared/crawler/turn/robots/robots-keeper.ts';
import type { TurnServices } from '../../../../shared/crawler/turn/services.ts';
import { T0 } from '../../worker/fake-clock.ts';
import { type CrawlOfTurn, crawlOfTurn, ORIGIN, recordOf } from '../turn-fakes.ts';

const OPEN: RobotsRules = { rules: [], sitemaps: [] };
const SECRET = parseRobots(Buffer.from('User-agent: *\nDisallow: /secret\n'), 'strand');
const PAGE = `${ORIGIN}/page`;
const NEXT = T0 + 7000;
const REFUSED: Cause = { code: 'fetchFailed', failure: 'certificateExpired', detail: 'connection refused' };
const HTTP_500: Cause = { code: 'robotsStatus', httpStatus: 500 };
const BLOCKED: Cause = { code: 'threadBlocked', ms: 60_000, step: 'parse' };

interface Situation {
  /** The host is crawled by an account. */
  readonly hasAccounts?: boolean;
  crawl?: CrawlOfTurn;
  /** Rules that are known and fresh. */
  known?: RobotsRules;
  /** Rules for which no part has to be read. */
  inHead?: RobotsRules;
  /** The host's moment has come, and no limit is near. */
  isAtOnce?: boolean;
  /** The result of fetching robots.txt. */
  access?: RobotsAccess;
  /** Answers of `waitForMoment`, one after the other; then true. */
  moments?: readonly boolean[];
  isAnnouncing?: boolean;
  answers?: readonly QuarantineAnswer[];
  blockedUrl?: string;
  isTrap?: boolean;
  /** The page's template has its pages. */
  isTemplateFull?: boolean;
  isHopeless?: boolean;
  isStopping?: boolean;
  reserves?: boolean;
  allowsRequisites?: boolean;
  isHostFull?: boolean;
  /** Statements of robots.txt, and of files beside it that are kept, about the use of content. */
  stated?: readonly UsageStatement[];
  inFiles?: readonly UsageStatement[];
  /** Files that are to be fetched first. */
  missing?: readonly string[];
  /** The host's moment cannot be had once a page is reserved. */
  failsLater?: Error;
  /** The registry fails. */
  fault?: Error;
  templates?: TemplateQuota;
}

/** Asks for a decision. `log`: the calls that changed something, in their order. */
async function decide(record: UrlRecord, situation: Situation = {}) {
  const { admission, log } = admissionIn(situation);
  return { ...(await admission.decide(record, ORIGIN)), log };
}

/** Decides by the situation as it is at each call. */
function admissionIn(situation: Situation) {
  const log: string[] = [];
  const ended: boolean[] = [];
  const moments = [...(situation.moments ?? [])];
  const answers = [...(situation.answers ?? [])];
  const { isHostFull = false, isAnnouncing = false } = situation;
  let givenUp: { cause: Cause; at: number } | undefined;
  const options = {
    crawl: crawlOfTurn(situation.crawl),
    counters: {
      countError: (kind: string) => log.push(`error ${kind}`),
      count: (map: string, key: string) => log.push(`${map} ${key}`),
    },
    quarantine: {
      isAnnouncing,
      causeOf: (url: string) => (url === situation.blockedUrl ? BLOCKED : undefined),
      async announce(url: string) {
        if (!isAnnouncing) return 'allowed';
        log.push(`announce ${url}`);
        return answers.shift() ?? 'allowed';
      },
      clear: (url: string) => log.push(`clear ${url}`),
    },
    traps: { closedBy: () => (situation.isTrap ? { kind: 'folder', group: '/x/' } : undefined) },
    templates: situation.templates ?? {
      fullTemplateOf: () => (situation.isTemplateFull ? '/0' : undefined),
      tryReserve: () => situation.isAtOnce ?? false,
      async reserve() {
        return true;
      },
      end: (_: UrlRecord, isPage: boolean) => ended.push(isPage),
    },
    robots: {
      crawlDelayMs: () => undefined,
      knownInHead: (origin: string) => (origin === ORIGIN ? situation.inHead : undefined),
      async known(origin: string) {
        expect(origin).toBe(ORIGIN);
        return situation.known;
      },
      async fetch(origin: string) {
        log.push(`fetch ${origin}`);
        return situation.access ?? { kind: 'known', rules: OPEN };
      },
    },
    usage: {
      ofRobots: async () => situation.stated ?? [],
      ofFiles: async () => situation.inFiles ?? [],
      missing: async () => situation.missing ?? [],
      fetch: async (file: string) => void log.push(`fetch ${file}`),
    },
    pace: {
      nextFetchAt: NEXT,
      get givenUp() {
        return givenUp;
      },
      isMoment: () => situation.isAtOnce ?? false,
      async waitForMoment() {
        log.push('wait');
        if (situation.failsLater && log.includes('reserve')) throw situation.failsLater;
        return moments.shift() ?? true;
      },
      giveUp(cause: Cause) {
        givenUp = { cause, at: T0 };
        log.push(`give up: ${JSON.stringify(cause)}`);
      },
      async giveUpIfHopeless() {
        if (situation.fault) throw situation.fault;
        if (situation.isHopeless) this.giveUp({ code: 'hostFailed' });
      },
    },
    allowance: {
      isHostFull,
      allowsRequisites: situation.allowsRequisites ?? true,
      tryBegin() {
        if (!situation.isAtOnce) return false;
        log.push('begin at once');
        return true;
      },
      async reserve() {
        log.push('reserve');
        return situation.reserves ?? true;
      },
      begin: () => log.push('begin'),
      cancel: () => log.push('cancel'),
    },
    access: {
      accounts: situation.hasAccounts ? { isSignOut: (url: string) => url.endsWith('/logout') } : undefined,
      mayRequest: () => true,
    },
  };
  const services = {
    engine: {
      clock: { now: () => T0 },
      registry: { totals: async () => ({ errors: {}, pages: 0 }), load: async () => undefined },
    },
    work: { run: (_crawl: string, _url: string, _step: string, work: () => unknown) => work() },
    stopping: { aborted: situation.isStopping ?? false },
  } as unknown as TurnServices;
  return { admission: new UrlAdmission(services, options as unknown as UrlAdmissionOptions), log, ended };
}

test('a page that the rules allow is fetched: after the host’s moment, and with a page reserved', async () => {
  expect(await decide(recordOf(PAGE), { known: OPEN })).toEqual({
    outcome: 'fetch',
    log: ['wait', 'reserve', 'wait', 'begin'],
  });
});

test('by an account no link is followed that signs out or changes something, unless the operator has named it', async () => {
  const of = async (path: string, changes = {}, hasAccounts = true) => {
    const record = recordOf(`${ORIGIN}${path}`, changes);
    const { outcome, ...rest } = await decide(record, {
      known: OPEN,
      inHead: OPEN,
      isAtOnce: true,
      hasAccounts,
    });
    return outcome === 'fetch' ? outcome : (rest as { record: UrlRecord }).record.result?.cause?.code;
  };
  const found = { depth: 1 };
  expect(await of('/logout')).toBe('signOutLink');
  expect(await of('/post.php?action=trash', found)).toBe('changeLink');
  expect(await of('/post.php?action=edit', found)).toBe('fetch');
  expect(await of('/post.php?action=trash', { depth: 0 })).toBe('fetch');
  expect(await of('/post.php?action=trash', found, false)).toBe('fetch');
});

test.each<[string, CrawlOptions]>([
  ['cookies', { cookies: [{ name: 'sid', value: '1', domain: 'a.test' }] }],
  ['a password', { auth: { 'a.test': 'me:secret' } }],
  ['a header', { headers: { 'a.test': { authorization: 'Bearer 1' } } }],
  ['a key', { headers: { 'a.test': { 'X-Api-Key': '1' } } }],
  ['a token', { headers: { 'a.test': { 'private-token': '1' } } }],
])('with %s of the operator, too', async (_, options) => {
  const { outcome } = await decide(recordOf(`${ORIGIN}/post.php?action=trash`, { depth: 1 }), {
    ...{ known: OPEN, inHead: OPEN, isAtOnce: true },
    crawl: { config: options },
  });
  expect(outcome).toBe('unasked');
  const other = await decide(recordOf(`${ORIGIN}/post.php?action=edit`, { depth: 1 }), {
    ...{ known: OPEN, inHead: OPEN, isAtOnce: true },
    crawl: { config: options },
  });
  expect(other.outcome).toBe('fetch');
});

test('a page for which nothing has to be waited for is begun at once', async () => {
  const atOnce = { inHead: OPEN, isAtOnce: true };
  const begun = { outcome: 'fetch', log: ['begin at once'] };
  expect(await decide(recordOf(PAGE), atOnce)).toEqual(begun);
  // Old rules are not enough.
  const fetched = [`fetch ${ORIGIN}`, `clear ${ORIGIN}/robots.txt`];
  expect(await decide(recordOf(PAGE), { ...atOnce, inHead: undefined })).toMatchObject({
    outcome: 'fetch',
    log: [...fetched, 'begin at once'],
  });
  // A turn that announces its URLs, and a requisite, begin nothing at once.
  const announced = ['announce', 'reserve', 'begin'];
  expect(
    (await decide(recordOf(PAGE), { ...atOnce, isAnnouncing: true })).log.map((step) => step.split(' ')[0]),
  ).toEqual(announced);
  const style = recordOf(`${ORIGIN}/s.css`, { kind: 'requisite' });
  expect(await decide(style, { ...atOnce, allowsRequisites: false })).toMatchObject({ outcome: 'turnEnds' });
});

test('a requisite needs no page, but a limit that allows it', async () => {
  const style = recordOf(`${ORIGIN}/s.css`, { kind: 'requisite' });
  expect(await decide(style, { known: OPEN, reserves: false })).toMatchObject({
    outcome: 'fetch',
    log: ['wait', 'wait'],
  });
  expect(await decide(style, { known: OPEN, allowsRequisites: false })).toMatchObject({
    outcome: 'turnEnds',
    record: style,
  });
  // Requisites are fetched even if the host has reached its limit of pages.
  expect(await decide(style, { known: OPEN, isHostFull: true })).toMatchObject({ outcome: 'fetch' });
});

test('a page that blocked its thread fails, is counted, and no robots.txt is requested', async () => {
  expect(await decide(recordOf(PAGE), { blockedUrl: PAGE, isTrap: true })).toEqual({
    outcome: 'unasked',
    record: recordOf(PAGE, { state: 'failed', result: { fetchedAt: T0, cause: BLOCKED } }),
    log: ['error blocked'],
  });
});

test('a page whose template has its pages is skipped without a request; one that was fetched is fetched again', async () => {
  const skipped = await decide(recordOf(PAGE), { isTemplateFull: true });
  expect(skipped).toMatchObject({ outcome: 'unasked', record: { state: 'skipped' }, log: [] });
  expect(skipped).toHaveProperty('record.result.cause', { code: 'pagesPerTemplate', template: '/0' });
  const again = recordOf(PAGE, { state: 'fetched', dueAt: 1 });
  expect(await decide(again, { known: OPEN, isTemplateFull: true })).toMatchObject({ outcome: 'fetch' });
});

test('a page of the template that was reserved and is not begun is given back, also if the registry fails', async () => {
  const refused = admissionIn({ known: OPEN, reserves: false });
  await refused.admission.decide(recordOf(PAGE), ORIGIN);
  expect(refused.ended).toEqual([false]);
  const { admission, ended } = admissionIn({ known: OPEN, failsLater: new Error('out of reach') });
  await expect(admission.decide(recordOf(PAGE), ORIGIN)).rejects.toThrow('out of reach');
  expect(ended).toEqual([false]);
});

test('a page of a trap is skipped, but no seed, no requisite and no request of the project', async () => {
  const trap = { known: OPEN, isTrap: true };
  const skipped = await decide(recordOf(PAGE), trap);
  expect(skipped).toMatchObject({ outcome: 'unasked', record: { state: 'skipped' }, log: ['hints trap'] });
  expect(skipped).toHaveProperty('record.result.cause', { code: 'trap', kind: 'folder', group: '/x/' });
  for (const record of [
    recordOf(PAGE, { depth: 0 }),
    recordOf(PAGE, { kind: 'requisite' }),
    recordOf(PAGE, { kind: 'sitemap' }),
    recordOf(requestUrl(PAGE, { label: 'x' })),
  ])
    expect(await decide(record, trap)).toMatchObject({ outcome: 'fetch' });
});

test('what robots.txt forbids is settled so, with the line that forbids it', async () => {
  const secret = recordOf(`${ORIGIN}/secret/1?x`);
  const denied = {
    outcome: 'unasked',
    record: {
      state: 'deniedByRobots',
      result: { fetchedAt: T0, cause: { code: 'robotsDenied', line: 2, pattern: '/secret' } },
    },
  };
  expect(await decide(secret, { known: SECRET })).toMatchObject({ ...denied, log: [] });
  const fetched = await decide(secret, { access: { kind: 'known', rules: SECRET } });
  expect(fetched).toMatchObject({ ...denied, log: [`fetch ${ORIGIN}`, `clear ${ORIGIN}/robots.txt`] });
  // A request of the project goes by the URL that is fetched.
  const own = recordOf(requestUrl(`${ORIGIN}/secret/1?x`, { method: 'POST' }));
  expect(await decide(own, { known: SECRET })).toMatchObject(denied);
  expect(await decide(recordOf(PAGE), { known: SECRET })).toMatchObject({ outcome: 'fetch' });
});

const TRAINING = { known: OPEN, crawl: { config: { purpose: 'train-ai' } } } as const;
const FILE = `${ORIGIN}/.well-known/tdmrep.json`;

test('what robots.txt reserves for other purposes is not fetched, but its sitemaps are', async () => {
  const stated = [{ signal: 'content-usage', source: 'robots.txt', value: 'train-ai=n' }] as const;
  // No file is asked for if robots.txt decides already.
  expect(await decide(recordOf(PAGE), { ...TRAINING, stated, missing: [FILE] })).toMatchObject({
    outcome: 'unasked',
    record: {
      state: 'deniedByRobots',
      result: { cause: { code: 'usageForbidden', use: 'train-ai', by: 'robots.txt' } },
    },
    log: [],
  });
  expect(await decide(recordOf(PAGE, { kind: 'sitemap' }), { ...TRAINING, stated })).toMatchObject({
    outcome: 'fetch',
  });
  for (const config of [{ purpose: 'search' }, {}] as const)
    expect(await decide(recordOf(PAGE), { known: OPEN, stated, crawl: { config } })).toMatchObject({
      outcome: 'fetch',
    });
});

test('files about the use of content are fetched first, each in a moment of the host', async () => {
  const log = ['wait', `fetch ${FILE}`, `clear ${FILE}`, 'wait', `fetch ${PAGE}/l`, `clear ${PAGE}/l`];
  const missing = [FILE, `${PAGE}/l`];
  const admitted = await decide(recordOf(PAGE), { ...TRAINING, missing });
  expect(admitted).toEqual({ outcome: 'fetch', log: [...log, 'wait', 'reserve', 'wait', 'begin'] });
  // The turn has no more time for the second one.
  const late = await decide(recordOf(PAGE), { ...TRAINING, missing, moments: [true, false] });
  expect(late).toMatchObject({
    outcome: 'turnEnds',
    record: recordOf(PAGE),
    log: [...log.slice(0, 3), 'wait'],
  });
  // One that has killed too many workers.
  const killer = { ...TRAINING, missing, isAnnouncing: true, answers: ['quarantined'] } as const;
  expect(await decide(recordOf(PAGE), killer)).toMatchObject({ outcome: 'turnEnds' });
});

test('a licence that robots.txt names forbids a page; tdmrep.json leaves that to the page', async () => {
  const inFiles = [{ signal: 'rsl', source: 'license', value: 'search=y, train-ai=n' }] as const;
  expect(await decide(recordOf(PAGE), { ...TRAINING, inFiles })).toMatchObject({
    outcome: 'unasked',
    record: { result: { cause: { code: 'usageForbidden', use: 'train-ai', by: 'license' } } },
  });
  const reserved = [{ signal: 'tdm-reservation', source: 'tdmrep.json', value: '1' }] as const;
  expect(await decide(recordOf(PAGE), { ...TRAINING, inFiles: reserved })).toMatchObject({
    outcome: 'fetch',
  });
});

test('rules that are not known are fetched first, and the page waits for its moment after them', async () => {
  expect(await decide(recordOf(PAGE))).toEqual({
    outcome: 'fetch',
    log: [`fetch ${ORIGIN}`, `clear ${ORIGIN}/robots.txt`, 'wait', 'reserve', 'wait', 'begin'],
  });
});

test('a host that fails while its old rules are still used is given up when it is hopeless', async () => {
  const access: RobotsAccess = { kind: 'known', rules: OPEN };
  expect(await decide(recordOf(PAGE), { access, isHopeless: true })).toMatchObject({
    outcome: 'turnEnds',
    record: recordOf(PAGE),
  });
});

test('a URL waits as long as its host while another host’s turn fetches the rules', async () => {
  expect(await decide(recordOf(PAGE), { access: { kind: 'awaited' } })).toMatchObject({
    outcome: 'putBack',
    record: recordOf(PAGE, { dueAt: NEXT }),
  });
});

test('a host that cannot be reached ends the turn; its URL comes after the others, and a seed’s cause is reported', async () => {
  const access: RobotsAccess = { kind: 'unreachable', cause: REFUSED };
  expect(await decide(recordOf(PAGE), { access })).toMatchObject({
    outcome: 'turnEnds',
    record: recordOf(PAGE, { dueAt: NEXT + 1 }),
    seedCause: REFUSED,
  });
  const hopeless = await decide(recordOf(PAGE), { access, isHopeless: true });
  expect(hopeless.log).toContain('give up: {"code":"hostFailed"}');
  // A worker that stops has aborted the request itself: nothing is reported or postponed.
  const stopped = await decide(recordOf(PAGE), { access, isStopping: true, isHopeless: true });
  expect(stopped).toEqual({
    outcome: 'turnEnds',
    record: recordOf(PAGE),
    log: [`fetch ${ORIGIN}`, `clear ${ORIGIN}/robots.txt`],
  });
});

test('a URL at a blocked address is skipped', async () => {
  expect(await decide(recordOf(PAGE), { access: { kind: 'blocked', cause: REFUSED } })).toMatchObject({
    outcome: 'unasked',
    record: { state: 'skipped', result: { fetchedAt: T0, cause: REFUSED } },
  });
});

test('a URL of a closed origin is put off as often as any is tried, and fails then', async () => {
  const access: RobotsAccess = { kind: 'closed', cause: HTTP_500, until: T0 + 60_000 };
  const crawl = { config: { maxAttempts: 3 } };
  expect(await decide(recordOf(PAGE, { attempts: 1 }), { access, crawl })).toMatchObject({
    outcome: 'unasked',
    record: { state: 'waiting', attempts: 2, dueAt: T0 + 60_000, result: { cause: HTTP_500 } },
  });
  expect(await decide(recordOf(PAGE, { attempts: 2 }), { access, crawl })).toMatchObject({
    outcome: 'unasked',
    record: { state: 'failed', attempts: 3, dueAt: 0, result: { cause: HTTP_500 } },
  });
});

test('a turn that announces its URLs announces robots.txt, then the page', async () => {
  expect(await decide(recordOf(PAGE), { isAnnouncing: true })).toEqual({
    outcome: 'fetch',
    log: [
      ...[`announce ${ORIGIN}/robots.txt`, `fetch ${ORIGIN}`, `clear ${ORIGIN}/robots.txt`],
      ...['wait', `announce ${PAGE}`, 'reserve', 'wait', 'begin'],
    ],
  });
});

test('a robots.txt that has killed too many workers is not fetched: its host is given up', async () => {
  const killed = await decide(recordOf(PAGE), { isAnnouncing: true, answers: ['quarantined'] });
  expect(killed).toMatchObject({ outcome: 'turnEnds', record: recordOf(PAGE) });
  expect(killed.log).toEqual([
    `announce ${ORIGIN}/robots.txt`,
    'give up: {"code":"workerDied","times":3,"at":"robots"}',
    'error killed',
    `clear ${ORIGIN}/robots.txt`,
  ]);
  const busy = await decide(recordOf(PAGE), { isAnnouncing: true, answers: ['busy'] });
  expect(busy).toMatchObject({ outcome: 'turnEnds', record: recordOf(PAGE) });
  expect(busy.log).toEqual([`announce ${ORIGIN}/robots.txt`, `clear ${ORIGIN}/robots.txt`]);
});

test('a page that has killed too many workers fails, and the turn ends; another turn’s announcement only ends it', async () => {
  const situation = { isAnnouncing: true, known: OPEN };
  expect(await decide(recordOf(PAGE), { ...situation, answers: ['quarantined'] })).toMatchObject({
    outcome: 'turnEnds',
    record: {
      url: PAGE,
      state: 'failed',
      result: { fetchedAt: T0, cause: { code: 'workerDied', times: 3, at: 'page' } },
    },
    log: ['wait', `announce ${PAGE}`, 'error killed'],
  });
  expect(await decide(recordOf(PAGE), { ...situation, answers: ['busy'] })).toEqual({
    outcome: 'turnEnds',
    record: recordOf(PAGE),
    log: ['wait', `announce ${PAGE}`],
  });
});

test('where the host’s moment does not come, the turn ends and no page is reserved', async () => {
  expect(await decide(recordOf(PAGE), { known: OPEN, moments: [false] })).toEqual({
    outcome: 'turnEnds',
    record: recordOf(PAGE),
    log: ['wait'],
  });
});

test('a page that was waited for too long is given back, and the turn ends', async () => {
  expect(await decide(recordOf(PAGE), { known: OPEN, moments: [true, false] })).toEqual({
    outcome: 'turnEnds',
    record: recordOf(PAGE),
    log: ['wait', 'reserve', 'wait', 'cancel'],
  });
  // A requisite has none to give back.
  const style = recordOf(`${ORIGIN}/s.css`, { kind: 'requisite' });
  expect(await decide(style, { known: OPEN, moments: [true, false] })).toEqual({
    outcome: 'turnEnds',
    record: style,
    log: ['wait', 'wait'],
  });
});

test('a page more than the host may have is put back, and its page is given back', async () => {
  expect(await decide(recordOf(PAGE), { known: OPEN, isHostFull: true })).toEqual({
    outcome: 'putBack',
    record: recordOf(PAGE),
    log: ['wait', 'reserve', 'wait', 'cancel'],
  });
  // A turn that announces one URL ends with it.
  expect(await decide(recordOf(PAGE), { known: OPEN, isHostFull: true, isAnnouncing: true })).toMatchObject({
    outcome: 'turnEnds',
    record: recordOf(PAGE),
  });
});

test('at the limit of pages the turn ends; where requisites are still fetched it continues', async () => {
  expect(await decide(recordOf(PAGE), { known: OPEN, reserves: false })).toEqual({
    outcome: 'turnEnds',
    record: recordOf(PAGE),
    log: ['wait', 'reserve'],
  });
  const draining = {
    known: OPEN,
    reserves: false,
    crawl: { config: { maxPages: 5, requisites: true }, pages: 5 },
  };
  expect(await decide(recordOf(PAGE), draining)).toMatchObject({
    outcome: 'putBack',
    record: recordOf(PAGE),
  });
  expect(await decide(recordOf(PAGE), { ...draining, isAnnouncing: true })).toMatchObject({
    outcome: 'turnEnds',
  });
});

test('each decision goes by the moment it is made at', async () => {
  const situation: Situation = {};
  const { admission, log } = admissionIn(situation);
  const outcomes: string[] = [];
  const decideNow = async (change: Partial<Situation>) => {
    Object.assign(situation, change);
    outcomes.push((await admission.decide(recordOf(PAGE), ORIGIN)).outcome);
  };
  await decideNow({ access: { kind: 'awaited' } });
  await decideNow({ access: { kind: 'known', rules: OPEN } });
  await decideNow({ reserves: false });
  await decideNow({ reserves: true, known: OPEN });
  expect(outcomes).toEqual(['putBack', 'fetch', 'turnEnds', 'fetch']);
  expect(log.filter((call) => call === `fetch ${ORIGIN}`)).toHaveLength(3);
  expect(log.filter((call) => call === 'wait')).toHaveLength(5);
});

test('each decision goes by what is stated at its moment about the use of content, and announces files again', async () => {
  const situation: Situation = { ...TRAINING, isAnnouncing: true, missing: [FILE] };
  const announced: QuarantineAnswer[] = ['allowed', 'allowed', 'busy'];
  const { admission, log } = admissionIn({ ...situation, answers: announced });
  const decided = async (given: ReturnType<typeof admissionIn>['admission']) =>
    (await given.decide(recordOf(PAGE), ORIGIN)).outcome;
  // Another suspect is being tried when the file is to be fetched once more.
  expect([await decided(admission), await decided(admission)]).toEqual(['fetch', 'turnEnds']);
  expect(log.filter((call) => call === `announce ${FILE}`)).toHaveLength(2);

  const changing: Situation = { ...TRAINING, missing: [FILE] };
  const later = admissionIn(changing);
  const outcomes: string[] = [];
  const stated = [{ signal: 'content-usage', source: 'robots.txt', value: 'train-ai=n' }] as const;
  const inFiles = [{ signal: 'rsl', source: 'license', value: 'search=y, train-ai=n' }] as const;
  for (const change of [{}, { missing: [], inFiles }, { inFiles: [], stated }, { stated: [] }]) {
    Object.assign(changing, change);
    outcomes.push(await decided(later.admission));
  }
  expect(outcomes).toEqual(['fetch', 'unasked', 'unasked', 'fetch']);
  expect(later.log.filter((call) => call === `fetch ${FILE}`)).toHaveLength(1);

  // robots.txt is announced each time, too.
  const robots = admissionIn({ isAnnouncing: true, answers: ['allowed', 'allowed', 'busy'] });
  expect([await decided(robots.admission), await decided(robots.admission)]).toEqual(['fetch', 'turnEnds']);
  expect(robots.log.filter((call) => call.startsWith('announce'))).toEqual(
    [`${ORIGIN}/robots.txt`, PAGE, `${ORIGIN}/robots.txt`].map((url) => `announce ${url}`),
  );
});

test('each announcement is one of its own', async () => {
  const { admission, log } = admissionIn({ isAnnouncing: true, answers: ['allowed', 'allowed', 'busy'] });
  expect(await admission.decide(recordOf(PAGE), ORIGIN)).toMatchObject({ outcome: 'fetch' });
  expect(await admission.decide(recordOf(PAGE), ORIGIN)).toMatchObject({ outcome: 'turnEnds' });
  const known = admissionIn({ isAnnouncing: true, known: OPEN, answers: ['allowed', 'busy'] });
  expect(await known.admission.decide(recordOf(PAGE), ORIGIN)).toMatchObject({ outcome: 'fetch' });
  expect(await known.admission.decide(recordOf(PAGE), ORIGIN)).toMatchObject({ outcome: 'turnEnds' });
  expect(log.filter((call) => call.startsWith('announce'))).toHaveLength(3);
});

test('a registry that fails makes the turn fail', async () => {
  const fault = new Error('the registry is out of reach');
  await expect(decide(recordOf(PAGE), { fault })).rejects.toThrow(fault);
  const access: RobotsAccess = { kind: 'unreachable', cause: REFUSED };
  await expect(decide(recordOf(PAGE), { access, fault })).rejects.toThrow(fault);
});

test('a page waits while one in flight may be the last of its template', async () => {
  const [one, other] = [recordOf(`${ORIGIN}/t/1`), recordOf(`${ORIGIN}/t/2`)];
  const templates = new TemplateQuota({ maxPagesPerTemplate: 1 }, undefined);
  const { admission } = admissionIn({ known: OPEN, templates });
  const outcomeOf = async (record: UrlRecord) => {
    const admitted = await admission.decide(record, ORIGIN);
    return 'record' in admitted
      ? [admitted.outcome, admitted.record.result?.cause?.code]
      : [admitted.outcome];
  };
  // Its fetch fails, and it is tried once more.
  expect(await outcomeOf(one)).toEqual(['fetch']);
  templates.end(one, false);
  expect(await outcomeOf(one)).toEqual(['fetch']);
  let isDecided = false;
  const waiting = outcomeOf(other).finally(() => {
    isDecided = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isDecided).toBe(false);
  templates.end(one, true);
  expect(await waiting).toEqual(['unasked', 'pagesPerTemplate']);
});
