/** A deployed stack renders pages by its function, with the real browser. */
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
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
});
