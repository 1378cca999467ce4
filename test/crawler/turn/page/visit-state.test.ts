import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_STATE_KEYS, type SharedValues } from '../../../../shared/crawler/ports/shared-state.ts';
import { StateFull, VisitState } from '../../../../shared/crawler/turn/page/visit-state.ts';

function valuesOf(entries: Readonly<Record<string, string>>): SharedValues {
  const map = new Map(Object.entries(entries));
  let chars = 0;
  for (const value of map.values()) chars += value.length;
  return Object.assign(map, { chars });
}

const increment = (before = '0') => String(Number(before) + 1);
const open = (entries = {}, held = { heldBytes: 0 }) => new VisitState(valuesOf(entries), held);

describe('the state during a visit', () => {
  test('is what the worker knows, and the changes of all of its pages over that', () => {
    const visit = open({ count: '5', gone: '1' });
    const [first, second] = [visit.openPage(1), visit.openPage(1)];
    expect(first.change({ key: 'count', apply: increment })).toBe('6');
    expect(second.change({ key: 'count', apply: increment })).toBe('7');
    second.change({ key: 'gone', apply: () => undefined });
    expect(first.get('count')).toBe('7');
    expect(first.get('gone')).toBeUndefined();
    expect(first.entries()).toEqual([['count', '7']]);
  });

  test('gives its changes in their order, as functions of the value at the commit', () => {
    const visit = open({ count: '5' });
    const page = visit.openPage(1);
    page.change({ key: 'count', apply: increment });
    page.change({ key: 'count', apply: (before) => `${before}0` });
    let value: string | undefined = '41';
    for (const { apply } of visit.changes) value = apply(value);
    expect(value).toBe('420');
  });

  test('a change that throws changes nothing, and neither does one after the page’s end', () => {
    const visit = open();
    const page = visit.openPage(1);
    const fail = () => {
      throw new TypeError('no');
    };
    expect(() => page.change({ key: 'a', apply: fail })).toThrow('no');
    page.end();
    expect(() => page.change({ key: 'a', apply: increment })).toThrow('until onPage has ended');
    expect(visit.changes).toEqual([]);
    expect(page.get('a')).toBeUndefined();
  });

  test('a page that is to be fetched again takes its changes with it, those of others stay', () => {
    const change = fc.record({ page: fc.nat({ max: 3 }), key: fc.constantFrom('a', 'b'), by: fc.nat(9) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), fc.nat({ max: 3 }), (changes, forgotten) => {
        const visit = open({ a: '"x"' });
        const pages = Array.from({ length: 4 }, () => visit.openPage(1));
        const without = open({ a: '"x"' });
        const other = without.openPage(1);
        for (const { page, key, by } of changes) {
          const apply = (before = '') => `${before}${by}`;
          pages[page]!.change({ key, apply });
          if (page !== forgotten) other.change({ key, apply });
        }
        visit.forget(pages[forgotten]!);
        expect(pages[0]!.entries()).toEqual(other.entries());
        expect(visit.changes).toHaveLength(without.changes.length);
      }),
    );
  });
});

describe('the limits of a visit', () => {
  test('it is full, and then refuses, by keys and by the size of values', () => {
    const visit = open();
    const page = visit.openPage(1);
    for (let n = 0; n < 19; n++) page.change({ key: `${n}`, apply: increment });
    expect(visit.isFull).toBe(false);
    page.change({ key: 'x', apply: increment });
    expect(visit.isFull).toBe(true);
    for (let n = 20; n < 60; n++) page.change({ key: `${n}`, apply: increment });
    expect(() => page.change({ key: 'more', apply: increment })).toThrow(StateFull);
    page.change({ key: 'x', apply: increment });
    const large = open().openPage(1);
    expect(() => large.change({ key: 'a', apply: () => 'ü'.repeat(180_000) })).toThrow(/350000 bytes/);
    for (let n = 0; n < 5; n++) large.change({ key: `${n}`, apply: () => 'x'.repeat(340_000) });
    expect(() => large.change({ key: '6', apply: () => 'x'.repeat(340_000) })).toThrow(/in one visit/);
  });

  test('the crawl has a limit of keys, which known ones do not count against', () => {
    const keys = Array.from({ length: MAX_STATE_KEYS }, (_, n) => [`${n}`, '1']);
    const page = open(Object.fromEntries(keys)).openPage(1);
    expect(() => page.change({ key: 'new', apply: increment })).toThrow(`${MAX_STATE_KEYS} keys`);
    expect(page.change({ key: '7', apply: increment })).toBe('2');
  });

  test('pages that its functions may refer to are counted once each, over all visits of the process', () => {
    const held = { heldBytes: 0 };
    const [one, two] = [open({}, held), open({}, held)];
    const page = one.openPage(3_000_000);
    for (let n = 0; n < 3; n++) page.change({ key: 'a', apply: increment });
    expect(held.heldBytes).toBe(3_000_000);
    expect(one.isFull).toBe(false);
    held.heldBytes += 40_000_000;
    expect(one.isFull).toBe(true);
    expect(two.isFull).toBe(false);
    one.close();
    one.close();
    expect(held.heldBytes).toBe(40_000_000);
  });
});
