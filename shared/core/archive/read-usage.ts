/** Reads what a site has stated about the use of an archived page, from the metadata record beside it. */
import type { UsageSignal, UsageStatement } from '../usage/usage-statement.ts';
import type { RecordLocation } from './record-location.ts';
import { metadataBeside } from './records-beside.ts';
import type { ReadAt } from './scan-members.ts';

const LINE = /^usage-preference: (robots\.txt|license|tdmrep\.json|header|html) ([a-z-]{1,40}): (.*?)\r?$/gm;

/** `location`: where the response or revisit is. No statements if nothing is stated, or the record is broken. */
export async function readUsage(
  read: ReadAt,
  url: string,
  location: Pick<RecordLocation, 'offset' | 'length'>,
): Promise<UsageStatement[]> {
  const { block = '' } = (await metadataBeside(read, url, location)) ?? {};
  return Array.from(block.matchAll(LINE), ([, source, signal, value = '']) => ({
    source: source as UsageStatement['source'],
    signal: signal as UsageSignal,
    value,
  }));
}
