/** Files beyond 4 GiB, whose bytes are a hole in a sparse file: other programs read their directory and what follows the hole. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import {
  type ZipEntry,
  zipDescriptor,
  zipDirectory,
  zipDirectoryLines,
  zipEnd,
  zipHeader,
} from '../../../shared/core/archive/zip-parts.ts';

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

test.runIf(hasPython)('other programs read deflated entries, whose names are UTF-8', () => {
  folder = mkdtempSync(join(tmpdir(), 'zip-'));
  const path = join(folder, 'pages.zip');
  const text = 'Größe '.repeat(1000);
  const files = ['a.md', 'größe/日本.md'].map((name) => ({ name, body: Buffer.from(text + name) }));
  const pieces: Uint8Array[] = [];
  const entries: ZipEntry[] = [];
  const at = () => pieces.reduce((sum, { length }) => sum + length, 0);
  for (const { name, body } of files) {
    const deflated = deflateRawSync(body);
    const entry = { path: name, offset: at(), bytes: body.length, deflatedBytes: deflated.length };
    entries.push({ ...entry, crc32: crc32(body) });
    pieces.push(zipHeader(name, TIME, true), deflated, zipDescriptor(entries.at(-1)!));
  }
  const offset = at();
  const lines = entries.map((entry) => zipDirectoryLines([entry], TIME));
  const size = lines.reduce((sum, { length }) => sum + length, 0);
  pieces.push(...lines, zipEnd({ count: entries.length, size, offset }));
  writeFileSync(path, Buffer.concat(pieces));
  const read = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    print(json.dumps([z.testzip(), [[i.filename, z.read(i).decode()] for i in z.infolist()]]))
`;
  const { stdout, stderr } = spawnSync('python3', ['-c', read, path], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual([null, files.map(({ name, body }) => [name, body.toString()])]);
});
