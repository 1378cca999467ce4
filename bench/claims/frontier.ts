/**
 * Bytes of a known URL and of a host, by the number of URLs that are known of a host, as the real worker leaves them after
 * it has fetched a tenth: in the tables of a stack, and in a folder. From these figures docs/broad-crawl.md computes
 * what a crawl of ten million hosts needs.
 *
 *     npm run bench -- frontier
 */
import type { BenchOptions } from '../claims.ts';
import type { Measured } from '../harness/record.ts';
import { crawlHosts, type KnownHosts } from './frontier/known-hosts.ts';
import { bytesInFolder, bytesOnStack } from './frontier/stored-bytes.ts';
import { createLargeHost } from './ledger/large-host.ts';

/** Hosts, and URLs known of each. */
const SIZES = [
  [200, 10],
  [200, 100],
  [40, 1000],
] as const;
const LARGE = 100_000;

export async function measure(_: BenchOptions): Promise<Measured> {
  const rows: string[] = [];
  const figures: Record<string, { readonly value: number; readonly unit: string }> = {};
  for (const [count, urls] of SIZES) {
    const hosts = await crawlHosts(count, urls);
    const known = knownUrls(hosts);
    const stack = await bytesOnStack(hosts);
    const folder = await bytesInFolder(hosts);
    const { head, domainHead } = headBytes(hosts);
    figures[`stackBytesPerUrl${urls}`] = {
      value: (stack.tables + stack.objects) / known,
      unit: `bytes a known URL on a stack, ${urls} a host`,
    };
    figures[`folderBytesPerUrl${urls}`] = { value: folder / known, unit: `in a folder, ${urls} a host` };
    rows.push(
      `${urls} URLs a host (${(known / count).toFixed(0)} known): a host ${bytes(stack.tables / count)} in tables, ${bytes(stack.objects / count)} in objects, ` +
        `${bytes(folder / count)} in a folder; its head ${bytes(head)}, that of its domain ${bytes(domainHead)}`,
    );
  }
  const large = createLargeHost();
  await large.grow(LARGE);
  figures.partBytesPerUrlLarge = { value: large.bytes() / LARGE, unit: `in parts, ${LARGE} a host` };
  return { figures, detail: rows.join('\n') };
}

const bytes = (count: number): string => `${Math.round(count)} B`;

/** URLs in all ledgers. */
function knownUrls({ heads }: KnownHosts): number {
  let known = 0;
  for (const text of heads.values())
    for (const count of Object.values(JSON.parse(text).ledger.counts as Record<string, number>))
      known += count;
  return known;
}

/** The means of the JSON of heads of hosts and of domains. */
function headBytes({ heads }: KnownHosts) {
  const mean = (all: readonly string[]) => all.reduce((sum, text) => sum + text.length, 0) / all.length;
  const [domains, hosts] = [true, false].map((isDomain) =>
    [...heads].flatMap(([host, text]) => (host.startsWith('@') === isDomain ? [text] : [])),
  ) as [string[], string[]];
  return { head: mean(hosts), domainHead: mean(domains) };
}
