/** Files beyond 4 GiB, whose bytes are a hole in a sparse file: other programs read their directory and what follows the hole. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { type ZipEntry, zipDescriptor, zipDirectory, zipHeader } from '../../shared/archive/zip-parts.ts';

const TIME = Date.UTC(2026, 0, 2, 3, 4, 6);
const GIB = 2 ** 30;
const hasPython = spawnSync('python3', ['--version']).status === 0;

let folder: string | undefined;
afterEach(() => {
  if (folder) rmSync(folder, { recursive: true });
  folder = undefined;
});

/** A file of entries of these lengths, of which the first one is a hole, and the others have the letter `x`. */
function write(lengths: readonly number[]): string {
  folder = mkdtempSync(join(tmpdir(), 'zip-'));
  const path = join(folder, 'large.zip');
  const file = openSync(path, 'w');
  let at = 0;
  const put = (bytes: Uint8Array): void => {
    at += writeSync(file, bytes, 0, bytes.length, at);
  };
  const entries: ZipEntry[] = [];
  for (const [i, bytes] of lengths.entries()) {
    const name = `archive/${i}.warc.gz`;
    const content = i === 0 ? undefined : Buffer.alloc(bytes, 'x');
    const entry = { path: name, offset: at, bytes, crc32: content ? crc32(content) : 0 };
    put(zipHeader(name, TIME));
    if (content) put(content);
    else at += bytes;
    put(zipDescriptor(entry));
    entries.push(entry);
  }
  put(zipDirectory(entries, at, TIME));
  return path;
}

const READ = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    print(json.dumps([[i.filename, i.file_size, i.header_offset, list(i.date_time)] for i in z.infolist()]))
    print(json.dumps([z.read(i).decode() for i in z.infolist()[1:]]))
`;

test.runIf(hasPython).each([
  ['an entry that is larger than 4 GiB', 4 * GIB + 5],
  ['an entry of as many bytes as the field has no more room for', 2 ** 32 - 1],
  ['an entry that begins just below the limit', 2 ** 32 - 60],
  ['an entry that begins at the limit', 2 ** 32 - 1 - 30 - 'archive/0.warc.gz'.length - 16],
])('other programs read what follows %s', (_, bytes) => {
  const path = write([bytes, 7, 0, 3]);
  const { stdout, stderr } = spawnSync('python3', ['-c', READ, path], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const [entries, contents] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(entries.map(([name, size]: [string, number]) => [name, size])).toEqual(
    [bytes, 7, 0, 3].map((size, i) => [`archive/${i}.warc.gz`, size]),
  );
  expect(entries[0].slice(2)).toEqual([0, [2026, 1, 2, 3, 4, 6]]);
  expect(contents).toEqual(['x'.repeat(7), '', 'xxx']);
});
