/** Archives of crawls as objects in S3: which records share an object, and what an object begins with. */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import type { RecordLocation } from '../../../../shared/core/archive/record-location.ts';
import type { WarcMember } from '../../../../shared/core/archive/warc-member.ts';
import type { CrawlRecord } from '../../../../shared/crawler/ports/crawl-registry.ts';
import { createS3Archive, type S3ArchiveOptions } from '../../../../shared/engines/aws/archive/archive.ts';
import { createArchives, warcFolder } from '../../../../shared/engines/aws/archive/archives.ts';
import { RECORD } from '../../../contract/subjects.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';

const INFO = 'INFO ';
const bytesOf = (text: string): Uint8Array => Buffer.from(text);

/** A member whose pieces come one by one, later. */
async function* slowly(...pieces: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    await new Promise((resolve) => setImmediate(resolve));
    yield bytesOf(piece);
  }
}

/** A bucket in memory that says what it was asked. */
function openBucket() {
  const objects = new Map<string, string>();
  const parts: string[] = [];
  const calls: string[] = [];
  const before: { on?: ((call: string) => Promise<void> | void) | undefined } = {};
  const client = {
    async send({ constructor: { name }, input }: { constructor: { name: string }; input: Input }) {
      calls.push(name.replace('Command', ''));
      await before.on?.(name.replace('Command', ''));
      const text = Buffer.from(input.Body ?? []).toString('latin1');
      if (name === 'PutObjectCommand') objects.set(input.Key, text);
      if (name === 'CreateMultipartUploadCommand') parts.length = 0;
      if (name === 'UploadPartCommand') parts.push(text);
      if (name === 'CompleteMultipartUploadCommand') objects.set(input.Key, parts.join(''));
      return { UploadId: 'u', ETag: 'e' };
    },
  } as unknown as S3Client;
  return { client, objects, calls, before };
}
interface Input {
  readonly Key: string;
  readonly Body?: Uint8Array;
}

function open(options: Partial<S3ArchiveOptions> = {}) {
  const bucket = openBucket();
  const archive = createS3Archive({
    client: bucket.client,
    bucket: 'b',
    folder: 'warc/c',
    prefix: 'P',
    clock: { ...createFakeClock(), sleep: async () => {} },
    warcinfo: () => [bytesOf(INFO)],
    maxBytes: 100,
    partBytes: 20,
    ...options,
  });
  return {
    ...bucket,
    archive,
    append: (...members: (WarcMember | string)[]) =>
      archive.append(members.map((one) => (typeof one === 'string' ? [bytesOf(one)] : one))),
    /** The bytes where a location says that they are. */
    at({ file, offset, length }: RecordLocation): string | undefined {
      return bucket.objects.get(`warc/c/${file}`)?.slice(offset, offset + length);
    },
  };
}

describe('small records', () => {
  test('share an object, which is stored at the next flush with one call', async () => {
    const { append, archive, at, calls } = open();
    const [[a], [b, c]] = [await append('one'), await append('two', 'three')];
    expect(calls).toEqual([]);
    await archive.flush();
    expect(calls).toEqual(['PutObject']);
    expect([a, b, c].map((location) => at(location!))).toEqual(['one', 'two', 'three']);
    expect(a?.offset).toBe(INFO.length);
    await archive.flush();
    expect(calls).toEqual(['PutObject']);
  });

  test('after a flush begin another object', async () => {
    const { append, archive, objects } = open();
    const [a] = await append('one');
    await archive.flush();
    const [b] = await append('two');
    await archive.flush();
    expect(a?.file).not.toBe(b?.file);
    expect([...objects.values()]).toEqual([`${INFO}one`, `${INFO}two`]);
  });

  test('fill an object, which is stored at once then', async () => {
    const { append, calls, objects } = open();
    for (let i = 0; i < 6; i++) await append('x'.repeat(15));
    expect(calls).toEqual([]);
    await append('12345');
    await new Promise((resolve) => setImmediate(resolve));
    expect([...objects.values()][0]).toHaveLength(100);
    expect(calls).toEqual(['PutObject']);
  });

  test('that could not be stored are stored by the next flush', async () => {
    const { append, archive, at, before } = open();
    before.on = () => {
      throw new Error('S3 is down');
    };
    const [a] = await append('one');
    await expect(archive.flush()).rejects.toThrow('S3 is down');
    const [b] = await append('two');
    before.on = undefined;
    await archive.flush();
    expect([at(a!), at(b!)]).toEqual(['one', 'two']);
  });

  test('of several objects that could not be stored report the failure of the first', async () => {
    const { append, archive, before, objects } = open({ maxBytes: 8, partBytes: 1000 });
    let puts = 0;
    before.on = () => {
      throw new Error(`failure ${++puts}`);
    };
    for (const text of ['first', 'second', 'third']) await append(text);
    await new Promise((resolve) => setImmediate(resolve));
    puts = 0;
    await expect(archive.flush()).rejects.toThrow('failure 1');
    expect(puts).toBe(3);
    before.on = undefined;
    await archive.flush();
    expect([...objects.values()]).toEqual(['INFO first', 'INFO second', 'INFO third']);
  });

  test('are refused while too many could not be stored', async () => {
    const { append, archive, before } = open();
    before.on = () => {
      throw new Error('S3 is down');
    };
    for (let i = 0; i < 28; i++) await append('x'.repeat(15)).catch(() => {});
    await expect(append('one')).rejects.toThrow('S3 is down');
    before.on = undefined;
    await append('one');
    await archive.flush();
  });
});

describe('records of the size of a part', () => {
  const LARGE = ['1'.repeat(12), '2'.repeat(8)];

  test.each<[string, () => WarcMember[]]>([
    ['at hand', () => [LARGE.map(bytesOf)]],
    ['at hand, of many members', () => LARGE.map((text) => [bytesOf(text)])],
    ['that are read', () => [slowly(...LARGE)]],
    ['that are read, of many members', () => LARGE.map((text) => slowly(text))],
  ])('are an object of their own, there when the append is over: %s', async (_, members) => {
    const { append, archive, at, calls, objects } = open();
    const [small] = await append('small');
    const locations = await append(...members());
    expect(locations.map((location) => at(location)).join('')).toBe(LARGE.join(''));
    expect(locations[0]).toMatchObject({ offset: INFO.length });
    expect(calls[0]).toBe('CreateMultipartUpload');
    expect(objects.size).toBe(1);
    await archive.flush();
    expect(at(small!)).toBe('small');
  });

  test('with less are none', async () => {
    for (const member of [[bytesOf('1'.repeat(19))], slowly('1'.repeat(12), '2'.repeat(7))]) {
      const { append, archive, calls, at } = open();
      const [location] = await append(member);
      expect(calls).toEqual([]);
      await archive.flush();
      expect(at(location!)).toHaveLength(19);
    }
  });

  test('are read one after the other, however their pieces come', async () => {
    const { append, at } = open();
    const locations = await append(
      slowly('a1', 'a2', 'a3 and some more of it'),
      slowly('b'),
      slowly('c1', 'c2'),
    );
    expect(locations.map((location) => at(location))).toEqual(['a1a2a3 and some more of it', 'b', 'c1c2']);
  });

  test('of which nothing is left if one cannot be read', async () => {
    async function* breaking() {
      yield bytesOf('x'.repeat(30));
      throw new Error('the disk is full');
    }
    const { append, calls, objects } = open();
    await expect(append(breaking())).rejects.toThrow('the disk is full');
    expect([calls.at(-1), objects.size]).toEqual(['AbortMultipartUpload', 0]);
  });
});

describe('the archive of a crawl', () => {
  const inObject = (text = '') => gunzipSync(Buffer.from(text, 'latin1')).toString('latin1');

  function openArchives(
    load: () => Promise<CrawlRecord | undefined>,
    sizes: Pick<S3ArchiveOptions, 'maxBytes' | 'partBytes'> & { keepsCookies?: boolean } = {},
  ) {
    const bucket = openBucket();
    const clock = createFakeClock();
    const archiveOf = createArchives({
      client: bucket.client,
      bucket: 'b',
      prefix: 'P',
      clock: { ...clock, sleep: async () => {} },
      registry: { load },
      software: 'Strand/test',
      ...sizes,
    });
    return { ...bucket, clock, archiveOf };
  }

  test('is a folder of its own, whose objects say who made them, how and when', async () => {
    const config = { ...RECORD.config, userAgent: 'bot', contact: 'https://bot.test/' };
    const { archiveOf, clock, objects } = openArchives(async () => ({ ...RECORD, config }));
    await archiveOf('news').append([[gzipSync('one')]]);
    await archiveOf('news').flush();
    await clock.advance(60_000);
    await archiveOf('news').append([[gzipSync('two')]]);
    await clock.advance(60_000);
    await archiveOf('news').flush();
    await archiveOf('other').append([[gzipSync('three')]]);
    await archiveOf('other').flush();
    const keys = [...objects.keys()];
    expect(keys.map((key) => key.split('/').slice(0, -1).join('/'))).toEqual(
      ['news', 'news', 'other'].map(warcFolder),
    );
    const [first = '', second = ''] = keys.map((key) => inObject(objects.get(key)));
    for (const field of [
      'software: Strand/test',
      'http-header-user-agent: bot',
      'operator: https://bot.test/',
      'isPartOf: news',
      `WARC-Filename: ${keys[0]?.split('/').at(-1)}`,
    ])
      expect(first).toContain(field);
    // Each object has the time at which it was begun.
    expect(first).toContain('WARC-Date: 2026-01-01T00:00:00');
    expect(second).toContain('WARC-Date: 2026-01-01T00:01:00');
    const idIn = (text: string) => /WARC-Record-ID: (\S+)/.exec(text)?.[1];
    expect(idIn(first)).not.toBe(idIn(second));
    expect(first).not.toContain('Set-Cookie');
  });

  test.each<[string, CrawlRecord['config'], boolean]>([
    ['keeps cookies', { hostCookies: 'keep' }, false],
    ['keeps those of some hosts', { overrides: [{ hosts: ['a.test'], hostCookies: 'keep' }] }, false],
    ['uses accounts', {}, true],
  ])('says that headers were removed if the crawl %s', async (_, options, keepsCookies) => {
    const config = { ...RECORD.config, ...options };
    const { archiveOf, objects } = openArchives(async () => ({ ...RECORD, config }), { keepsCookies });
    await archiveOf('news').append([[gzipSync('one')]]);
    await archiveOf('news').flush();
    const [first = ''] = [...objects.values()].map(inObject);
    expect(first).toMatch(/description: .*Set-Cookie are replaced by \[removed\]/);
  });

  test('is opened when the first record comes, and again if that failed', async () => {
    let loads = 0;
    const { archiveOf } = openArchives(async () => {
      if (++loads === 1) throw new Error('no table');
      return RECORD;
    });
    const archive = archiveOf('news');
    await archive.flush();
    expect(loads).toBe(0);
    await expect(archive.append([[gzipSync('one')]])).rejects.toThrow('no table');
    await archive.append([[gzipSync('one')]]);
    await archiveOf('news').append([[gzipSync('two')]]);
    expect(loads).toBe(2);
    expect(archiveOf('news')).toBe(archive);
  });

  test('shares its memory with those of all other crawls, none of which waits for another', async () => {
    const { archiveOf, before, objects } = openArchives(async () => RECORD, {
      maxBytes: 100_000,
      partBytes: 50_000,
    });
    const [size, crawls] = [20_000, Array.from({ length: 50 }, (_, i) => `c${i}`)];
    let calls = 0;
    const open = Promise.withResolvers<void>();
    before.on = () => (++calls === 1 ? undefined : open.promise);
    let appended = 0;
    const appends = crawls.map(async (crawl) => {
      for (let i = 0; i < 10; i++) {
        await archiveOf(crawl).append([[Buffer.alloc(size)]]);
        appended += size;
      }
    });
    await settle();
    // Four objects' worth, and one that was stored.
    expect(appended).toBeLessThan(5 * 100_000);
    open.resolve();
    await Promise.all(appends);
    await Promise.all(crawls.map((crawl) => archiveOf(crawl).flush()));
    expect([...objects.values()].join('').length).toBeGreaterThan(crawls.length * 10 * size);
  });

  test('goes on while another one, whose objects cannot be stored, fills the memory', async () => {
    const { archiveOf, before, calls, objects } = openArchives(async () => RECORD, {
      maxBytes: 1000,
      partBytes: 500,
    });
    let isDown = true;
    before.on = () => {
      if (isDown) throw new Error('S3 is down');
    };
    for (let i = 0; i < 20; i++)
      await archiveOf('broken')
        .append([[Buffer.alloc(400)]])
        .catch(() => {});
    isDown = false;
    calls.length = 0;
    for (let i = 0; i < 3; i++) await archiveOf('other').append([[Buffer.alloc(400)]]);
    expect(calls).toEqual(['PutObject', 'PutObject', 'PutObject']);
    isDown = true;
    await expect(archiveOf('other').append([[Buffer.alloc(400)]])).rejects.toThrow('S3 is down');
    await archiveOf('other').flush();
    isDown = false;
    await archiveOf('broken').flush();
    await archiveOf('other').append([[Buffer.alloc(400)]]);
    expect(calls.at(-1)).toBe('PutObject');
    expect([...objects.keys()].filter((key) => key.startsWith(warcFolder('other')))).toHaveLength(3);
    await archiveOf('other').flush();
    expect([...objects.keys()].filter((key) => key.startsWith(warcFolder('other')))).toHaveLength(4);
  });
});

/** Resolves when nothing but what the bucket holds back is in progress. */
async function settle(): Promise<void> {
  for (let i = 0; i < 200; i++) await new Promise(setImmediate);
}
