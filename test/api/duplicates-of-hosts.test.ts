import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findDuplicates } from '../../api/exports/find-duplicates.ts';
import { REVISIT } from '../../shared/core/archive/payload-reader.ts';
import { type Head, NEW_HEAD } from '../../shared/core/frontier/head.ts';
import { HostLedger } from '../../shared/core/frontier/ledger.ts';
import type { ExportSource } from '../../shared/services/exports/export-source.ts';

const folder = mkdtempSync(join(tmpdir(), 'strand-hosts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HOSTS = ['a.test', 'b.test', 'c.test'];
const digestOf = (offset: number) => `sha1:${offset}`;

/** A crawl with a page on each host, all of them revisits. `passes`: how often the archive's index was read. */
async function revisitedCrawl() {
  const parts = new Map<string, Uint8Array>();
  const hosts: { host: string; head: Head }[] = [];
  for (const [offset, host] of HOSTS.entries()) {
    const ledger = await HostLedger.open(host, NEW_HEAD.ledger, async () => new Uint8Array());
    ledger.merge({ url: `https://${host}/`, depth: 0, isSeed: true }, 0);
    const taken = (await ledger.next(1))!;
    const location = { file: 'new.warc.gz', offset, length: 1 };
    const result = { fetchedAt: 1, httpStatus: 200, contentType: 'text/html', location };
    ledger.settle({ ...taken, state: 'fetched', result });
    const commit = await ledger.prepareCommit('1');
    for (const { name, bytes } of commit.parts) parts.set(`${host} ${name}`, bytes);
    hosts.push({ host, head: { ...NEW_HEAD, version: 1, ledger: commit.index } });
  }
  const seen = { passes: 0 };
  const source = {
    crawl: 'c',
    rows: {
      ledgers: {
        async *hosts() {
          yield* hosts;
        },
        readPart: async (_crawl: string, host: string, name: string) => parts.get(`${host} ${name}`),
      },
    },
    payloads: {
      readResponse: async ({ file, offset }: { file: string; offset: number }) => ({
        httpStatus: 200,
        headers: [['Content-Type', 'text/html']],
        body: Buffer.from(`<main><p>Page ${offset}</p></main>`),
        isCut: false,
        ...(file === 'new.warc.gz' && { revisit: { digest: digestOf(offset), hasHead: true } }),
      }),
      async *captures() {
        seen.passes++;
        for (const offset of HOSTS.keys()) {
          const place = { offset, length: 1, digest: digestOf(offset) };
          yield { ...place, file: 'new.warc.gz', mime: REVISIT };
          yield { ...place, file: 'old.warc.gz' };
        }
      },
    },
  } as unknown as ExportSource;
  return { source, seen };
}

test('the index of the archive is read for all hosts together', async () => {
  const { source, seen } = await revisitedCrawl();
  const skipped: string[] = [];
  let read = 0;
  await findDuplicates(source, join(folder, 'sketches.sqlite'), {
    skip: (url) => skipped.push(url),
    onRead: () => read++,
  });
  expect(skipped).toEqual([]);
  expect(read).toBe(HOSTS.length);
  expect(seen.passes).toBe(2);
});
