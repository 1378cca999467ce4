/** The bytes that hosts take in the tables of a stack and in the database of a folder, stored by the engines themselves. */
import { readdirSync, statSync } from 'node:fs';
import { type Head, parseHead } from '../../../shared/core/frontier/head.ts';
import type { LedgerStore } from '../../../shared/crawler/ports/ledger-store.ts';
import { beginCrawl } from '../../../shared/engines/local/session/session.ts';
import { planCrawl } from '../../../shared/services/begin/plan-crawl.ts';
import { createSimCloud } from '../../../simulation/models/cloud.ts';
import { itemBytes } from '../../../simulation/models/dynamo-values.ts';
import { openSimEngine } from '../../../simulation/models/engine.ts';
import { drive } from '../../../simulation/models/virtual-time.ts';
import { withScratch } from '../../harness/scratch.ts';
import type { KnownHosts } from './known-hosts.ts';

export interface StackBytes {
  /** The items of both tables, with the 100 bytes that DynamoDB bills for each besides. */
  readonly tables: number;
  /** Objects of S3. */
  readonly objects: number;
}

/** DynamoDB developer guide, "Item sizes": billed for each item's place in the index. */
const ITEM_OVERHEAD = 100;
const CRAWL = 'crawl';

export async function bytesOnStack(hosts: KnownHosts): Promise<StackBytes> {
  const cloud = createSimCloud({ seed: 1, latency: () => 0 });
  const engine = openSimEngine(cloud, cloud.begin('bench'));
  await drive(cloud.time, store(engine.ledgers, CRAWL, hosts));
  const { dynamo, s3, settings } = cloud;
  let tables = 0;
  for (const table of [settings.crawlState, settings.urlSeen])
    for (const item of dynamo.items(table)) tables += itemBytes(item) + ITEM_OVERHEAD;
  let objects = 0;
  for (const { bytes } of s3.objects(settings.bucket).values()) objects += bytes.length;
  return { tables, objects };
}

/** The size of the folder of a crawl that has archived nothing. */
export function bytesInFolder(hosts: KnownHosts): Promise<number> {
  return withScratch(async (folder) => {
    const options = { scope: 'any' as const, contact: 'bench@example.org' };
    const session = await beginCrawl(folder, planCrawl({ seeds: ['https://www.shop-of-0.test/'], options }), {
      software: 'bench',
    });
    await store(session.engine.ledgers, session.id, hosts);
    await session.close();
    return sizeOf(folder);
  });
}

async function store(ledgers: LedgerStore, crawl: string, { heads, parts }: KnownHosts): Promise<void> {
  for (const [host, text] of heads) {
    for (const [name, bytes] of parts.get(host) ?? []) await ledgers.putPart(crawl, host, name, bytes);
    const head: Head = { ...parseHead(text), version: 1 };
    await ledgers.commit(crawl, host, head);
  }
}

function sizeOf(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += statSync(`${entry.parentPath}/${entry.name}`).size;
  return bytes;
}
