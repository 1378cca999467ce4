/** A deployed stack renders pages by its function, with the real browser. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { GetObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import { connectionOf } from '../../api/stack/connect-stack.ts';
import { openStackCrawl } from '../../api/stack/open-stack-crawl.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import type { CrawlExport } from '../../shared/services/control/crawl-export.ts';
import { unzip } from '../core/archive/unzip.ts';
import { ledgersOf } from '../crawler/worker/world.ts';
import { lacks } from '../needs.ts';
import { CRAWLERS_HEADER, HOST, openScriptedSite, type ScriptedSite } from '../web/scripted/site.ts';
import { type Deployed, deploy, printErrors, until } from './deployed.ts';
import { hasEmulator } from './resources.ts';
import { configFor, statusOf } from './stack-crawl.ts';

const CRAWL = 'scripted';
const NAMES = ['fetched', 'components', 'posts', 'workers', 'endless-scroll'];

describe.skipIf(!hasEmulator() || lacks('lambdaBrowser'))('a deployed stack with rendering', () => {
  let deployed: Deployed;
  let site: ScriptedSite;

  beforeAll(async () => {
    site = await openScriptedSite();
    deployed = await deploy({
      rendering: 'true',
      workerTimeout: '120',
      hostsPerWorker: '2',
      maxConcurrency: '2',
    });
  });
  afterAll(async () => {
    await deployed?.destroy();
    await site?.close();
  });
  beforeEach(() => onTestFailed(() => printErrors(deployed)));

  test('finds the links of pages that scripts fill; the worker makes each request, and the crawl pays', async () => {
    const pages = site.pages.filter(({ name }) => NAMES.includes(name));
    const leaves = pages.flatMap(({ links }) => links).filter((path) => path.startsWith('/leaf/'));
    const { status } = await deployed.call('POST', '/crawls', {
      crawl: CRAWL,
      seeds: pages.map((page) => site.urlOf(page)),
      config: {
        ...configFor({ address: HOST }),
        allowPrivateAddresses: ['127.0.0.0/8'],
        headers: { '*': { [CRAWLERS_HEADER]: '1' } },
        render: 'always',
        maxDepth: 1,
      },
    });
    expect(status).toBe(201);
    const all = pages.length + leaves.length;
    await until(async () => (await statusOf(deployed, CRAWL)).pages >= all, `${all} pages`, 400_000);
    const known = await ledgersOf(deployed.stack.engine, CRAWL);
    const urls = [...known.values()]
      .flatMap(({ records }) => [...records.keys()])
      .map((url) => new URL(url).pathname);
    expect(leaves.filter((path) => !urls.includes(path))).toEqual([]);
    const { render } = await statusOf(deployed, CRAWL);
    expect(render).toMatchObject({ pages: all });
    expect(site.takeEscapes()).toEqual([]);
  });

  test('the exporter of the stack and its operator read pages as they were rendered', async () => {
    // No page has this text before its scripts have run.
    const shown = /Item \/leaf\/components\//;
    for (const format of ['documents', 'markdown'])
      expect((await deployed.call('POST', `/crawls/${CRAWL}/exports`, { format })).status).toBe(202);
    const exports = async () =>
      (await deployed.call<{ exports: CrawlExport[] }>('GET', `/crawls/${CRAWL}/exports`)).body.exports;
    await until(async () => (await exports()).every(({ state }) => state === 'done'), 'exports', 300_000);
    for (const made of await exports()) expect(await textOf(made), made.format).toMatch(shown);

    const connection = connectionOf(deployed.name, deployed.stack, deployed.settings, { clock: systemClock });
    const crawl = await openStackCrawl(connection, CRAWL);
    const page = site.pages.find(({ name }) => name === 'components')!;
    expect((await crawl.document(site.urlOf(page))).document.text).toMatch(shown);
    const linking = await crawl.inlinks(new URL('/leaf/components/3', site.origin).href);
    expect(linking.map((link) => link.page)).toEqual([site.urlOf(page)]);
    const folder = mkdtempSync(join(tmpdir(), 'strand-rendered-'));
    try {
      const hits = await crawl.search('item leaf components', { index: join(folder, 'index.sqlite') });
      expect(hits[0]?.url).toBe(site.urlOf(page));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  /** All files of an export, as one text. */
  async function textOf({ location }: CrawlExport): Promise<string> {
    const { bucket: Bucket } = deployed.settings;
    const client = deployed.stack.clients.s3;
    const Prefix = location.slice(`s3://${Bucket}/`.length);
    let texts = '';
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix }))
      for (const { Key = '' } of Contents) {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
        const bytes = await Body!.transformToByteArray();
        if (Key.endsWith('.zip'))
          for (const file of unzip(Buffer.from(bytes)).values()) texts += Buffer.from(file.bytes);
        else texts += Key.endsWith('.gz') ? gunzipSync(bytes) : Buffer.from(bytes);
      }
    return texts;
  }
});
