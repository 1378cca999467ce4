/**
 * Reads the facts out of the simulated services directly: no call, no virtual time, nothing of the engine
 * above them.
 */
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { parseConfig } from '../../shared/core/crawl/config.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import { isDomain, openedHosts } from '../../shared/core/frontier/domain-state.ts';
import type { Head } from '../../shared/core/frontier/head.ts';
import type { UrlChange } from '../../shared/core/frontier/url-change.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import type { HostKey } from '../../shared/core/url/host-key.ts';
import type { CrawlRecord } from '../../shared/crawler/ports/crawl-registry.ts';
import type { LedgerStore } from '../../shared/crawler/ports/ledger-store.ts';
import { openLedger } from '../../shared/crawler/turn/open-ledger.ts';
import { warcFolder } from '../../shared/engines/aws/archive/archives.ts';
import {
  changesPrefix,
  itemsPrefix,
  stagedChangesPrefix,
  stagedItemsPrefix,
} from '../../shared/engines/aws/archive/item-folders.ts';
import { itemTablesPrefix, tablesPrefix } from '../../shared/engines/aws/archive/table-folders.ts';
import { parseLinkText } from '../../shared/engines/aws/queues/link-message.ts';
import { parseMessageText } from '../../shared/engines/aws/queues/message-text.ts';
import { timesOf } from '../../shared/engines/aws/settings.ts';
import {
  ASIDE_PREFIX,
  CRAWL,
  DELETED,
  HEAD,
  hostOf,
  hostPartition,
  hostPrefix,
  JOINED_PREFIX,
  partObject,
  statePartition,
  TOTALS_PREFIX,
  UNJOINED,
} from '../../shared/engines/aws/state/tables.ts';
import type { Item } from '../../shared/engines/aws/table/item.ts';
import { hostQueues, type SimCloud } from '../models/cloud.ts';
import { DELETED_CRAWL } from '../worlds/deletion.ts';
import { asPresent } from '../worlds/newer-version.ts';
import type { SimItem } from '../worlds/sim-hooks.ts';
import type { CrawlPlan, WebRequest, World } from '../worlds/spec.ts';
import { headIn } from '../worlds/stored-items.ts';
import type {
  CrawlFacts,
  DeletionFacts,
  DomainFacts,
  Facts,
  HostFacts,
  JoinedFacts,
  MessageFacts,
} from './facts.ts';
import type { History } from './history-probe.ts';
import { shownPages } from './rendered.ts';

export async function gatherFacts(world: World): Promise<Facts> {
  const { cloud } = world;
  const { settings } = cloud;
  const tables = readTables(cloud);
  const { dynamo, s3 } = cloud;
  const parts = new Map<string, Item>();
  for (const item of dynamo.items(settings.urlSeen)) parts.set(`${item.pk?.S}\n${item.sk?.S}`, item);
  const objects = s3.objects(settings.bucket);
  const readPart = partReader(parts, objects);
  const stored = storedParts(world);
  const crawls = await Promise.all(
    world.crawls.map((plan) => crawlFacts(plan, { ...tables, objects, readPart, stored }, world.history)),
  );
  return {
    now: cloud.time.now(),
    hasEnded: world.hasEnded,
    web: webFacts(world, shownPages(world.rounds, crawls)),
    crawls,
    rounds: world.rounds,
    crawlCount: world.crawls.length + (world.deletion ? 1 : 0) + (world.crowd?.running ?? 0),
    crowd: world.crowd,
    members: world.members,
    deletion: deletionFacts(world),
    strikes: cloud.faults.counts,
    invocations: world.invocations,
    strayedStarts: world.strayedStarts,
    turnQueues: settings.turnQueueUrls.length,
    failures: world.failures,
    events: world.events,
    finishes: world.finishes,
    pageChanges: world.pageChanges,
    refusedHosts: world.refusedHosts,
    messages: queuedMessages(cloud),
    misfits: world.misfits,
    deadLetters: deadLettersIn(world),
    seen: world.seen,
    leaseMs: timesOf(settings).leaseMs,
    hostsPerWorker: settings.hostsPerWorker,
    hasCompactor: world.hasCompactor,
    hasLinkShards: settings.linkShardUrls.length > 0,
  };
}

function webFacts(world: World, isShown: (url: string) => boolean): Facts['web'] {
  const { web } = world;
  const links = new Map<string, readonly string[]>();
  return {
    log: web.log.filter((request) => !isOfDeleted(world, request)),
    memberHosts: web.memberHosts,
    // Asked for by several invariants, and made again each time.
    linksOf(url) {
      const known = links.get(url) ?? web.linksOf(url);
      links.set(url, known);
      return known;
    },
    isShown: (url) => !web.isScripted(url) || isShown(url),
    parts: web.parts,
    isScripted: (url) => web.isScripted(url),
    partsOf: (url) => web.partsOf(url),
    requisitesOf: (url) => web.requisitesOf(url),
    canonicalOf: (url) => web.canonicalOf(url),
    redirectOf: (url) => web.redirectOf(url),
    requestsOf: (url) => world.requestsOf(url),
    isChange: (url) => web.isChange(url),
    isDated: (url) => web.isDated(url),
    isAlternateFeed: (url) => web.isAlternateFeed(url),
    isIndex: (url) => web.isIndex(url),
    priorityIn: (sitemap, url) => web.priorityIn(sitemap, url),
    modifiedIn: (sitemap, url) => web.modifiedIn(sitemap, url),
    sitemapsNamedIn: (url) => web.sitemapsNamedIn(url),
    isTrap: (url) => web.isTrap(url),
    isMissing: (url) => web.isMissing(url),
    harmOf: (url) => web.harmOf(url),
    allows: (url, version) => web.allows(url, version),
    forbidsUse: (url, version) => web.forbidsUse(url, version),
    reservesUse: (url) => web.reservesUse(url),
    crawlDelayMs: (host, version) => web.crawlDelayMs(host, version),
  };
}

/** Without late seeds of a deleted crawl, which are to be refused. */
const deadLettersIn = ({ cloud, deletion }: World): Facts['deadLetters'] =>
  [...new Set([cloud.turnDeadLetterUrl, cloud.settings.linkDeadLetterUrl])].flatMap((queue) =>
    Array.from(cloud.sqs.messages(queue), ({ body }) => ({ queue, body })).filter(
      ({ body }) => !(deletion?.isDone() && body.startsWith(`{"crawl":"${DELETED_CRAWL}"`)),
    ),
  );

const isOfDeleted = ({ deletion }: World, { contact }: WebRequest): boolean =>
  contact !== undefined && contact === deletion?.crawl.config.contact;

function deletionFacts(world: World): DeletionFacts | undefined {
  const { cloud, web, deletion, history } = world;
  if (!deletion) return undefined;
  const { settings, dynamo, s3 } = cloud;
  const { archive, crawl } = deletion;
  const isOf = (key = '') =>
    key === crawl.id ||
    key.startsWith(`${crawl.id} `) ||
    key.endsWith(` ${crawl.id}`) ||
    key.includes(` ${crawl.id} `) ||
    key.includes(`/${crawl.id}/`) ||
    key.includes(`/crawl=${crawl.id}/`);
  const isKept = (key: string) => !archive && /^(warc|index|items|item-tables)\//.test(key);
  const items = [settings.crawlState, settings.urlSeen].flatMap((table) =>
    Array.from(dynamo.items(table)).flatMap(({ pk, sk }) =>
      (isOf(pk?.S) || isOf(sk?.S)) && pk?.S !== DELETED ? `${pk?.S} ${sk?.S}` : [],
    ),
  );
  const uploads = Array.from(s3.uploads(settings.bucket).values(), ({ key }) => key);
  const objects = [...s3.objects(settings.bucket).keys(), ...uploads];
  return {
    id: crawl.id,
    config: parseConfig(crawl.config),
    stoppedAt: history.statuses.get(crawl.id)?.find(({ code }) => code === 'deleting')?.at,
    isDone: deletion.isDone(),
    heads: new Map(
      [...history.heads].flatMap(([partition, heads]) =>
        partition.startsWith(hostPrefix(crawl.id)) ? [[hostOf(partition), heads] as const] : [],
      ),
    ),
    requests: web.log.filter((request) => isOfDeleted(world, request)),
    left: [...items, ...objects.filter((key) => isOf(key) && !isKept(key))],
  };
}

interface Tables {
  /** By crawl: its own items, and its hosts' heads. */
  readonly own: ReadonlyMap<CrawlId, readonly Item[]>;
  readonly heads: ReadonlyMap<CrawlId, ReadonlyMap<HostKey, Head>>;
}

function readTables({ dynamo, settings }: SimCloud): Tables {
  const own = new Map<CrawlId, Item[]>();
  const heads = new Map<CrawlId, Map<HostKey, Head>>();
  for (const item of dynamo.items(settings.crawlState)) {
    const partition = item.pk?.S ?? '';
    const blank = partition.indexOf(' ');
    const crawl = blank < 0 ? partition : partition.slice(0, blank);
    if (item.sk?.S === HEAD && blank >= 0) {
      const ofCrawl = heads.get(crawl) ?? new Map<HostKey, Head>();
      heads.set(crawl, ofCrawl.set(hostOf(partition), headIn(item)));
    } else {
      const items = own.get(crawl);
      if (items) items.push(item);
      else own.set(crawl, [item]);
    }
  }
  return { own, heads };
}

/** By the host's partition. */
interface StoredParts {
  readonly rows: ReadonlyMap<string, readonly string[]>;
  readonly objects: ReadonlyMap<string, readonly string[]>;
  readonly uploads: readonly string[];
}

function storedParts({ cloud: { dynamo, s3, settings }, history }: World): StoredParts {
  const rows = new Map<string, string[]>();
  const objects = new Map<string, string[]>();
  const keys = [...s3.objects(settings.bucket).keys()].filter((key) => key.startsWith('parts/'));
  for (const { pk, sk } of dynamo.items(settings.urlSeen)) {
    const partition = pk?.S ?? '';
    const names = rows.get(partition) ?? [];
    rows.set(partition, names);
    names.push(sk?.S ?? '');
  }
  for (const partition of keys.length > 0 ? history.heads.keys() : []) {
    const blank = partition.indexOf(' ');
    const prefix = partObject(partition.slice(0, blank), hostOf(partition), '');
    objects.set(
      partition,
      keys.flatMap((key) => (key.startsWith(prefix) ? key.slice(prefix.length) : [])),
    );
  }
  return { rows, objects, uploads: Array.from(s3.uploads(settings.bucket).values(), ({ key }) => key) };
}

type Objects = ReadonlyMap<string, { readonly bytes: Uint8Array }>;
type ReadPart = LedgerStore['readPart'];

function partReader(parts: ReadonlyMap<string, Item>, objects: Objects): ReadPart {
  return async (...[crawl, host, name, offset = 0, length]) => {
    const row = parts.get(`${hostPartition(crawl, host)}\n${name}`);
    if (!row) throw new Error(`the head names the part ${name}, which is not there`);
    const bytes = row.bytes?.B ?? objects.get(row.object?.S ?? '')?.bytes;
    if (!bytes) throw new Error(`the part ${name} stands in the object ${row.object?.S}, which is not there`);
    const read = bytes.subarray(offset, length === undefined ? undefined : offset + length);
    return offset === 0 ? asPresent(name, read) : read;
  };
}

/** The contents of the account. */
interface Account extends Tables {
  readonly objects: Objects;
  readonly readPart: ReadPart;
  readonly stored: StoredParts;
}

async function crawlFacts(
  { id, seeds, laterSeeds = [], seedsSentAt = [], openHosts = [], config, dedupeFrom }: CrawlPlan,
  { own, heads, objects, readPart, stored: parts }: Account,
  history: History,
): Promise<CrawlFacts> {
  const items = own.get(id) ?? [];
  const stored = items.find(({ sk }) => sk?.S === CRAWL)?.record?.B;
  const record = stored && (JSON.parse(gunzipSync(stored).toString('utf8')) as CrawlRecord);
  const hosts = new Map<HostKey, HostFacts>();
  const known = new Map<string, UrlRecord>();
  const domains = new Map<string, DomainFacts>();
  for (const [host, head] of heads.get(id) ?? []) {
    if (head.domain) {
      if (isDomain(head.domain)) domains.set(host.slice(1), { head, opened: openedHosts(head.domain) });
      continue;
    }
    const changes = history.heads.get(hostPartition(id, host)) ?? [];
    const partition = hostPartition(id, host);
    const facts = {
      ...(await hostFacts(id, host, head, readPart)),
      heads: changes,
      parts: parts.rows.get(partition) ?? [],
      partObjects: parts.objects.get(partition) ?? [],
    };
    hosts.set(host, facts);
    for (const each of facts.records) known.set(each.url, each);
  }
  const folder = `${warcFolder(id)}/`;
  return {
    id,
    seeds,
    laterSeeds,
    dedupeFrom,
    openHosts,
    config: parseConfig(config),
    status: record?.status,
    firstPassAt: record?.firstPass?.at,
    statuses: history.statuses.get(id) ?? [],
    touchedAt: [...(history.storedAt.get(id) ?? []), ...seedsSentAt],
    changes: history.changes.get(id) ?? [],
    costs: history.costs.get(id) ?? [],
    scopeSeeds: record?.scopeSeeds ?? seeds,
    hosts,
    domains,
    known,
    totals: totalsIn(items),
    isExact: record?.status === 'finished' && areExact(items),
    files: new Map(
      [...objects].flatMap(([key, { bytes }]) =>
        key.startsWith(folder) ? [[key.slice(folder.length), bytes] as const] : [],
      ),
    ),
    aside: items.flatMap(({ sk }) =>
      sk?.S?.startsWith(ASIDE_PREFIX) ? sk.S.slice(ASIDE_PREFIX.length) : [],
    ),
    uploads: parts.uploads.filter((key) => key.startsWith(folder)),
    items: publishedItems(objects, id),
    itemObjects: namesIn(objects, itemsPrefix(id)),
    tabledItems: await tabledItems(objects, id),
    stagedItems: namesIn(objects, stagedItemsPrefix(id)),
    unsentChanges: [changesPrefix(id), stagedChangesPrefix(id)].flatMap((prefix) =>
      linesBelow<UrlChange>(objects, prefix).map((change) => change.id),
    ),
    state: stateIn(own, id),
    tables: await tableRows(objects, id),
    joined: joinedIn(items),
    unjoinedSince: unjoinedSince(own.get(UNJOINED), id),
  };
}

function unjoinedSince(listed: readonly Item[] = [], crawl: CrawlId): number | undefined {
  const entry = listed.find(({ sk }) => sk?.S === crawl);
  return entry && Number(entry.enteredAt?.N);
}

/** Reads the tables of captures. */
async function tableRows(objects: Objects, crawl: CrawlId): Promise<Map<string, string[]>> {
  const tables = new Map<string, string[]>();
  for (const name of namesIn(objects, tablesPrefix(crawl))) {
    const file = name.slice(name.lastIndexOf('/') + 1).replace('.zstd.parquet', '.warc.gz');
    const columns = ['url', 'warc_filename', 'warc_record_offset', 'warc_record_length'];
    const found = await rowsIn(objects, tablesPrefix(crawl) + name, columns);
    const rows = found.map(
      (row) =>
        `${row.url} ${row.warc_record_offset} ${row.warc_record_length}${row.warc_filename === file ? '' : ` ${row.warc_filename}`}`,
    );
    tables.set(file, [...(tables.get(file) ?? []), ...rows]);
  }
  return tables;
}

const rowsIn = (objects: Objects, key: string, columns: string[]): Promise<Record<string, unknown>[]> =>
  parquetReadObjects({
    file: Uint8Array.from(objects.get(key)!.bytes).buffer,
    columns,
    compressors: { ZSTD: (bytes) => new Uint8Array(zstdDecompressSync(bytes)) },
  });

/** The URLs of the items in tables. */
async function tabledItems(objects: Objects, crawl: CrawlId): Promise<string[]> {
  const urls: string[] = [];
  for (const name of namesIn(objects, itemTablesPrefix(crawl)))
    for (const { item } of await rowsIn(objects, itemTablesPrefix(crawl) + name, ['item']))
      urls.push((JSON.parse(item as string) as SimItem).url);
  return urls;
}

function stateIn(own: Tables['own'], crawl: CrawlId): Map<string, string> {
  const partition = statePartition(crawl);
  const values = own.get(partition.slice(0, partition.indexOf(' '))) ?? [];
  return new Map(
    values.flatMap(({ pk, sk, value }) =>
      pk?.S === partition ? [[sk?.S as string, value?.S as string] as const] : [],
    ),
  );
}

const namesIn = (objects: Objects, prefix: string): string[] =>
  [...objects.keys()].flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));

const publishedItems = (objects: Objects, crawl: CrawlId): string[] =>
  linesBelow<SimItem>(objects, itemsPrefix(crawl)).map(({ url }) => url);

/** The lines of JSON in the compressed objects whose keys begin so. */
function linesBelow<T>(objects: Objects, prefix: string): T[] {
  return namesIn(objects, prefix).flatMap((name) => {
    const lines = gunzipSync(objects.get(prefix + name)!.bytes)
      .toString()
      .split('\n');
    return lines.filter(Boolean).map((line) => JSON.parse(line) as T);
  });
}

async function hostFacts(
  crawl: CrawlId,
  host: HostKey,
  head: Head,
  readPart: ReadPart,
): Promise<Omit<HostFacts, 'heads' | 'parts' | 'partObjects'>> {
  const records: UrlRecord[] = [];
  try {
    const ledger = await openLedger({ readPart }, { crawl, host, index: head.ledger });
    for await (const record of ledger.records()) records.push(record);
    return { host, head, records };
  } catch (error) {
    return { host, head, records, problem: String(error) };
  }
}

/** A crawl's counters as they are now. */
export const totalsOf = (cloud: SimCloud, crawl: CrawlId): Record<string, number> =>
  totalsIn(readTables(cloud).own.get(crawl) ?? []);

/** As `crawl-counters.ts` writes them: an attribute `n.NAME` for each. */
function totalsIn(items: readonly Item[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const item of items) {
    if (!item.sk?.S?.startsWith(TOTALS_PREFIX)) continue;
    for (const [name, value] of Object.entries(item))
      if (name.startsWith('n.')) sums[name.slice(2)] = (sums[name.slice(2)] ?? 0) + Number(value.N);
  }
  return sums;
}

/** Whether the counters were recounted, and nothing was added since. */
function areExact(items: readonly Item[]): boolean {
  const shards = items.filter(({ sk }) => sk?.S?.startsWith(TOTALS_PREFIX));
  const lastAt = Math.max(0, ...shards.map(({ lastAt }) => Number(lastAt?.N ?? 0)));
  return shards.some(({ exactAt }) => exactAt !== undefined && Number(exactAt.N) === lastAt);
}

function joinedIn(items: readonly Item[]): Map<string, JoinedFacts> {
  const joined = new Map<string, JoinedFacts>();
  for (const { sk, file, offset, bytes } of items)
    if (sk?.S?.startsWith(JOINED_PREFIX))
      joined.set(sk.S.slice(JOINED_PREFIX.length), {
        file: file?.S ?? '',
        offset: Number(offset?.N),
        bytes: Number(bytes?.N),
      });
  return joined;
}

function queuedMessages({ sqs, settings }: SimCloud): MessageFacts[] {
  const found: MessageFacts[] = [];
  for (const queue of hostQueues(settings))
    for (const { body } of sqs.messages(queue)) found.push({ queue, ...turnMessage(body) });
  for (const queue of [settings.linkQueueUrl, ...settings.linkShardUrls])
    for (const { body } of sqs.messages(queue)) found.push({ queue, ...linkMessage(body) });
  return found;
}

type Read = Omit<MessageFacts, 'queue'>;
const UNREADABLE: Read = { kind: 'unreadable', urls: [] };

function turnMessage(body: string): Read {
  try {
    const { host, message } = parseMessageText(body);
    const { kind, crawl } = message;
    const urls = kind === 'links' ? message.links.map(({ url }) => url) : [];
    return { kind, crawl, host, urls, ...(kind === 'token' && { token: message.token }) };
  } catch {
    return UNREADABLE;
  }
}

function linkMessage(body: string): Read {
  try {
    const message = parseLinkText(body);
    if (message.kind === 'parcel') {
      const { crawl, links } = message.outLinks;
      return { kind: 'links', crawl, urls: links.map(({ url }) => url) };
    }
    if (message.kind === 'wakeAll') return { kind: 'wakeAll', crawl: message.crawl, urls: [] };
    return { kind: 'seeds', crawl: message.crawl, urls: message.urls };
  } catch {
    return UNREADABLE;
  }
}
