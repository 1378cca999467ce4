/** Crawls that an agent begins: within the operator's bounds, and on their own once begun. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCrawl, resumeCrawl, startCrawl } from '../../../api/index.ts';
import type { CrawlOrder } from '../../../cli/mcp/begin-here.ts';
import { QUICK } from '../../local-crawl/local-crawl.ts';
import { rowOfPages, type SmallSite, startSite } from '../../local-crawl/small-site.ts';
import { type Agent, newHome, startAgent } from './agent.ts';

let site: SmallSite;
const { home, remove } = newHome();
const crawls = join(home, 'crawls');
const agents: Agent[] = [];

beforeAll(async () => {
  site = await startSite(rowOfPages(300), { address: '127.78.0.94', delayMs: 20 });
});
afterAll(async () => {
  for (const agent of agents) await agent.close();
  await site.stop();
  remove();
});

/** `place`: a folder of its own, whose days are counted apart. */
async function started(place: string, ...more: string[]): Promise<Agent> {
  const args = [place, '--allow-private-addresses', '--delay', '0', '--contact', 'me@example.org'];
  const agent = await startAgent({ args: [...args, '--allow-hosts', '127.78.0.94', ...more], home });
  agents.push(agent);
  return agent;
}

const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
};

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

async function stateOf(folder: string): Promise<string> {
  await using crawl = await openCrawl(folder);
  return (await crawl.summary()).state;
}

test('a crawl goes on when its server is killed as it begins, and can be resumed when it is killed itself', async () => {
  const place = join(home, 'killed');
  const agent = await started(place, '--allow-crawls', '9');
  const list = await agent.client.listTools();
  expect([list.tools.length, Buffer.byteLength(JSON.stringify(list)) <= 8 * 1024]).toEqual([11, true]);
  const asked = agent.call('start_crawl', { url: site.url, max_pages: 40 }).catch(() => {});
  await until(() => namesIn(place).some((name) => namesIn(join(place, name)).includes('lock.pid')));
  process.kill(agent.pid!, 'SIGKILL');
  await asked;
  const folder = join(place, namesIn(place)[0]!);
  await until(() =>
    stateOf(folder).then(
      (state) => state !== 'running',
      () => false,
    ),
  );
  // The process was killed before or after the crawl had begun to count: either way it went on by itself.
  expect(await stateOf(folder)).toBe('limited');

  const other = await started(place, '--allow-crawls', '9');
  const { crawl } = await other.call('start_crawl', { url: site.url, max_pages: 90 });
  const begun = join(place, String(crawl));
  await until(() => site.log.length > 70);
  process.kill(Number(readFileSync(join(begun, 'lock.pid'), 'utf8')), 'SIGKILL');
  await until(async () => (await stateOf(begun)) === 'interrupted');
  expect(await other.call('crawl_status', { crawl })).toMatchObject({ state: 'interrupted' });
  const summary = await (await resumeCrawl(begun, { trustSettings: true })).done;
  expect(summary).toMatchObject({ state: 'limited', pages: 90 });
});

test('a crawl goes on when its server dies just before it learns that the crawl has begun', async () => {
  const folder = join(home, 'unheard');
  const file = fileURLToPath(new URL('../../../cli/mcp/crawl-process.ts', import.meta.url));
  const [server, preload] = ['server', 'preload'].map((name) => join(home, `${name}.mjs`)) as [
    string,
    string,
  ];
  writeFileSync(
    preload,
    `const send = process.send?.bind(process); // None in the crawl's thread.
    if (send) process.send = (...args) => {
      process.kill(process.ppid, 'SIGKILL');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
      return send(...args);
    };`,
  );
  const options = { maxPages: 3, allowPrivateAddresses: ['127.78.0.94/32'], delayMs: 0 };
  const order: CrawlOrder = { folder, url: site.url, options, proxies: [] };
  writeFileSync(
    server,
    `import { fork } from 'node:child_process';
    const options = { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: ['--import', ${JSON.stringify(preload)}] };
    fork(${JSON.stringify(file)}, options).send(${JSON.stringify(order)});`,
  );
  const [, signal] = await once(spawn(process.execPath, [server], { stdio: 'inherit' }), 'exit');
  expect(signal).toBe('SIGKILL');
  await until(async () => (await stateOf(folder)) !== 'running');
  expect(await stateOf(folder)).toBe('limited');
});

test('only crawls that an agent began are stopped, and its bounds hold', async () => {
  const own = await startCrawl({
    ...QUICK,
    delayMs: 60_000,
    seeds: [`${site.url}/`],
    out: join(crawls, 'own'),
  });
  const agent = await started('crawls', '--allow-crawls', '2', '--max-pages', '500');
  expect((await agent.client.listTools()).tools).toHaveLength(11);
  expect(await agent.refusal('start_crawl', { url: site.url, max_pages: 10 })).toMatch(
    /^hostIsCrawled: The crawl own/,
  );
  expect(await agent.refusal('stop_crawl', { crawl: 'own' })).toMatch(/^notBegunHere: .*only its operator/);
  await own.stop();
  expect(await agent.refusal('start_crawl', { url: site.url, max_pages: 501 })).toMatch(
    /^dayUsedUp: .*500 pages/,
  );
  expect(await agent.refusal('start_crawl', { url: site.url, max_pages: 10, scope: 'domain' })).toMatch(
    /^hostNotAllowed/,
  );
  expect(await agent.refusal('start_crawl', { url: 'http://elsewhere.test/', max_pages: 1 })).toMatch(
    /^hostNotAllowed/,
  );
  const { crawl } = await agent.call('start_crawl', { url: site.url, max_pages: 300, every: '1d' });
  expect(await agent.call('stop_crawl', { crawl })).toMatchObject({ crawl, state: 'stopped' });
  expect(await agent.call('stop_crawl', { crawl })).toMatchObject({ crawl, state: 'stopped' });
  const next = await agent.call('start_crawl', { url: site.url, max_pages: 1 });
  await until(async () => (await stateOf(join(crawls, String(next.crawl)))) !== 'running');
  expect(await agent.refusal('start_crawl', { url: site.url, max_pages: 1 })).toMatch(
    /^dayUsedUp: .*2 crawls/,
  );
});

test('a crawl stays on its site, wherever its seed redirects to', async () => {
  const elsewhere = await startSite({ '/': 'elsewhere' }, { address: '127.78.0.95' });
  const { createServer } = await import('node:http');
  const server = createServer(({ url }, response) => {
    if (url === '/') response.writeHead(302, { location: `${elsewhere.url}/` }).end();
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.78.0.96', resolve));
  const { port } = server.address() as { port: number };
  const place = join(home, 'redirected');
  const agent = await started(place, '--allow-crawls', '1', '--allow-hosts', '127.78.0.96');
  const { crawl } = await agent.call('start_crawl', { url: `http://127.78.0.96:${port}/`, max_pages: 5 });
  await until(async () => (await stateOf(join(place, String(crawl)))) !== 'running');
  expect(elsewhere.log).toEqual([]);
  server.close();
  server.closeAllConnections();
  await elsewhere.stop();
});
