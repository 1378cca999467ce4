/** Readers of the files that crawls write, and that others write in the same formats. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { createWarcCheck, type WarcFault } from '../../shared/core/archive/check-warc.ts';
import { parseCdxjLine } from '../../shared/core/archive/parse-cdxj-line.ts';
import { openRecord } from '../../shared/core/archive/read-member.ts';
import { scanMembers } from '../../shared/core/archive/scan-members.ts';
import { windowedRead } from '../../shared/core/archive/windowed-read.ts';
import { readHandle } from '../../shared/engines/local/archive/read-handle.ts';
import type { CheckedFile, IndexedCapture, ScannedRecord } from '../archive-types.ts';
import { readOpened, recordInfo } from '../stored-record.ts';

export async function* readWarc(path: string): AsyncGenerator<ScannedRecord, void, undefined> {
  const handle = await open(path, 'r');
  try {
    const read = readHandle(handle);
    for await (const { record, offset, length } of scanMembers(windowedRead(read)))
      yield {
        ...recordInfo(record),
        offset,
        length,
        read: async ({ maxBytes } = {}) => readOpened(await openRecord(read, offset), maxBytes),
      };
  } finally {
    await handle.close();
  }
}

export async function* readCdxj(path: string): AsyncGenerator<IndexedCapture, void, undefined> {
  for await (const { line, number } of numberedLines(path)) {
    // Directives of ZipNum and OpenWayback indexes.
    if (line === '' || line.startsWith('!') || line.startsWith(' CDX')) continue;
    yield parseCdxjLine(line, `${path}, line ${number}`);
  }
}

export async function* readItems<T>(path: string, bytes?: number): AsyncGenerator<T, void, undefined> {
  for await (const { line, number } of numberedLines(path, bytes)) {
    if (line === '') continue;
    yield parseJson(line, `${path}, line ${number}`) as T;
  }
}

/** At most this many faults of a file are kept. */
const MAX_FAULTS = 1000;

export async function checkWarc(path: string): Promise<CheckedFile> {
  const faults: WarcFault[] = [];
  const counts = { error: 0, warning: 0 };
  const check = createWarcCheck((fault) => {
    counts[fault.severity]++;
    if (faults.length < MAX_FAULTS) faults.push(fault);
  });
  const handle = await open(path, 'r');
  try {
    const checked = await check.file(path, windowedRead(readHandle(handle)));
    check.end();
    return { ...checked, errors: counts.error, warnings: counts.warning, faults };
  } finally {
    await handle.close();
  }
}

/** A longer line is refused. */
const MAX_LINE_CHARS = 64 * 1024 * 1024;

async function* numberedLines(path: string, bytes?: number) {
  let rest = '';
  let number = 0;
  for await (const text of textOf(path, bytes)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield { line: line.replace(/\r$/, ''), number: ++number };
    if (rest.length > MAX_LINE_CHARS)
      throw new SyntaxError(
        `Expected lines of at most ${MAX_LINE_CHARS} characters in ${path}, line ${number + 1}`,
      );
  }
  if (rest !== '') yield { line: rest, number: ++number };
}

async function* textOf(path: string, bytes?: number): AsyncGenerator<string> {
  if (bytes === 0) return;
  const file = createReadStream(path, bytes === undefined ? {} : { end: bytes - 1 });
  const input = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  // An error of the file does not reach the iteration by itself.
  file.on('error', (error) => input.destroy(error));
  try {
    yield* input.setEncoding('utf8') as AsyncIterable<string>;
  } finally {
    file.destroy();
  }
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SyntaxError(`Expected a JSON value in ${where}: ${(cause as Error).message}`, { cause });
  }
}
