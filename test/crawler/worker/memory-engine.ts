/** An engine in memory, on the clock given: what the ports promise and nothing more. A test double. */

import type { StoredJar } from '../../../shared/core/access/stored-jar.ts';
import { withoutFormer } from '../../../shared/core/crawl/former-settings.ts';
import { decodeSites, encodeSites } from '../../../shared/core/crawl/sites.ts';
import type { Head } from '../../../shared/core/frontier/head.ts';
import { addTotals, NO_TOTALS } from '../../../shared/core/frontier/host-totals.ts';
import { EMPTY_INDEX } from '../../../shared/core/frontier/ledger-index.ts';
import type { Message, OutLinks } from '../../../shared/core/frontier/message.ts';
import { URL_STATES } from '../../../shared/core/frontier/url-record.ts';
import { withFirstPass } from '../../../shared/crawler/crawl-state/first-pass.ts';
import { meetsCondition } from '../../../shared/crawler/crawl-state/status-condition.ts';
import type { Clock } from '../../../shared/crawler/ports/clock.ts';
import type { CrawlRecord, CrawlRegistry } from '../../../shared/crawler/ports/crawl-registry.ts';
import type { Engine, OptionalPorts } from '../../../shared/crawler/ports/engine.ts';
import type { JarKey, JarStore } from '../../../shared/crawler/ports/jar-store.ts';
import type { LedgerStore } from '../../../shared/crawler/ports/ledger-store.ts';
import type { LinkExchange } from '../../../shared/crawler/ports/link-exchange.ts';
import { LostPart } from '../../../shared/crawler/ports/lost-part.ts';
import { StaleTurn } from '../../../shared/crawler/ports/stale-turn.ts';
import type { HostDeliveries, TurnQueue } from '../../../shared/crawler/ports/turn-queue.ts';
import { createMemoryArchive, type MemoryArchive } from './memory-archive.ts';

export interface MemoryOptions {
  readonly leaseMs?: number;
  readonly parcelLeaseMs?: number;
  /** Messages of one host given at once, at most. Default: all. */
  readonly maxDeliveries?: number;
  readonly optional?: OptionalPorts;
}

interface Kept {
  readonly id: string;
  readonly message: Message;
  receiveCount: number;
}
interface Group {
  messages: Kept[];
  /** Locked or parked until then. */
  lockedUntil: number;
  received?: HostDeliveries;
}

export interface MemoryEngine extends Engine {
  readonly jars: JarStore;
  archiveOf(crawl: string): MemoryArchive;
  /** Returns the messages that the queue holds for the host. */
  messages(host: string): readonly Message[];
  /** Returns the engine of a new process: all stored data, and no locks. */
  reopen(): MemoryEngine;
}

/** All that outlives a process. */
interface Store {
  readonly groups: Map<string, Group>;
  readonly parcels: Map<string, { outLinks: OutLinks; hiddenUntil: number }>;
  /** By crawl and host: JSON. */
  readonly heads: Map<string, Map<string, string>>;
  readonly parts: Map<string, Map<string, Uint8Array>>;
  readonly crawls: Map<string, CrawlRecord>;
  /** By crawl and id: JSON. */
  readonly siteLists: Map<string, Map<string, string>>;
  readonly jars: Map<string, Map<string, StoredJar>>;
  readonly archive: MemoryArchive;
  serial: number;
}

export function createMemoryEngine(clock: Clock, options: MemoryOptions = {}): MemoryEngine {
  return openStore(clock, options, {
    groups: new Map(),
    parcels: new Map(),
    heads: new Map(),
    parts: new Map(),
    crawls: new Map(),
    siteLists: new Map(),
    jars: new Map(),
    archive: createMemoryArchive(),
    serial: 0,
  });
}

function openStore(clock: Clock, options: MemoryOptions, store: Store): MemoryEngine {
  return {
    ...options.optional,
    clock,
    archiveOf: () => store.archive,
    queue: createQueue(clock, store, options.leaseMs ?? 900_000, options.maxDeliveries),
    exchange: createExchange(clock, store, options.parcelLeaseMs ?? 300_000),
    ledgers: createLedgers(store),
    jars: createJars(store),
    registry: createRegistry(store),
    messages: (host) => store.groups.get(host)?.messages.map(({ message }) => message) ?? [],
    reopen() {
      for (const group of store.groups.values()) {
        group.lockedUntil = 0;
        group.received = undefined;
      }
      for (const parcel of store.parcels.values()) parcel.hiddenUntil = 0;
      return openStore(clock, options, store);
    },
  };
}

/** Services count their delays by themselves, whatever a worker's clock is set to. */
const elapsed = (clock: Clock): number => (clock.elapsed ?? clock.now)();

/** With a reason of its own an abort makes no error, whose stack takes 3 % of the CPU of a crawl. */
const WOKEN = 'woken';

/**
 * Waits until `find` finds something, at most `waitMs`; `wakers` are called when something may have changed.
 */
async function waitFor<T>(
  clock: Clock,
  wakers: Set<() => void>,
  waitMs: number,
  signal: AbortSignal | undefined,
  find: () => T[],
  nextAt: () => number,
): Promise<T[]> {
  const until = elapsed(clock) + waitMs;
  for (;;) {
    const found = find();
    if (found.length > 0 || elapsed(clock) >= until || signal?.aborted) return found;
    const waking = new AbortController();
    const wake = () => waking.abort(WOKEN);
    wakers.add(wake);
    signal?.addEventListener('abort', wake);
    await clock.sleep(Math.min(until, nextAt()) - elapsed(clock), waking.signal);
    wakers.delete(wake);
    signal?.removeEventListener('abort', wake);
  }
}

function createQueue(clock: Clock, store: Store, leaseMs: number, maxDeliveries?: number): TurnQueue {
  const { groups } = store;
  const wakers = new Set<() => void>();

  function handOut(host: string, group: Group): HostDeliveries {
    const deliveries = group.messages.slice(0, maxDeliveries).map((kept) => {
      kept.receiveCount++;
      return { id: kept.id, message: structuredClone(kept.message), receiveCount: kept.receiveCount };
    });
    const received = { host, deliveries, leaseUntil: clock.now() + leaseMs };
    group.received = received;
    group.lockedUntil = elapsed(clock) + leaseMs;
    return received;
  }

  /** The group, if `received` still holds it. */
  function heldBy(received: HostDeliveries): Group | undefined {
    const group = groups.get(received.host);
    return group?.received === received && group.lockedUntil > elapsed(clock) ? group : undefined;
  }

  function unlock(group: Group, at: number): void {
    group.received = undefined;
    group.lockedUntil = at;
    for (const wake of wakers) wake();
  }

  return {
    async send(messages) {
      for (const { host, message } of messages) {
        const group = groups.get(host) ?? { messages: [], lockedUntil: 0 };
        groups.set(host, group);
        group.messages.push({
          id: String(++store.serial),
          message: structuredClone(message),
          receiveCount: 0,
        });
      }
      for (const wake of wakers) wake();
    },
    receive(maxHosts, waitMs, signal) {
      const full = () => [...groups].filter(([, { messages }]) => messages.length > 0);
      return waitFor(
        clock,
        wakers,
        waitMs,
        signal,
        () =>
          full()
            .filter(([, { lockedUntil }]) => lockedUntil <= elapsed(clock))
            .slice(0, maxHosts)
            .map(([host, group]) => handOut(host, group)),
        () => Math.min(...full().map(([, { lockedUntil }]) => lockedUntil)),
      );
    },
    async acknowledge(received, deliveries) {
      const group = heldBy(received);
      if (!group) return;
      const ids = new Set(deliveries.map(({ id }) => id));
      group.messages = group.messages.filter(({ id }) => !ids.has(id));
      const kept = new Set(group.messages.map(({ id }) => id));
      if (!received.deliveries.some(({ id }) => kept.has(id))) unlock(group, 0);
    },
    async hold(received, until) {
      const group = heldBy(received);
      if (!group) throw new StaleTurn(`${received.host} is no longer held`);
      group.lockedUntil = Math.max(group.lockedUntil, until - clock.now() + elapsed(clock));
    },
    async park(received, ms) {
      const group = heldBy(received);
      if (group) unlock(group, elapsed(clock) + ms);
    },
  };
}

function createExchange(clock: Clock, store: Store, leaseMs: number): LinkExchange {
  const { parcels } = store;
  const wakers = new Set<() => void>();
  return {
    async send(outLinks) {
      parcels.set(String(++store.serial), { outLinks: structuredClone(outLinks), hiddenUntil: 0 });
      for (const wake of wakers) wake();
    },
    receive(max, waitMs, signal) {
      return waitFor(
        clock,
        wakers,
        waitMs,
        signal,
        () =>
          [...parcels]
            .filter(([, { hiddenUntil }]) => hiddenUntil <= elapsed(clock))
            .slice(0, max)
            .map(([id, parcel]) => {
              parcel.hiddenUntil = elapsed(clock) + leaseMs;
              return { id, outLinks: structuredClone(parcel.outLinks) };
            }),
        () => Math.min(...[...parcels.values()].map(({ hiddenUntil }) => hiddenUntil)),
      );
    },
    async acknowledge(received) {
      for (const { id } of received) parcels.delete(id);
    },
  };
}

function createLedgers({ heads, parts }: Store): LedgerStore {
  const partsOf = (crawl: string, host: string) => getOrAdd(parts, `${crawl} ${host}`);
  const parse = (text: string): Head => JSON.parse(text);
  return {
    async loadHead(crawl, host) {
      const text = heads.get(crawl)?.get(host);
      return text === undefined ? undefined : parse(text);
    },
    async commit(crawl, host, next) {
      const ofCrawl = getOrAdd(heads, crawl);
      const text = ofCrawl.get(host);
      const version = text === undefined ? 0 : parse(text).version;
      if (version !== next.version - 1) throw new StaleTurn(`${host} is at version ${version}`);
      ofCrawl.set(host, JSON.stringify(next));
    },
    async importHead(crawl, host, head) {
      const text = heads.get(crawl)?.get(host);
      if (text !== undefined && parse(text).version > head.version) throw new StaleTurn(`${host} is newer`);
      getOrAdd(heads, crawl).set(host, JSON.stringify(head));
    },
    async putPart(crawl, host, name, bytes) {
      partsOf(crawl, host).set(name, Uint8Array.from(bytes));
    },
    async readPart(crawl, host, name, offset = 0, length) {
      const bytes = partsOf(crawl, host).get(name);
      if (!bytes) throw new LostPart(host, name);
      return bytes.slice(offset, length === undefined ? undefined : offset + length);
    },
    async listParts(crawl, host) {
      return [...partsOf(crawl, host).keys()];
    },
    async deleteParts(crawl, host, names) {
      for (const name of names) partsOf(crawl, host).delete(name);
    },
    async *hosts(crawl) {
      for (const [host, text] of [...getOrAdd(heads, crawl)]) yield { host, head: parse(text) };
    },
    async *sitePasses(crawl) {
      for (const [host, text] of [...getOrAdd(heads, crawl)]) {
        const { site: pass } = parse(text);
        if (pass) yield { host, pass };
      }
    },
    async dueHosts(crawl, now, limit, farAfter = Infinity) {
      return [...getOrAdd(heads, crawl)]
        .map(([host, text]) => ({ host, head: parse(text) }))
        .filter(({ head: { dueAt } }) => dueAt !== undefined && (dueAt <= now || dueAt > farAfter))
        .sort((a, b) => (a.head.dueAt as number) - (b.head.dueAt as number))
        .slice(0, limit)
        .map(({ host, head: { version } }) => ({ host, version }));
    },
  };
}

function createJars({ jars }: Store): JarStore {
  return {
    async load(crawl, key) {
      return structuredClone(getOrAdd(jars, crawl).get(JSON.stringify(key)));
    },
    async replace(crawl, key, next) {
      const ofCrawl = getOrAdd(jars, crawl);
      const name = JSON.stringify(key);
      if ((ofCrawl.get(name)?.version ?? 0) !== next.version - 1) return false;
      ofCrawl.set(name, structuredClone(next));
      return true;
    },
    async *accounts(crawl) {
      for (const [name, { cookies: _, ...jar }] of [...getOrAdd(jars, crawl)]) {
        const key: JarKey = JSON.parse(name);
        if (key.account !== undefined) yield { key, jar };
      }
    },
  };
}

function createRegistry({ crawls, siteLists, heads, groups, parcels }: Store): CrawlRegistry {
  const headsOf = (crawl: string) =>
    [...getOrAdd(heads, crawl).values()].map((text): Head => JSON.parse(text));
  function change(crawl: string, changes: (record: CrawlRecord) => Partial<CrawlRecord>): void {
    const record = crawls.get(crawl);
    if (!record) throw new Error(`there is no crawl ${crawl}`);
    crawls.set(crawl, structuredClone({ ...record, ...changes(record) }));
  }
  return {
    isShared: false,
    async load(crawl) {
      const record = crawls.get(crawl);
      return record && structuredClone(withoutFormer(record));
    },
    async create(crawl, record) {
      if (crawls.has(crawl)) throw new Error(`there is a crawl ${crawl} already`);
      crawls.set(crawl, structuredClone(record));
    },
    async setStatus(crawl, status, reason, condition) {
      let isSet = false;
      change(crawl, (record) => {
        isSet = meetsCondition(record, condition);
        return isSet ? { status, why: reason } : {};
      });
      return isSet;
    },
    async resume(crawl) {
      change(crawl, ({ resumes = 0 }) => ({
        status: 'running',
        why: undefined,
        resumes: resumes + 1,
      }));
      return crawls.get(crawl)?.resumes ?? 0;
    },
    async configure(crawl, changes) {
      change(crawl, ({ config }) => ({ config: { ...config, ...changes } }));
    },
    async addScopeSeeds(crawl, urls) {
      change(crawl, ({ scopeSeeds }) => ({ scopeSeeds: [...new Set([...scopeSeeds, ...urls])] }));
    },
    async storeSites(crawl, sites) {
      const { ref, json } = encodeSites(sites);
      getOrAdd(siteLists, crawl).set(ref.id, json);
      return ref;
    },
    async setSites(crawl, sites) {
      change(crawl, () => ({ sites }));
    },
    async readSites(crawl, { id }) {
      const json = siteLists.get(crawl)?.get(id);
      if (json === undefined) throw new Error(`no list ${id} of ${crawl}`);
      return decodeSites(json);
    },
    async noteFirstPass(crawl, noted) {
      change(crawl, (record) => withFirstPass(record, noted));
    },
    async setUrlRulesVersion(crawl, urlRulesVersion) {
      change(crawl, () => ({ urlRulesVersion }));
    },
    async totals(crawl) {
      const urls = { ...EMPTY_INDEX.counts };
      const all = headsOf(crawl);
      for (const { ledger } of all) for (const state of URL_STATES) urls[state] += ledger.counts[state];
      return {
        ...all.reduce((sum, { totals }) => addTotals(sum, totals), NO_TOTALS),
        hosts: all.filter(({ domain }) => domain === undefined).length,
        hostsWaiting: all.filter(({ ledger }) => ledger.counts.waiting > 0).length,
        urls,
        activeMs: 0,
      };
    },
    async isQuiet(crawl, requisitesOnly) {
      if (requisitesOnly) {
        const isAwaited = headsOf(crawl).some(({ totals }) => (totals.requisites?.awaited ?? 0) > 0);
        const bringsRequisites = [...groups.values()].some(
          ({ messages, received }) => received !== undefined || messages.some(isRequisites),
        );
        return !isAwaited && parcels.size === 0 && !bringsRequisites;
      }
      const isEmpty =
        parcels.size === 0 && [...groups.values()].every(({ messages }) => messages.length === 0);
      const isRunning = crawls.get(crawl)?.status === 'running';
      return isEmpty && (!isRunning || headsOf(crawl).every(({ dueAt }) => dueAt === undefined));
    },
  };
}

const isRequisites = ({ message, receiveCount }: Kept): boolean =>
  receiveCount === 0 && message.kind === 'links' && message.links.some(({ kind }) => kind === 'requisite');

function getOrAdd<V>(map: Map<string, Map<string, V>>, key: string): Map<string, V> {
  const found = map.get(key) ?? new Map<string, V>();
  map.set(key, found);
  return found;
}
