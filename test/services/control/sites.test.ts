import { expect, test } from 'vitest';
import { openRoom } from './control-room.ts';

const listed = [
  { url: 'a.test', group: 'g', delayMs: 2000 },
  { url: 'b.test', group: 'h' },
];
const everything = { limit: 100 };

test('a crawl with a list of sites has their URLs as seeds, and a small record', async () => {
  const { control, engine, sent } = openRoom();
  const summary = await control.create({ crawl: 'c', sites: listed });
  expect(sent).toEqual(['https://a.test/', 'https://b.test/']);
  expect(summary.sites).toEqual({ count: 2, visited: 0, waiting: 2 });
  const record = await engine.registry.load('c');
  expect(record).toMatchObject({ scopeSeeds: ['https://a.test/'], sites: { count: 2 } });
  expect(JSON.stringify(record)).not.toContain('b.test');
});

test('sites are listed with their visits, by group and state, a page at a time', async () => {
  const { control } = openRoom();
  await control.create({ crawl: 'c', sites: listed, config: { delayMs: 0 } });
  const all = await control.sites('c', everything);
  expect(all.sites.map(({ host, group }) => [host, group])).toEqual([
    ['a.test', 'g'],
    ['b.test', 'h'],
  ]);
  expect((await control.sites('c', { group: 'h' })).sites.map(({ host }) => host)).toEqual(['b.test']);
  expect((await control.sites('c', { state: 'gone' })).sites).toEqual([]);
  const first = await control.sites('c', { limit: 1 });
  expect(first).toMatchObject({ sites: [{ host: 'a.test' }], cursor: '1' });
  const second = await control.sites('c', { limit: 1, cursor: '1' });
  expect(second.sites.map(({ host }) => host)).toEqual(['b.test']);
  expect(second.cursor).toBeUndefined();
  await expect(control.sites('c', { cursor: 'x' })).rejects.toMatchObject({ field: 'cursor' });
});

test('a crawl without a list has no sites', async () => {
  const { control } = openRoom();
  const { sites } = await control.create({ crawl: 'c', seeds: ['a.test'] });
  expect(sites).toEqual({});
  expect(await control.sites('c', everything)).toEqual({ counts: {}, sites: [] });
});

test('a list that takes the place of another sends the URLs that are new in it, and says what it changes', async () => {
  const { control, sent } = openRoom();
  await control.create({ crawl: 'c', sites: listed });
  sent.length = 0;
  const next = [{ url: 'c.test' }, { url: 'a.test', group: 'g', delayMs: 9000 }];
  expect(await control.setSites('c', next)).toEqual({
    added: ['c.test'],
    changed: ['a.test'],
    removed: ['b.test'],
  });
  expect(sent).toEqual(['https://c.test/']);
  expect((await control.sites('c', everything)).sites.map(({ host }) => host)).toEqual(['c.test', 'a.test']);
  sent.length = 0;
  expect(await control.setSites('c', next)).toEqual({ added: [], changed: [], removed: [] });
  expect(sent).toEqual([]);
});

test('a crawl that had finished runs again for new sites, and not for other settings', async () => {
  const { control, engine } = openRoom();
  await control.create({ crawl: 'c', sites: listed });
  await engine.registry.setStatus('c', 'finished');
  await control.setSites('c', [{ url: 'a.test' }]);
  expect((await engine.registry.load('c'))?.status).toBe('finished');
  await control.setSites('c', [{ url: 'a.test' }, { url: 'd.test' }]);
  expect((await engine.registry.load('c'))?.status).toBe('running');
});

test.each<[why: string, sites: readonly object[], message: RegExp]>([
  ['an unknown setting', [{ url: 'a.test', delay: 1 }], /Unknown key delay/],
  ['no URL', [{ url: 'a.test' }, { url: 'x:y' }], /^sites.1: Expected an http or https URL/],
  ['a delay beyond what is possible', [{ url: 'a.test', delayMs: 1e12 }], /sites.0.delayMs/],
  ['a delay below the least of the deployment', [{ url: 'a.test', delayMs: 1 }], /sites.0.delayMs/],
  ['a pattern that is none', [{ url: 'a.test', include: ['('] }], /sites.0.include/],
  [
    'times of its own in a crawl that does not recrawl',
    [{ url: 'a.test', recrawlEveryMs: 60_000 }],
    /sites.0: a site has times/,
  ],
  [
    'a site outside of what may be crawled',
    [{ url: 'a.test' }, { url: 'other.example' }],
    /cannot be a seed/,
  ],
])('a list with %s begins nothing', async (_, sites, message) => {
  const policy = { limits: { delayMs: 100, allowedDomains: ['test'] } };
  const { control, engine, sent } = openRoom({ policy });
  await expect(control.create({ crawl: 'c', sites: sites as never })).rejects.toThrow(message);
  expect(await engine.registry.load('c')).toBeUndefined();
  await control.create({ crawl: 'd', sites: [{ url: 'b.test' }] });
  const before = await engine.registry.load('d');
  sent.length = 0;
  await expect(control.setSites('d', sites as never)).rejects.toThrow(message);
  expect(await engine.registry.load('d')).toEqual(before);
  expect(sent).toEqual([]);
});
