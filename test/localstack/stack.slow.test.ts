/**
 * The real stack with nothing stubbed: deployed by the CDK, seeded through API Gateway and by a plain SQS
 * message, crawling through its real event source mappings, judged by the web's own log.
 */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { ListQueuesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import { putIdentity } from '../../api/stack/put-identity.ts';
import type { PublicJwk } from '../../shared/core/identity/signing-key.ts';
import type { CapturePage } from '../../shared/services/control/captures.ts';
import type { HostPage } from '../../shared/services/control/control.ts';
import type { CrawlExport } from '../../shared/services/control/crawl-export.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import type { UrlDetail } from '../../shared/services/report/url-detail.ts';
import { type ReceivedRequest, verifyByRfc9421 } from '../core/identity/verifiers.ts';
import { PLAIN } from '../web/features.ts';
import { startChain } from './chain-web.ts';
import { type Deployed, deploy, printErrors, until } from './deployed.ts';
import { hasEmulator } from './resources.ts';
import { configFor, expectLedgers, expectLog, serve, untilFinished } from './stack-crawl.ts';

const CHAIN = 40;

/** The private key of the stack's identity. */
const KEY = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as never as PublicJwk;

const FEATURES = { ...PLAIN, robots: true, redirects: true, errors: true, duplicates: true, slow: true };

describe.skipIf(!hasEmulator())('a deployed stack', () => {
  let deployed: Deployed;

  /** Waits until the API lists captures of these paths: their turn has been committed. */
  const untilCaptured = (crawl: string, url: string, paths: readonly string[]) =>
    until(async () => {
      const query = `url=${encodeURIComponent(url)}&matchType=host`;
      const { body } = await deployed.call<CapturePage>('GET', `/crawls/${crawl}/captures?${query}`);
      const found = body.captures.map((capture) => new URL(capture.url).pathname);
      return paths.every((path) => found.includes(path));
    }, 'captures');

  beforeAll(async () => {
    const identityParameter = `/strand/${randomUUID()}/identity`;
    deployed = await deploy({ identityParameter });
    await putIdentity(deployed.settings, { agent: 'https://crawler.example.org', keys: [KEY] });
  });
  afterAll(() => deployed?.destroy());
  beforeEach(() => onTestFailed(() => printErrors(deployed)));

  test('crawls 15 hosts from a POST and a plain message to their closure: each URL once, none forbidden, no host hurried', async () => {
    const web = await serve('127.77.0.2', { seed: 41, hosts: 15, pagesPerHost: 48, features: FEATURES });
    const chain = await startChain('127.78.0.1', CHAIN);
    try {
      const half = web.seeds.length / 2;
      const begun = await deployed.call<CrawlSummary>('POST', '/crawls', {
        crawl: 'web',
        seeds: web.seeds.slice(0, half),
        config: configFor(web),
      });
      expect([begun.status, begun.body]).toMatchObject([201, { crawl: 'web', state: 'running' }]);
      await deployed.stack.clients.sqs.send(
        new SendMessageCommand({
          QueueUrl: deployed.outputs.SeedQueueUrl,
          MessageBody: JSON.stringify({ crawl: 'web', urls: web.seeds.slice(half) }),
        }),
      );
      const chained = await deployed.call('POST', '/crawls', {
        crawl: 'chain',
        seeds: [chain.seed],
        config: { ...configFor(web), scope: 'any', resolve: [['*.test', '127.78.0.1']] },
      });
      expect(chained.status).toBe(201);

      const summary = await untilFinished(deployed, 'web');
      const truth = expectLog(web);
      const known = await expectLedgers(deployed, 'web', truth);
      expect(summary.hosts).toBe(known.size);
      expect(summary.cost).toBeGreaterThan(0);
      const hosts = (await deployed.call<HostPage>('GET', '/crawls/web/hosts?limit=100')).body;
      expect(hosts.hosts.map(({ host }) => host).sort()).toEqual([...known.keys()].sort());
      for (const url of web.seeds.slice(0, 5)) {
        const { body } = await deployed.call<UrlDetail>(
          'GET',
          `/crawls/web/url?url=${encodeURIComponent(url)}`,
        );
        const state = truth.urls.get(url)?.state;
        expect([body.url, state === 'deniedByRobots' ? state : body.status]).toEqual([url, state]);
      }
      const { pages, seconds, cost, costByItem } = summary;
      console.log(JSON.stringify({ pages, seconds, cost, costByItem }));

      await untilFinished(deployed, 'chain');
      expect(chain.asked.map((host) => host.split('.')[0])).toEqual(
        Array.from({ length: CHAIN }, (_, i) => `c${i}`),
      );
      expect(await deployed.deadLetters()).toEqual([]);
    } finally {
      await web.stop();
      await chain.stop();
    }
  });

  // To read all pages of the larger crawl once shows as much as to read them for each format.
  test.each([
    ['web', ['jsonl', 'skipped', 'documents', 'cdxj']],
    ['chain', ['markdown', 'graph', 'wet', 'parquet']],
  ] as const)('makes exports of %s by itself, which begin by an event: %j', async (crawl, formats) => {
    const { urls } = (await deployed.call<CrawlSummary>('GET', `/crawls/${crawl}`)).body;
    for (const format of formats) {
      const { status } = await deployed.call('POST', `/crawls/${crawl}/exports`, { format });
      expect(status).toBe(202);
    }
    const all = async () =>
      (await deployed.call<{ exports: CrawlExport[] }>('GET', `/crawls/${crawl}/exports`)).body.exports;
    const isOpen = ({ state }: CrawlExport) => state === 'waiting' || state === 'running';
    await until(async () => !(await all()).some(isOpen), 'the end of all exports');
    const exports = await all();
    expect(exports.map(({ format }) => format)).toEqual(formats.toSorted());
    for (const made of exports) {
      expect(made).toMatchObject({ state: 'done', share: 1, skipped: 0 });
      expect(made.records).toBeGreaterThan(0);
      const Prefix = made.location.slice(`s3://${deployed.settings.bucket}/`.length);
      const listing = { Bucket: deployed.settings.bucket, Prefix };
      const files: string[] = [];
      for await (const page of paginateListObjectsV2({ client: deployed.stack.clients.s3 }, listing))
        for (const { Key = '' } of page.Contents ?? []) files.push(Key.slice(Prefix.length));
      expect(files).toContain('export.json');
      expect(files).toHaveLength(made.files + 1);
      if (made.format === 'jsonl') expect(made.records).toBe(urls);
    }
  });

  test('signs each request by the identity that was uploaded: pages, robots.txt and redirects', async () => {
    const seen: ReceivedRequest[] = [];
    const server = createServer(({ method = '', url, headers }, response) => {
      seen.push({ method, url: `http://${headers.host}${url}`, fields: headers as Record<string, string> });
      if (url === '/') response.writeHead(302, { location: '/moved' }).end();
      else response.writeHead(200, { 'content-type': 'text/html' }).end('<a href="/b">b</a>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.78.0.9', resolve));
    try {
      const seed = `http://127.78.0.9:${(server.address() as AddressInfo).port}/`;
      const config = { ...configFor({ address: '127.78.0.9' }), robots: 'obey' };
      const { status } = await deployed.call('POST', '/crawls', { crawl: 'signed', seeds: [seed], config });
      expect(status).toBe(201);
      await until(async () => seen.length >= 4, 'four requests');
      expect(seen.map(({ url }) => new URL(url).pathname).sort()).toEqual([
        '/',
        '/b',
        '/moved',
        '/robots.txt',
      ]);
      for (const request of seen) await verifyByRfc9421(request, KEY);
      await untilCaptured('signed', seed, ['/', '/b', '/moved']);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  test('a message that is none goes to the dead letters with its reason', async () => {
    const { sqs } = deployed.stack.clients;
    await sqs.send(
      new SendMessageCommand({ QueueUrl: deployed.outputs.SeedQueueUrl, MessageBody: '{"urls": "x"}' }),
    );
    await until(async () => (await deployed.deadLetters()).length > 0, 'a dead letter');
    expect((await deployed.deadLetters())[0]).toMatch(/urls.*: \{"urls": "x"\}$/);
  });

  test('pauses within seconds, resumes, and stops', async () => {
    const web = await serve('127.77.0.3', { seed: 42, hosts: 6, pagesPerHost: 60, features: PLAIN });
    try {
      await deployed.call('POST', '/crawls', {
        crawl: 'held',
        seeds: web.seeds,
        config: { ...configFor(web), delayMs: 500 },
      });
      await until(async () => web.log.length > 20, 'requests');
      expect((await deployed.call<CrawlSummary>('POST', '/crawls/held/pause')).body.state).toBe('paused');
      const pausedAt = Date.now();
      await until(async () => Date.now() - pausedAt > 8000, 'eight seconds');
      const late = web.log.filter(({ startedAt }) => startedAt > pausedAt + 4000);
      expect(late).toEqual([]);
      const asked = web.log.length;
      expect((await deployed.call<CrawlSummary>('POST', '/crawls/held/resume')).body.state).toBe('running');
      await until(async () => web.log.length > asked + 10, 'requests again');
      expect((await deployed.call<CrawlSummary>('POST', '/crawls/held/stop')).body.state).toBe('stopped');
    } finally {
      await web.stop();
    }
  });

  test('leaves nothing behind when it is destroyed', async () => {
    const { dynamo, sqs, s3 } = deployed.stack.clients;
    const objects = [];
    for await (const { Contents = [] } of paginateListObjectsV2(
      { client: s3 },
      { Bucket: deployed.settings.bucket, Prefix: 'warc/' },
    ))
      objects.push(...Contents);
    expect(objects.length).toBeGreaterThan(0);
    const { name } = deployed;
    await deployed.destroy();
    const { TableNames = [] } = await dynamo.send(new ListTablesCommand({}));
    const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
    expect([...TableNames, ...QueueUrls].filter((text) => text.includes(name))).toEqual([]);
  });
});
