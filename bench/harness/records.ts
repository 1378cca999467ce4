/** The records that are kept, a line of JSON each. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { BenchRecord } from './record.ts';

const RECORDS = `${import.meta.dirname}/../records.jsonl`;

export function readRecords(): BenchRecord[] {
  const lines = existsSync(RECORDS) ? readFileSync(RECORDS, 'utf8').split('\n') : [];
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as BenchRecord);
}

/** The last one of the claim. */
export const lastRecord = (claim: string): BenchRecord | undefined =>
  readRecords().findLast((record) => record.claim === claim);

export function addRecord(record: BenchRecord): void {
  appendFileSync(RECORDS, `${JSON.stringify(record)}\n`);
}
