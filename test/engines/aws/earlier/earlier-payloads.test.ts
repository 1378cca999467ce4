/** Payloads of an earlier crawl that cannot be looked up are stored again, and the turn goes on. */
import { hash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import {
  EarlierPayloads,
  withEarlierPayloads,
} from '../../../../shared/engines/aws/earlier/earlier-payloads.ts';
import { ENTRY_BYTES } from '../../../../shared/engines/aws/earlier/payload-table.ts';
import { recentPayloads } from '../../../../shared/engines/aws/recent-payloads.ts';
import { type Head, NEW_HEAD } from '../../../../shared/frontier/head.ts';
import { SIZES } from '../../../../shared/sizes.ts';

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
