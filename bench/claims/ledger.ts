/**
 * The ledger of one host with many URLs: bytes for each (segments of 225 URLs, key runs, the host as a
 * whole), the cost of merging, looking up and taking the next URL, and the cost of a turn without its pages.
 *
 *     npm run bench -- ledger [URLS] [FILE of real URLs of one host, one a line]
 */
import { readFileSync } from 'node:fs';
import { encodeSegment } from '../../shared/core/frontier/segment.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { hostKey } from '../../shared/core/url/host-key.ts';
import type { BenchOptions } from '../claims.ts';
import { cpuMsOf, cpuMsSince } from '../harness/cpu-time.ts';
import { type Measured, median } from '../harness/record.ts';
import { createLargeHost, type LargeHost, NOW, waiting } from './ledger/large-host.ts';

const PAGES_PER_TURN = 15;
const NEW_LINKS = 15;
const KNOWN_LINKS = 45;
const TURNS = 200;
const CALLS = 20_000;

export async function measure({ words: [urls = '1000000', file] }: BenchOptions): Promise<Measured> {
  const known = Number(urls);
  if (!Number.isSafeInteger(known) || known < 1000)
    throw new Error(`Expected at least 1000 URLs, got ${urls}`);
  const host = createLargeHost();
  const buildMs = await cpuMsOf(() => host.grow(known));
  const samples = file
    ? readFileSync(file, 'utf8').trim().split('\n')
    : Array.from({ length: 20_000 }, (_, i) => host.urlOf(i));
  const bytesPerUrl = host.bytes() / known;
  const { merge, lookUp } = await callTimes(host, known);
  const turns = await turnTimes(host, known);
  const us = (ms: number) => ({ value: ms * 1000, unit: 'us' });
  return {
    figures: {
      bytesPerUrl: { value: bytesPerUrl, unit: 'bytes a known URL' },
      segmentBytesPerUrl: { value: segmentBytes(samples, 225), unit: 'bytes a URL in a segment of 225' },
      mergeUs: { ...us(merge), unit: 'us for a link that is merged' },
      lookUpUs: { ...us(lookUp), unit: 'us to know a URL' },
      turnMs: { value: turns.total.middle, unit: `ms for a cold turn of ${PAGES_PER_TURN} pages` },
      turnMostMs: { value: turns.total.most, unit: 'ms for the slowest, which compacts' },
      buildUs: { ...us(buildMs / known), unit: 'us a URL from none to all, compaction with it' },
    },
    detail: [
      `${known} known URLs: ${host.runs()} runs, keys ${(host.bytes('.keys') / known).toFixed(1)} bytes a URL, head's index ${host.indexBytes()} bytes`,
      `A turn's CPU apart from its pages: open ${turns.open.middle.toFixed(1)} ms, merge and take ${turns.work.middle.toFixed(1)}, commit ${turns.commit.middle.toFixed(1)}; 99 % ${turns.total.high.toFixed(1)}; heap and buffers above idle at most ${(turns.peakBytes / 1e6).toFixed(0)} MB`,
    ].join('\n'),
  };
}

function segmentBytes(urls: readonly string[], size: number): number {
  let bytes = 0;
  let counted = 0;
  for (let from = 0; from + size <= Math.min(urls.length, 50 * size); from += size) {
    const records = urls.slice(from, from + size).map(waiting);
    bytes += encodeSegment(hostKey(urls[0] as string), records).length;
    counted += size;
  }
  return bytes / counted;
}

/** CPU ms of one call, on an open ledger. */
async function callTimes(host: LargeHost, known: number) {
  const ledger = await host.open();
  const urls = Array.from({ length: CALLS }, (_, i) => host.urlOf((i * 104_729) % known));
  const lookUp = await cpuMsOf(() => {
    for (const url of urls) ledger.has(url);
  });
  const via = host.urlOf(0);
  const fresh = Array.from({ length: CALLS }, (_, i) => host.urlOf(2 * known + i));
  const merge = await cpuMsOf(() => {
    for (const url of fresh) ledger.merge({ url, depth: 4, via }, NOW);
  });
  return { merge: merge / CALLS, lookUp: lookUp / CALLS };
}

async function turnTimes(host: LargeHost, known: number) {
  globalThis.gc?.();
  const idle = process.memoryUsage();
  const stored = host.bytes();
  let peakBytes = 0;
  let nextNew = known;
  const laps: { open: number; work: number; commit: number; total: number }[] = [];
  // The parts represent a store outside this process.
  const look = () => {
    const { heapUsed, external } = process.memoryUsage();
    peakBytes = Math.max(
      peakBytes,
      heapUsed + external - idle.heapUsed - idle.external - (host.bytes() - stored),
    );
  };
  for (let turn = 0; turn < TURNS; turn++) {
    globalThis.gc?.();
    const started = process.cpuUsage();
    const lap = () => cpuMsSince(started);
    const ledger = await host.open();
    const open = lap();
    look();
    for (let page = 0; page < PAGES_PER_TURN; page++) {
      const record = (await ledger.next(NOW)) as UrlRecord;
      for (let i = 0; i < NEW_LINKS; i++)
        ledger.merge({ url: host.urlOf(nextNew++), depth: 4, via: record.url }, NOW);
      for (let i = 0; i < KNOWN_LINKS; i++)
        ledger.merge(
          { url: host.urlOf((page * 7919 + i * 104_729) % known), depth: 4, via: record.url },
          NOW,
        );
      const result = { fetchedAt: NOW, httpStatus: 200, digest: new Uint8Array(20) };
      ledger.settle({ ...record, state: 'fetched', result });
    }
    const work = lap();
    look();
    await host.commit(ledger);
    const total = lap();
    laps.push({ open, work: work - open, commit: total - work, total });
    look();
  }
  const spread = (of: keyof (typeof laps)[number]) => {
    const sorted = laps.map((times) => times[of]).sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] as number;
    return { middle: median(sorted), high: at(0.99), most: at(1) };
  };
  return {
    open: spread('open'),
    work: spread('work'),
    commit: spread('commit'),
    total: spread('total'),
    peakBytes,
  };
}
