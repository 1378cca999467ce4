/** The outcomes of the URLs of a run, in a few bytes each: loaded at the first query, because many follow. */

import { fingerprint } from '../url/fingerprint.ts';
import type { HostKey } from '../url/host-key.ts';
import { type BlockHeader, blockPayload, listBlocks } from './block-list.ts';
import { type KeyRun, placeOfKey } from './key-run.ts';
import { decodeRecords } from './record-block.ts';
import { URL_STATES, type UrlState } from './url-record.ts';

/** The outcome of a URL that a ledger knows without reading the whole record. */
export interface UrlOutcome {
  readonly state: UrlState;
  /** Whether it is a page that counts as a copy of `url`. */
  isDuplicateOf(url: string): boolean;
}

/** By the index of a URL's key in the run. */
export type RunOutcomes = (place: number) => UrlOutcome;

export const WAITING: UrlOutcome = { state: 'waiting', isDuplicateOf: () => false };

/**
 * `lists`: those of all URLs that do not wait; of several records of a URL the first counts, as in runs. (One that
 * was taken to be fetched again is in newer records.)
 */
export function readOutcomes(host: HostKey, keys: KeyRun, lists: readonly Uint8Array[]): RunOutcomes {
  const states = new Uint8Array(keys.count);
  const originals = new Uint32Array(2 * keys.count);
  const key = new Uint32Array(2);
  for (const list of lists) for (const header of listBlocks(list)) readBlock(list, header);

  function readBlock(list: Uint8Array, header: BlockHeader): void {
    for (const { url, state, result } of decodeRecords(host, blockPayload(list, header))) {
      fingerprint(url, key, 0);
      const place = placeOfKey(keys, key[0] as number, key[1] as number);
      if (place < 0 || states[place] !== 0) continue;
      states[place] = URL_STATES.indexOf(state);
      if (result?.duplicateOf !== undefined) fingerprint(result.duplicateOf, originals, 2 * place);
    }
  }

  return (place) => {
    const state = URL_STATES[states[place] as number];
    if (state === undefined || state === 'waiting') return WAITING;
    return {
      state,
      isDuplicateOf(url) {
        fingerprint(url, key, 0);
        return key[0] === originals[2 * place] && key[1] === originals[2 * place + 1];
      },
    };
  };
}
