/** The tools over a folder and over a stack: the same calls give the same answers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { pullCrawl } from '../../../api/stack/copy/pull-crawl.ts';
import { openStackCrawl } from '../../../api/stack/open-stack-crawl.ts';
import type { CrawlShelf } from '../../../cli/mcp/crawls.ts';
import { beginOnStack, openSession } from '../../../cli/mcp/open-session.ts';
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

test('a crawl that an agent begins on a stack has the bounds of its operator, and can be stopped', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'strand-mcp-stack-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const world = docsWorld();
  const { connection, time } = world;
  const session = openSession({
    shelf: stackShelf('Strand', {
      control: connection.control,
      openCrawl: (crawl) => openStackCrawl(connection, crawl),
    }),
    config: { contact: 'https://sim.test/', purpose: 'ai-input', preferMarkdown: true },
    allowHosts: ['docs.harbour.test'],
    bounds: { pages: 100, bytes: 1e6, dollars: 2, crawls: 1 },
    begin: beginOnStack(connection),
    isOnStack: true,
    log: () => {},
    home: parent,
  });
  const run = createRunTool(session, () => {});
  const ask = async (name: string, input: object) => {
    const tool = TOOLS.find((one) => one.name === name)!;
    const { content } = await run(tool, tool.input.parse(input));
    return content[0]?.type === 'text' ? content[0].text : '';
  };
  const script = async () => {
    const begun = JSON.parse(await ask('start_crawl', { url: `${SITE}/`, max_pages: 50 }));
    await time.sleep(60_000);
    const crawl = await openStackCrawl(connection, begun.crawl);
    const status = JSON.parse(await ask('crawl_status', { crawl: begun.crawl }));
    const stopped = JSON.parse(await ask('stop_crawl', { crawl: begun.crawl }));
    return {
      begun,
      options: crawl.options,
      status,
      stopped,
      more: await ask('start_crawl', { url: `${SITE}/`, max_pages: 1 }),
    };
  };
  const found = await drive(time, script());
  world.deployment.stop();
  await session.close();
  expect(found.begun).toMatchObject({ crawl: 'docs.harbour.test', maxPages: 50, dollars: 1 });
  expect(found.options).toMatchObject({
    ...{ maxPages: 50, maxBytes: 500_000, maxCost: 1, scope: 'host', purpose: 'ai-input' },
    domains: ['docs.harbour.test'],
    preferMarkdown: false,
  });
  expect(found.status).toMatchObject({ pages: 3 });
  expect(['stopped', 'finished']).toContain(found.stopped.state);
  expect(found.more).toMatch(/^dayUsedUp: The operator allows 1 crawls a day/);
});
