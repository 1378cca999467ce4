/** Two crawlers in one stack of a user's app: each is found by name, and neither sees the other's crawl. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listCrawls, openCrawl, processCrawl } from '../../api/index.ts';
import { bootstrap, cdk, ENVIRONMENT, ROOT, until } from './deployed.ts';
import { CLIENT_OPTIONS, hasEmulator } from './resources.ts';

const ADDRESS = '127.79.0.1';
const CRAWL = 'same';
const CONFIG = { allowPrivateAddresses: ['127.0.0.0/8'], delayMs: 0, adaptive: false };

describe.skipIf(!hasEmulator())('an app with two crawlers in one stack', () => {
  const name = `Data-${randomBytes(4).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), 'strand-two-'));
  const app = ['--app', 'node test/localstack/two-crawlers.ts', '-c', `stackName=${name}`];
  const output = ['--output', join(folder, 'out')];
  const news = { stack: `${name}/News`, crawl: CRAWL };
  const shop = { stack: `/strand/${name}`, crawl: CRAWL };
  const servers: Server[] = [];
  let outputs: Record<string, string>;

  /** A site of `pages` pages, each with a link to the next one; the last link is broken. */
  async function serve(pages: number): Promise<string> {
    const server = createServer((request, response) => {
      const page = Number(request.url?.slice(1) || 1);
      if (!(page <= pages)) return void response.writeHead(404).end();
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(`<title>${page}</title><p>Page ${page} says this.</p><a href="/${page + 1}">next</a>`);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
    return `http://${ADDRESS}:${(server.address() as AddressInfo).port}/`;
  }

  const strand = (...words: string[]) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      const options = { cwd: ROOT, env: ENVIRONMENT };
      execFile(process.execPath, ['cli/bin.js', ...words], options, (error, out, err) =>
        resolve({ code: Number(error?.code ?? 0), out, err }),
      );
    });

  const pagesOf = async (stack: string): Promise<number> =>
    JSON.parse((await strand('--stack', stack, 'status', CRAWL, '--json')).out).pages;

  /** URLs of a crawl's archive, which is read from the crawler's own bucket. */
  async function archived(at: typeof news): Promise<string[]> {
    await using crawl = await openCrawl(at);
    const urls: string[] = [];
    for await (const { url, status } of crawl.captures()) if (status === 200) urls.push(url);
    return urls.sort();
  }

  beforeAll(async () => {
    await bootstrap(folder);
    const file = join(folder, 'outputs.json');
    await cdk('deploy', '--require-approval', 'never', ...output, '-O', file, ...app);
    outputs = JSON.parse(readFileSync(file, 'utf8'))[name];
  });
  afterAll(async () => {
    for (const server of servers) server.close();
    // The app as it was synthesized for the deployment.
    await cdk('destroy', '--force', '--all', '--app', join(folder, 'out'));
    rmSync(folder, { recursive: true, force: true });
  });

  test('crawls of one name, begun by the API of one and the seed queue of the other, do not mix', async () => {
    const [newsSite, shopSite] = [await serve(6), await serve(3)];
    const begun = await fetch(`${CLIENT_OPTIONS.endpoint}/_aws/execute-api/${outputs.NewsApi}/v1/crawls`, {
      method: 'POST',
      body: JSON.stringify({ crawl: CRAWL, seeds: [newsSite], config: CONFIG }),
    });
    expect(begun.status).toBe(201);
    const sqs = new SQSClient(CLIENT_OPTIONS);
    const MessageBody = JSON.stringify({ crawl: CRAWL, urls: [shopSite], config: CONFIG });
    await sqs.send(new SendMessageCommand({ QueueUrl: outputs.ShopSeeds, MessageBody }));
    sqs.destroy();

    // The page that is missing at the end of each site counts, too.
    await until(async () => {
      const crawls = await Promise.all([news, shop].map(listCrawls));
      return crawls[0]?.[0]?.pages === 7 && crawls[1]?.[0]?.pages === 4;
    }, 'the pages of both sites');
    expect(await archived(news)).toEqual(['', 2, 3, 4, 5, 6].map((path) => newsSite + path));
    expect(await archived(shop)).toEqual(['', 2, 3].map((path) => shopSite + path));
  });

  test('the command line finds each by its path, its name and its parameter', async () => {
    const names = [news.stack, `news-of-${name}`, `${name}/Shop`, shop.stack];
    expect(await Promise.all(names.map(pagesOf))).toEqual([7, 7, 4, 4]);
    const [both, misspelt] = await Promise.all(
      [name, `${name}/Nws`].map((stack) => strand('--stack', stack, 'list')),
    );
    expect(both).toMatchObject({
      code: 2,
      err: `strand: The stack ${name} has 2 crawlers: ${name}/News, ${name}/Shop\n`,
    });
    expect(misspelt).toMatchObject({ code: 2, err: expect.stringContaining(`did you mean ${name}/News?`) });
  });

  test('the library reads each, runs hooks over its archive, and stops it', async () => {
    expect(await listCrawls({ stack: news.stack })).toMatchObject([{ crawl: CRAWL, pages: 7 }]);
    await using crawl = await openCrawl(shop);
    const statuses = new Map<string, string>();
    for await (const { url, status } of crawl.urls()) statuses.set(new URL(url).pathname, status);
    expect(Object.fromEntries(statuses)).toEqual({
      '/': 'fetched',
      '/2': 'fetched',
      '/3': 'fetched',
      '/4': 'gone',
    });
    const titles: string[] = [];
    for await (const { items } of processCrawl<{ title: string }>(shop, {
      onPage: ({ title }) => ({ title }),
    }))
      titles.push(...items.map(({ title }) => title));
    expect(titles.sort()).toEqual(['1', '2', '3']);
    for await (const { text } of crawl.documents()) expect(text).toMatch(/^Page \d says this/);
    const stopped = await crawl.stop();
    expect(['stopped', 'finished']).toContain(stopped.state);
    expect((await crawl.done).state).toBe(stopped.state);
  });
});
