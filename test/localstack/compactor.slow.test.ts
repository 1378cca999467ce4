/**
 * Compaction on the emulator: what S3 and DynamoDB alone do. Its order of things is
 * test/engines/aws/archive/compactor.slow.test.ts.
 */
import { QueryCommand } from '@aws-sdk/client-dynamodb';
import {
  GetObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeCapture } from '../../shared/core/archive/capture.ts';
import { decodeMember, fieldOf } from '../../shared/core/archive/read-warc.ts';
import type { RecordLocation } from '../../shared/core/archive/record-location.ts';
import { type ScannedMember, scanMembers } from '../../shared/core/archive/scan-members.ts';
import { encodeWarcinfo } from '../../shared/core/archive/warcinfo.ts';
import { ahead } from '../../shared/engines/aws/archive/compact-ahead.ts';
import { type CompactOptions, compactCrawl } from '../../shared/engines/aws/archive/compactor.ts';
import { joinedResolver } from '../../shared/engines/aws/archive/joined-warcs.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import { captureOf, joined, newId, RECORDS, T0 } from '../core/archive/captures.ts';
import { seededRandom } from '../crawler/worker/fake-clock.ts';
import { hasEmulator, makeResources, type Resources } from './resources.ts';

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;

interface Archived {
  readonly location: RecordLocation;
  readonly bytes: Buffer;
}

interface ArchivedFile {
  readonly file: string;
  readonly bytes: Buffer;
  readonly records: readonly Archived[];
}

/** The answer that a client's middleware passes on. */
interface Answer {
  readonly output: { readonly Body?: { transformToByteArray(): Promise<Uint8Array> } };
}

/** A file of two exchanges, the first with a body of that size which cannot be compressed. */
async function warcFile(i: number, size: number): Promise<ArchivedFile> {
  const file = `strand-20260102030405-abcdefghij-${String(i).padStart(5, '0')}.warc.gz`;
  const pieces = [await joined(encodeWarcinfo({ id: newId(), filename: file, date: T0, software: 'test' }))];
  const records: Archived[] = [];
  const random = seededRandom(i);
  const noise = Buffer.from(Uint8Array.from({ length: size }, () => random() * 256));
  for (const [n, body] of [noise, Buffer.from('<a href=/>')].entries()) {
    const headers: [string, string][] = [['Content-Type', n === 0 ? 'image/png' : 'text/html']];
    const url = `http://site${i % 7}.test/${i}?n=${n}`;
    for (const member of (await encodeCapture(captureOf({ url, headers, body }), RECORDS)).members) {
      const bytes = await joined(member);
      const offset = pieces.reduce((sum, { length }) => sum + length, 0);
      records.push({ location: { file, offset, length: bytes.length }, bytes });
      pieces.push(bytes);
    }
  }
  return { file, bytes: Buffer.concat(pieces), records };
}

describe.runIf(hasEmulator())('compaction on S3 and DynamoDB', () => {
  let resources: Resources;
  /** Later than the objects' times by more than the age at which they are joined. */
  const clock = { ...systemClock, aheadMs: 2 * HOUR_MS, now: () => Date.now() + clock.aheadMs };
  beforeAll(async () => {
    resources = await makeResources();
  });
  afterAll(() => resources?.remove());

  const compact = (crawl: string, options?: Partial<CompactOptions>) =>
    compactCrawl({ ...resources, crawl, clock, ...options });

  async function putAll(crawl: string, files: readonly ArchivedFile[]): Promise<void> {
    const { s3, names } = resources;
    const puts = ahead(files, 8, ({ file, bytes }) =>
      s3.send(new PutObjectCommand({ Bucket: names.bucket, Key: `warc/${crawl}/${file}`, Body: bytes })),
    );
    for await (const _ of puts);
  }

  async function read(crawl: string, file: string): Promise<Buffer> {
    const object = { Bucket: resources.names.bucket, Key: `warc/${crawl}/${file}` };
    const { Body } = await resources.s3.send(new GetObjectCommand(object));
    return Buffer.from(await Body!.transformToByteArray());
  }

  /** The crawl's objects and items, as text that is the same for every crawl with the same files. */
  async function stateOf(crawl: string): Promise<string[]> {
    const { s3, dynamo, names } = resources;
    const state: string[] = [];
    const Prefix = `warc/${crawl}/`;
    for await (const { Contents = [] } of paginateListObjectsV2(
      { client: s3 },
      { Bucket: names.bucket, Prefix },
    ))
      for (const { Key, Size, ETag } of Contents) state.push(`${Key!.slice(Prefix.length)} ${Size} ${ETag}`);
    const query = {
      TableName: names.crawlState,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: crawl } },
      ConsistentRead: true,
    };
    const { Items = [] } = await dynamo.send(new QueryCommand(query));
    for (const { pk, ...item } of Items) state.push(JSON.stringify(Object.entries(item).sort()));
    const uploads = await s3.send(new ListMultipartUploadsCommand({ Bucket: names.bucket, Prefix }));
    for (const { Key } of uploads.Uploads ?? []) state.push(`upload of ${Key}`);
    return state;
  }

  const filesIn = (state: readonly string[]) => state.map((line) => line.split(' ')[0] as string);

  async function expectReadable(crawl: string, files: readonly ArchivedFile[]): Promise<void> {
    const archived = files.flatMap(({ records }) => records);
    const options = { ...resources, clock };
    const places = await joinedResolver({ ...options, table: resources.names.crawlState }, crawl).resolveAll(
      archived.map(({ location }) => location),
    );
    const objects = new Map<string, Buffer>();
    const distinct = new Set(places.map(({ file }) => file));
    for await (const [file, bytes] of ahead(
      distinct,
      4,
      async (file) => [file, await read(crawl, file)] as const,
    ))
      objects.set(file, bytes);
    for (const [i, { file, offset, length }] of places.entries()) {
      const bytes = objects.get(file)!.subarray(offset, offset + length);
      expect(Buffer.compare(bytes, archived[i]!.bytes), `${file} at ${offset}`).toBe(0);
    }
  }

  test('joins a hundred small objects and some large ones: no byte is lost, every index line is right', async () => {
    const sizes = Array.from({ length: 120 }, (_, i) =>
      i % 50 === 7 ? 5 * MIB + i * 9000 : i % 3 === 0 ? 250_000 : 2000,
    );
    const files = await Promise.all(sizes.map((size, i) => warcFile(i, size)));
    await putAll('many', files);
    const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);

    const first = await compact('many', { targetBytes: 6 * MIB });
    expect(first.joined).toBeGreaterThan(1);
    await expectReadable('many', files);
    const rest = await compact('many', { targetBytes: 6 * MIB, finished: true });
    expect(rest.joined).toBe(1);
    expect(first.objects + rest.objects).toBe(files.length);
    expect(first.bytes + rest.bytes).toBe(total);
    await expectReadable('many', files);

    const state = await stateOf('many');
    const names = filesIn(state).filter((name) => name.endsWith('.gz') || name.endsWith('.cdxj'));
    expect(names.filter((name) => name.startsWith('strand-'))).toEqual([]);
    expect(names.length).toBe(2 * (first.joined + 1));
    let captures = 0;
    for (const name of names.filter((other) => other.endsWith('.cdxj'))) {
      const file = name.replace('.cdxj', '.warc.gz');
      const warc = await read('many', file);
      const members: ScannedMember[] = [];
      for await (const member of scanMembers(async (at, length) => warc.subarray(at, at + length)))
        members.push(member);
      expect(members.reduce((sum, { length }) => sum + length, 0)).toBe(warc.length);
      const lines = (await read('many', name)).toString().trimEnd().split('\n');
      expect(lines.toSorted()).toEqual(lines);
      for (const line of lines) {
        const { url, offset, length, filename } = JSON.parse(line.slice(line.indexOf('{')));
        const record = decodeMember(warc.subarray(Number(offset), Number(offset) + Number(length)));
        expect([filename, fieldOf(record, 'WARC-Type'), fieldOf(record, 'WARC-Target-URI')]).toEqual([
          file,
          'response',
          url,
        ]);
      }
      captures += lines.length;
    }
    expect(captures).toBe(2 * files.length);

    expect(await compact('many', { finished: true })).toEqual({
      joined: 0,
      objects: 0,
      bytes: 0,
      aside: [],
      itemTables: 0,
      isCut: false,
      isDone: true,
    });
    expect(await stateOf('many')).toEqual(state);
  });

  // At every call: test/engines/aws/archive/compactor.slow.test.ts. A third of them, done or not done in turn, shows that
  // it is so here.
  test('a process that ends at any call, and another after it, end as if nothing had been', async () => {
    const { s3, dynamo } = resources;
    const files = await Promise.all([300, 5 * MIB, 200].map((size, i) => warcFile(i, size)));
    const options = { finished: true };
    let calls = 0;
    let endAt = Number.POSITIVE_INFINITY;
    /** Every call from then on fails; that one itself is carried out if its number is even. */
    const ending = async <T>(carryOut: () => Promise<T>): Promise<T> => {
      const call = ++calls;
      if (call > endAt || (call === endAt && endAt % 2 === 1)) throw new Error('the process has ended');
      const result = await carryOut();
      if (call !== endAt) return result;
      // Read to its end: a body that nobody reads fails when its connection closes, with nobody to handle it.
      await (result as Answer).output.Body?.transformToByteArray();
      throw new Error('the process has ended');
    };
    const step = { step: 'initialize', name: 'ending', override: true } as const;
    s3.middlewareStack.add((next) => (args) => ending(() => next(args)), step);
    dynamo.middlewareStack.add((next) => (args) => ending(() => next(args)), step);
    try {
      await putAll('undisturbed', files);
      calls = 0;
      await compact('undisturbed', options);
      const count = calls;
      const expected = await stateOf('undisturbed');
      expect(count).toBeGreaterThan(20);
      for (let n = 1; n <= count; n += 3) {
        const crawl = `ends-${n}`;
        endAt = Number.POSITIVE_INFINITY;
        await putAll(crawl, files);
        calls = 0;
        endAt = n;
        await compact(crawl, options).catch(() => {});
        endAt = Number.POSITIVE_INFINITY;
        await expectReadable(crawl, files);
        clock.aheadMs += HOUR_MS;
        await compact(crawl, options);
        expect(await stateOf(crawl), `ended at call ${n}`).toEqual(expected);
      }
    } finally {
      s3.middlewareStack.remove('ending');
      dynamo.middlewareStack.remove('ending');
    }
  });

  test('two at once do no harm', async () => {
    const files = await Promise.all([300, 6 * MIB, 200, 100].map((size, i) => warcFile(i, size)));
    await putAll('two', files);
    const both = await Promise.all([compact('two', { finished: true }), compact('two', { finished: true })]);
    expect(both.map(({ objects }) => objects).sort()).toEqual([0, files.length]);
    await expectReadable('two', files);
  });
});
