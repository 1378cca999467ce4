import { expect, test } from 'vitest';
import { MAX_JAR_BYTES } from '../../../../shared/core/access/stored-jar.ts';
import type { FetchRequest } from '../../../../shared/core/outcome/fetch-request.ts';
import { createAccounts } from '../../../../shared/services/accounts/create-accounts.ts';
import type { AccountOptions } from '../../../../shared/services/project/account-options.ts';
import { createFakeClock, T0 } from '../../worker/fake-clock.ts';
import { createMemoryEngine } from '../../worker/memory-engine.ts';
import { type Answer, createScriptedFetcher, type Site } from '../../worker/scripted-fetcher.ts';
import { begin, CRAWL, runToEnd, startProcess, statesOf, type World } from '../../worker/world.ts';

const HOSTS = ['a.members.test', 'b.members.test'];
const PAGES = 12;
const FORM = '<form action=/login method=post><input name=user><input type=password name=word></form>';

interface Members {
  readonly site: Site;
  /** When each login was begun and ended. */
  readonly logins: { readonly at: number; endedAt: number }[];
  /** Answers to the first requests of the form, instead of it. */
  troubles: Answer[];
  pagesPerSession: number;
  /** The answer to somebody who is signed out. */
  signedOut: (path: string) => Answer;
}

/** Two hosts for members of one site, whose sessions end after some pages. */
function membersOf(now: () => number, pagesPerSession = 5): Members {
  const sessions = new Map<string, number>();
  const members: Members = {
    site: {},
    logins: [],
    troubles: [],
    pagesPerSession,
    signedOut: () => ({ body: FORM }),
  };
  const site: Record<string, Site[string]> = {};
  const idOf = ({ headers = {} }: FetchRequest) => /sid=(\w+)/.exec(headers.Cookie ?? '')?.[1] ?? '';
  for (const host of HOSTS) {
    site[`http://${host}/login`] = (_, request) => {
      if (request.method !== 'POST') {
        members.logins.push({ at: now(), endedAt: Number.POSITIVE_INFINITY });
        return members.troubles.shift() ?? { body: FORM };
      }
      const login = members.logins.at(-1);
      if (login) login.endedAt = now();
      if (!String(request.body).includes('word=right')) return { body: FORM };
      const id = `s${sessions.size}`;
      sessions.set(id, members.pagesPerSession);
      return {
        status: 303,
        headers: { Location: '/', 'Set-Cookie': `sid=${id}; Domain=members.test; Path=/` },
      };
    };
    for (let page = 0; page < PAGES; page++)
      site[`http://${host}/${page || ''}`] = (_, request) => {
        const left = sessions.get(idOf(request)) ?? 0;
        if (left <= 0) return members.signedOut(`/${page || ''}`);
        if (page > 0) sessions.set(idOf(request), left - 1);
        const next = page + 1 < PAGES ? `<a href="/${page + 1}">next</a>` : '';
        return { body: `<p>Hello, member. <a href="/logout">Out</a> ${next} page ${'x'.repeat(page)}` };
      };
  }
  return Object.assign(members, { site });
}

const ACCOUNT: AccountOptions = {
  name: 'one',
  hosts: ['*.members.test'],
  async login({ get, post, form }) {
    const { action, fields } = form(await get('/login'));
    await post(action, { ...fields, word: 'right' });
  },
  signedIn: { text: 'Hello, member' },
  limits: { loginsPerHour: 100 },
};

function worldOf(accounts: readonly AccountOptions[], pagesPerSession?: number) {
  const clock = createFakeClock();
  const members = membersOf(() => clock.now(), pagesPerSession);
  const world: World = {
    clock,
    engine: createMemoryEngine(clock),
    fetcher: createScriptedFetcher(clock, members.site),
    accounts: createAccounts(accounts, async () => ''),
  };
  return { world, members };
}

async function accountStates({ engine }: World) {
  const all = [];
  for await (const { jar } of engine.jars.accounts(CRAWL)) all.push(jar.account);
  return all;
}

const pagesOf = async ({ engine }: World, host: string) =>
  Object.entries(await statesOf(engine)).filter(
    ([url, state]) => url.startsWith(`http://${host}/`) && state === 'fetched',
  ).length;

test('each page is fetched while the account is signed in, and no page of a signed-out visit counts', async () => {
  const { world, members } = worldOf([ACCOUNT]);
  await begin(world, ['http://a.members.test/']);
  expect(await runToEnd(world)).toEqual([]);
  expect(await pagesOf(world, 'a.members.test')).toBe(PAGES);
  const states = await statesOf(world.engine);
  expect(states['http://a.members.test/logout']).toBe('skipped');
  expect(states['http://a.members.test/login']).toBeUndefined();
  expect(members.logins).toHaveLength(3);
});

const to = (Location: string): Answer => ({ status: 302, headers: { Location } });

test.each<[what: string, signedOut: (path: string) => Answer]>([
  ['a redirect to the form', () => to('/login')],
  ['a redirect to a page of any name that leads back', (path) => to(`/entrar?volver=${path}`)],
  ['401', () => ({ status: 401 })],
  ['403', () => ({ status: 403, body: 'For members.' })],
  ['419', () => ({ status: 419 })],
  ['the form', () => ({ body: FORM })],
  ['a teaser', () => ({ body: '<p>For members. <a href="/join">Join</a>' })],
])('a session that ends in the middle of a turn with %s loses no page', async (_, signedOut) => {
  const { world, members } = worldOf([ACCOUNT]);
  members.signedOut = signedOut;
  await begin(world, ['http://a.members.test/', 'http://a.members.test/1']);
  expect(await runToEnd(world)).toEqual([]);
  expect(await pagesOf(world, 'a.members.test')).toBe(PAGES);
  const urls = Object.entries(await statesOf(world.engine));
  expect(urls.filter(([, state]) => state !== 'fetched').map(([url]) => url)).toEqual([
    'http://a.members.test/logout',
  ]);
  expect(members.logins.length).toBeGreaterThanOrEqual(3);
});

test('two workers use an account for two hosts, and one at a time signs in', async () => {
  const { world, members } = worldOf([ACCOUNT]);
  const { clock, engine, fetcher, accounts } = world;
  await begin(
    world,
    HOSTS.map((host) => `http://${host}/`),
  );
  const start = () => startProcess(engine, fetcher, { maxHosts: 1, accounts });
  const both = [start(), start()];
  const ended = Promise.all(both.map((process) => process.ended));
  await clock.drive(ended, () => engine.registry.isQuiet(CRAWL));
  for (const process of both) process.stop();
  await clock.drive(ended);
  for (const host of HOSTS) expect(await pagesOf(world, host)).toBe(PAGES);
  for (const [i, { at }] of members.logins.entries())
    expect(members.logins[i - 1]?.endedAt ?? 0).toBeLessThanOrEqual(at);
});

test('a host in trouble is not the fault of the account', async () => {
  const { world, members } = worldOf([ACCOUNT]);
  members.troubles = [{ status: 503 }, { fails: 'timeout' }];
  await begin(world, ['http://a.members.test/'], { backoffMs: 1000, keepTrying: true });
  expect(await runToEnd(world)).toEqual([]);
  expect(await pagesOf(world, 'a.members.test')).toBe(PAGES);
  expect(await accountStates(world)).toMatchObject([{ failures: 0 }]);
});

test('a password after which nothing shows the sign is not sent again soon, if the page for checks fails', async () => {
  const wrong: AccountOptions = {
    ...ACCOUNT,
    check: '/check',
    limits: { restMs: 60_000 },
    async login({ post }) {
      await post('/login', { word: 'wrong' });
    },
  };
  const { world, members } = worldOf([wrong]);
  const sent: number[] = [];
  const site: Record<string, Site[string]> = {
    ...members.site,
    'http://a.members.test/check': () => ({ fails: 'timeout' }),
  };
  const login = site['http://a.members.test/login'] as (before: number, request: FetchRequest) => Answer;
  site['http://a.members.test/login'] = (before, request) => {
    sent.push(world.clock.now());
    return login(before, request);
  };
  await begin(world, ['http://a.members.test/'], { backoffMs: 1000, maxHostFailures: 20 });
  await runToEnd({ ...world, fetcher: createScriptedFetcher(world.clock, site) });
  expect(sent).toHaveLength(3);
  expect((sent[1] as number) - (sent[0] as number)).toBeGreaterThanOrEqual(60_000);
});

test('a login that ends after its lease is not stored', async () => {
  let isFirst = true;
  const slow: AccountOptions = {
    ...ACCOUNT,
    async login(tools) {
      if (isFirst) await world.clock.sleep(200_000);
      isFirst = false;
      await ACCOUNT.login?.(tools);
    },
  };
  const { world } = worldOf([slow], 100);
  await begin(world, ['http://a.members.test/']);
  expect(await runToEnd(world)).toEqual([]);
  expect(await pagesOf(world, 'a.members.test')).toBe(PAGES);
  expect(await accountStates(world)).toMatchObject([{ logins: 1, failures: 1 }]);
});

test('a login that never ends is given up with its lease, and makes no requests afterwards', async () => {
  let goOn = () => {};
  const begun: Promise<unknown>[] = [];
  const hanging: AccountOptions = {
    ...ACCOUNT,
    async login(tools) {
      if (begun.length > 0) return ACCOUNT.login?.(tools);
      const first = new Promise<void>((resolve) => {
        goOn = resolve;
      }).then(() => tools.get('/login'));
      begun.push(first);
      await first;
    },
  };
  const { world, members } = worldOf([hanging], 100);
  await begin(world, ['http://a.members.test/']);
  expect(await runToEnd(world)).toEqual([]);
  expect(await pagesOf(world, 'a.members.test')).toBe(PAGES);
  expect(await accountStates(world)).toMatchObject([{ logins: 1, failures: 1 }]);
  goOn();
  await expect(begun[0]).rejects.toThrow('it was given up');
  expect(members.logins).toHaveLength(1);
});

test('a site that fails after the password has no more passwords an hour than the limit says', async () => {
  const { world, members } = worldOf([{ ...ACCOUNT, limits: { loginsPerHour: 3 } }]);
  const sent: number[] = [];
  const site = { ...members.site };
  const login = site['http://a.members.test/login'] as (before: number, request: FetchRequest) => Answer;
  site['http://a.members.test/login'] = (before, request) => {
    if (request.method !== 'POST') return login(before, request);
    sent.push(world.clock.now());
    return sent.length < 8 ? { status: 503 } : login(before, request);
  };
  await begin(world, ['http://a.members.test/'], { backoffMs: 500, maxBackoffMs: 500, maxHostFailures: 20 });
  expect(await runToEnd({ ...world, fetcher: createScriptedFetcher(world.clock, site) })).toEqual([]);
  expect(await pagesOf(world, 'a.members.test')).toBe(PAGES);
  expect(sent.length).toBeGreaterThan(8);
  for (const [i, at] of sent.entries()) expect(at - (sent[i - 3] ?? 0)).toBeGreaterThanOrEqual(3_600_000);
});

test('an account is not to blame for a form that breaks off, or for a connection that was closed', async () => {
  const { world, members } = worldOf([ACCOUNT]);
  members.troubles = [
    { body: '<p>Sign', truncated: 'disconnect' },
    { fails: 'reset', isStaleConnection: true },
    { body: '<form>', truncated: 'time' },
  ];
  await begin(world, ['http://a.members.test/']);
  expect(await runToEnd(world)).toEqual([]);
  expect(await pagesOf(world, 'a.members.test')).toBe(PAGES);
  expect(await accountStates(world)).toMatchObject([{ failures: 0 }]);
});

test('an account is not to blame for a visit that is too short; for the fourth one in a row it is', async () => {
  const { world, members } = worldOf([ACCOUNT]);
  const engine = createMemoryEngine(world.clock, { leaseMs: 60_000 });
  await begin({ ...world, engine }, ['http://a.members.test/'], { delayMs: 30_000, totalTimeoutMs: 5000 });
  const process = startProcess(engine, world.fetcher, { maxHosts: 1, accounts: world.accounts });
  const states = () => accountStates({ ...world, engine });
  await world.clock.drive(process.ended, () => members.logins.length === 3);
  expect(await states()).toMatchObject([{ failures: 0, cutShort: 2 }]);
  await world.clock.drive(process.ended, () => world.clock.now() > T0 + 1_000_000);
  const failure = 'the login takes longer than a visit may';
  expect(await states()).toMatchObject([{ failure, failed: 1 }]);
  process.stop();
  await world.clock.drive(process.ended);
});

test('whether a session holds is seen at the host of the page, if it has the page of the last login', async () => {
  const { world, members } = worldOf([ACCOUNT], 100);
  const site = { ...members.site };
  const asked: string[] = [];
  for (const host of HOSTS) {
    const shown = site[`http://${host}/`] as (before: number, request: FetchRequest) => Answer;
    site[`http://${host}/`] = (before, request) => {
      asked.push(host);
      return shown(before, request);
    };
    site[`http://${host}/3`] = { body: 'a page without the sign' };
  }
  await begin(world, ['http://a.members.test/', 'http://b.members.test/3']);
  const fetcher = createScriptedFetcher(world.clock, site);
  expect(await runToEnd({ ...world, fetcher })).toEqual([]);
  const [a, b] = HOSTS;
  expect(asked).toEqual([a, a, b, a]);
});

const HANGING: AccountOptions = { ...ACCOUNT, login: () => new Promise(() => {}) };

test('a login that has not ended has failed, and its account rests', async () => {
  const { world } = worldOf([HANGING]);
  const { clock, engine, fetcher, accounts } = world;
  await begin(world, ['http://a.members.test/'], { delayMs: 1000 });
  const process = startProcess(engine, fetcher, { maxHosts: 1, accounts });
  await clock.drive(process.ended, () => clock.now() > T0 + 80_000);
  const failure = 'it has not ended within 72 s';
  expect(await accountStates(world)).toMatchObject([{ failure, failed: 1 }]);
  process.stop();
  await clock.drive(process.ended);
});

test('a worker that is stopped does not wait for the end of a login', async () => {
  const { world } = worldOf([HANGING]);
  const { clock, engine, fetcher, accounts } = world;
  await begin(world, ['http://a.members.test/']);
  const process = startProcess(engine, fetcher, { maxHosts: 1, accounts });
  await clock.advance(10_000);
  process.stop();
  const from = clock.now();
  await clock.drive(process.ended);
  expect(clock.now() - from).toBeLessThan(10_000);
  expect(await accountStates(world)).toMatchObject([{ loginsAt: [], failures: 0 }]);
});

test('a wrong password is sent three times in hours, and then the host is given up', async () => {
  const wrong: AccountOptions = {
    ...ACCOUNT,
    limits: { restMs: 60_000 },
    async login({ post }) {
      await post('/login', { word: 'wrong' });
    },
  };
  const { world, members } = worldOf([wrong]);
  const sent: number[] = [];
  const site = { ...members.site };
  const login = site['http://a.members.test/login'] as (before: number, request: FetchRequest) => Answer;
  site['http://a.members.test/login'] = (before, request) => {
    sent.push(world.clock.now());
    return login(before, request);
  };
  await begin(world, ['http://a.members.test/']);
  expect(await runToEnd({ ...world, fetcher: createScriptedFetcher(world.clock, site) })).toEqual([]);
  expect(sent).toHaveLength(3);
  expect((sent[2] as number) - (sent[0] as number)).toBeGreaterThanOrEqual(180_000);
  const head = await world.engine.ledgers.loadHead(CRAWL, 'a.members.test');
  expect(head?.setAside?.cause).toMatchObject({ code: 'accountsLocked', accounts: 'one' });
  expect(head?.ledger.counts.waiting).toBe(1);
});

test.each([
  ['/in;jsessionid=5EC2E7?ticket=5EC2E7', '/in'],
  ['/in/5ec2e7b0a94f4d0c8be1', '/in/[removed]'],
])('why a login has failed names the page without what may name the session: %s', async (path, named) => {
  const login: AccountOptions['login'] = async ({ post }) => {
    await post(path, { word: 'wrong' });
  };
  const { world, members } = worldOf([{ ...ACCOUNT, login }]);
  const { clock, engine, accounts } = world;
  const site = {
    ...members.site,
    [`http://a.members.test${path}`]: { body: FORM },
  };
  await begin(world, ['http://a.members.test/']);
  const process = startProcess(engine, createScriptedFetcher(clock, site), { maxHosts: 1, accounts });
  await clock.drive(process.ended, () => clock.now() > T0 + 30_000);
  const failure = `the page after the login, ${named} (HTTP 200), does not show the sign of being signed in (signedIn)`;
  expect(await accountStates(world)).toMatchObject([{ failure }]);
  process.stop();
  await clock.drive(process.ended);
});

test('accounts are used one after the other, and the host waits when all are used up', async () => {
  const limited = (name: string): AccountOptions => ({
    ...ACCOUNT,
    name,
    limits: { pagesPerSession: 3, pagesPerHour: 5, loginsPerHour: 100 },
  });
  const { world } = worldOf([limited('one'), limited('two')], 100);
  const from = world.clock.now();
  await begin(world, ['http://a.members.test/'], { delayMs: 1000 });
  expect(await runToEnd(world)).toEqual([]);
  expect(await pagesOf(world, 'a.members.test')).toBe(PAGES);
  expect(world.clock.now() - from).toBeGreaterThan(3_600_000);
  const states = await accountStates(world);
  expect(states.map((state) => state?.pages)).toEqual([expect.any(Number), expect.any(Number)]);
  expect(states.some((state) => state?.wanted === 720)).toBe(true);
});

/** The site, with something more on each page for members. */
const withMore = (site: Site, more: (shown: Answer, request: FetchRequest) => Answer): Site =>
  Object.fromEntries(
    Object.entries(site).map(([url, answer]) => [
      url,
      (before: number, request: FetchRequest) => {
        const shown = typeof answer === 'function' ? answer(before, request) : answer;
        return String(shown.body).includes('Hello, member') ? more(shown, request) : shown;
      },
    ]),
  );

test('what signs out by POST is never requested', async () => {
  const { world, members } = worldOf([ACCOUNT]);
  let signOuts = 0;
  const SIGN_OUT =
    '<form method=post action=/session/end><button>Out</button></form><a href="/session" data-method=delete>Out</a><a href="/users/sign_out" data-method=post>Out</a>';
  const ends = () => {
    signOuts++;
    return { status: 302, headers: { Location: '/login' } };
  };
  const site = {
    ...withMore(members.site, (shown) => ({ ...shown, body: `${shown.body}${SIGN_OUT}` })),
    'http://a.members.test/session/end': ends,
    'http://a.members.test/users/sign_out': ends,
  };
  await begin(world, ['http://a.members.test/']);
  expect(await runToEnd({ ...world, fetcher: createScriptedFetcher(world.clock, site) })).toEqual([]);
  expect(await pagesOf(world, 'a.members.test')).toBe(PAGES);
  expect(signOuts).toBe(0);
});

test.each<[what: string, bye: Answer]>([
  ['a redirect to the form', to('/login')],
  ['a page without the sign', { body: '<p>Goodbye.' }],
])(
  'a link that ends the session unseen by its name, with %s, is found and left, and no page is lost',
  async (_, bye) => {
    const { world, members } = worldOf([{ ...ACCOUNT, limits: {} }], 100);
    let last: string | undefined;
    const ended = new Set<string | undefined>();
    const more = withMore(members.site, (shown) => ({
      ...shown,
      body: `${shown.body}<a href=/exit>Leave</a>`,
    }));
    const site: Record<string, Site[string]> = {};
    for (const [url, answer] of Object.entries(more))
      site[url] = (before, request) => {
        last = request.headers?.Cookie;
        if (ended.has(last) && !url.endsWith('/login')) return { body: FORM };
        return typeof answer === 'function' ? answer(before, request) : (answer as Answer);
      };
    let exits = 0;
    site['http://a.members.test/exit'] = (_before, request) => {
      exits++;
      ended.add(request.headers?.Cookie);
      return bye;
    };
    await begin(world, ['http://a.members.test/']);
    expect(await runToEnd({ ...world, fetcher: createScriptedFetcher(world.clock, site) })).toEqual([]);
    expect(await pagesOf(world, 'a.members.test')).toBe(PAGES);
    expect(await statesOf(world.engine)).toMatchObject({ 'http://a.members.test/exit': 'skipped' });
    expect(exits).toBe(3);
    expect(members.logins).toHaveLength(4);
    expect(world.clock.now() - T0).toBeLessThan(3_600_000);
  },
);

test.each<[what: string, answer: Answer]>([
  ['redirects to another page', to('/')],
  ['is gone', { status: 404 }],
])('a page that a login shows once, and that %s afterwards, ends no session', async (_, answer) => {
  const { world, members } = worldOf([{ ...ACCOUNT, limits: {} }], 100);
  const site: Record<string, Site[string]> = { ...members.site };
  const login = site['http://a.members.test/login'] as (before: number, request: FetchRequest) => Answer;
  site['http://a.members.test/login'] = (before, request) => {
    const { headers, ...rest } = login(before, request);
    return { ...rest, ...(headers && { headers: { ...headers, Location: '/welcome' } }) };
  };
  let welcomes = 0;
  site['http://a.members.test/welcome'] = () => (welcomes++ ? answer : { body: 'Hello, member' });
  for (const page of [2, 5, 8]) {
    const shown = site[`http://a.members.test/${page}`] as (before: number, request: FetchRequest) => Answer;
    site[`http://a.members.test/${page}`] = (before, request) => {
      const { body = '' } = shown(before, request);
      return { body: String(body).replace('Hello, member', 'For print') };
    };
  }
  await begin(world, ['http://a.members.test/']);
  expect(await runToEnd({ ...world, fetcher: createScriptedFetcher(world.clock, site) })).toEqual([]);
  expect(await pagesOf(world, 'a.members.test')).toBe(PAGES);
  expect(members.logins).toHaveLength(1);
});

test('sessions that end before their first page are a failure of the account, and said', async () => {
  const { world, members } = worldOf([{ ...ACCOUNT, limits: { restMs: 60_000 } }], 0);
  const site: Record<string, Site[string]> = { ...members.site };
  let posts = 0;
  site['http://a.members.test/login'] = (_, { method }) => {
    if (method !== 'POST') return { body: FORM };
    posts++;
    return { body: 'Hello, member' };
  };
  await begin(world, ['http://a.members.test/']);
  expect(await runToEnd({ ...world, fetcher: createScriptedFetcher(world.clock, site) })).toEqual([]);
  expect(posts).toBe(5);
  const failure = 'its sessions end before their first page, or `check` does not show that they hold';
  expect(await accountStates(world)).toMatchObject([{ isLocked: true, failures: 3, failure }]);
});

test('an account that has no login left for the hour says so while it waits', async () => {
  const { world } = worldOf([{ ...ACCOUNT, limits: { loginsPerHour: 1 } }]);
  const { clock, engine, fetcher, accounts } = world;
  await begin(world, ['http://a.members.test/']);
  const process = startProcess(engine, fetcher, { maxHosts: 1, accounts });
  await clock.drive(process.ended, () => clock.now() > T0 + 60_000);
  const failure = 'it has no login left for this hour (limits.loginsPerHour: 1)';
  expect(await accountStates(world)).toMatchObject([{ failure, failures: 0 }]);
  await clock.drive(process.ended, () => clock.now() > T0 + 3 * 3_600_000);
  expect(await pagesOf(world, 'a.members.test')).toBe(PAGES);
  process.stop();
  await clock.drive(process.ended);
});

test('100 KB of cookies on each page lose no page, and the jar stays small', async () => {
  const { world, members } = worldOf([ACCOUNT], 100);
  let count = 0;
  let longest = 0;
  const site = withMore(members.site, (shown, { headers }) => {
    longest = Math.max(longest, headers?.Cookie?.length ?? 0);
    return {
      ...shown,
      cookies: Array.from({ length: 30 }, () => `c${count++}=${'x'.repeat(3500)}; Path=/`),
    };
  });
  await begin(world, ['http://a.members.test/']);
  expect(await runToEnd({ ...world, fetcher: createScriptedFetcher(world.clock, site) })).toEqual([]);
  expect(await pagesOf(world, 'a.members.test')).toBe(PAGES);
  expect(longest).toBeGreaterThan(0);
  expect(longest).toBeLessThanOrEqual(MAX_JAR_BYTES);
});
