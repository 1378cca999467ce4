import { expect, test } from 'vitest';
import type { Cause } from '../../../../shared/core/causes/cause.ts';
import { type Head, type MovedRobots, NEW_HEAD } from '../../../../shared/core/frontier/head.ts';
import type { RobotsState } from '../../../../shared/core/robots/policy.ts';
import { KnownRobots } from '../../../../shared/crawler/turn/robots/known-robots.ts';
import { T0 } from '../../worker/fake-clock.ts';

const HTTP = 'http://a.test';
const HTTPS = 'https://a.test';
/** Rules that other hosts use: not those of an origin. */
const forOthers = (i: number) => `http://a.test/${i}/robots.txt`;
const LATER = T0 + 1000;
const CAUSE: Cause = { code: 'robotsStatus', httpStatus: 500 };

const rulesOf = (origin: string, expiresAt = LATER): RobotsState => ({ origin, kind: 'allowAll', expiresAt });
const redirectOf = (from: string, expiresAt = LATER): MovedRobots => ({
  from,
  to: 'http://b.test/robots.txt',
  since: T0,
  expiresAt,
  tries: 0,
});
const closedOf = (origin: string, failures = 1) => ({ origin, until: LATER, failures, cause: CAUSE });
const open = (head: Partial<Head> = {}) => new KnownRobots({ ...NEW_HEAD, ...head });
const origins = ({ robots }: KnownRobots) => robots.map(({ origin }) => origin);

test('what the head knows is found by its key', () => {
  const known = open({
    robots: [rulesOf(HTTP), rulesOf(HTTPS)],
    closedOrigins: [closedOf(HTTPS)],
    movedRobots: [redirectOf(HTTP)],
  });
  expect(known.of(HTTPS)).toEqual(rulesOf(HTTPS));
  expect(known.of('http://b.test')).toBeUndefined();
  expect(known.closedOrigin(HTTPS)).toEqual(closedOf(HTTPS));
  expect(known.closedOrigin(HTTP)).toBeUndefined();
  expect(known.closedOrigins).toEqual([closedOf(HTTPS)]);
  expect(known.movedRobots).toEqual([redirectOf(HTTP)]);
  expect(open().closedOrigins).toEqual([]);
  expect(open().movedRobots).toEqual([]);
});

test('a redirect counts until it expires', () => {
  const known = open({ movedRobots: [redirectOf(HTTP)] });
  expect(known.redirectOf(HTTP, LATER - 1)).toEqual(redirectOf(HTTP));
  expect(known.redirectOf(HTTP, LATER)).toBeUndefined();
  expect(known.redirectOf(HTTPS, T0)).toBeUndefined();
});

test('another origin is open with fresh rules of its own', () => {
  expect(open({ robots: [rulesOf(HTTP)] }).isOtherOriginOpen(HTTPS, LATER - 1)).toBe(true);
  expect(open({ robots: [rulesOf(HTTP)] }).isOtherOriginOpen(HTTPS, LATER)).toBe(false);
  expect(open({ robots: [rulesOf(HTTPS), rulesOf(HTTP)] }).isOtherOriginOpen(HTTPS, T0)).toBe(true);
  expect(open({ robots: [rulesOf(HTTPS)] }).isOtherOriginOpen(HTTPS, T0)).toBe(false);
  expect(open({ robots: [rulesOf(forOthers(1))] }).isOtherOriginOpen(HTTPS, T0)).toBe(false);
});

test('new rules replace those of their key, its redirect, and what closed its origin', () => {
  const known = open({
    robots: [rulesOf(HTTP), rulesOf(HTTPS)],
    closedOrigins: [closedOf(HTTP), closedOf(HTTPS)],
    movedRobots: [redirectOf(HTTP), redirectOf(HTTPS)],
  });
  known.set(rulesOf(HTTP, LATER + 5), T0);
  expect(known.robots).toEqual([rulesOf(HTTPS), rulesOf(HTTP, LATER + 5)]);
  expect(known.closedOrigins).toEqual([closedOf(HTTPS)]);
  expect(known.movedRobots).toEqual([redirectOf(HTTPS)]);
});

test('rules for other hosts open no origin', () => {
  const closed = closedOf(forOthers(1));
  const known = open({ closedOrigins: [closed] });
  known.set(rulesOf(forOthers(1)), T0);
  expect(known.closedOrigins).toEqual([closed]);
});

test('of rules for other hosts the last eight fresh ones are kept; those of origins always', () => {
  const known = open({ robots: [rulesOf(HTTP, T0 - 1), rulesOf(forOthers(0), T0)] });
  for (let i = 1; i <= 10; i++) known.set(rulesOf(forOthers(i), i === 6 ? T0 : LATER), T0);
  const kept = [1, 2, 3, 4, 5, 7, 8, 9, 10].slice(-8).map(forOthers);
  expect(origins(known)).toEqual([HTTP, ...kept]);
});

test('of redirects for other hosts the last eight fresh ones are kept; of origins all that are fresh', () => {
  const known = open();
  known.setRedirect(redirectOf(HTTP, T0));
  known.setRedirect(redirectOf(HTTPS));
  for (let i = 1; i <= 10; i++) known.setRedirect(redirectOf(forOthers(i), i === 6 ? T0 : LATER));
  known.trim(T0);
  const kept = [2, 3, 4, 5, 7, 8, 9, 10].map(forOthers);
  expect(known.movedRobots.map(({ from }) => from)).toEqual([HTTPS, ...kept]);
});

test('a redirect replaces the one of its key, and is forgotten', () => {
  const known = open({ movedRobots: [redirectOf(HTTP), redirectOf(HTTPS)] });
  known.setRedirect(redirectOf(HTTP, LATER + 5));
  expect(known.movedRobots).toEqual([redirectOf(HTTPS), redirectOf(HTTP, LATER + 5)]);
  known.forgetRedirect(HTTPS);
  expect(known.movedRobots).toEqual([redirectOf(HTTP, LATER + 5)]);
});

test('rules are used longer by their key', () => {
  const known = open({ robots: [rulesOf(HTTP), rulesOf(HTTPS)] });
  known.extend(HTTP, LATER + 5);
  expect(known.robots).toEqual([rulesOf(HTTP, LATER + 5), rulesOf(HTTPS)]);
});

test('an origin is closed once, by what closed it last', () => {
  const known = open({ closedOrigins: [closedOf(HTTP), closedOf(HTTPS)] });
  known.close(closedOf(HTTP, 2));
  expect(known.closedOrigins).toEqual([closedOf(HTTPS), closedOf(HTTP, 2)]);
});
