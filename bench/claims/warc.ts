/**
 * WARC records a second: exchanges encoded and appended to a file with its index, as a crawl does it; and
 * read back, as compaction does when it checks WARC objects and makes their index.
 *
 *     npm run bench -- warc [CAPTURES]
 */

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeCapture } from '../../shared/core/archive/capture.ts';
import { scanCaptures } from '../../shared/core/archive/cdxj.ts';
import { encodeWarcinfo } from '../../shared/core/archive/warcinfo.ts';
import type { FetchedResponse } from '../../shared/core/outcome/fetch-outcome.ts';
import { openFileArchive } from '../../shared/engines/local/archive/archive.ts';
import { listWarcFiles } from '../../shared/engines/local/archive/archive-names.ts';
import type { FileArchiveJournal } from '../../shared/engines/local/archive/warc-journal.ts';
import { newId, RECORDS } from '../../test/core/archive/captures.ts';
import type { BenchOptions } from '../claims.ts';
import { cpuMsOf } from '../harness/cpu-time.ts';
import type { Measured } from '../harness/record.ts';
import { withScratch } from '../harness/scratch.ts';
import { KINDS } from './warc/captures.ts';

/** In the order of {@link KINDS}: the first one is the claim's own. */
const [COMPRESSED] = Object.keys(KINDS) as [string];
const NO_JOURNAL: FileArchiveJournal = { load: () => [], save: () => {}, close: () => {} };

interface Costs {
  readonly count: number;
  /** CPU ms a capture. */
  readonly write: number;
  readonly read: number;
}

export async function measure({ words: [captures = '1000'] }: BenchOptions): Promise<Measured> {
  const most = Number(captures);
  if (!Number.isSafeInteger(most) || most < 10)
    throw new Error(`Expected at least 10 captures, got ${captures}`);
  const costs = new Map<string, Costs>();
  for (const [kind, make] of Object.entries(KINDS)) {
    const count = kind.includes('MB') ? Math.ceil(most / 10) : most;
    // The first ones are for the compiler.
    await costsOf(make, Math.ceil(count / 10));
    costs.set(kind, await costsOf(make, count));
  }
  const { write, read } = costs.get(COMPRESSED) as Costs;
  return {
    figures: {
      recordsPerSecond: { value: 2000 / write, unit: 'records/s written' },
      cpuMsPerCapture: { value: write, unit: 'ms to write a page as it is sent, with its request' },
      readCpuMsPerCapture: { value: read, unit: 'ms to check one and make its line of the index' },
    },
    detail: [
      '| captures | ms CPU to write | ms CPU to read |',
      '|---|---:|---:|',
      ...[...costs].map(
        ([kind, { count, write, read }]) => `| ${count} ${kind} | ${write.toFixed(3)} | ${read.toFixed(3)} |`,
      ),
    ].join('\n'),
  };
}

function costsOf(make: (n: number) => FetchedResponse, count: number): Promise<Costs> {
  return withScratch(async (root) => {
    const exchanges = Array.from({ length: count }, (_, n) => make(n));
    const folder = join(root, 'archive');
    mkdirSync(folder);
    const write = await cpuMsOf(() => archive(folder, exchanges));
    const [entry] = await listWarcFiles(folder);
    if (!entry) throw new Error('No WARC file was written');
    const bytes = readFileSync(join(folder, entry.file));
    const read = await cpuMsOf(async () => {
      for await (const _ of scanCaptures(async (offset, length) => bytes.subarray(offset, offset + length)));
    });
    return { count, write: write / count, read: read / count };
  });
}

async function archive(folder: string, exchanges: readonly FetchedResponse[]): Promise<void> {
  const files = await openFileArchive({
    folder,
    indexFolder: join(folder, '../indexes'),
    prefix: 'bench',
    maxBytes: Number.MAX_SAFE_INTEGER,
    warcinfo: (filename) => encodeWarcinfo({ id: newId(), filename, date: 0, software: 'bench' }),
    clock: Date,
    journal: NO_JOURNAL,
  });
  for (const exchange of exchanges) {
    const { members, capture } = await encodeCapture(exchange, RECORDS);
    await files.append(members, [capture, undefined]);
  }
  await files.close();
}
