/** A host whose ledger is opened, changed and committed over many turns, and links and results for it. */
import { expect } from 'vitest';
import { SIZES, type Sizes } from '../../../shared/core/base/sizes.ts';
import { HostLedger } from '../../../shared/core/frontier/ledger.ts';
import { EMPTY_INDEX, type LedgerIndex } from '../../../shared/core/frontier/ledger-index.ts';
import type { Link } from '../../../shared/core/frontier/message.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';

export const HOST = 'example.org';
export const NOW = 1_800_000_000_000;

/** Parts in memory, as a ledger store keeps them. */
function createParts() {
  const parts = new Map<string, Uint8Array>();
  const read = async (name: string, offset = 0, length?: number) => {
    const bytes = parts.get(name);
    if (!bytes) throw new Error(`no part ${name}`);
    return bytes.subarray(offset, length === undefined ? undefined : offset + length);
  };
  return { parts, read };
}

/** A host's ledger over many turns, opened again for each, as a crash or another worker would. */
export function createHost(sizes: Sizes = SIZES) {
  const { parts, read } = createParts();
  let index: LedgerIndex = EMPTY_INDEX;
  let version = 0;
  return {
    parts,
    get index() {
      return index;
    },
    open: () => HostLedger.open(HOST, index, read, sizes),
    async commit(ledger: HostLedger) {
      const commit = await ledger.prepareCommit(String(++version));
      for (const { name, bytes } of commit.parts) {
        expect(parts.has(name), `part ${name} is written once`).toBe(false);
        parts.set(name, bytes);
      }
      // A head is stored as JSON.
      index = JSON.parse(JSON.stringify(commit.index));
      for (const name of commit.obsolete) expect(parts.delete(name), `${name} was there`).toBe(true);
      return commit;
    },
  };
}

export const link = (path: string, depth = 1, via?: string): Link => ({
  url: `https://${HOST}${path}`,
  depth,
  via,
});

export const fetched = (record: UrlRecord): UrlRecord => ({
  ...record,
  state: 'fetched',
  result: {
    fetchedAt: NOW + 5,
    httpStatus: 200,
    contentType: 'text/html',
    digest: Uint8Array.from({ length: 20 }, (_, i) => i * 7),
    location: { file: 'a-00001.warc.gz', offset: 1234, length: 567 },
  },
});
