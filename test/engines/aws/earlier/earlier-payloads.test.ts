/** Payloads of an earlier crawl that cannot be looked up are stored again, and the turn goes on. */
import { hash } from 'node:crypto';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { encodeCapture } from '../../../../shared/core/archive/capture.ts';
import { SIZES } from '../../../../shared/core/base/sizes.ts';
import { type Head, NEW_HEAD } from '../../../../shared/core/frontier/head.ts';
import { HostLedger } from '../../../../shared/core/frontier/ledger.ts';
import { EMPTY_INDEX } from '../../../../shared/core/frontier/ledger-index.ts';
import type { PayloadIndex } from '../../../../shared/crawler/ports/payload-index.ts';
import {
  EarlierPayloads,
  withEarlierPayloads,
} from '../../../../shared/engines/aws/earlier/earlier-payloads.ts';
import { ENTRY_BYTES } from '../../../../shared/engines/aws/earlier/payload-table.ts';
import { recentPayloads } from '../../../../shared/engines/aws/recent-payloads.ts';
import { captureOf, joined, RECORDS } from '../../../core/archive/captures.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { createCloud } from '../archive/compact-cloud.ts';

const SHA1 = hash('sha1', 'a', 'buffer');
const PLACE = { crawl: 'old', host: 'a.test' };
/** The head of a host with this number of pages, whose ledger cannot be read. */
const headOf = (fetched: number): Head => ({
  ...NEW_HEAD,
  ledger: { ...NEW_HEAD.ledger, segments: ['s1'], counts: { ...NEW_HEAD.ledger.counts, fetched } },
});

function open({
  pages = 10,
  maxEarlierBytes = 1_000_000,
  readPart = async () => Promise.reject(new Error('gone')),
} = {}) {
  let now = 0;
  const warnings: string[] = [];
  const loadHead = vi.fn(async (_: string, host: string) => (host === 'a.test' ? headOf(pages) : undefined));
  const sleeps: (() => void)[] = [];
  const options = {
    s3: {} as never,
    bucket: 'b',
    clock: {
      now: () => now,
      random: () => 0,
      uuid: () => 'u',
      sleep: (_: number, signal?: AbortSignal) =>
        new Promise<void>((resolve) => {
          sleeps.push(resolve);
          signal?.addEventListener('abort', () => resolve());
        }),
    },
    sizes: { ...SIZES, maxEarlierBytes },
    ledgers: { loadHead, readPart: readPart as never },
    mapping: {} as never,
    warn: (message: string) => void warnings.push(message),
  };
  return {
    options,
    earlier: new EarlierPayloads(options),
    warnings,
    loadHead,
    wake: () => {
      for (const resolve of sleeps) resolve();
    },
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('a ledger that cannot be read is tried twice, said once, and tried again much later', async () => {
  const { earlier, warnings, loadHead, pass } = open();
  for (let i = 0; i < 5; i++) expect(await earlier.find(PLACE, SHA1)).toBeUndefined();
  expect(loadHead).toHaveBeenCalledTimes(2);
  expect(warnings).toEqual([
    expect.stringContaining('old has archived are stored again, as those of a.test'),
  ]);
  pass(16 * 60_000);
  await earlier.find(PLACE, SHA1);
  expect(loadHead).toHaveBeenCalledTimes(4);
  expect(warnings).toHaveLength(1);
});

test('a host that the earlier crawl does not know costs one read', async () => {
  const { earlier, warnings, loadHead } = open();
  for (let i = 0; i < 5; i++) await earlier.find({ ...PLACE, host: 'other.test' }, SHA1);
  expect(loadHead).toHaveBeenCalledTimes(1);
  expect(warnings).toEqual([]);
});

test('a host for which memory is short is not read', async () => {
  const readPart = vi.fn(async () => new Uint8Array(0) as never);
  const { earlier, warnings } = open({ pages: 1000, maxEarlierBytes: 999 * ENTRY_BYTES, readPart });
  expect(await earlier.find(PLACE, SHA1)).toBeUndefined();
  expect(readPart).not.toHaveBeenCalled();
  expect(warnings).toEqual([expect.stringContaining('memory is short')]);
});

test('hosts that were not used for long are forgotten, those that were since are not', async () => {
  const { options, pass, warnings } = open({ maxEarlierBytes: 20 * ENTRY_BYTES });
  const head = headOf(10);
  // Its ledger can be read: it has no segments.
  const loadHead = vi.fn(async () => ({ ...head, ledger: { ...head.ledger, segments: [] } }));
  const earlier = new EarlierPayloads({ ...options, ledgers: { ...options.ledgers, loadHead } });
  const read = async (host: string) => {
    const before = loadHead.mock.calls.length;
    await earlier.find({ ...PLACE, host }, SHA1);
    return loadHead.mock.calls.length > before;
  };
  expect(await read('idle.test')).toBe(true);
  pass(10 * 60_000);
  expect(await read('recent.test')).toBe(true);
  pass(6 * 60_000);
  // There is room for two.
  expect(await read('new.test')).toBe(true);
  expect(warnings).toEqual([]);
  expect(await read('recent.test')).toBe(false);
  expect(await read('idle.test')).toBe(true);
});

test('the memory of a host that is forgotten is free again, that of the others is not', async () => {
  const { options, pass, warnings } = open({ maxEarlierBytes: 20 * ENTRY_BYTES });
  const pages: Readonly<Record<string, number>> = { 'small.test': 6, 'large.test': 10, 'new.test': 12 };
  const loadHead = async (_: string, host: string) => {
    const head = headOf(pages[host] ?? 0);
    return { ...head, ledger: { ...head.ledger, segments: [] } };
  };
  const earlier = new EarlierPayloads({ ...options, ledgers: { ...options.ledgers, loadHead } });
  const find = (host: string) => earlier.find({ ...PLACE, host }, SHA1);
  await find('small.test');
  pass(10 * 60_000);
  await find('large.test');
  pass(6 * 60_000);
  await find('new.test');
  expect(warnings, '10 and 12 are more than 20').toEqual([expect.stringContaining('memory is short')]);
});

test('a page waits some seconds for a large host, and the pages after it do not', async () => {
  const { earlier, wake } = open({ readPart: () => new Promise(() => {}) });
  const first = earlier.find(PLACE, SHA1);
  await new Promise((resolve) => setImmediate(resolve));
  wake();
  expect(await first).toBeUndefined();
  expect(await earlier.find(PLACE, SHA1)).toBeUndefined();
});

test('what the process has archived itself comes first, and nothing is looked up for a crawl that has no earlier one', async () => {
  const { options, loadHead } = open();
  const index = withEarlierPayloads(recentPayloads(10), options);
  const known = { url: 'http://a.test/', date: 'd', recordId: '<urn:x>' };
  expect(await index.find('new', SHA1)).toBeUndefined();
  await index.add('new', [{ ...known, sha1: SHA1 }]);
  expect(await index.find('new', SHA1, PLACE)).toEqual(known);
  expect(loadHead).not.toHaveBeenCalled();
});

test('what the earlier crawl has archived is kept among that of the process if the id of its record is known', async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const nameless = { url: 'http://a.test/', date: 'd' };
  const known = { ...nameless, recordId: '<urn:x>' };
  const answers = [undefined, nameless, known];
  vi.spyOn(EarlierPayloads.prototype, 'find').mockImplementation(async () => answers.shift());
  const added: unknown[] = [];
  const index = { find: async () => undefined, add: async (...given: unknown[]) => void added.push(given) };
  const payloads = withEarlierPayloads(index, open().options);
  const found: unknown[] = [];
  for (let page = 0; page < 3; page++) found.push(await payloads.find('new', SHA1, PLACE));
  expect(found).toEqual([undefined, nameless, known]);
  expect(added).toEqual([['new', [{ ...known, sha1: SHA1 }]]]);
});

describe('a payload that the earlier crawl has archived', () => {
  const URL = 'http://a.test/';
  const FILE = 'strand-20260102030405-abcdefghij-00000.warc.gz';

  /** An earlier crawl of one page. `failures`: the number of first reads of its archive that fail. */
  async function archived(failures: number) {
    const capture = captureOf({ url: URL, body: Buffer.from('a') });
    const record = await joined((await encodeCapture(capture, RECORDS)).members[0]!);
    const parts = new Map<string, Uint8Array>();
    const none = () => Promise.reject(new Error('it has no parts'));
    const ledger = await HostLedger.open(PLACE.host, EMPTY_INDEX, none, SIZES);
    ledger.merge({ url: URL, depth: 0, via: undefined }, 0);
    const location = { file: FILE, offset: 0, length: record.length };
    const result = { fetchedAt: 1, httpStatus: 200, contentType: 'text/html', digest: SHA1, location };
    ledger.settle({ ...(await ledger.next(0))!, state: 'fetched', result });
    const commit = await ledger.prepareCommit('1');
    for (const { name, bytes } of commit.parts) parts.set(name, bytes);

    let reads = 0;
    const cloud = createCloud();
    cloud.put(`warc/${PLACE.crawl}/${FILE}`, record);
    const { s3, dynamo } = cloud.clients(async (command, carryOut) => {
      if (command === 'GetObjectCommand' && ++reads <= failures) throw new Error('S3 is away');
      return carryOut();
    });
    const clock = createFakeClock();
    const warnings: string[] = [];
    const options: ConstructorParameters<typeof EarlierPayloads>[0] = {
      ...{ s3, bucket: 'b', clock, sizes: SIZES, mapping: { dynamo, clock, table: 'T' } },
      ledgers: {
        loadHead: async () => ({ ...NEW_HEAD, ledger: commit.index }),
        readPart: async (_crawl, _host, name, offset = 0, length) =>
          parts.get(name)!.subarray(offset, length === undefined ? undefined : offset + length),
      },
      warn: (message) => void warnings.push(message),
    };
    const earlier = new EarlierPayloads(options);
    const find = (sha1 = SHA1) => clock.drive(earlier.find(PLACE, sha1));
    return { find, warnings, reads: () => reads, options, clock };
  }

  test.each([0, 1])('is found where it stands, if %i reads of it fail', async (failures) => {
    const { find, warnings, reads } = await archived(failures);
    expect(await find()).toMatchObject({ url: URL, recordId: expect.any(String) });
    expect([warnings, reads()]).toEqual([[], failures + 1]);
    expect(await find(hash('sha1', 'other', 'buffer'))).toBeUndefined();
  });

  test('is kept among those of the process before its page goes on, and is not looked up again', async () => {
    const { options, clock, reads } = await archived(0);
    const kept: Parameters<PayloadIndex['add']>[1][number][] = [];
    const index = withEarlierPayloads(
      {
        find: async (_crawl, sha1) => kept.find((one) => Buffer.compare(one.sha1, sha1) === 0),
        async add(_crawl, payloads) {
          await clock.sleep(1000);
          kept.push(...payloads);
        },
      },
      options,
    );
    const first = await clock.drive(index.find('new', SHA1, PLACE));
    expect(first).toMatchObject({ url: URL });
    expect(kept).toEqual([{ ...first, sha1: SHA1 }]);
    expect(await clock.drive(index.find('new', SHA1, PLACE))).toMatchObject({ url: URL });
    expect(reads()).toBe(1);
  });

  test('is stored again if both reads of it fail, which is said once', async () => {
    const { find, warnings, reads } = await archived(4);
    for (let page = 0; page < 2; page++) expect(await find()).toBeUndefined();
    expect([warnings, reads()]).toEqual([[expect.stringContaining('cannot be looked up: S3 is away')], 4]);
    expect(await find()).toMatchObject({ url: URL });
  });
});

test('a host whose ledger takes very long is read once, and forgotten only when it has been read', async () => {
  const { options, pass } = open({ maxEarlierBytes: 10 * ENTRY_BYTES });
  const reading = Promise.withResolvers<never>();
  const loadHead = vi.fn(async (_: string, host: string) =>
    host === 'a.test' ? headOf(10) : { ...headOf(0), ledger: { ...headOf(0).ledger, segments: [] } },
  );
  const readPart = () => reading.promise;
  const earlier = new EarlierPayloads({
    ...options,
    clock: { ...options.clock, sleep: async () => {} },
    ledgers: { loadHead, readPart },
  });
  const reads = async (host: string) => {
    const before = loadHead.mock.calls.length;
    await earlier.find({ ...PLACE, host }, SHA1);
    return loadHead.mock.calls.length - before;
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  expect(await reads('a.test')).toBe(1);
  pass(16 * 60_000);
  expect(await reads('b.test')).toBe(1);
  expect(await reads('a.test')).toBe(0);
  reading.reject(new Error('gone'));
  await settle();
  // It was tried twice, and has failed.
  expect(loadHead).toHaveBeenCalledTimes(3);
  pass(16 * 60_000);
  expect(await reads('a.test')).toBe(2);
});
