import { expect, test } from 'vitest';
import type { UrlChange } from '../../../shared/core/frontier/url-change.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { changesSent } from '../../invariants/changes-sent.ts';
import { T0 } from '../../models/virtual-time.ts';
import { headAt, hostWith, makeFacts, PAGE, urlRecord } from './made-facts.ts';

const at = (seconds: number) => T0 + seconds * 1000;

/** The page, as its last change at that time has left it. */
function changed(seconds: number, history = 0x010203): UrlRecord {
  const recrawl = { history, rate: 0, misses: 0, changedAt: at(seconds), capturedAt: at(seconds) };
  return { ...urlRecord(PAGE, 'fetched', 200, { attempts: 0 }), recrawl };
}

const change = (seconds: number, more: Partial<UrlChange> = {}): UrlChange => {
  const time = new Date(at(seconds)).toISOString();
  return { id: `${time} changed ${PAGE}`, change: 'changed', url: PAGE, at: time, ...more };
};

function found(pageChanges: readonly UrlChange[], record = changed(20), unsentChanges: string[] = []) {
  const config = { recrawlEveryMs: 600_000, changeFeed: true };
  const crawl = { ...hostWith([headAt(2900, undefined, {})], [record], config), unsentChanges };
  return changesSent({ ...makeFacts({ crawls: [crawl] }), pageChanges }).map(({ message }) => message);
}

test('the last change of a page was received, once or again, or is kept until it is', () => {
  expect(found([change(10), change(20), change(20)])).toEqual([]);
  expect(found([], changed(20), [change(20).id])).toEqual([]);
});

test('one that is neither is found', () => {
  expect(found([change(10)])).toEqual([
    `crawl: ${PAGE} was seen changed T0+20.000 s, which was not received, and is not kept`,
  ]);
  expect(found([change(20)], changed(20, 0))).toEqual([
    `crawl: ${PAGE} was seen new T0+20.000 s, which was not received, and is not kept`,
  ]);
});

test('so is that a page is gone', () => {
  const gone = { ...changed(20), state: 'gone' as const };
  const { id } = change(20);
  expect(found([change(20, { id: id.replace('changed', 'gone') })], gone)).toEqual([]);
  expect(found([], gone)).toEqual([
    `crawl: ${PAGE} was seen gone T0+20.000 s, which was not received, and is not kept`,
  ]);
});

test('a change of no page, and two changes with one id, are found', () => {
  expect(found([change(20), change(5, { url: 'http://a.test/other', id: 'x' })])).toEqual([
    'the change x was received, and no crawl knows its page',
  ]);
  expect(found([change(20), change(20, { httpStatus: 404 })])).toEqual([
    `two changes that are not the same were received as ${change(20).id}`,
  ]);
});
