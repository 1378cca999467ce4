/** Crawls behind a login whose processes fail again and again, one or two at a time: seeds replay exactly. */
import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { FetchRequest } from '../../../../shared/core/outcome/fetch-request.ts';
import type { Accounts } from '../../../../shared/crawler/turn/access/accounts.ts';
import { createAccounts } from '../../../../shared/services/accounts/create-accounts.ts';
import type { AccountOptions } from '../../../../shared/services/project/account-options.ts';
import { createFakeClock } from '../../worker/fake-clock.ts';
import { createMemoryEngine } from '../../worker/memory-engine.ts';
import { inRandomWorlds, runRounds, type UpTo } from '../../worker/random-worlds.ts';
import { type Answer, createScriptedFetcher, type Site } from '../../worker/scripted-fetcher.ts';
import { begin, CRAWL, ledgersOf, startProcess } from '../../worker/world.ts';

const WORLDS = 60;
const FAULTY_ROUNDS = 5;
const CALLS = 90;
const HOSTS = ['a.members.test', 'b.members.test'];
const MINUTE_MS = 60_000;
/** A request of the last process that is in flight when the next one begins. */
const IN_FLIGHT_MS = 50;
const FORM = '<form action=/login method=post><input type=password name=word></form>';

/** A login as a process makes it. */
interface Login {
  readonly account: string;
  readonly from: number;
  to: number;
}

interface Members {
  readonly site: Site;
  readonly logins: Login[];
  /** When each account has sent a password that the site refuses. */
  readonly refused: Map<string, number[]>;
}

/** Some sites show no form to those who are signed out. */
const TEASER = '<p>This is for members.';

/** Two hosts for members of one site. Sessions end after some pages or some time, and the site says so in one of four ways. */
function membersOf(now: () => number, upTo: UpTo, pages: number): Members {
  const members: Members = { site: {}, logins: [], refused: new Map() };
  const sessions = new Map<string, { left: number; until: number }>();
  const [perSession, sessionMs] = [3 + upTo(6), upTo(3) === 0 ? MINUTE_MS : Number.POSITIVE_INFINITY];
  const out: Answer[] = [
    { body: FORM },
    { body: TEASER },
    { status: 302, headers: { Location: '/login' } },
    { status: 401 },
  ];
  const signedOut = out[upTo(out.length)] as Answer;
  const refusal: Answer = { body: upTo(2) ? FORM : '<p>Wrong word.' };
  const sessionOf = ({ headers = {} }: FetchRequest) => {
    const found = sessions.get(/sid=(\w+)/.exec(headers.Cookie ?? '')?.[1] ?? '');
    return found && found.left > 0 && found.until > now() ? found : undefined;
  };
  const login = ({ method, body }: FetchRequest): Answer => {
    if (method !== 'POST') return { body: FORM };
    const [account = '', word] = new URLSearchParams(String(body)).get('word')?.split(' ') ?? [];
    if (word !== 'right') {
      members.refused.set(account, [...(members.refused.get(account) ?? []), now()]);
      return refusal;
    }
    const id = `s${sessions.size}`;
    sessions.set(id, { left: perSession, until: now() + sessionMs });
    return {
      status: 303,
      headers: { Location: '/', 'Set-Cookie': `sid=${id}; Domain=members.test; Path=/` },
    };
  };
  const page = (number: number, request: FetchRequest): Answer => {
    const session = sessionOf(request);
    if (session === undefined) return signedOut;
    if (number > 0) session.left--;
    const next = number + 1 < pages ? `<a href="/${number + 1}">next</a>` : '';
    return { body: `<p>Hello, member. <a href="/logout">Out</a> ${next} page ${number}` };
  };
  const site = Object.fromEntries(
    HOSTS.flatMap((host) => [
      [`http://${host}/login`, (_: number, request: FetchRequest) => login(request)],
      ...Array.from({ length: pages }, (_, number) => [
        `http://${host}/${number || ''}`,
        (__: number, request: FetchRequest) => page(number, request),
      ]),
    ]),
  ) as Site;
  return Object.assign(members, { site });
}

/** Accounts of a process: of its logins the requests are noted. */
function accountsOf(words: readonly string[], { logins }: Members, now: () => number): Accounts | undefined {
  const options = words.map((word, i): AccountOptions => {
    const name = `account-${i}`;
    return {
      name,
      hosts: ['*.members.test'],
      signedIn: { text: 'Hello, member' },
      limits: { loginsPerHour: 100, restMs: 10 * MINUTE_MS },
      async login({ get, post, form }) {
        const login = { account: name, from: now(), to: now() };
        logins.push(login);
        const { action } = form(await get('/login'));
        login.to = now();
        await post(action, { word: `${name} ${word}` });
        login.to = now();
      },
    };
  });
  return createAccounts(options, async () => '');
}

async function crawl(upTo: UpTo): Promise<void> {
  const clock = createFakeClock();
  const engine = createMemoryEngine(clock, { leaseMs: 120_000, parcelLeaseMs: 60_000 });
  const pages = 6 + upTo(10);
  const members = membersOf(clock.now, upTo, pages);
  const fetcher = createScriptedFetcher(clock, members.site);
  const words = Array.from({ length: 1 + upTo(3) }, () => (upTo(3) === 0 ? 'wrong' : 'right'));
  const delayMs = 100 + upTo(3000);
  const config = { delayMs, turnMaxPages: 1 + upTo(6), totalTimeoutMs: 10_000, perHost: 1 + upTo(2) };
  await begin(
    { engine },
    HOSTS.map((host) => `http://${host}/`),
    config,
  );
  await runRounds({ clock, engine }, upTo, { faulty: FAULTY_ROUNDS, calls: CALLS }, (served) =>
    startProcess(served, fetcher, { accounts: accountsOf(words, members, clock.now) }),
  );

  const forms = [FORM, TEASER].map((body) => hash('sha1', body, 'hex'));
  const known = [...(await ledgersOf(engine))];
  const totals = await engine.registry.totals(CRAWL);
  expect(totals.pages, 'pages').toBe(totals.urls.fetched);
  const mayBeLocked = !words.includes('right');
  for (const [host, { head, records }] of known) {
    const isLocked = head.setAside?.cause.code === 'accountsLocked';
    expect(isLocked && !mayBeLocked, `${host} was given up`).toBe(false);
    if (!isLocked) expect([...records.values()].filter(({ state }) => state === 'waiting')).toEqual([]);
    const fetched = [...records.values()].filter(({ state }) => state === 'fetched');
    for (const { url, result } of fetched)
      expect(forms, `${url} as shown to strangers`).not.toContain(
        Buffer.from(result?.digest ?? []).toString('hex'),
      );
    const died = [...records.values()].filter(({ state }) => state === 'failed');
    for (const { url, result } of died) expect(result?.cause, url).toMatchObject({ code: 'workerDied' });
    if (!isLocked && died.length === 0) expect(fetched.length, `pages of ${host}`).toBe(pages);
    expect(records.get(`http://${host}/login`)?.state, 'the page of the login').not.toBe('fetched');
  }
  for (const [account, logins] of Map.groupBy(members.logins, ({ account }) => account))
    for (const [i, { from }] of logins.entries())
      expect(
        (logins[i - 1]?.to ?? 0) - IN_FLIGHT_MS,
        `${account} signs in twice at once`,
      ).toBeLessThanOrEqual(from);
  for (const [account, times] of members.refused)
    for (const [i, at] of times.entries())
      expect(at - (times[i - 2] ?? 0), `${account} was refused thrice in a minute`).toBeGreaterThan(
        MINUTE_MS,
      );
}

test(`in ${WORLDS} random worlds accounts sign in one at a time, no signed-out page counts, and none is lost`, async () => {
  await inRandomWorlds(WORLDS, crawl);
});
