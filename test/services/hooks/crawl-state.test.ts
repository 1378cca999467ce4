import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { MAX_STATE_KEYS } from '../../../shared/crawler/ports/shared-state.ts';
import { openStateFile } from '../../../shared/engines/local/items/state-store.ts';
import {
  createCrawlState,
  createMemoryStore,
  type StateStore,
} from '../../../shared/services/hooks/crawl-state.ts';

const folder = mkdtempSync(join(tmpdir(), 'strand-state-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const opened: ReturnType<typeof openStateFile>[] = [];
afterAll(() => {
  for (const file of opened) file.close();
});

function open(path: string): StateStore {
  const file = openStateFile(path);
  opened.push(file);
  return file;
}

const increment = (n = 0) => n + 1;

describe.each<[string, () => StateStore]>([
  ['in memory', createMemoryStore],
  ['in a file', () => open(join(folder, `${++files}.sqlite`))],
])('the state of a crawl, %s', (_, make) => {
  test('gives back what was kept, by key', () => {
    const state = createCrawlState(make());
    expect(state.get('a')).toBeUndefined();
    expect(state.entries()).toEqual([]);
    state.set('b', { list: [1, 'ü\n'], nothing: null });
    state.set('a', 5);
    state.set('a', 6);
    expect(state.update('count', increment)).toBe(1);
    expect(state.update('count', increment)).toBe(2);
    expect(state.entries()).toEqual([
      ['a', 6],
      ['b', { list: [1, 'ü\n'], nothing: null }],
      ['count', 2],
    ]);
    state.delete('b');
    state.delete('never');
    expect(state.get('b')).toBeUndefined();
  });

  test('refuses what JSON cannot hold, what is too large, and a key that is none', () => {
    const state = createCrawlState(make());
    for (const value of [undefined, () => {}, Number.NaN, { deep: new Map() }])
      expect(() => state.set('a', value)).toThrow(/JSON can/);
    expect(() => state.update('a', async () => 1)).toThrow(TypeError);
    expect(() => state.set('a', 'x'.repeat(1024 * 1024))).toThrow(RangeError);
    for (const key of ['', 'x'.repeat(201), 5 as never, '\ud800'])
      expect(() => state.set(key, 1)).toThrow(/^Expected a key of 1 to 200 characters/);
    expect(state.entries()).toEqual([]);
  });

  test('holds a limited number of keys, each of which can still be changed', () => {
    const state = createCrawlState(make());
    for (let n = 0; n < MAX_STATE_KEYS; n++) state.set(`key ${n}`, n);
    expect(() => state.set('one more', 1)).toThrow(/Expected at most 10000 keys/);
    state.set('key 5', 'changed');
    state.delete('key 6');
    state.set('one more', 1);
    expect(state.get('key 5')).toBe('changed');
  });

  test('an update that is changed by others meanwhile is done again with their value', () => {
    const store = make();
    const [mine, other] = [createCrawlState(store), createCrawlState(store)];
    const seen: unknown[] = [];
    mine.update<number>('n', (n = 0) => {
      seen.push(n);
      if (seen.length === 1) other.set('n', 10);
      return n + 1;
    });
    expect(seen).toEqual([0, 10]);
    expect(other.get('n')).toBe(11);
  });
});

test('connections of several threads lose no update, and a file is kept', () => {
  const path = join(folder, 'shared.sqlite');
  const states = [1, 2, 3].map(() => createCrawlState(open(path)));
  for (let n = 0; n < 300; n++) states[n % 3]!.update('n', increment);
  expect(createCrawlState(open(path)).get('n')).toBe(300);
});
