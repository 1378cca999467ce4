/** Tests of the beginning and the continuation of a crawl on one machine. */
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CrawlOptions, InvalidConfig } from '../../../../shared/core/crawl/config.ts';
import { NoContact } from '../../../../shared/core/crawl/crawl-errors.ts';
import { URL_RULES_VERSION } from '../../../../shared/core/url/canonical.ts';
import { listWarcFiles } from '../../../../shared/engines/local/archive/archive-names.ts';
import { openDatabase } from '../../../../shared/engines/local/database.ts';
import { foldersOf } from '../../../../shared/engines/local/folders.ts';
import { readSkips } from '../../../../shared/engines/local/items/skip-log.ts';
import { createLinkExchange } from '../../../../shared/engines/local/link-exchange.ts';
import { resumeCrawl } from '../../../../shared/engines/local/session/session.ts';
import { beginCrawl } from '../../../local-crawl/begin-crawl.ts';
import { QUICK, recordsOf, temporaryFolder } from '../../../local-crawl/local-crawl.ts';
import { PLAIN } from '../../../web/features.ts';
import { generateWeb } from '../../../web/graph.ts';
import { type RunningWeb, startWeb } from '../../../web/server.ts';

const SOFTWARE = { software: 'test' };
const SEEDS = ['http://a.test/', 'http://b.test/x?utm_source=y'];

let place: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  place = temporaryFolder();
});
afterEach(() => place.remove());

const begin = (options: CrawlOptions = {}, seeds = SEEDS) =>
  beginCrawl(place.folder, seeds, options, SOFTWARE);

describe('a crawl begins', () => {
  test('with its seeds by the URL rules, and with the sitemaps that its operator names', async () => {
    const { engine, id, close } = await begin({ sitemapUrls: ['HTTP://a.test/map.xml#top'] });
    const parcels = await engine.exchange.receive(10, 0);
    const links = parcels.flatMap(({ outLinks }) => outLinks.links);
    expect(links.sort((a, b) => (a.url < b.url ? -1 : 1))).toEqual([
      { url: 'http://a.test/', depth: 0, isSeed: true },
      { url: 'http://a.test/map.xml', depth: 0, isSeed: true, kind: 'sitemap' },
      { url: 'http://b.test/x', depth: 0, isSeed: true },
    ]);
    expect((await engine.registry.load(id))?.scopeSeeds).toEqual(['http://a.test/', 'http://b.test/x']);
    await close();
  });

  test('refuses a sitemap that is no http URL', async () => {
    const beginning = async () => begin({ sitemapUrls: ['ftp://a.test/map.xml'] });
    await expect(beginning()).rejects.toThrow(/http or https URL as a sitemap, got "ftp:/);
  });

  test('reports which seeds it leaves out, and lists them among the skipped URLs', async () => {
    const warnings: string[] = [];
    const seeds = [...SEEDS, `http://a.test/${'s'.repeat(3000)}`, 'http://a.test/no/1'];
    const session = { ...SOFTWARE, warn: (message: string) => warnings.push(message) };
    const { close } = await beginCrawl(place.folder, seeds, { exclude: ['/no/'] }, session);
    await close();
    expect(warnings).toEqual([
      expect.stringMatching(
        /^Left out the seed http:\/\/a\.test\/s+\.\.\.: it is longer than `maxUrlLength`, 2083/,
      ),
      'Left out the seed http://a.test/no/1: one of the patterns of `exclude` matches',
    ]);
    const database = openDatabase(foldersOf(place.folder).database, 'read');
    expect([...readSkips(database, 'a.test')].map(({ reason }) => reason)).toEqual(['urlLength', 'exclude']);
    database.close();
  });

  test('without an index of payloads where nothing is to be revisited', async () => {
    const { engine, close } = await begin({ revisits: false });
    expect(engine.payloads).toBeUndefined();
    expect([engine.skips, engine.items]).not.toContain(undefined);
    await close();
  });

  test('refuses to be deduplicated from a folder that has no crawl, or one without payloads', async () => {
    const earlier = temporaryFolder();
    const from = () => beginCrawl(place.folder, SEEDS, {}, { ...SOFTWARE, dedupeFrom: earlier.folder });
    await expect(from()).rejects.toThrow(InvalidConfig);
    await (await beginCrawl(earlier.folder, SEEDS, {}, SOFTWARE)).close();
    await expect(from()).rejects.toThrow(/has no index of its payloads/);
    earlier.remove();
  });

  test('and continues with the payloads of the earlier crawl', async () => {
    const earlier = temporaryFolder();
    const first = await beginCrawl(earlier.folder, SEEDS, {}, SOFTWARE);
    const payload = {
      sha1: new Uint8Array(20),
      url: 'http://a.test/',
      date: '2026-01-01T00:00:00Z',
      recordId: '<x>',
    };
    await first.engine.payloads?.add(first.id, [payload]);
    await first.close();
    const dedupeFrom = earlier.folder;
    await (await beginCrawl(place.folder, SEEDS, {}, { ...SOFTWARE, dedupeFrom })).close();
    const resumed = await resumeCrawl(place.folder, {}, SOFTWARE);
    expect(await resumed.engine.payloads?.find(resumed.id, payload.sha1)).toMatchObject({ recordId: '<x>' });
    await resumed.close();
    earlier.remove();
  });
});

describe('a crawl that knows its URLs by other rules', () => {
  test('continues only with the option, and then by the new ones', async () => {
    await (await begin()).close();
    const database = new DatabaseSync(foldersOf(place.folder).database);
    database.exec("UPDATE crawls SET record = json_set(record, '$.urlRulesVersion', 0)");
    database.close();
    await expect(resumeCrawl(place.folder, {}, SOFTWARE)).rejects.toThrow(
      /two forms, and fetched again.*--new-url-rules/,
    );
    const resumed = await resumeCrawl(place.folder, {}, { ...SOFTWARE, newUrlRules: true });
    expect((await resumed.engine.registry.load(resumed.id))?.urlRulesVersion).toBe(URL_RULES_VERSION);
    await resumed.close();
    await (await resumeCrawl(place.folder, {}, SOFTWARE)).close();
  });
});

describe('a list of sites that takes the place of another', () => {
  const changed = (sites: readonly { url: string }[]) =>
    resumeCrawl(place.folder, {}, { ...SOFTWARE, sites });

  test('is refused if the crawl leaves out a new site, and changes nothing', async () => {
    await (await begin({ exclude: ['/no'] })).close();
    await expect(changed([{ url: 'http://c.test/no' }])).rejects.toThrow(/^seeds.0 cannot be a seed: one of/);
    const { engine, id, close } = await changed([{ url: 'http://c.test/' }]);
    const { sites } = (await engine.registry.load(id))!;
    expect(await engine.registry.readSites(id, sites!)).toEqual([{ url: 'http://c.test/' }]);
    await close();
  });

  test('is refused if the owners of its hosts could not find out who crawls', async () => {
    await (await beginCrawl(place.folder, ['http://localhost/'], { contact: undefined }, SOFTWARE)).close();
    await expect(changed([{ url: 'http://c.test/' }])).rejects.toThrow(NoContact);
  });
});

describe('seeds that another process adds', () => {
  let running: RunningWeb;
  beforeEach(async () => {
    running = await startWeb(generateWeb({ seed: 5, hosts: 2, pagesPerHost: 3, features: PLAIN }));
  });
  afterEach(() => running.stop());

  test.each([1, 2])(
    'are fetched before a crawl of %i worker(s) ends, at whatever moment they come',
    async (workers) => {
      const [first, second] = running.seeds as [string, string];
      const options: CrawlOptions = { ...QUICK, scope: 'page', resolve: [['*.test', running.address]] };
      const session = await beginCrawl(place.folder, [first], options, { ...SOFTWARE, workers });
      const other = openDatabase(foldersOf(place.folder).database, 'join');
      let isAdded = false;
      const end = await session.run({
        signal: new AbortController().signal,
        onProgress({ pages, hostsActive }) {
          // The first seed is fetched: the crawl is about to end.
          if (isAdded || pages === 0 || hostsActive > 0) return;
          isAdded = true;
          void createLinkExchange(other).send({
            crawl: session.id,
            links: [{ url: second, depth: 0, isSeed: true }],
          });
        },
      });
      other.close();
      await session.close();
      expect([isAdded, end.status]).toEqual([true, 'finished']);
      const { records } = await recordsOf(place.folder);
      expect([...records].map(([url, { state }]) => [url, state]).sort()).toEqual(
        [first, second].sort().map((url) => [url, 'fetched']),
      );
      const files = await listWarcFiles(foldersOf(place.folder).archive);
      expect(files.every(({ isOpen }) => !isOpen)).toBe(true);
    },
  );
});
