/**
 * CPU that a worker spends on what a simulated crawl leaves out: sockets, TLS, documents of the usual size,
 * the AWS SDK's clients.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { encodeCapture } from '../../shared/core/archive/capture.ts';
import { createDocumentParser } from '../../shared/core/parser/document.ts';
import { createResolver } from '../../shared/core/url/canonical.ts';
import { createFetcher } from '../../shared/crawler/fetcher/fetcher.ts';
import type { Fetcher } from '../../shared/crawler/ports/fetcher.ts';
import { RECORDS } from '../../test/core/archive/captures.ts';
import { LOOPBACK } from '../../test/crawler/fetcher/loopback.ts';
import type { OutsideFigures } from './unit-figures.ts';

const CERTIFICATES = join(import.meta.dirname, '../../test/crawler/fetcher/certificates');
const ROUNDS = 5;
const FETCHES = 400;
const CALLS = 400;

interface Ports {
  readonly http: number;
  readonly https: number;
  readonly closing: number;
  readonly bodyBytes: number;
  readonly htmlBytes: number;
  readonly links: number;
}

export async function measureOutside(): Promise<OutsideFigures> {
  const server = fork(join(import.meta.dirname, 'measure-server.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    const [ports] = (await once(server, 'message')) as [Ports];
    return await measure(ports);
  } finally {
    await end(server);
  }
}

async function end(server: ChildProcess): Promise<void> {
  const exited = once(server, 'exit');
  server.disconnect();
  await exited;
}

async function measure(ports: Ports): Promise<OutsideFigures> {
  const certificate = readFileSync(join(CERTIFICATES, 'site.test.cert.pem'), 'utf8');
  const fetcher = createFetcher({
    ...LOOPBACK,
    tempFolder: tmpdir(),
    clock: { now: Date.now },
    certificateAuthorities: [certificate],
  });
  let warcBytes = 0;
  let links = 0;
  const page = async (port: number) => {
    const done = await readPage(fetcher, `https://site.test:${port}/`);
    ({ warcBytes, links } = done);
  };
  try {
    const [kept, closing] = await cpuMs(FETCHES, [() => page(ports.https), () => page(ports.closing)]);
    const endpoint = `http://127.0.0.1:${ports.http}`;
    return {
      cpuMsPerPageOutside: {
        value: rounded(kept),
        unit: 'ms of one CPU a page',
        what: `HTTPS over a kept connection of a page of ${ports.htmlBytes} bytes, ${ports.bodyBytes} as sent (gzip); decoding, ${links} links found and made canonical, SHA-1, two WARC records`,
      },
      cpuMsPerConnection: {
        value: rounded(Math.max(0, closing - kept)),
        unit: 'ms of one CPU a connection',
        what: 'what such a page takes longer where each needs a connection and a TLS 1.3 handshake of its own',
      },
      cpuMsPerCall: {
        value: await measureCalls(endpoint),
        unit: 'ms of one CPU a call',
        what: "the AWS SDK's clients, by service: DynamoDB Get and PutItem of 1 KB, SQS SendMessageBatch of one 1 KB message, S3 PutObject of 100 KB; over plain HTTP, without TLS",
      },
      warcBytesPerPage: { value: warcBytes, unit: 'bytes a page', what: 'of the same page' },
      bodyBytesPerPage: { value: ports.bodyBytes, unit: 'bytes a page', what: 'of the same page, as sent' },
    };
  } finally {
    await fetcher.close();
  }
}

async function readPage(fetcher: Fetcher, url: string): Promise<{ warcBytes: number; links: number }> {
  let parser: ReturnType<typeof createDocumentParser> | undefined;
  const outcome = await fetcher.fetch({
    url,
    onHead(head) {
      const resolve = createResolver(url);
      parser = createDocumentParser({
        url,
        headers: head.headers,
        maxDecodedBytes: 1e7,
        maxLinks: 6000,
        resolve: (reference) => resolve(reference),
      });
      return parser.write;
    },
  });
  if (outcome.status !== 'response') throw new Error(`Expected a page, got ${outcome.message}`);
  const facts = await parser?.end();
  const { members } = await encodeCapture(outcome, RECORDS);
  let warcBytes = 0;
  for (const member of members) for await (const piece of member) warcBytes += piece.length;
  await outcome.body.dispose();
  return { warcBytes, links: facts?.links.length ?? 0 };
}

async function measureCalls(endpoint: string): Promise<{ sqs: number; dynamo: number; s3: number }> {
  const common = {
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  };
  const dynamo = new DynamoDBClient(common);
  const sqs = new SQSClient({ ...common, useQueueUrlAsEndpoint: false });
  const s3 = new S3Client({ ...common, forcePathStyle: true });
  const text = 'x'.repeat(1000);
  const key: GetItemCommandInput['Key'] = { pk: { S: 'crawl host.example' }, sk: { S: 'head' } };
  const object = Buffer.alloc(100_000, 120);
  const get = () => dynamo.send(new GetItemCommand({ TableName: 'State', Key: key, ConsistentRead: true }));
  const put = () =>
    dynamo.send(new PutItemCommand({ TableName: 'State', Item: { ...key, head: { S: text } } }));
  const send = () =>
    sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: `${endpoint}/000000000000/turns.fifo`,
        Entries: [{ Id: '0', MessageBody: text, MessageGroupId: 'g', MessageDeduplicationId: 'd' }],
      }),
    );
  const store = () =>
    s3.send(new PutObjectCommand({ Bucket: 'archive', Key: 'warc/crawl/x.warc.gz', Body: object }));
  try {
    const [gets, puts, sends, stores] = await cpuMs(CALLS, [get, put, send, store]);
    return { dynamo: rounded((gets + puts) / 2), sqs: rounded(sends), s3: rounded(stores) };
  } finally {
    for (const client of [dynamo, sqs, s3]) client.destroy();
  }
}

/**
 * CPU of this whole process, threads among it, for one of each of the `works`: the least of some rounds, in
 * which they take turns, as what else the machine does only adds to it.
 */
async function cpuMs<const T extends readonly (() => Promise<unknown>)[]>(
  count: number,
  works: T,
): Promise<{ [K in keyof T]: number }> {
  const least = works.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [i, work] of works.entries()) {
      const before = process.cpuUsage();
      for (let n = 0; n < count; n++) await work();
      const { user, system } = process.cpuUsage(before);
      // The first one warms up.
      if (round > 0) least[i] = Math.min(least[i] as number, (user + system) / 1000 / count);
    }
  }
  return least as { [K in keyof T]: number };
}

/** Three digits that count. */
const rounded = (value: number): number => Number(value.toPrecision(3));
