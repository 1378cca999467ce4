/** Judges the WARC files of a folder, and their indexes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWarcCheck } from '../../shared/core/archive/check-warc.ts';
import { fieldOf } from '../../shared/core/archive/read-warc.ts';
import { type ReadAt, scanMembers } from '../../shared/core/archive/scan-members.ts';
import { indexByScanning } from '../../shared/engines/local/archive/cdxj-files.ts';
import { foldersOf } from '../../shared/engines/local/folders.ts';
import type { LogEntry } from '../web/server.ts';
import type { Committed } from './committed.ts';

/**
 * The files are what the standard says. Each URL with a location has a record there, and no other one unless
 * it was requested again: there are never more records than requests. An index is just what scanning its file
 * gives.
 */
export async function judgeArchive(
  folder: string,
  log: readonly LogEntry[],
  { records }: Committed,
): Promise<string[]> {
  const { archive, indexes } = foldersOf(folder);
  const problems: string[] = [];
  const check = createWarcCheck(({ file, offset, severity, message }) => {
    if (severity === 'error') problems.push(`${file} at ${offset}: ${message}`);
  });
  const responses = new Map<string, string>();
  for (const file of readdirSync(archive)) {
    if (!file.endsWith('.warc.gz')) {
      problems.push(`${file} was not closed`);
      continue;
    }
    const bytes = readFileSync(join(archive, file));
    const read: ReadAt = async (at, length) => bytes.subarray(at, at + length);
    await check.file(file, read);
    for await (const { offset, record } of scanMembers(read))
      if (/^(?:response|revisit)$/.test(fieldOf(record, 'WARC-Type') ?? ''))
        responses.set(`${file} ${offset}`, fieldOf(record, 'WARC-Target-URI') ?? '');
    problems.push(...(await wrongIndex(file, archive, indexes)));
  }
  check.end();
  return [...problems, ...wrongRecords(responses, log, records)];
}

function wrongRecords(
  responses: ReadonlyMap<string, string>,
  log: readonly LogEntry[],
  records: Committed['records'],
): string[] {
  const problems: string[] = [];
  const made = Map.groupBy(log, ({ host, path }) => `http://${host}${path}`);
  const kept = Map.groupBy(responses.values(), (url) => url);
  for (const [url, all] of kept) {
    const requests = made.get(url)?.length ?? 0;
    if (all.length > requests) problems.push(`${all.length} records of ${requests} requests: ${url}`);
  }
  for (const { url, state, result } of records.values()) {
    const { location } = result ?? {};
    if (location === undefined) {
      if (state === 'fetched' || state === 'gone') problems.push(`${url} is ${state}, and has no record`);
      continue;
    }
    const found = responses.get(`${location.file} ${location.offset}`);
    if (found !== url) problems.push(`the record of ${url} is ${found ? `one of ${found}` : 'not there'}`);
  }
  return problems;
}

/** One that is missing is made when it is requested. */
async function wrongIndex(file: string, archive: string, indexes: string): Promise<string[]> {
  const name = file.replace(/\.warc\.gz$/, '.cdxj');
  if (!readdirSync(indexes).includes(name)) return [];
  const scanned = mkdtempSync(join(tmpdir(), 'strand-index-'));
  try {
    await indexByScanning({ file, path: join(archive, file) }, scanned);
    const isSame = readFileSync(join(scanned, name)).equals(readFileSync(join(indexes, name)));
    return isSame ? [] : [`${name} is not what scanning ${file} gives`];
  } finally {
    rmSync(scanned, { recursive: true });
  }
}
