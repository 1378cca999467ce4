import { expect, test } from 'vitest';
import { type Head, type MovedRobots, NEW_HEAD } from '../../../../shared/core/frontier/head.ts';
import { KnownRobots } from '../../../../shared/crawler/turn/robots/known-robots.ts';
import {
  MovedRobotsFinder,
  type MovedRobotsOptions,
} from '../../../../shared/crawler/turn/robots/moved-robots.ts';
import type { TurnServices } from '../../../../shared/crawler/turn/services.ts';
import { createFakeClock, T0 } from '../../worker/fake-clock.ts';
import { crawlOfTurn, ORIGIN } from '../turn-fakes.ts';

const LATER = T0 + 1000;
const at = (host: string) => `http://${host}/robots.txt`;
const rulesOf = (origin: string, expiresAt = LATER) => ({ origin, kind: 'allowAll' as const, expiresAt });
const redirectOf = (from: string, to: string, expiresAt = LATER): MovedRobots => ({
  ...{ from, to, since: T0, expiresAt, tries: 0 },
});

function open(heads: Readonly<Record<string, Partial<Head>>> = {}, own: Partial<Head> = {}) {
  const clock = createFakeClock();
  const sent: unknown[] = [];
  const paced: unknown[] = [];
  const services = {
    engine: {
      clock,
      ledgers: {
        async loadHead(crawl: string, host: string) {
          expect(crawl).toBe('c');
          return heads[host] && { ...NEW_HEAD, ...heads[host] };
        },
      },
      queue: { send: async (messages: unknown[]) => void sent.push(...messages) },
    },
  } as unknown as TurnServices;
  const known = new KnownRobots({ ...NEW_HEAD, ...own });
  const pace = {
    postponeTo: (time: number) => paced.push({ postponedTo: time - T0 }),
    fail: (cause: unknown) => paced.push({ failed: cause }),
  };
  const options = { crawl: crawlOfTurn(), known, pace } as unknown as MovedRobotsOptions;
  return { clock, known, sent, paced, services, finder: new MovedRobotsFinder(services, options) };
}

test('a redirect is remembered as long as its response may be kept', () => {
  const { finder, known } = open();
  const moved = finder.note(ORIGIN, at('b.test'), T0 - 500, ['max-age=7200']);
  expect(moved).toEqual({
    ...{ from: ORIGIN, to: at('b.test'), since: T0 - 500, expiresAt: T0 - 500 + 7_200_000, tries: 0 },
  });
  expect(known.movedRobots).toEqual([moved]);
});

test('the rules are found in the head of the other host while they are fresh', async () => {
  const robots = rulesOf('http://b.test');
  const { finder, clock } = open({ 'b.test': { robots: [rulesOf('http://x.test'), robots] } });
  const redirect = redirectOf(ORIGIN, at('b.test'));
  expect(await finder.find(redirect)).toEqual({ kind: 'robots', host: 'b.test', robots });
  await clock.advance(1000);
  expect(await finder.find(redirect)).toEqual({ kind: 'unknown', url: at('b.test') });
});

test('rules are found that the other host got while its head was being read', async () => {
  const tookMs = 3_600_000;
  const robots = rulesOf('http://b.test', T0 + tookMs + 86_400_000);
  const { finder, clock, services } = open({ 'b.test': { robots: [robots] } });
  const { loadHead } = services.engine.ledgers;
  services.engine.ledgers.loadHead = async (...asked) => {
    await clock.sleep(tookMs);
    return loadHead(...asked);
  };
  const found = await clock.drive(finder.find(redirectOf(ORIGIN, at('b.test'))));
  expect(found).toEqual({ kind: 'robots', host: 'b.test', robots });
});

test('rules that expire while the head is being read are not found', async () => {
  const { finder, clock, services } = open({ 'b.test': { robots: [rulesOf('http://b.test')] } });
  const { loadHead } = services.engine.ledgers;
  services.engine.ledgers.loadHead = async (...asked) => {
    await clock.sleep(1000);
    return loadHead(...asked);
  };
  const found = await clock.drive(finder.find(redirectOf(ORIGIN, at('b.test'))));
  expect(found).toEqual({ kind: 'unknown', url: at('b.test') });
});

test('each look reads the heads again', async () => {
  const heads: Record<string, Partial<Head>> = {};
  const { finder } = open(heads);
  const redirect = redirectOf(ORIGIN, at('b.test'));
  expect(await finder.find(redirect)).toMatchObject({ kind: 'unknown' });
  heads['b.test'] = { robots: [rulesOf('http://b.test')] };
  expect(await finder.find(redirect)).toMatchObject({ kind: 'robots' });
});

test('a queue that fails makes the turn fail, and the host counts as not asked', async () => {
  const { finder, known, services } = open();
  services.engine.queue.send = () => Promise.reject(new Error('the queue is out of reach'));
  await expect(finder.wait(redirectOf(ORIGIN, at('b.test')), at('b.test'))).rejects.toThrow('out of reach');
  expect(known.movedRobots).toEqual([]);
});

test('what nobody has requested is unknown, at the end of the redirects that are known', async () => {
  expect(await open().finder.find(redirectOf(ORIGIN, at('b.test')))).toEqual({
    kind: 'unknown',
    url: at('b.test'),
  });
  const heads = {
    'b.test': {
      movedRobots: [redirectOf('http://x.test', at('y.test')), redirectOf('http://b.test', at('c.test'))],
    },
    'c.test': { movedRobots: [redirectOf('http://c.test', at('d.test'), T0)] },
  };
  expect(await open(heads).finder.find(redirectOf(ORIGIN, at('b.test')))).toEqual({
    kind: 'unknown',
    url: at('c.test'),
  });
});

test('redirects are followed from host to host, five at most', async () => {
  const chain = (hosts: number) =>
    Object.fromEntries(
      Array.from({ length: hosts }, (_, i) => [
        `h${i}.test`,
        i === hosts - 1
          ? { robots: [rulesOf(`http://h${i}.test`)] }
          : { movedRobots: [redirectOf(`http://h${i}.test`, at(`h${i + 1}.test`))] },
      ]),
    );
  const redirect = redirectOf(ORIGIN, at('h0.test'));
  expect(await open(chain(5)).finder.find(redirect)).toMatchObject({ kind: 'robots', host: 'h4.test' });
  expect(await open(chain(6)).finder.find(redirect)).toEqual({ kind: 'tooManyRedirects' });
});

test('what leads back to the turn’s own host is looked up in what the turn knows', async () => {
  const robots = rulesOf(`${ORIGIN}/shared.txt`);
  const back = { 'b.test': { movedRobots: [redirectOf('http://b.test', `${ORIGIN}/shared.txt`)] } };
  const { finder } = open(back, { robots: [robots] });
  expect(await finder.find(redirectOf(ORIGIN, at('b.test')))).toEqual({
    kind: 'robots',
    host: 'a.test',
    robots,
  });
});

test('the other host is sent one message, and this one rests twice as long before each look', async () => {
  const { finder, known, sent, paced } = open();
  let moved = redirectOf(ORIGIN, at('b.test'));
  for (let look = 1; look <= 6; look++) {
    expect(await finder.wait(moved, at('b.test'))).toBeUndefined();
    moved = known.redirectOf(ORIGIN, T0) as MovedRobots;
    expect(moved).toMatchObject({ tries: look, asked: at('b.test') });
  }
  expect(sent).toEqual([{ host: 'b.test', message: { kind: 'robots', crawl: 'c', url: at('b.test') } }]);
  expect(paced).toEqual([500, 1000, 2000, 4000, 8000, 16_000].map((postponedTo) => ({ postponedTo })));
});

test('another URL at the end of the redirects is requested, too', async () => {
  const { finder, known, sent } = open();
  await finder.wait(redirectOf(ORIGIN, at('b.test')), at('b.test'));
  await finder.wait(known.redirectOf(ORIGIN, T0) as MovedRobots, at('c.test'));
  expect(sent).toMatchObject([{ host: 'b.test' }, { host: 'c.test' }]);
  expect(known.redirectOf(ORIGIN, T0)).toMatchObject({ tries: 2, asked: at('c.test') });
});

test('after half a minute each look is a failure of the host, and the other one is asked again', async () => {
  const { finder, known, sent, paced } = open();
  const moved = { ...redirectOf(ORIGIN, at('b.test')), tries: 6, asked: at('b.test') };
  const cause = { code: 'robotsMoved', to: at('b.test') };
  expect(await finder.wait(moved, at('b.test'))).toEqual(cause);
  expect(paced).toEqual([{ failed: cause }]);
  expect(sent).toHaveLength(1);
  expect(known.redirectOf(ORIGIN, T0)).toMatchObject({ tries: 7 });
});

test('a long URL is cut in the cause', async () => {
  const url = `http://b.test/${'x'.repeat(5000)}`;
  const cause = await open().finder.wait({ ...redirectOf(ORIGIN, url), tries: 6 }, url);
  expect(cause).toEqual({ code: 'robotsMoved', to: `${url.slice(0, 2000)}...` });
});

test('times of another host’s head that no clock could have given count as come', async () => {
  const far = T0 + 40 * 86_400_000;
  const { finder } = open({ 'b.test': { robots: [rulesOf('http://b.test', far)] } });
  expect(await finder.find(redirectOf(ORIGIN, at('b.test')))).toMatchObject({ kind: 'unknown' });
});
