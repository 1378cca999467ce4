/**
 * One site, crawled on one machine and by a deployed stack. Asks both crawls for the same, compares the answers, and
 * compares the list in docs/other-crawlers.md with them.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  NotOnStack,
  openCrawl,
  pullCrawl,
  pushCrawl,
  readWarc,
  resumeCrawl,
  type StackCrawl,
  type StoredCrawl,
  startCrawl,
  verifyWebhook,
} from '../../api/index.ts';
import { connect } from '../../api/load-stack.ts';
import { compactCrawl } from '../../shared/engines/aws/archive/compactor.ts';
import { openDatabase } from '../../shared/engines/local/database.ts';
import { foldersOf } from '../../shared/engines/local/engine.ts';
import { createRegistry } from '../../shared/engines/local/registry.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import type { CrawlExport } from '../../shared/services/control/crawl-export.ts';
import { type Deployed, deploy, ENVIRONMENT, ROOT } from './deployed.ts';
import project from './parity.config.ts';
import { CLIENT_OPTIONS, hasEmulator } from './resources.ts';

const ADDRESS = '127.79.0.7';
const SECRET = 'a secret of the parity test';
const CONFIG = {
  contact: 'tests@strand.test',
  allowPrivateAddresses: ['127.0.0.0/8'],
  delayMs: 0,
  adaptive: false,
  exclude: ['/private/'],
};

/** By path: title and links. `/copy` has the bytes of `/1`. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  '/': ['/1', '/2', '/copy', '/private/a', 'http://other.test/', '/denied/b'],
  '/1': ['/2', '/missing'],
  '/2': ['/3', 'http://other.test/', 'http://more.test/x'],
  '/3': ['/'],
  '/late': ['/'],
};

function pageAt(path: string): string | undefined {
  const name = path === '/copy' ? '/1' : path;
  const links = PAGES[name];
  const text = `Page ${name} says this, and has some words more so that it is a page with a text.`;
  return (
    links &&
    `<!doctype html><html lang="en"><title>Page ${name}</title><main><p>${text}</p>${links
      .map((link) => `<a href="${link}">${link}</a>`)
      .join(' ')}</main>`
  );
}

/** The events that came to the webhook, whether each was signed, and whether its crawl was one of a stack. */
const hooked: {
  readonly type: string;
  readonly isGenuine: boolean;
  readonly crawl: string;
  data: unknown;
}[] = [];

/** The calls of `onFinish`: first by the crawl in the folder, then by that of the stack. */
const finishes: object[] = [];

async function serve(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { url = '/', headers } = request;
    if (url === '/hook') {
      const body = Buffer.concat(await request.toArray()).toString();
      const signature = headers['x-strand-signature'] as string;
      hooked.push({ ...JSON.parse(body), isGenuine: verifyWebhook(SECRET, signature, body) });
      return void response.end();
    }
    if (url === '/hook/finished') {
      finishes.push(JSON.parse(Buffer.concat(await request.toArray()).toString()));
      return void response.end();
    }
    if (url === '/robots.txt') return void response.end('User-agent: *\nDisallow: /denied/\n');
    const page = pageAt(url);
    if (page === undefined) return void response.writeHead(404).end('none');
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
  return server;
}

type AskedCrawl = StoredCrawl | StackCrawl;

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

const sorted = (values: readonly unknown[]): string[] => values.map((value) => JSON.stringify(value)).sort();

/** The names and bytes of what is written into a folder. */
async function written(write: (folder: string) => Promise<unknown>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'strand-parity-'));
  try {
    await write(folder);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    return files
      .map((file) => `${file.name} ${withoutDates(readFileSync(join(file.parentPath, file.name), 'latin1'))}`)
      .sort();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes into a temporary folder, and passes its files on. */
async function inFolder<T>(
  write: (folder: string) => Promise<unknown>,
  read: (files: readonly string[]) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'strand-parity-'));
  try {
    await write(folder);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true });
    return await read(files.flatMap((file) => (file.isFile() ? [join(file.parentPath, file.name)] : [])));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Columns that say when and where something was stored. */
const PLACES = /time|warc_(file|record)|warcFile|warcOffset|warcLength|date|fetched|tookMs/i;

/** The rows of Parquet tables without times and places in the archive, with the name of their table. */
const rowsIn = (write: (folder: string) => Promise<unknown>) =>
  inFolder(write, async (files) => {
    const duck = await (await DuckDBInstance.create(':memory:')).connect();
    const rows: string[] = [];
    try {
      for (const path of files) {
        const table = /(index|urls|items|documents)\//.exec(path)?.[1];
        for (const row of (await duck.runAndReadAll(`FROM read_parquet('${path}')`)).getRowObjectsJson())
          rows.push(`${table} ${JSON.stringify(Object.entries(row).filter(([name]) => !PLACES.test(name)))}`);
      }
    } finally {
      duck.closeSync();
    }
    return rows.sort();
  });

/** Type, URL and content of each record. */
const recordsIn = (write: (folder: string) => Promise<unknown>) =>
  inFolder(write, async (files) => {
    const records: string[] = [];
    for (const path of files)
      for await (const record of readWarc(path)) {
        // Records that describe a file have no URL. A stack has as many files as workers wrote.
        if (record.type === 'warcinfo' || record.url === undefined) continue;
        const { content } = await record.read();
        const text = record.type === 'conversion' ? Buffer.from(content).toString() : '';
        records.push(`${record.type} ${record.url} ${text}`);
      }
    return records.sort();
  });

const withoutDates = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'DATE');

/** A row of the table: what is asked, and the answer without times and places in the archive. */
const PROBES: Readonly<Record<string, (crawl: AskedCrawl) => Promise<unknown>>> = {
  '`export`, `url`: known URLs': async (crawl) =>
    sorted(
      (await all(crawl.urls())).map(
        ({ url, status, httpStatus, digest, depth, via, contentType, causeCode }) => ({
          url,
          status,
          httpStatus,
          digest,
          depth,
          via,
          contentType,
          causeCode,
        }),
      ),
    ),
  '`export --format cdxj`': async (crawl) =>
    sorted((await all(crawl.captures())).map(({ surt, url, digest, status }) => [surt, url, digest, status])),
  '`export --format wacz`': async (crawl) => {
    const bytes = Buffer.concat(await all(crawl.wacz()));
    return ['pages/pages.jsonl', 'datapackage.json', 'archive/'].map((name) => bytes.includes(name));
  },
  '`export --items`': async (crawl) => sorted(await all(crawl.items())),
  '`export --skipped`': async (crawl) => sorted(await all(crawl.skipped())),
  '`export --format documents`': async (crawl) =>
    sorted(
      (await all(crawl.documents())).map(({ url, title, language, depth, text, markdown }) => [
        url,
        title,
        language,
        depth,
        text,
        markdown,
      ]),
    ),
  '`export --format markdown`': async (crawl) =>
    (await written((folder) => crawl.exportMarkdown(folder))).map((file) => file.split(' ')[0]),
  // Pages stand in the order in which their host has fetched them.
  '`export --format llms`': async (crawl) =>
    (await written((folder) => crawl.exportLlms(folder))).map((file) => file.split('\n').sort()),
  '`report`': async (crawl) => {
    const { hosts, byStatus } = (await crawl.report()).summary;
    return { hosts, byStatus };
  },
  '`explain`': async (crawl) => withoutTimes(await crawl.explain(`${site(crawl)}private/z`)),
  '`hosts`': async (crawl) => (await crawl.hosts()).hosts.map(({ host, pages }) => [host, pages]),
  '`pause`, `stop` (of a crawl that has ended)': async (crawl) => (await failing(crawl.stop())) ?? 'finished',
  '`warc cat`: records': async (crawl) => {
    const { warcFile: file = '', warcOffset: offset = 0 } = (await crawl.url(`${site(crawl)}2`))!;
    return Buffer.from((await crawl.readRecord({ file, offset })).http!.body).toString();
  },
  'revisit records': async (crawl) => {
    const captures = await all(crawl.captures());
    if (!captures.some(({ mime }) => mime === 'warc/revisit')) throw new NotOnStack('revisit', '');
    return true;
  },
  '`report --broken`': async (crawl) => {
    const { broken, ...counts } = await crawl.brokenLinks();
    return {
      counts,
      broken: broken.map(({ url, links, pages }) => [url, links, pages.map(({ page }) => page)]),
    };
  },
  '`inlinks`': async (crawl) => crawl.inlinks(`${site(crawl)}2`),
  '`export --format graph`': (crawl) =>
    inFolder(
      (folder) => crawl.exportGraph(folder),
      async (files) =>
        files
          .filter((file) => file.endsWith('.gz'))
          .map((file) => gunzipSync(readFileSync(file)).toString())
          .sort(),
    ),
  '`export --format mirror`': (crawl) => written((folder) => crawl.exportMirror(folder)),
  '`export --format parquet`': (crawl) =>
    rowsIn((folder) => crawl.exportParquet(folder, { tables: ['index', 'urls', 'items', 'documents'] })),
  '`export --format wet`, `wat`': async (crawl) => [
    await recordsIn((folder) => crawl.exportDerived('wet', folder)),
    await recordsIn((folder) => crawl.exportDerived('wat', folder)),
  ],
  '`search`': async (crawl) => {
    const folder = mkdtempSync(join(tmpdir(), 'strand-parity-'));
    try {
      const hits = await crawl.search('some words', { index: join(folder, 'index.sqlite') });
      return sorted(hits.map(({ url, title, snippet }) => [url, title, snippet]));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  '`state` of hooks': async (crawl) => {
    let kept = await crawl.state();
    for (let waited = 0; !kept.has('finished') && waited < 90; waited++) {
      await systemClock.sleep(1000);
      kept = await crawl.state();
    }
    return [...kept];
  },
  '`onFinish`': async (crawl) => {
    const place = 'stack' in crawl ? 1 : 0;
    // The waker calls it after it has sent the events.
    for (let waited = 0; finishes.length <= place && waited < 90; waited++) await systemClock.sleep(1000);
    return finishes[place];
  },
  // The crawls that these begin end after all others.
  '`crawl --dedupe-from`': async (crawl) =>
    sorted((await all((await later(crawl)).captures())).map(({ url, mime, digest }) => [url, mime, digest])),
  '`resume --new-url-rules`': async (crawl) => {
    const begun = await later(crawl);
    return 'stack' in begun ? newRulesOnStack(begun) : newRulesInFolder(begun);
  },
};

/** A later crawl of the same site in the same place, which does not store again what the first one has stored. */
const laters = new Map<string, Promise<AskedCrawl>>();
const later = (crawl: AskedCrawl): Promise<AskedCrawl> => {
  const place = 'stack' in crawl ? 'stack' : 'folder';
  const begun = laters.get(place) ?? ('stack' in crawl ? laterOnStack(crawl) : laterInFolder(crawl));
  laters.set(place, begun);
  return begun;
};

async function laterInFolder(crawl: StoredCrawl): Promise<StoredCrawl> {
  const out = `${crawl.folder}-later`;
  const running = await startCrawl({ seeds: [site(crawl)], ...CONFIG, out, dedupeFrom: crawl.folder });
  await running.done;
  return openCrawl(out);
}

async function laterOnStack(crawl: StackCrawl): Promise<StackCrawl> {
  const { stack, name } = crawl;
  const begun = await startCrawl({
    seeds: [site(crawl)],
    ...CONFIG,
    stack,
    crawl: 'later',
    dedupeFrom: name,
  });
  await begun.done;
  return begun;
}

/** The answers to resumes after `forget` has the crawl know its URLs by an earlier version of the rules. */
async function answersToNewRules(
  forget: () => Promise<void>,
  resume: (newUrlRules?: true) => Promise<unknown>,
): Promise<unknown> {
  const answer = (newUrlRules?: true) =>
    resume(newUrlRules).then(
      () => 'resumed',
      (error: Error) => /by version 1 of the rules/.exec(error.message)?.[0] ?? error,
    );
  await forget();
  return [await answer(), await answer(true), await answer()];
}

async function newRulesInFolder({ name, folder }: StoredCrawl): Promise<unknown> {
  const database = openDatabase(foldersOf(folder).database, 'write');
  const registry = createRegistry(database, () => false);
  try {
    return await answersToNewRules(
      () => registry.setUrlRulesVersion(name, 1),
      async (newUrlRules) => (await resumeCrawl(folder, { newUrlRules })).done,
    );
  } finally {
    database.close();
  }
}

async function newRulesOnStack({ stack, name: crawl }: StackCrawl): Promise<unknown> {
  const connection = await connect({ stack });
  try {
    return await answersToNewRules(
      () => connection.copies.engine.registry.setUrlRulesVersion(crawl, 1),
      async (newUrlRules) => (await resumeCrawl({ stack, crawl }, { newUrlRules })).close(),
    );
  } finally {
    await connection.close();
  }
}

const seedOf = new WeakMap<object, string>();
const site = (crawl: AskedCrawl): string => seedOf.get(crawl)!;

const withoutSeconds = (data: unknown) => ({ ...(data as object), seconds: 0 });
const withoutTimes = (value: unknown): string => withoutDates(JSON.stringify(value));

/** The state that a crawl on one machine names when it refuses. */
async function failing(call: Promise<{ readonly state: string }>): Promise<string | undefined> {
  try {
    return (await call).state;
  } catch (error) {
    return (error as Error).name === 'ControlError' ? 'finished' : `${error}`;
  }
}

interface Answer {
  readonly can: 'yes' | 'no';
  readonly value?: unknown;
}

async function ask(crawl: AskedCrawl, probe: (typeof PROBES)[string]): Promise<Answer> {
  try {
    return { can: 'yes', value: await probe(crawl) };
  } catch (error) {
    if (error instanceof NotOnStack) return { can: 'no' };
    throw error;
  }
}

/** The list of what both places answer alike. */
function documented(): string[] {
  const page = readFileSync(join(ROOT, 'docs/other-crawlers.md'), 'utf8');
  return (/^Alike: (.*)\.$/m.exec(page)?.[1] ?? '').split('; ');
}

describe.skipIf(!hasEmulator())('a site crawled on one machine and by a stack', () => {
  const folder = mkdtempSync(join(tmpdir(), 'strand-parity-'));
  let server: Server;
  let deployed: Deployed;
  let local: StoredCrawl;
  let stack: StackCrawl;
  let busQueue: string;
  const sqs = new SQSClient(CLIENT_OPTIONS);

  /** Sends the events of crawls on the account's event bus to a queue. */
  async function watchBus(): Promise<void> {
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: `bus-${deployed.name}` }));
    busQueue = QueueUrl!;
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
    );
    const bus = new EventBridgeClient(CLIENT_OPTIONS);
    const Name = deployed.name;
    const pattern = { source: [`strand.${deployed.name}`] };
    await bus.send(new PutRuleCommand({ Name, EventPattern: JSON.stringify(pattern) }));
    const Targets = [{ Id: 'queue', Arn: Attributes?.QueueArn }];
    await bus.send(new PutTargetsCommand({ Rule: Name, Targets }));
    bus.destroy();
  }

  async function eachObject(
    prefix: string,
    use: (key: string, bytes: Uint8Array) => Promise<void>,
  ): Promise<void> {
    const { settings, stack: opened } = deployed;
    const { s3 } = opened.clients;
    const list = new ListObjectsV2Command({ Bucket: settings.bucket, Prefix: prefix });
    for (const { Key = '' } of (await s3.send(list)).Contents ?? []) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: settings.bucket, Key }));
      await use(Key, await Body!.transformToByteArray());
    }
  }

  beforeAll(async () => {
    server = await serve();
    const seed = `http://${ADDRESS}:${(server.address() as AddressInfo).port}/`;
    const environment = { PARITY_WEBHOOK: `${seed}hook` };
    for (const one of [ENVIRONMENT, process.env]) Object.assign(one, environment);
    const webhook = { url: `${seed}hook`, secret: SECRET };
    const webhookParameter = `/strand/${randomUUID()}/webhook`;
    const ssm = new SSMClient(CLIENT_OPTIONS);
    await ssm.send(
      new PutParameterCommand({
        Name: webhookParameter,
        Type: 'SecureString',
        Value: JSON.stringify(webhook),
      }),
    );
    ssm.destroy();
    deployed = await deploy({
      webhookParameter,
      config: join(import.meta.dirname, 'parity.config.ts'),
      workerEnvironment: JSON.stringify(environment),
    });
    await watchBus();
    const out = join(folder, 'crawl');
    const settings = { seeds: [seed], ...CONFIG, documents: true };
    const running = await startCrawl({ ...settings, out, ...project, webhook });
    expect((await running.done).state).toBe('finished');
    local = await openCrawl(out);
    stack = await startCrawl({ ...settings, stack: deployed.name, crawl: local.name });
    expect((await stack.done).state).toBe('finished');
    for (const crawl of [local, stack]) seedOf.set(crawl, seed);
  });
  afterAll(async () => {
    for (const crawl of [local, stack, ...(await Promise.all(laters.values()))]) await crawl?.close();
    sqs.destroy();
    server?.close();
    await deployed?.destroy();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(Object.entries(PROBES))(
    '%s gives the same in both places, or is refused on a stack',
    async (_, probe) => {
      const here = await ask(local, probe);
      const there = await ask(stack, probe);
      expect(here.can).toBe('yes');
      if (there.can === 'yes') expect(there.value).toEqual(here.value);
    },
  );

  test('the end of the crawl is announced in both places by the webhook, and by EventBridge on a stack', async () => {
    while (hooked.length < 2) await systemClock.sleep(1000);
    expect(hooked.every(({ isGenuine }) => isGenuine)).toBe(true);
    const [here, there] = hooked.map(({ type, crawl, data }) => [type, crawl, withoutSeconds(data)]);
    expect(there).toEqual(here);
    expect(here?.[0]).toBe('crawlFinished');
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: busQueue, WaitTimeSeconds: 20 }),
    );
    expect(Messages.map(({ Body = '{}' }) => JSON.parse(Body))).toMatchObject([
      {
        source: `strand.${deployed.name}`,
        'detail-type': 'crawlFinished',
        detail: { crawl: local.name, stack: deployed.name, data: { state: 'finished' } },
      },
    ]);
  });

  test('the crawl of the folder is copied to the stack, continues there, and is copied back', async () => {
    const late = `${site(local)}late`;
    const copied = await pushCrawl(local.folder, { stack: deployed.name, crawl: 'copied' });
    expect(copied).toMatchObject({ hosts: 1, items: 5, lacks: [] });
    await using there = await openCrawl({ stack: deployed.name, crawl: 'copied' });
    const states = async (crawl: AskedCrawl) =>
      (await all(crawl.urls())).map(({ url, status }) => [url, status]);
    expect(sorted(await states(there))).toEqual(sorted(await states(local)));
    await there.addSeeds([late]);
    while ((await there.url(late))?.status !== 'fetched') await systemClock.sleep(1000);
    await there.pause();
    const back = join(folder, 'back');
    await pullCrawl({ stack: deployed.name, crawl: 'copied' }, back);
    await using here = await openCrawl(back);
    expect(sorted(await states(here))).toEqual(sorted([...(await states(local)), [late, 'fetched']]));
    expect(sorted((await all(here.cdxj())).map((line) => line.split('{')[0]))).toHaveLength(8);
    const { warcFile: file = '', warcOffset: offset = 0 } = (await here.url(late))!;
    expect((await here.readRecord({ file, offset })).url).toBe(late);
  });

  test('there is something of each kind to compare', async () => {
    const reasons = (await all(stack.skipped())).map(({ reason }) => reason);
    expect(new Set(reasons)).toEqual(new Set(['scope', 'exclude', 'deniedByRobots']));
    expect((await all(stack.items())).length).toBe(5);
    expect((await all(stack.documents())).length).toBe(5);
    expect((await all(stack.captures())).length).toBe(7);
    const again = await all((await later(stack)).captures());
    expect(again.filter(({ mime }) => mime === 'warc/revisit').length).toBe(6);
  });

  test('the documents that the stack has written after the end of the crawl are those in the folder', async () => {
    const path = `/crawls/${stack.name}/exports`;
    const made = async () =>
      (await deployed.call<{ exports: CrawlExport[] }>('GET', path)).body.exports.filter(({ id }) =>
        id.startsWith('documents-end-'),
      );
    let [end] = await made();
    // The waker begins it, in its next minute.
    for (let waited = 0; end?.state !== 'done' && waited < 180; waited++) {
      await systemClock.sleep(1000);
      [end] = await made();
    }
    expect(end).toMatchObject({ state: 'done', records: 5 });
    const objects: string[] = [];
    const prefix = `exports/${stack.name}/${end?.id}/`;
    const table = await rowsIn((folder) =>
      eachObject(prefix, async (key, bytes) => {
        if (!key.endsWith('.parquet')) return;
        mkdirSync(join(folder, 'documents'));
        writeFileSync(join(folder, 'documents', 'part.parquet'), bytes);
      }),
    );
    expect(table).toEqual(await rowsIn((folder) => local.exportParquet(folder, { tables: ['documents'] })));
    await eachObject(prefix, async (key, bytes) => {
      if (!/\.(json|parquet)$/.test(key))
        objects.push((key.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString());
    });
    const rowsOf = (text: string) =>
      sorted(
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
          .map(({ url, title, depth, text: words, markdown }) => [url, title, depth, words, markdown]),
      );
    expect(rowsOf(objects.join(''))).toEqual(
      rowsOf(readFileSync(join(local.folder, 'documents.jsonl'), 'utf8')),
    );
  });

  test('the tables that the stack itself has written are those of the crawl in the folder', async () => {
    const { settings, stack: opened } = deployed;
    const { s3, dynamo } = opened.clients;
    const crawl = local.name;
    // Files are joined when they are an hour old.
    const clock = { ...systemClock, now: () => Date.now() + 2 * 3_600_000 };
    const compaction = { s3, dynamo, names: settings, clock, crawl, finished: true };
    expect(await compactCrawl(compaction)).toMatchObject({ joined: 1, itemTables: 1, isCut: false });
    const tables = ['documents', 'urls', 'items'] as const;
    const path = `/crawls/${crawl}/exports`;
    await deployed.call('POST', path, { format: 'parquet', tables });
    const made = async () =>
      (await deployed.call<{ exports: CrawlExport[] }>('GET', path)).body.exports.find(
        ({ format }) => format === 'parquet',
      );
    while (/waiting|running/.test((await made())?.state ?? 'waiting')) await systemClock.sleep(1000);

    const download = (folder: string, prefix: string) =>
      eachObject(prefix, async (key, bytes) => {
        if (!key.endsWith('.parquet')) return;
        const file = join(folder, key);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, bytes);
      });
    const tabled = (await rowsIn((folder) => download(folder, `item-tables/crawl=${crawl}/`))).map(
      (row) => JSON.parse(row.slice(row.indexOf('['))) as [string, unknown][],
    );
    expect(tabled.map((cells) => Object.fromEntries(cells).item).sort()).toEqual(
      sorted(await all(local.items())),
    );
    // DuckDB takes the folder's name for a column.
    const ofKeys = tabled.map(
      (cells) => `items ${JSON.stringify(cells.filter(([name]) => !['item', 'crawl'].includes(name)))}`,
    );
    expect(ofKeys.sort()).toEqual(
      await rowsIn((folder) => local.exportParquet(folder, { tables: ['items'] })),
    );
    const there = await rowsIn(async (folder) => {
      await download(folder, `index/crawl=${crawl}/`);
      await download(folder, `exports/${crawl}/${(await made())?.id}/`);
    });
    const here = await rowsIn((folder) => local.exportParquet(folder, { tables: ['index', ...tables] }));
    expect(there).toEqual(here);
    // 7 captures, 5 documents and items.
    expect(here.filter((row) => row.startsWith('index'))).toHaveLength(7);
    expect(here.filter((row) => row.startsWith('documents'))).toHaveLength(5);
  });

  test('the table in the documentation says what both places answer', async () => {
    const alike: string[] = [];
    for (const [name, probe] of Object.entries(PROBES))
      if ((await ask(stack, probe)).can === 'yes') alike.push(name);
    expect(documented()).toEqual(alike);
  });
});
