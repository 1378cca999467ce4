import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeCapture } from '../../shared/core/archive/capture.ts';
import { encodeWarcinfo } from '../../shared/core/archive/warcinfo.ts';
import { captureOf, joined, newId, RECORDS, T0 } from '../core/archive/captures.ts';

let folder: string;
let good: string;
let bad: string;
let responseAt: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strand-warc-'));
  const makeFile = async () => {
    const info = await joined(
      encodeWarcinfo({ id: newId(), filename: 'a.warc.gz', date: T0, software: 'test' }),
    );
    const { members } = await encodeCapture(captureOf({ body: Buffer.from('hello') }), RECORDS);
    responseAt = info.length;
    return Buffer.concat([info, ...(await Promise.all(members.map(joined)))]);
  };
  mkdirSync(join(folder, 'good'));
  good = join(folder, 'good', 'a.warc.gz');
  bad = join(folder, 'bad.warc.gz');
  writeFileSync(bad, (await makeFile()).subarray(0, -3));
  writeFileSync(good, await makeFile());
  writeFileSync(join(folder, 'good', 'b.warc.gz.open'), 'still written');
});
afterAll(() => rmSync(folder, { recursive: true }));

const strand = (...args: string[]) =>
  spawnSync(process.execPath, ['cli/bin.js', 'warc', ...args], { encoding: 'utf8' });

test('a good file has one line, and those of a folder that are still written are left out', () => {
  const { stdout, status } = strand('check', join(folder, 'good'));
  expect(stdout).toMatch(
    /a\.warc\.gz: 3 records \(1 request, 1 response, 1 warcinfo\), [\d.]+ k?B, no errors\n$/,
  );
  expect(stdout.split('\n').length).toBe(2);
  expect(status).toBe(0);
});

test('a file with a fault has a line for it, and the command ends with 1', () => {
  const { stdout, status } = strand('check', good, bad);
  expect(stdout).toMatch(/bad\.warc\.gz: 2 records .*, 2 errors\n {2}at \d+: error: /);
  expect(status).toBe(1);
});

test('in JSON there is a line for each file, with its faults', () => {
  const { stdout, status } = strand('check', good, bad, '--json');
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({ file: good, records: { response: 1 }, errors: 0, faults: [] });
  expect(lines[1]).toMatchObject({ file: bad, errors: 2, faults: [{ severity: 'error' }, {}] });
  expect(status).toBe(1);
});

test('a record is written as it is stored, and nothing else', () => {
  const { stdout, status } = strand('cat', good, String(responseAt));
  expect(stdout).toMatch(/^WARC\/1\.1\r\nWARC-Type: response\r\n.*\r\n\r\nHTTP\/1\.1 200 OK\r\n.*hello$/s);
  expect(status).toBe(0);
});

test('a WACZ is not taken for a damaged WARC file', () => {
  const wacz = join(folder, 'crawl.wacz');
  writeFileSync(wacz, 'PK');
  const { stderr, status } = strand('check', wacz);
  expect(stderr).toMatch(/^strand: .*crawl\.wacz is a WACZ: check the WARC files inside it, .*\n$/);
  expect(status).toBe(2);
});

test('a record is not to be had as JSON', () => {
  const { stdout, stderr, status } = strand('cat', good, String(responseAt), '--json');
  expect([stdout, status]).toEqual(['', 2]);
  expect(stderr).toMatch(/^strand: warc takes --json only with check/);
});

test('an offset without a record, and a file that cannot be read, are reported in one line', () => {
  const none = strand('cat', good, '5');
  expect(none.stdout).toBe('');
  expect(none.stderr).toMatch(/^strand: No record begins at 5 of .*a\.warc\.gz: .*\n$/);
  expect(none.status).toBe(2);
  expect(strand('check', join(folder, 'none')).stderr).toMatch(/^strand: .*none cannot be read: ENOENT/);
});
