import { describe, expect, test } from 'vitest';
import {
  kindAfter,
  newRecord,
  raisedFromNote,
  raisedRecord,
} from '../../../shared/core/frontier/merge-link.ts';
import type { Link } from '../../../shared/core/frontier/message.ts';
import { levelOf, MAX_LEVEL } from '../../../shared/core/frontier/rank.ts';
import { noteOfPage } from '../../../shared/core/frontier/run.ts';

const URL = 'http://a.test/x';
/** Pages whose links lend the URL these levels. */
const viaOf = (level: number): string => {
  for (let i = 0; ; i++) if (levelOf(URL, `http://b.test/${i}`) === level) return `http://b.test/${i}`;
};
const link = (depth: number, more: Partial<Link> = {}): Link => ({ url: URL, depth, ...more });
const known = (depth: number, level: number, more = {}) => ({
  ...newRecord(link(depth), 5),
  level,
  ...more,
});

test('a new URL waits with what its link says', () => {
  expect(newRecord(link(3, { via: viaOf(2), redirects: 1, kind: 'sitemap' }), 7)).toEqual({
    url: URL,
    state: 'waiting',
    kind: 'sitemap',
    depth: 3,
    level: 2,
    via: viaOf(2),
    seenAt: 7,
    redirects: 1,
    attempts: 0,
    dueAt: 0,
    result: undefined,
    recrawl: undefined,
  });
  expect(newRecord(link(0, { isSeed: true }), 7)).toMatchObject({ level: MAX_LEVEL, redirects: 0 });
  expect(newRecord(link(1, { level: 5, via: viaOf(2) }), 7).level).toBe(5);
});

describe('the kind after a further link', () => {
  test.each([
    ['a page', undefined, 1, {}, undefined],
    ['a page', undefined, 1, { kind: 'requisite' }, 'requisite'],
    ['a page', undefined, 1, { kind: 'sitemap' }, undefined],
    ['a seed', undefined, 0, { kind: 'requisite' }, undefined],
    ['a requisite', 'requisite', 1, {}, 'requisite'],
    ['a requisite of depth 0', 'requisite', 0, {}, 'requisite'],
    ['a requisite', 'requisite', 1, { isSeed: true }, undefined],
    ['a requisite', 'requisite', 1, { isSeed: true, kind: 'sitemap' }, 'requisite'],
    ['a sitemap', 'sitemap', 0, {}, undefined],
    ['a sitemap', 'sitemap', 0, { kind: 'sitemap' }, 'sitemap'],
    ['a sitemap', 'sitemap', 1, { kind: 'requisite' }, 'requisite'],
  ] as const)('of %s (%s, depth %i) with %j is %s', (_, kind, depth, more, expected) => {
    expect(kindAfter({ kind, depth }, link(2, more))).toBe(expected);
  });
});

describe('a URL that waits', () => {
  test('is raised by a link from less deep, by a higher level, or to another kind', () => {
    expect(raisedRecord(known(3, 2), link(2, { via: viaOf(1) }))).toEqual(known(3, 2, { depth: 2 }));
    expect(raisedRecord(known(3, 2), link(5, { via: viaOf(3) }))).toEqual(known(3, 3));
    expect(raisedRecord(known(3, 2), link(2, { via: viaOf(4) }))).toEqual(known(3, 4, { depth: 2 }));
    expect(raisedRecord(known(3, 2), link(4, { kind: 'requisite' }))).toEqual(
      known(3, 2, { kind: 'requisite' }),
    );
  });

  test('stays as it is otherwise, and so does one that does not wait', () => {
    for (const same of [link(3, { via: viaOf(2) }), link(3), link(4, { via: viaOf(1) })])
      expect(raisedRecord(known(3, 2), same)).toBeUndefined();
    expect(raisedRecord(known(3, 2, { state: 'fetched' }), link(0, { isSeed: true }))).toBeUndefined();
  });
});

describe('a page that waits in a run', () => {
  const raised = (depth: number, level: number, by: Link) =>
    raisedFromNote(newRecord(by, 5), noteOfPage(depth, level), by);

  test('is raised by what the note says and the link', () => {
    expect(raised(3, 2, link(2, { via: viaOf(1) }))).toMatchObject({ depth: 2, level: 2 });
    expect(raised(3, 2, link(5, { via: viaOf(4) }))).toMatchObject({ depth: 3, level: 4 });
    expect(raised(3, 2, link(0, { isSeed: true }))).toMatchObject({ depth: 0, level: MAX_LEVEL });
    expect(raised(3, 2, link(9, { kind: 'requisite' }))).toMatchObject({ kind: 'requisite', depth: 3 });
  });

  test('stays as it is otherwise', () => {
    for (const same of [link(3), link(4, { via: viaOf(2) }), link(2, { kind: 'sitemap' })])
      expect(raised(3, 2, same)).toBeUndefined();
    expect(raised(0, 0, link(1))).toBeUndefined();
  });

  test('with the deepest note may be deeper than that, and rises to the depth of the link', () => {
    expect(raised(20, 2, link(18, { via: viaOf(3) }))).toMatchObject({ depth: 18, level: 3 });
    expect(raised(14, 2, link(18, { via: viaOf(3) }))).toMatchObject({ depth: 14 });
    expect(raised(20, 2, link(18, { via: viaOf(2) }))).toBeUndefined();
    expect(raised(20, 2, link(14))).toMatchObject({ depth: 14 });
  });
});
