import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteReader, ByteWriter, CorruptBytes } from '../../../shared/core/frontier/bytes.ts';
import {
  buildKeyRun,
  decodeKeyRun,
  encodeKeyRun,
  findKey,
  mergeKeyRuns,
  noteOf,
} from '../../../shared/core/frontier/key-run.ts';
import type { Link, Message } from '../../../shared/core/frontier/message.ts';
import { decodeMessage, encodeMessage } from '../../../shared/core/frontier/message-codec.ts';
import { isSeedRecord, levelOf, levelOfLink, RANKS, rankOf } from '../../../shared/core/frontier/rank.ts';
import { decodeSegment, encodeSegment } from '../../../shared/core/frontier/segment.ts';
import { readTexts } from '../../../shared/core/frontier/text-column.ts';
import { URL_STATES, type UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { URL_KINDS, type UrlKind } from '../../../shared/core/url/url-kind.ts';

const HOST = 'example.org:8080';
const path = fc.webPath().map((text) => `/${encodeURI(text).replaceAll('//', '/')}`);
const time = fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }).map((seconds) => seconds * 1000);

const record: fc.Arbitrary<UrlRecord> = fc
  .record(
    {
      scheme: fc.constantFrom('http', 'https'),
      path,
      state: fc.constantFrom(...URL_STATES),
      kind: fc.constantFrom(...URL_KINDS),
      depth: fc.nat(300),
      level: fc.nat(7),
      via: fc.webUrl(),
      seenAt: time,
      redirects: fc.nat(10),
      attempts: fc.nat(3),
      dueAt: fc.oneof(fc.constant(0), time),
      result: fc.record(
        {
          fetchedAt: time.map((ms) => ms + 123),
          httpStatus: fc.integer({ min: 100, max: 599 }),
          contentType: fc.constantFrom('text/html', 'application/pdf', ''),
          digest: fc.uint8Array({ minLength: 20, maxLength: 20 }),
          location: fc.record({
            file: fc.constantFrom('a-00001.warc.gz', 'b-00002.warc.gz'),
            offset: fc.nat(2 ** 31 - 1).map((n) => n * 3),
            length: fc.nat(),
          }),
          bodyBytes: fc.nat(),
          tookMs: fc.nat(),
          cause: fc.oneof(
            fc.string({ unit: 'grapheme' }).map((text) => ({ code: 'other', text }) as const),
            fc.nat(999).map((httpStatus) => ({ code: 'httpStatus', httpStatus }) as const),
          ),
          duplicateOf: fc.webPath().map((path) => `https://${HOST}${path}`),
        },
        { requiredKeys: ['fetchedAt'] },
      ),
    },
    {
      requiredKeys: ['scheme', 'path', 'state', 'depth', 'level', 'seenAt', 'redirects', 'attempts', 'dueAt'],
    },
  )
  .map(({ scheme, path, ...rest }) => ({ url: `${scheme}://${HOST}${path}`, ...rest }));

const byUrl = (a: UrlRecord, b: UrlRecord) => (a.url < b.url ? -1 : 1);

describe('a segment', () => {
  test('gives back the records that it was made of, by URL', () =>
    fc.assert(
      fc.property(fc.uniqueArray(record, { selector: ({ url }) => url, maxLength: 60 }), (records) => {
        const decoded = decodeSegment(HOST, encodeSegment(HOST, records));
        expect(decoded).toEqual([...records].sort(byUrl));
      }),
    ));

  test('keeps its bytes, before compression', async () => {
    const { inflateRawSync } = await import('node:zlib');
    const bytes = encodeSegment('h.test', [
      {
        url: 'https://h.test/b',
        state: 'waiting',
        depth: 1,
        level: 2,
        via: 'https://h.test/',
        seenAt: 1_800_000_001_000,
        redirects: 0,
        attempts: 0,
        dueAt: 0,
      },
      {
        url: 'https://h.test/a',
        state: 'fetched',
        depth: 0,
        level: 7,
        seenAt: 1_800_000_000_000,
        redirects: 1,
        attempts: 2,
        dueAt: 0,
        result: { fetchedAt: 1_800_000_002_500, httpStatus: 200, contentType: 'text/html' },
      },
    ]);
    expect(Buffer.from(bytes.subarray(0, 2)).toString('hex')).toBe('5301');
    expect(inflateRawSync(bytes.subarray(2)).toString('hex')).toBe(
      [
        '02', // records
        '80a4a7da06', // first seen, seconds
        '0001', // shared with the one before: '', '/'
        '0201', // more: 2, 1
        '2f6162', // '/a', 'b'
        '6918', // flags
        '0001', // depths
        '0702', // levels
        '0001', // seen after
        '00', // via of the second
        '010200', // redirects, attempts, due time of the first
        '04c8018827', // its result: has a type; 200; 2,500 ms after
        '00', // type 0
        `01000f${Buffer.from('https://h.test/').toString('hex')}`, // one via: shares 0, 15 more
        '00',
        `0109${Buffer.from('text/html').toString('hex')}`,
        '00',
      ].join(''),
    );
  });

  test('of the first version is still read: nothing in it had a kind or a size', () => {
    const bytes = encodeSegment(HOST, []);
    expect(decodeSegment(HOST, Uint8Array.of(bytes[0] ?? 0, 1, ...bytes.subarray(2)))).toEqual([]);
  });

  test('of another kind, version or cut short is refused, not misread', () => {
    const bytes = encodeSegment(HOST, []);
    expect(() => decodeSegment(HOST, Uint8Array.of(1, ...bytes.subarray(1)))).toThrow(CorruptBytes);
    expect(() => decodeSegment(HOST, Uint8Array.of(bytes[0] ?? 0, 9, ...bytes.subarray(2)))).toThrow(
      'version 9',
    );
    expect(() => decodeSegment(HOST, bytes.subarray(0, 3))).toThrow(CorruptBytes);
  });
});

describe('bytes', () => {
  test('numbers of either sign come back', () =>
    fc.assert(
      fc.property(fc.array(fc.maxSafeNat()), fc.array(fc.integer()), (naturals, integers) => {
        const out = new ByteWriter(1);
        for (const n of naturals) out.varint(n);
        for (const n of integers) out.signed(n);
        const input = new ByteReader(out.bytes());
        expect(naturals.map(() => input.varint())).toEqual(naturals);
        expect(integers.map(() => input.signed())).toEqual(integers);
        expect(input.isAtEnd).toBe(true);
      }),
    ));
});

describe('a key run', () => {
  const word = fc.oneof(fc.nat(3), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
  const keys = fc.array(fc.tuple(word, word, fc.nat(255)), { maxLength: 200 });
  const build = (entries: readonly [number, number, number][]) =>
    buildKeyRun(
      Uint32Array.from(entries.flatMap((entry) => entry.slice(0, 2))),
      Uint8Array.from(entries, ([, , note]) => note),
      entries.length,
    );

  test('finds what is in it, the last note of a key, and nothing else, also after merging and encoding', () =>
    fc.assert(
      fc.property(keys, keys, keys, (older, newer, others) => {
        const model = new Map([...older, ...newer].map(([high, low, note]) => [`${high} ${low}`, note]));
        const run = decodeKeyRun(encodeKeyRun(mergeKeyRuns(build(newer), build(older))));
        expect(run.count).toBe(model.size);
        for (const [high, low] of [...older, ...newer, ...others])
          expect(findKey(run, high, low)).toBe(model.get(`${high} ${low}`) ?? -1);
      }),
    ));

  test('takes at most 9 bytes a URL from 200 URLs on', () => {
    for (const count of [200, 5000]) {
      const entries = Array.from({ length: count }, (_, i): [number, number, number] => [
        Math.imul(i, 0x9e3779b1) >>> 0,
        i,
        noteOf(i % 3 > 0, 1 + (i % 7), i % 8 === 0 ? 1 : 0),
      ]);
      expect(encodeKeyRun(build(entries)).length / count).toBeLessThanOrEqual(9);
    }
  });

  test('cut short is refused', () => {
    const bytes = encodeKeyRun(build([[1, 2, 3]]));
    expect(() => decodeKeyRun(bytes.subarray(0, 12))).toThrow(CorruptBytes);
    expect(() => decodeKeyRun(Uint8Array.of(0, 0, 0))).toThrow(CorruptBytes);
    expect(() => decodeKeyRun(bytes.subarray(0, bytes.length - 1))).toThrow(CorruptBytes);
  });
});

describe('a message', () => {
  const link: fc.Arbitrary<Link> = fc.record(
    {
      url: fc.webUrl(),
      depth: fc.nat(40),
      via: fc.webUrl(),
      redirects: fc.integer({ min: 1, max: 9 }),
      isSeed: fc.constant(true),
      kind: fc.constantFrom(...URL_KINDS),
      level: fc.nat(7),
    },
    { requiredKeys: ['url', 'depth'] },
  );
  const message: fc.Arbitrary<Message> = fc.oneof(
    fc.record({ kind: fc.constant('token' as const), crawl: fc.string(), token: fc.string() }),
    fc.record({ kind: fc.constant('wake' as const), crawl: fc.string() }),
    fc.record({ kind: fc.constant('robots' as const), crawl: fc.string(), url: fc.webUrl() }),
    fc.record({
      kind: fc.constant('links' as const),
      crawl: fc.string(),
      links: fc.array(link, { maxLength: 50 }),
    }),
  );

  test('comes back as it was, its links by URL, compressed or not', () =>
    fc.assert(
      fc.property(message, fc.constantFrom(undefined, 0, Number.POSITIVE_INFINITY), (sent, compressFrom) => {
        const received = decodeMessage(encodeMessage(sent, compressFrom));
        if (sent.kind !== 'links' || received.kind !== 'links') expect(received).toEqual(sent);
        else {
          const key = (l: Link) =>
            JSON.stringify([l.url, l.depth, l.via, l.redirects, l.isSeed, l.kind, l.level]);
          expect(received.links.map(key).sort()).toEqual(sent.links.map(key).sort());
        }
      }),
    ));

  test('is compressed above a size', () => {
    const links = Array.from({ length: 100 }, (_, i) => ({
      url: `http://a.test/${'page/'.repeat(i)}`,
      depth: 1,
    }));
    const [plain, usual] = [Number.POSITIVE_INFINITY, undefined].map((compressFrom) =>
      encodeMessage({ kind: 'links', crawl: 'c', links }, compressFrom),
    );
    expect(usual!.length).toBeLessThan(plain!.length / 2);
  });

  test('that is none is refused', () => {
    expect(() => decodeMessage(Buffer.from('{"url":"x"}'))).toThrow(CorruptBytes);
    expect(() => decodeMessage(Uint8Array.of(0x4d, 7, 0))).toThrow('version 7');
  });

  test('that cannot be decompressed is refused', () => {
    const bytes = encodeMessage({ kind: 'token', crawl: 'c', token: 't' }, 0);
    expect(() => decodeMessage(bytes.subarray(0, bytes.length - 1))).toThrow(CorruptBytes);
    expect(() => decodeMessage(Uint8Array.of(0x4d, 1, 1, 0xff))).toThrow('a message cannot be decompressed');
  });

  test('that refers to a page it does not hold is refused', () => {
    const links = [{ url: 'http://a.test/', depth: 1, via: 'http://b.test/' }];
    const bytes = encodeMessage({ kind: 'links', crawl: 'c', links }, Number.POSITIVE_INFINITY);
    // The page's number stands before the count of pages and the page.
    const at = bytes.length - 'http://b.test/'.length - 3;
    expect(bytes[at]).toBe(0);
    bytes[at] = 1;
    expect(() => decodeMessage(bytes)).toThrow('a text at 1 expected, the table has 1');
  });

  test('that would become too much is refused before it has', () => {
    const links = Array.from({ length: 1001 }, (_, i) => ({ url: `http://a.test/${i}`, depth: 1 }));
    const bytes = encodeMessage({ kind: 'links', crawl: 'c', links });
    expect(decodeMessage(bytes, 1001)).toMatchObject({ kind: 'links' });
    expect(() => decodeMessage(bytes, 1000)).toThrow('at most 1000 links expected, got 1001');
  });

  test('of which a little represents very much is refused', () => {
    // Each text is the one before and a character more: 30,000 of them represent 450 MB.
    const out = new ByteWriter();
    const count = 30_000;
    for (let i = 0; i < count; i++) out.varint(i);
    for (let i = 0; i < count; i++) out.varint(1);
    for (let i = 0; i < count; i++) out.latin1('a', 0);
    expect(() => readTexts(new ByteReader(out.bytes()), count, 1_000_000)).toThrow(CorruptBytes);
  });
});

describe('a rank', () => {
  test('puts seeds first, then the less deep, then those that more pages link to', () => {
    expect(rankOf(0, 0)).toBeLessThan(rankOf(1, 7));
    expect(rankOf(1, 0)).toBeLessThan(rankOf(3, 7));
    expect(rankOf(2, 3)).toBeLessThan(rankOf(2, 2));
  });

  test.each<[depth: number, level: number, kind: UrlKind | undefined, rank: number]>([
    [0, 7, 'requisite', 0],
    [9, 0, 'requisite', 0],
    [0, 0, undefined, 1],
    [0, 7, 'sitemap', 1],
    [1, 7, undefined, 4],
    [1, 0, 'sitemap', 11],
    [2, 5, undefined, 10],
    [15, 0, undefined, 67],
    [16, 0, undefined, 67],
    [300, 7, undefined, 60],
  ])('of depth %i, level %i and kind %s is %i', (depth, level, kind, rank) => {
    expect(rankOf(depth, level, kind)).toBe(rank);
    expect(rank).toBeLessThan(RANKS);
  });

  // Ledgers keep levels: other versions of the program must find the same ones.
  test('has levels that follow from the URL and the page alone', () => {
    const levels = Array.from({ length: 200 }, (_, i) =>
      levelOf(`https://a.test/${i}`, `https://b.test/${i % 7}`),
    );
    expect(levels.join('')).toBe(
      '31302701001102020001103141100001053101000211111101100000030400112201021111000300020000210020100000110010000011021001' +
        '152100022024017012001120000001024250030000201010100021001050021021107110013141020062',
    );
    expect(levelOf('https://a.test/5', undefined)).toBe(0);
  });

  test('has the given level, if that is higher; a seed has the highest', () => {
    const [url, via] = ['https://a.test/3', 'https://b.test/3'];
    expect(levelOf(url, via)).toBe(0);
    expect(levelOfLink({ url, depth: 1, via })).toBe(0);
    expect(levelOfLink({ url, depth: 1, via, level: 4 })).toBe(4);
    expect(levelOfLink({ url, depth: 1, level: 9 })).toBe(7);
    expect(levelOfLink({ url: 'https://a.test/0', depth: 1, via: 'https://b.test/0', level: 1 })).toBe(3);
    expect(levelOfLink({ url, depth: 0, isSeed: true })).toBe(7);
  });

  test('distinguishes seeds, and sitemaps that are seeds, from everything else', () => {
    const seed = { depth: 0, level: 7 } as UrlRecord;
    const isSeed = (changes: Partial<UrlRecord>) => isSeedRecord({ ...seed, ...changes });
    expect([{}, { via: 'x' }, { kind: 'sitemap' as const }].map(isSeed)).toEqual([true, true, true]);
    expect(
      [
        { depth: 1 },
        { level: 6 },
        { kind: 'requisite' as const },
        { kind: 'sitemap' as const, via: 'x' },
      ].map(isSeed),
    ).toEqual([false, false, false, false]);
  });

  test('grows with the number of linking pages about as its logarithm', () => {
    const averageLevel = (pages: number) => {
      let sum = 0;
      for (let url = 0; url < 200; url++) {
        let level = 0;
        for (let page = 0; page < pages; page++)
          level = Math.max(level, levelOf(`https://a.test/${url}`, `https://b.test/${page}`));
        sum += level;
      }
      return sum / 200;
    };
    const [one, four, sixteen] = [averageLevel(1), averageLevel(4), averageLevel(16)];
    expect(four - one).toBeGreaterThan(1);
    expect(sixteen - four).toBeGreaterThan(1);
  });
});
