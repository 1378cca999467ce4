/**
 * The ledger's claims: bytes for each known URL (segments of 225 URLs, key runs, a large host as a whole), and what a
 * turn costs on a host of a million known URLs, beside its pages.
 *
 *     node --expose-gc bench/ledger.ts [URLS] [FILE of real URLs of one host, one a line]
 */
import { readFileSync } from 'node:fs';
import { EMPTY_INDEX, HostLedger, type LedgerIndex } from '../shared/frontier/ledger.ts';
import { encodeSegment } from '../shared/frontier/segment.ts';
import type { UrlRecord } from '../shared/frontier/url-record.ts';
import { hostKey } from '../shared/url/host-key.ts';

const KNOWN = Number(process.argv[2] ?? 1_000_000);
const PAGES_PER_TURN = 15;
const NEW_LINKS = 15;
const KNOWN_LINKS = 45;
const HOST = 'www.example.org';
const NOW = 1_800_000_000_000;

const WORDS = 'alpha beta gamma delta news review price garden water stone light paper house river'.split(
  ' ',
);
const word = (n: number) => WORDS[n % WORDS.length];
/** The n-th of the host's URLs: sections, words and a number, as shops and newspapers have them. */
const urlOf = (n: number) =>
  `https://${HOST}/${word(n)}/${2010 + (n % 15)}/${word(n * 7)}-${word(n * 31)}-${word(n >> 3)}-${n}.html`;

// ------------------------------------------------------------------------------------------- bytes per URL

function waiting(url: string, i: number): UrlRecord {
  const via = `https://${hostKey(url)}/section/page-${Math.floor(i / 15)}.html`;
  return {
    url,
    state: 'waiting',
    depth: 3,
    level: i % 9 === 0 ? 1 : 0,
    via,
    seenAt: NOW + Math.floor(i / 15) * 1000,
    redirects: 0,
    attempts: 0,
    dueAt: 0,
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

const file = process.argv[3];
const samples = file
  ? readFileSync(file, 'utf8').trim().split('\n')
  : Array.from({ length: 20_000 }, (_, i) => urlOf(i));
for (const size of [225, 2000])
  console.log(
    `segment of ${size} new URLs${file ? ` of ${file}` : ''}: ${segmentBytes(samples, size).toFixed(1)} bytes a URL`,
  );

// ---------------------------------------------------------------------------------------- a large host

const parts = new Map<string, Uint8Array>();
const read = async (name: string, offset = 0, length?: number) =>
  (parts.get(name) as Uint8Array).slice(offset, length === undefined ? undefined : offset + length);
let index: LedgerIndex = EMPTY_INDEX;
let version = 0;

async function commit(ledger: HostLedger): Promise<void> {
  const { parts: written, index: next, obsolete } = await ledger.prepareCommit(String(++version));
  for (const { name, bytes } of written) parts.set(name, bytes);
  for (const name of obsolete) parts.delete(name);
  index = next;
}

async function build(): Promise<void> {
  const ledger = await HostLedger.open(HOST, index, read);
  for (let n = 0; n < KNOWN; ) {
    for (const end = Math.min(KNOWN, n + 5000); n < end; n++)
      ledger.merge({ url: urlOf(n), depth: 2 + (n % 3), via: urlOf(n >> 4) }, NOW);
    await commit(ledger);
  }
}
await build();
const sum = (suffix: string) =>
  [...parts].filter(([name]) => name.endsWith(suffix)).reduce((bytes, [, part]) => bytes + part.length, 0);
const all = [...parts.values()].reduce((bytes, part) => bytes + part.length, 0);
console.log(
  `${KNOWN} known URLs, all waiting: ${(all / KNOWN).toFixed(1)} bytes a URL, of which keys ${(sum('.keys') / KNOWN).toFixed(1)}; ` +
    `${index.runs.length} runs, head's index ${JSON.stringify(index).length} bytes`,
);

globalThis.gc?.();
const idle = process.memoryUsage();
let peak = 0;
let nextNew = KNOWN;
const cpu: { open: number; work: number; commit: number; total: number }[] = [];
for (let turn = 0; turn < 400; turn++) {
  globalThis.gc?.();
  const started = process.cpuUsage();
  const lap = () => {
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1000;
  };
  const cold = await HostLedger.open(HOST, index, read);
  const open = lap();
  look();
  for (let page = 0; page < PAGES_PER_TURN; page++) {
    const record = (await cold.next(NOW)) as UrlRecord;
    for (let i = 0; i < NEW_LINKS; i++) cold.merge({ url: urlOf(nextNew++), depth: 4, via: record.url }, NOW);
    for (let i = 0; i < KNOWN_LINKS; i++)
      cold.merge({ url: urlOf((page * 7919 + i * 104_729) % KNOWN), depth: 4, via: record.url }, NOW);
    cold.settle({
      ...record,
      state: 'fetched',
      result: { fetchedAt: NOW, httpStatus: 200, digest: new Uint8Array(20) },
    });
  }
  const work = lap();
  await commit(cold);
  const total = lap();
  cpu.push({ open, work: work - open, commit: total - work, total });
  look();
}

function look(): void {
  const { heapUsed, external } = process.memoryUsage();
  peak = Math.max(peak, heapUsed + external - idle.heapUsed - idle.external - storedSince());
}

/** The parts stand for a store outside this process. */
function storedSince(): number {
  return [...parts.values()].reduce((bytes, part) => bytes + part.length, 0) - all;
}
const at = (share: number, of: keyof (typeof cpu)[number]) =>
  (cpu.map((turn) => turn[of]).sort((a, b) => a - b)[Math.floor((cpu.length - 1) * share)] as number).toFixed(
    1,
  );
console.log(
  `a cold turn of ${PAGES_PER_TURN} pages on it, CPU beside the pages: median ${at(0.5, 'total')} ms ` +
    `(open ${at(0.5, 'open')}, merge and take ${at(0.5, 'work')}, commit ${at(0.5, 'commit')}), ` +
    `99 % ${at(0.99, 'total')} ms, most ${at(1, 'total')} ms; ` +
    `heap and buffers above idle at most ${(peak / 1e6).toFixed(0)} MB`,
);
