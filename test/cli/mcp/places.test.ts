/** The tools over a folder and over a stack: the same calls give the same answers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { pullCrawl } from '../../../api/stack/copy/pull-crawl.ts';
import { openStackCrawl } from '../../../api/stack/open-stack-crawl.ts';
import type { CrawlShelf } from '../../../cli/mcp/crawls.ts';
import { openSession } from '../../../cli/mcp/open-session.ts';
import { createRunTool } from '../../../cli/mcp/run-tool.ts';
import { folderShelf, stackShelf } from '../../../cli/mcp/shelves.ts';
import { TOOLS } from '../../../cli/mcp/tool-list.ts';
import { drive } from '../../../simulation/models/virtual-time.ts';
import { CRAWL, crawlDocs, docsWorld, SITE } from './docs-site.ts';

/** Calls of each tool that reads crawls; ids of marks and the state of the crawl aside. */
async function answersOf(shelf: CrawlShelf, home: string) {
  const bounds = { pages: 100, bytes: 1e9, dollars: 1, crawls: 0 };
  const config = { contact: 'https://sim.test/' };
  const session = openSession({
    shelf,
    config,
    allowHosts: [],
    bounds,
    isOnStack: false,
    log: () => {},
    home,
  });
  const run = createRunTool(session, () => {});
  const ask = async (name: string, input: object) => {
    const tool = TOOLS.find((one) => one.name === name)!;
    const { content, isError } = await run(tool, tool.input.parse(input));
    const [first] = content;
    const text = (first?.type === 'text' ? first.text : '').replaceAll(
      /untrusted-[0-9a-f]{16}/g,
      'untrusted-ID',
    );
    return isError ? text : JSON.parse(text);
  };
  // The latest is that of the guide.
  const all = await ask('changes', { since: '2000-01-01' });
  const day = new Date(Date.parse(all.changes[0].at) - 86_400_000).toISOString();
  const answers = {
    day,
    list: await ask('list_crawls', {}),
    search: await ask('search_crawl', { words: 'installation database', limit: 5 }),
    read: await ask('read_page', { url: `${SITE}/berths#crane` }),
    https: await ask('get_page', { url: `${SITE.replace('http', 'https')}/installation/` }),
    before: await ask('get_page', { crawl: CRAWL, url: `${SITE}/installation`, at: '2000-01-01' }),
    unknown: await ask('get_page', { url: `${SITE}/never` }),
    changes: await ask('changes', { since: day, kinds: ['changed'] }),
    diff: await ask('diff_page', { url: `${SITE}/installation` }),
    status: await ask('crawl_status', { crawl: CRAWL }),
    explained: await ask('explain_url', { url: `${SITE}/berths` }),
    noCrawl: await ask('get_page', { crawl: '../../etc', url: SITE }),
    proto: await ask('get_page', { crawl: '__proto__', url: SITE }),
    foreign: await ask('read_page', { url: 'http://elsewhere.test/' }),
    readOnly: await ask('start_crawl', { url: SITE, max_pages: 1 }),
  };
  await session.close();
  return answers;
}

test('the tools give the same answers over a folder and over a stack', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'strand-mcp-places-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const world = docsWorld();
  const { connection } = world;
  const onStack = await drive(
    world.time,
    (async () => {
      await crawlDocs(world);
      const open = (crawl: string) => openStackCrawl(connection, crawl);
      const shelf = stackShelf('Strand', { control: connection.control, openCrawl: open });
      const answers = await answersOf(shelf, join(parent, 'home'));
      await pullCrawl(connection, CRAWL, join(parent, 'crawls', CRAWL), {});
      return answers;
    })(),
  );
  world.deployment.stop();
  const inFolder = await answersOf(folderShelf(join(parent, 'crawls')), join(parent, 'home'));
  // This machine costs nothing.
  expect(onStack.status.dollars).toBeGreaterThan(0);
  expect(inFolder).toEqual({ ...onStack, status: { ...onStack.status, dollars: 0 } });
  expect(onStack).toMatchObject({
    list: { crawls: [{ crawl: CRAWL, state: 'stopped' }] },
    search: {
      untrusted: true,
      hits: [{ url: `${SITE}/installation`, title: '<untrusted-ID>Installation</untrusted-ID>' }],
    },
    read: {
      url: `${SITE}/berths`,
      crawl: CRAWL,
      status: 200,
      untrusted: true,
      text: expect.stringContaining('A berth has a length'),
    },
    https: {
      url: `${SITE}/installation`,
      asked: expect.stringContaining('https:'),
      text: expect.stringContaining('Node.js 22'),
    },
    before: { text: expect.stringContaining('Node.js 20') },
    unknown: expect.stringMatching(/^unknownUrl: The crawl docs.harbour.test does not know this URL/),
    changes: {
      total: 1,
      changes: [
        {
          url: `${SITE}/installation`,
          removed: expect.stringContaining('20'),
          added: expect.stringContaining('22'),
        },
      ],
    },
    diff: { url: `${SITE}/installation`, diff: expect.stringMatching(/Node.js \[-20-\]\{\+22\+\} or later/) },
    status: { crawl: CRAWL, pages: expect.any(Number) },
    explained: { url: `${SITE}/berths`, scope: expect.stringMatching(/^in: /) },
    noCrawl: expect.stringMatching(
      /^unknownCrawl: There is no crawl "..\/..\/etc". There are: docs.harbour.test\.$/,
    ),
    proto: expect.stringMatching(/^unknownCrawl/),
    foreign: expect.stringMatching(/^hostNotAllowed: elsewhere.test /),
    readOnly: expect.stringMatching(/^readOnly: /),
  });
});
