/** The events that a crawl sends to the webhook of its project. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type LogEntry, openCrawl, resumeCrawl, startCrawl, verifyWebhook } from '../../api/index.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { rowOfPages, type SmallSite, startSite } from '../local-crawl/small-site.ts';

const SECRET = 'a secret of this test';

let site: SmallSite;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strand-webhook-'));
  site = await startSite(rowOfPages(6), { address: '127.78.3.1' });
});
afterEach(async () => {
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver that answers with these statuses, then 200. */
async function receiver(...statuses: readonly number[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.writeHead(statuses[received.length] ?? 200).end('thanks');
    received.push({ headers: request.headers, body });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.78.3.2', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { received, url: `http://127.78.3.2:${port}/hook` };
}

async function crawl(url: string, options: object = {}) {
  const logged: LogEntry[] = [];
  const running = await startCrawl({
    ...QUICK,
    seeds: [`${site.url}/`],
    out: join(folder, 'c'),
    headers: { seeds: { 'x-token': 'for the site alone' } },
    webhook: { url, secret: SECRET },
    onLog: (entry) => logged.push(entry),
    ...options,
  });
  const summary = await running.done;
  return { summary, warnings: logged.filter(({ level }) => level === 'warn').map(({ message }) => message) };
}

const eventsOf = (received: readonly Received[]) => received.map(({ body }) => JSON.parse(body));

test('a crawl that has finished sends one signed event, again if the receiver fails', async () => {
  const { url, received } = await receiver(500);
  const { warnings } = await crawl(url);
  expect(warnings).toEqual([]);
  const [first, second] = eventsOf(received);
  expect(second).toEqual(first);
  expect(first).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    type: 'crawlFinished',
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    crawl: expect.any(String),
    data: expect.objectContaining({ state: 'finished', pages: 6, hosts: 1, hostsGivenUp: 0 }),
  });
  for (const { headers, body } of received) {
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-strand-event': 'crawlFinished' });
    expect(headers).not.toHaveProperty('x-token');
    expect(verifyWebhook(SECRET, headers['x-strand-signature'] as string, body)).toBe(true);
  }
  expect(received).toHaveLength(2);
});

test('a crawl at a limit says which, and hosts that were given up are events of their own', async () => {
  const limited = await receiver();
  await crawl(limited.url, { maxPages: 3 });
  expect(eventsOf(limited.received)).toMatchObject([
    { type: 'crawlLimited', data: { state: 'limited', pages: 3, reasonCode: 'maxPages' } },
  ]);
  const dead = 'http://127.78.3.9:4009/';
  const failing = await receiver();
  const seeds = [`${site.url}/`, dead];
  await crawl(failing.url, { out: join(folder, 'd'), seeds, maxHostFailures: 1, maxAttempts: 1 });
  expect(eventsOf(failing.received)).toMatchObject([
    { type: 'hostGivenUp', data: { host: '127.78.3.9:4009', cause: expect.any(String) } },
    { type: 'crawlFinished', data: { hostsGivenUp: 1 } },
  ]);
});

test('a receiver that cannot be reached is a warning, and so is an address that is not open to the crawl', async () => {
  const { url, received } = await receiver(500, 500, 500);
  expect((await crawl(url)).warnings).toEqual([
    'webhook: crawlFinished was not received, and 0 events after it were not sent: HTTP 500',
  ]);
  expect(received).toHaveLength(3);
  const closed = url.replace('127.78.3.2', '10.0.0.1');
  const { summary, warnings } = await crawl(closed, { out: join(folder, 'd') });
  expect(summary.state).toBe('finished');
  expect(warnings).toEqual([expect.stringMatching(/^webhook: crawlFinished was not received.*10\.0\.0\.1/)]);
});

test('a target that cannot be used is refused before the crawl', async () => {
  for (const webhook of [
    { url: 'hook', secret: SECRET },
    { url: 'https://hook.test/', secret: 'short' },
  ])
    await expect(crawl('', { webhook })).rejects.toThrow(
      'Expected webhook to be { url, secret }: url an http(s) URL, secret at least 16 characters',
    );
});

test('with a change feed, each page that is found is reported once, signed, in few events', async () => {
  const { url, received } = await receiver();
  await crawl(url, { recrawlSchedule: '@yearly', changeFeed: true, once: true });
  const feed = received.filter(({ headers }) => headers['x-strand-event'] === 'pagesChanged');
  for (const { headers, body } of feed)
    expect(verifyWebhook(SECRET, headers['x-strand-signature'] as string, body)).toBe(true);
  const changes = eventsOf(feed).flatMap(
    ({ data }) => data.changes as { id: string; change: string; url: string }[],
  );
  expect(changes.map(({ change }) => change)).toEqual(changes.map(() => 'new'));
  expect(new Set(changes.map(({ url }) => url)).size).toBe(changes.length);
  expect(changes.length).toBeGreaterThanOrEqual(6);
  await using stored = await openCrawl(join(folder, 'c'));
  const known: string[] = [];
  for await (const { id } of stored.changes(new Date(0))) known.push(id);
  expect(changes.map(({ id }) => id).toSorted(), 'the ids of strand changes').toEqual(known.toSorted());
});

test('the first pass of a crawl that recrawls is announced once, in a later session if need be', async () => {
  const { url, received } = await receiver();
  const { summary } = await crawl(url, { webhook: undefined, recrawl: 'changes', once: true });
  expect(summary).toMatchObject({ reasonCode: 'nothingDue', firstPassAt: expect.stringMatching(/Z$/) });
  for (let i = 0; i < 2; i++)
    await (await resumeCrawl(join(folder, 'c'), { once: true, webhook: { url, secret: SECRET } })).done;
  expect(eventsOf(received)).toMatchObject([
    { type: 'firstPassFinished', data: { at: summary.firstPassAt, pages: 6, hosts: 1 } },
  ]);
});

test('a host that was given up is not waited for', async () => {
  const { url, received } = await receiver();
  const dead = 'http://127.78.3.9:4009/';
  const seeds = [`${site.url}/`, dead];
  const { summary } = await crawl(url, {
    seeds,
    recrawl: 'changes',
    once: true,
    maxHostFailures: 1,
    maxAttempts: 1,
  });
  expect(summary.firstPassAt).toBeDefined();
  expect(eventsOf(received).map(({ type }) => type)).toEqual(['firstPassFinished', 'hostGivenUp']);
});
