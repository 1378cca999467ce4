/** What a URL is to be fetched as, against a Map that knows all, over turns, runs and crashes. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EMPTY_INDEX, HostLedger, type LedgerIndex } from '../../shared/frontier/ledger.ts';
import type { Link } from '../../shared/frontier/message.ts';
import type { UrlKind } from '../../shared/frontier/url-record.ts';

const HOST = 'example.org';
const NOW = 1_800_000_000_000;
const url = (n: number) => `https://${HOST}/${n}`;

interface Step {
  readonly op: 'merge' | 'fetch' | 'retry' | 'race' | 'commit' | 'fill';
  readonly n: number;
  readonly kind?: UrlKind;
  readonly depth: number;
}

const steps = fc.array(
  fc.record<Step>({
    op: fc.constantFrom('merge', 'merge', 'merge', 'fetch', 'retry', 'race', 'commit', 'fill'),
    n: fc.nat(5),
    kind: fc.constantFrom(undefined, 'requisite', 'requisite', 'sitemap'),
    depth: fc.nat(4),
  }),
  { maxLength: 40 },
);

test('a URL is fetched once, and as a page if a page led to it while it was at hand or by a lesser depth', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const parts = new Map<string, Uint8Array>();
      const read = async (name: string, offset = 0, length?: number) =>
        parts.get(name)!.subarray(offset, length === undefined ? undefined : offset + length);
      let index: LedgerIndex = EMPTY_INDEX;
      let version = 0;
      let filled = 0;
      let ledger = await HostLedger.open(HOST, index, read);
      /** Least depth; whether a page link came while its record was at hand, or rose by it. */
      const model = new Map<string, { depth: number; isPage: boolean; isInRun: boolean; isDone: boolean }>();
      const merge = ({ n, kind, depth }: Step) => {
        const link: Link = { url: url(n), depth, kind, via: `https://${HOST}/via${n}` };
        const known = model.get(link.url);
        expect(ledger.has(link.url)).toBe(known !== undefined);
        expect(ledger.merge(link, NOW)).toBe(known === undefined);
        if (known === undefined)
          model.set(link.url, { depth, isPage: kind === undefined, isInRun: false, isDone: false });
        else if (!known.isDone && !(known.isInRun && kind !== undefined)) {
          const rises = depth < known.depth;
          if (kind === undefined && (!known.isInRun || rises)) {
            known.isPage = true;
            known.isInRun = false;
          }
          known.depth = Math.min(known.depth, depth);
        }
      };
      for (const step of given) {
        if (step.op === 'merge') merge(step);
        else if (step.op === 'fill') {
          for (let i = 0; i < 4100; i++) ledger.merge({ url: url(1000 + filled++), depth: 9 }, NOW);
        } else if (step.op === 'commit') {
          const commit = await ledger.prepareCommit(String(++version));
          for (const part of commit.parts) parts.set(part.name, part.bytes);
          for (const name of commit.obsolete) parts.delete(name);
          if (commit.parts.some(({ name }) => name.startsWith('r')))
            for (const known of model.values()) known.isInRun = true;
          index = JSON.parse(JSON.stringify(commit.index));
          ledger = await HostLedger.open(HOST, index, read);
        } else {
          const record = await ledger.next(NOW);
          if (record === undefined) continue;
          const known = model.get(record.url);
          if (known) {
            expect(known.isDone).toBe(false);
            if (known.isPage) expect(record.kind, record.url).toBeUndefined();
            expect(record.depth).toBe(known.depth);
            known.isInRun = false;
            if (step.op === 'race') {
              // A page of another lane links to it meanwhile.
              const n = Number(record.url.slice(url(0).length - 1));
              merge({ op: 'merge', n, depth: record.depth });
            }
            known.isDone = step.op === 'fetch';
          }
          ledger.settle(step.op === 'fetch' ? { ...record, state: 'fetched' } : { ...record, attempts: 1 });
        }
      }
      const left = [...model.values()].filter(({ isDone }) => !isDone);
      const waiting = [];
      for (let r = await ledger.next(NOW); r; r = await ledger.next(NOW)) {
        if (model.has(r.url)) waiting.push(r.url);
        ledger.settle({ ...r, state: 'fetched' });
      }
      expect(new Set(waiting).size).toBe(waiting.length);
      expect(waiting.length).toBe(left.length);
    }),
    { numRuns: 60 },
  );
}, 60_000);
