/** Pages that are left out as those of a trap: only a trap's, and these permanently. */
import { expect, test } from 'vitest';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import type { WebRequest } from '../../worlds/spec.ts';
import {
  crawlFacts,
  HOME,
  headAt,
  hostWith,
  makeFacts,
  request,
  urlRecord,
  violationsOf,
} from './made-facts.ts';

const DAY = 'http://a.test/cal/2026/1/1?next=1';
const NEXT = 'http://a.test/cal/2026/1/2?next=2';
const GROUP = '/cal/0/0/0?next';
const PRIVATE = 'http://a.test/private/1';
const OWN = 'http://a.test/private/2';

const found = (facts: ReturnType<typeof makeFacts>) => violationsOf('trapsEnd', facts);
const home = urlRecord(HOME, 'fetched', 200);
const leftOut = (url: string): UrlRecord =>
  urlRecord(url, 'skipped', undefined, {
    attempts: 0,
    result: { fetchedAt: 0, cause: { code: 'trap', kind: 'template', group: GROUP } },
  });

test('a page outside of any trap that is left out is found, unless two pages of its host had one body', () => {
  const facts = (url: string, ...log: readonly WebRequest[]) =>
    makeFacts({ log, crawls: [crawlFacts([home, leftOut(url)])] });
  expect(found(facts(NEXT))).toEqual([]);
  expect(found(facts(OWN))).toEqual([
    `trapsEnd: crawl: ${OWN} was left out as a page of a trap, and is none`,
  ]);
  const empty = { sha1: 'da39' };
  const twins = [request(HOME, 1, 2, empty), request(PRIVATE, 3, 4, empty)];
  expect(found(facts(OWN, ...twins))).toEqual([]);
  expect(found(facts(OWN, request(HOME, 1, 2, empty), request(HOME, 3, 4, empty)))).toHaveLength(1);
  // Pages of the trap are all alike: they excuse no other page.
  expect(found(facts(OWN, request(DAY, 1, 2, empty), request(NEXT, 3, 4, empty)))).toHaveLength(1);
});

test('a request for a page of a group that has closed is found; one before that is not, nor one for a seed', () => {
  const open = headAt(10, undefined, {});
  const closed = headAt(20, open, {
    templates: [{ template: GROUP, pages: 6, fresh: 0, seen: [], isClosed: true }],
    totals: { ...open.head.totals, requests: 1 },
  });
  const facts = (at: number, depth = 1) => {
    const records = [home, urlRecord(NEXT, 'fetched', 200, { depth })];
    return makeFacts({ log: [request(NEXT, at, at + 1)], crawls: [hostWith([open, closed], records)] });
  };
  expect(found(facts(15))).toEqual([]);
  expect(found(facts(30))).toEqual([
    `trapsEnd: crawl: ${NEXT} was requested T0+30.000 s, though the head of T0+20.000 s had closed its group as a trap`,
  ]);
  expect(found(facts(30, 0))).toEqual([]);
});
