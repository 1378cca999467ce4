/**
 * Strand compared with other crawlers, on the same generated web in one run: one after the other, again and
 * again, each on one core, the web's server on another. The medians of the rounds count. Absolute figures
 * change from machine to machine, and by the hour; ratios much less.
 *
 *     npm run bench -- peers [NAME...]
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../../shared/core/base/error-message.ts';
import type { BenchOptions } from '../../claims.ts';
import type { Measured } from '../../harness/record.ts';
import { hasTaskset, pinned } from '../../harness/run-measured.ts';
import { withScratch } from '../../harness/scratch.ts';
import { type CrawlCost, crawlMeasured } from '../../harness/strand-run.ts';
import { type OpenWeb, openWeb } from '../../harness/web/open-web.ts';
import { colly } from './colly/peer.ts';
import { crawleeCheerio, crawleeHttp } from './crawlee/peer.ts';
import { install } from './install.ts';
import type { Peer } from './peer.ts';
import { report } from './report.ts';
import { scrapyKeeping, scrapyPlain } from './scrapy/peer.ts';
import { spider } from './spider/peer.ts';
import { strand } from './strand/peer.ts';

const PEERS: readonly Peer[] = [
  strand,
  crawleeHttp,
  crawleeCheerio,
  scrapyPlain,
  scrapyKeeping,
  colly,
  spider,
];
const WEB_CORE = '0';
const CORE = '1';
/** The slowest peer takes half a minute for 5,000 pages. */
const TIMEOUT_MS = 600_000;

export async function measure({
  words,
  hosts,
  pages,
  rounds,
  synthweb,
  https,
}: BenchOptions): Promise<Measured> {
  const left: string[] = [];
  const installed: { readonly peer: Peer; readonly folder: string }[] = [];
  for (const peer of chosen(words)) {
    const result = install(peer);
    if ('missing' in result) left.push(`${peer.name}: left out, as ${result.missing}`);
    else installed.push({ peer, folder: result.folder });
  }
  if (!hasTaskset) left.push('No `taskset` here: nothing was pinned to a core');
  const web = await openWeb({
    hosts,
    pages,
    scheme: https ? 'https' : 'http',
    synthweb,
    before: pinned(WEB_CORE),
  });
  const costs = new Map<Peer, CrawlCost[]>(installed.map(({ peer }) => [peer, []]));
  try {
    for (let round = 1; round <= rounds; round++)
      for (const { peer, folder } of installed) {
        try {
          costs.get(peer)?.push(await runPeer(web, peer, folder));
          console.error(`round ${round} of ${rounds}: ${peer.name}`);
        } catch (error) {
          left.push(`${peer.name}: failed in round ${round}: ${messageOf(error)}`);
        }
      }
  } finally {
    await web.close();
  }
  return report(costs, strand, left);
}

/** Those named, and always Strand, which the others are measured by. */
function chosen(names: readonly string[]): readonly Peer[] {
  for (const name of names)
    if (!PEERS.some((peer) => peer.name === name))
      throw new Error(`Expected one of ${PEERS.map((peer) => peer.name).join(', ')}, got ${name}`);
  return names.length === 0 ? PEERS : PEERS.filter((peer) => peer === strand || names.includes(peer.name));
}

function runPeer(web: OpenWeb, peer: Peer, folder: string): Promise<CrawlCost> {
  return withScratch((scratch) => {
    const { seeds } = web;
    const seedsFile = join(scratch, 'seeds');
    writeFileSync(seedsFile, `${seeds.join('\n')}\n`);
    return crawlMeasured(
      web,
      { ...peer.command({ folder, scratch, seeds, seedsFile }), cores: CORE },
      TIMEOUT_MS,
    );
  });
}
