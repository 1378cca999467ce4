import { describe, expect, test } from 'vitest';
import type { Facts } from '../../invariants/facts.ts';
import type { MemberRequest, MembersPlan } from '../../web/member-plan.ts';
import type { WebRequest } from '../../worlds/spec.ts';
import { crawlFacts, HOME, makeFacts, request, struck, urlRecord, violationsOf } from './made-facts.ts';

const LOGIN = 'http://a.test/login';
const MEMBERS: MembersPlan = {
  accounts: [{ name: 'one', accepted: 5 }],
  limits: { loginsPerHour: 3, restMs: 60_000 },
  ...{ hasCheck: true, pagesPerSession: 5, sessionMs: 1, signedOut: 'form' },
  ...{ showsFormAgain: true, hasOneSession: false, rotates: false },
};

function facts(log: readonly WebRequest[], more: Partial<Facts> = {}): Facts {
  const made = makeFacts({ log, members: MEMBERS, ...more });
  return { ...made, web: { ...made.web, memberHosts: ['a.test'] } };
}

/** A login of that number from that second on: the form, and the password. */
const login = (number: number, at: number, more: MemberRequest | object = {}, process = 'worker-1') => [
  request(LOGIN, at, at + 1, { process, member: { what: 'login', login: `one.${number}` } }),
  request(LOGIN, at + 2, at + 3, {
    process,
    member: { what: 'login', login: `one.${number}`, isSent: true, ...more },
  }),
];
const REFUSED = { isRefused: true };

describe('accountsKept', () => {
  const found = (log: readonly WebRequest[], more?: Partial<Facts>) =>
    violationsOf('accountsKept', facts(log, more));

  test('logins one after the other hold', () => {
    expect(found([...login(1, 0), ...login(2, 10)])).toEqual([]);
  });

  test('a login that begins before another one has ended is found, and is explained by a clock that was set', () => {
    const log = [...login(1, 0), ...login(2, 1, {}, 'worker-2')];
    expect(found(log)).toEqual([
      'accountsKept: crawl: the login one.2 (worker-2) began T0+1.000 s, while one.1 (worker-1) was made, from T0+0.000 s to T0+2.000 s',
    ]);
    expect(found(log, { strikes: struck('clockStepped') })).toEqual([]);
    expect(found(log, { strikes: struck('clockSkew') })).toHaveLength(1);
  });

  test('a fourth password within the hour is found', () => {
    const at = (...times: readonly number[]) => times.flatMap((time, i) => login(i, time));
    expect(found(at(0, 100, 200, 3600))).toEqual([]);
    expect(found(at(0, 100, 200, 3400))).toHaveLength(1);
  });

  test('a refused account rests, twice as long each time, and is not used after the third', () => {
    const at = (...times: readonly number[]) => times.flatMap((time, i) => login(i, time, REFUSED));
    const wide = { members: { ...MEMBERS, limits: { loginsPerHour: 100, restMs: 60_000 } } };
    expect(found(at(0, 63, 186), wide)).toEqual([]);
    expect(found(at(0, 40), wide)).toHaveLength(1);
    expect(found(at(0, 63, 130), wide)).toHaveLength(1);
    expect(found(at(0, 63, 186, 9000), wide)).toHaveLength(1);
    expect(found([...at(0, 63), ...login(9, 186), ...login(10, 190, REFUSED)], wide)).toEqual([]);
  });

  test('three wrong passwords within a minute are found also where turns are lost', () => {
    const log = [0, 20, 40].flatMap((time, i) => login(i, time, REFUSED));
    expect(found(log, { strikes: struck('workerKilled') })).toEqual([
      'accountsKept: crawl: one has sent 3 wrong passwords within a minute, until T0+42.000 s',
    ]);
  });

  test('a host that is given up for its accounts is found, unless all were refused', () => {
    const crawl = crawlFacts();
    const cause = { code: 'accountsLocked', accounts: 'one', detail: '' } as const;
    const hosts = [...crawl.hosts].map(([name, host]) => {
      const head = name === 'a.test' ? { ...host.head, setAside: { cause, at: 0 } } : host.head;
      return [name, { ...host, head }] as const;
    });
    const crawls = [{ ...crawl, hosts: new Map(hosts) }];
    expect(found([...login(1, 0, REFUSED)], { crawls })).toEqual([
      'accountsKept: crawl: a.test is given up for its accounts, which are not all refused',
    ]);
    const log = [0, 63, 186].flatMap((time, i) => login(i, time, REFUSED));
    expect(found(log, { crawls })).toEqual([]);
    // A login may take longer than a visit.
    const slow = [{ ...crawl, ...crawls[0], config: { ...crawl.config, adaptive: true } }];
    expect(found([request(HOME, 0, 0.1)], { crawls: slow })).toHaveLength(1);
    expect(found([request(HOME, 0, 6)], { crawls: slow })).toEqual([]);
  });
});

describe('signedIn', () => {
  const shown = request(HOME, 0, 1, { sha1: 'ab', bytes: 2, member: { what: 'signedOut' } });
  const digest = Buffer.from('ab', 'hex');

  test('what is shown to those who are signed out is the answer of no URL', () => {
    const crawls = [crawlFacts([urlRecord(HOME, 'fetched', 200, { result: { fetchedAt: 0, digest } })])];
    expect(violationsOf('signedIn', facts([shown], { crawls }))).toEqual([
      `signedIn: crawl: ${HOME} is fetched, by what is shown to those who are signed out`,
    ]);
    expect(violationsOf('signedIn', facts([shown]))).toEqual([]);
  });

  test('a link that signs out is not requested', () => {
    const out = request('http://a.test/logout', 0, 1, { member: { what: 'signOut' } });
    expect(violationsOf('signedIn', facts([out]))).toHaveLength(1);
  });
});
