/**
 * Where the bytes of WARC files stand that were joined into larger ones. Ledgers name records by the file
 * that they were written to, forever; a joined file holds its sources whole, so one base offset for each
 * source finds them all.
 */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import QuickLRU from 'quick-lru';
import { type JoinedSource, placeInJoined } from '../../../core/archive/joined-source.ts';
import type { RecordLocation } from '../../../core/archive/record-location.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { JOINED_PREFIX } from '../state/tables.ts';
import { getItems, putItems } from '../table/batch.ts';
import { type Item, itemKey, N, S } from '../table/item.ts';
import { queryItems } from '../table/query.ts';
import type { Table } from '../table/table.ts';
import type { JoinPlan } from './compact-layout.ts';

/** Announces a joined file, which is there with its index. Safe to repeat; each source counts for itself. */
export async function announceJoined(
  table: Table,
  crawl: CrawlId,
  { file, sources }: JoinPlan,
): Promise<void> {
  const items = sources.map((source) => ({
    ...itemKey(crawl, JOINED_PREFIX + source.file),
    file: S(file),
    offset: N(source.offset),
    bytes: N(source.bytes),
  }));
  await putItems(table, items);
}

/** All files of the crawl that were joined, by their names. */
export async function allJoinedSources(table: Table, crawl: CrawlId): Promise<Map<string, JoinedSource>> {
  const sources = new Map<string, JoinedSource>();
  const items = queryItems(table, { partition: crawl, prefix: JOINED_PREFIX });
  for await (const item of items) sources.set(...sourceIn(item));
  return sources;
}

/** The joined ones among the files, by name. */
export async function joinedSources(
  table: Table,
  crawl: CrawlId,
  files: readonly string[],
): Promise<Map<string, JoinedSource>> {
  const keys = [...new Set(files)].map((file) => itemKey(crawl, JOINED_PREFIX + file));
  const items = await getItems(table, keys);
  return new Map(items.map(sourceIn));
}

const sourceIn = ({ sk, file, offset, bytes }: Item): [file: string, source: JoinedSource] => [
  (sk?.S ?? '').slice(JOINED_PREFIX.length),
  { file: file?.S as string, offset: Number(offset?.N), bytes: Number(bytes?.N) },
];

/**
 * Returns the present locations of records. A location in a file that is not joined stays, until the file is joined: a
 * reader that does not find the object calls once more. Joined ones are remembered, some thousand files at most.
 */
export interface JoinedResolver {
  resolve(location: RecordLocation): Promise<RecordLocation>;
  /** As above, for many locations, in order; a file is requested once. */
  resolveAll(locations: readonly RecordLocation[]): Promise<RecordLocation[]>;
}

const MAX_REMEMBERED = 10_000;

export function joinedResolver(table: Table, crawl: CrawlId): JoinedResolver {
  const remembered = new QuickLRU<string, JoinedSource>({ maxSize: MAX_REMEMBERED });

  async function resolveAll(locations: readonly RecordLocation[]): Promise<RecordLocation[]> {
    const files = new Set(locations.map(({ file }) => file));
    const unknown = [...files].filter((file) => !remembered.has(file));
    const found = await joinedSources(table, crawl, unknown);
    const resolved = locations.map((location) => {
      const source = remembered.get(location.file) ?? found.get(location.file);
      return source ? placeInJoined(location, source) : location;
    });
    for (const [file, source] of found) remembered.set(file, source);
    return resolved;
  }

  return {
    resolveAll,
    async resolve(location) {
      return (await resolveAll([location]))[0] as RecordLocation;
    },
  };
}

/** By the client that requests, so that tables of the same name elsewhere are not mixed up. */
const resolvers = new WeakMap<DynamoDBClient, QuickLRU<string, JoinedResolver>>();
const MAX_RESOLVERS = 100;

/** {@link JoinedResolver.resolve}, with what earlier calls found. */
export function resolveLocation(
  table: Table,
  crawl: CrawlId,
  location: RecordLocation,
): Promise<RecordLocation> {
  const ofClient =
    resolvers.get(table.dynamo) ?? new QuickLRU<string, JoinedResolver>({ maxSize: MAX_RESOLVERS });
  resolvers.set(table.dynamo, ofClient);
  const key = `${table.table} ${crawl}`;
  const resolver = ofClient.get(key) ?? joinedResolver(table, crawl);
  ofClient.set(key, resolver);
  return resolver.resolve(location);
}
