/** A host of which as many URLs are known as one likes, its parts in memory. */
import { HostLedger } from '../../../shared/core/frontier/ledger.ts';
import { EMPTY_INDEX, type LedgerIndex } from '../../../shared/core/frontier/ledger-index.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { hostKey } from '../../../shared/core/url/host-key.ts';

export const NOW = 1_800_000_000_000;
const HOST = 'www.example.org';
const LINKS_PER_COMMIT = 5000;
const WORDS = 'alpha beta gamma delta news review price garden water stone light paper house river'.split(
  ' ',
);
const word = (n: number) => WORDS[n % WORDS.length];

export interface LargeHost {
  /** The n-th of the host's URLs: sections, words and a number, as shops and newspapers have them. */
  urlOf(n: number): string;
  open(): Promise<HostLedger>;
  commit(ledger: HostLedger): Promise<void>;
  /** Merges the first `count` URLs. */
  grow(urls: number): Promise<void>;
  /** The size of all parts, or of those whose name has this suffix. */
  bytes(suffix?: string): number;
  indexBytes(): number;
  runs(): number;
}

export function createLargeHost(): LargeHost {
  const parts = new Map<string, Uint8Array>();
  const read = async (name: string, offset = 0, length?: number) =>
    (parts.get(name) as Uint8Array).slice(offset, length === undefined ? undefined : offset + length);
  let index: LedgerIndex = EMPTY_INDEX;
  let version = 0;

  const urlOf = (n: number) =>
    `https://${HOST}/${word(n)}/${2010 + (n % 15)}/${word(n * 7)}-${word(n * 31)}-${word(n >> 3)}-${n}.html`;

  async function commit(ledger: HostLedger): Promise<void> {
    const { parts: written, index: next, obsolete } = await ledger.prepareCommit(String(++version));
    for (const { name, bytes } of written) parts.set(name, bytes);
    for (const name of obsolete) parts.delete(name);
    index = next;
  }

  return {
    urlOf,
    open: () => HostLedger.open(HOST, index, read),
    commit,
    async grow(urls) {
      const ledger = await HostLedger.open(HOST, index, read);
      for (let n = 0; n < urls; ) {
        for (const end = Math.min(urls, n + LINKS_PER_COMMIT); n < end; n++)
          ledger.merge({ url: urlOf(n), depth: 2 + (n % 3), via: urlOf(n >> 4) }, NOW);
        await commit(ledger);
      }
    },
    bytes: (suffix = '') =>
      [...parts].filter(([name]) => name.endsWith(suffix)).reduce((sum, [, part]) => sum + part.length, 0),
    indexBytes: () => JSON.stringify(index).length,
    runs: () => index.runs.length,
  };
}

/** A record as a link makes it. */
export function waiting(url: string, i: number): UrlRecord {
  const via = `https://${hostKey(url)}/section/page-${Math.floor(i / 15)}.html`;
  return {
    url,
    state: 'waiting',
    depth: 3,
    level: i % 9 === 0 ? 1 : 0,
    via,
    seenAt: NOW + Math.floor(i / 15) * 1000,
    redirects: 0,
    attempts: 0,
    dueAt: 0,
  };
}
