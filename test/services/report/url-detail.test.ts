import { expect, test } from 'vitest';
import type { Cause } from '../../../shared/core/causes/cause.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { urlDetail } from '../../../shared/services/report/url-detail.ts';

const AT = Date.UTC(2026, 0, 2);
const TRAP: Cause = { code: 'trap', kind: 'template', group: '/a/0' };

const record = (state: UrlRecord['state'], attempts: number, result: Partial<UrlRecord['result']>) =>
  ({
    url: 'http://a.test/a/1',
    state,
    depth: 1,
    seenAt: AT,
    attempts,
    dueAt: 0,
    redirects: 0,
    result: { fetchedAt: AT, ...result },
  }) as UrlRecord;

test.each<[what: string, record: UrlRecord, isShown: boolean]>([
  ['a page', record('fetched', 1, { httpStatus: 200 }), true],
  ['a page of a recrawl', record('fetched', 0, { httpStatus: 200 }), true],
  ['a page without an answer', record('failed', 3, {}), true],
  ['a page that was left out after its answer', record('skipped', 1, { httpStatus: 200 }), true],
  ['a page of a trap', record('skipped', 0, { cause: TRAP }), false],
  ['a page that robots.txt forbids', record('deniedByRobots', 0, {}), false],
])('%s has a time at which it was fetched, if it was requested', (_, known, isShown) => {
  expect(urlDetail(known).fetchedAt).toBe(isShown ? new Date(AT).toISOString() : undefined);
});
