import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Column, Row } from '../../../shared/services/outputs/parquet/table.ts';
import { createTableBytes } from '../../../shared/services/outputs/parquet/table-writer.ts';

let folder: string;
let duck: DuckDBConnection;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strand-table-'));
  duck = await (await DuckDBInstance.create(':memory:')).connect();
});
afterAll(() => {
  duck.closeSync();
  rmSync(folder, { recursive: true, force: true });
});

async function tableOf(columns: readonly Column[], rows: readonly Row[]) {
  const table = createTableBytes(columns);
  for (const row of rows) await table.add(row);
  const path = join(folder, 'table.parquet');
  writeFileSync(path, await table.finish());
  return async (what: string) =>
    (await duck.runAndReadAll(`SELECT ${what} FROM '${path}'`)).getRowsJS() as unknown[][];
}

const COLUMNS: readonly Column[] = [
  { name: 'url', type: 'string', isRequired: true, isDistinct: true },
  { name: 'digest', type: 'string', isDistinct: true },
  { name: 'at', type: 'timestamp' },
];

test.each([
  ['ASCII', ['a', '', 'bc', undefined, 'd']],
  ['other letters', ['é', 'a', undefined, '日本', '', '\u{1d11e}']],
  ['halves of a pair, which no two values make whole', ['a\ud834', '\udd1eb', undefined]],
  ['nothing', [undefined, undefined]],
])('distinct values are read as they were written: %s', async (_, digests) => {
  const read = await tableOf(
    COLUMNS,
    digests.map((digest, i) => ({ url: `u${i}`, digest })),
  );
  expect(await read('url, digest')).toEqual(
    digests.map((digest, i) => [`u${i}`, digest?.toWellFormed() ?? null]),
  );
});

test('times are read as they were written, and readers may skip groups by them', async () => {
  const times = [new Date('2026-01-02T03:04:05.678Z'), undefined, new Date('1969-12-31T23:59:59.999Z')];
  const read = await tableOf(
    COLUMNS,
    times.map((at, i) => ({ url: `u${i}`, at })),
  );
  expect(await read('epoch_ms("at")')).toEqual(times.map((at) => [at ? BigInt(at.getTime()) : null]));
  const bounds = await duck.runAndReadAll(
    `SELECT stats_min_value, stats_max_value FROM parquet_metadata('${join(folder, 'table.parquet')}') WHERE path_in_schema = 'at'`,
  );
  expect(bounds.getRowsJS()[0]?.map((bound) => String(bound).slice(0, 10))).toEqual([
    '1969-12-31',
    '2026-01-02',
  ]);
});

test('a row without a value that it must have is refused', async () => {
  await expect(tableOf(COLUMNS, [{ digest: 'a' }])).rejects.toThrow('parquet expected Uint8Array value');
});
