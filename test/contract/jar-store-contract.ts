import { expect, test } from 'vitest';
import type { StoredJar } from '../../shared/core/access/stored-jar.ts';
import type { JarStore, KeptJar } from '../../shared/crawler/ports/jar-store.ts';
import type { Subject } from './subject.ts';
import { CRAWL } from './subjects.ts';

const KEY = { domain: 'a.test' };
const jarOf = (version: number, cookies = `["${version}"]`): StoredJar => ({
  version,
  generation: version * 2,
  cookies,
});

async function listed(store: JarStore): Promise<KeptJar[]> {
  const all: KeptJar[] = [];
  for await (const one of store.accounts(CRAWL)) all.push(one);
  return all;
}

export function jarStoreContract(subject: Subject): void {
  const store = () => subject.engine.jars as JarStore;

  test('knows no jar that was not stored', async () => {
    expect(await store().load(CRAWL, KEY)).toBeUndefined();
    expect(await listed(store())).toEqual([]);
  });

  test('replaces a jar version by version, and reads its own writes', async () => {
    for (let version = 1; version <= 3; version++) {
      expect(await store().replace(CRAWL, KEY, jarOf(version))).toBe(true);
      expect(await store().load(CRAWL, KEY)).toEqual(jarOf(version));
    }
  });

  test('drops a write over another version than the stored one', async () => {
    expect(await store().replace(CRAWL, KEY, jarOf(2))).toBe(false);
    await store().replace(CRAWL, KEY, jarOf(1));
    await store().replace(CRAWL, KEY, jarOf(2));
    for (const version of [1, 2, 4])
      expect(await store().replace(CRAWL, KEY, jarOf(version, '[]'))).toBe(false);
    expect(await store().load(CRAWL, KEY)).toEqual(jarOf(2));
  });

  test('keeps the jars of accounts, domains and crawls apart, and lists the accounts of a crawl without cookies', async () => {
    const keys = [KEY, { domain: 'a.test', account: 'one' }, { domain: 'b.test', account: 'one' }];
    for (const [index, key] of keys.entries())
      expect(await store().replace(CRAWL, key, jarOf(1, `[${index}]`))).toBe(true);
    await store().replace('another', KEY, jarOf(1));
    for (const [index, key] of keys.entries())
      expect((await store().load(CRAWL, key))?.cookies).toBe(`[${index}]`);
    const all = await listed(store());
    const { cookies: _, ...jar } = jarOf(1);
    expect(all).toHaveLength(2);
    expect(all).toEqual(expect.arrayContaining(keys.slice(1).map((key) => ({ key, jar }))));
  });
}
