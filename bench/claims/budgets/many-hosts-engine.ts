/**
 * An engine in memory on virtual time for crawls of a hundred thousand hosts: each call costs the same however many there
 * are. One process, nothing fails, leases never end. It counts what it is asked for.
 */

import { type Head, parseHead } from '../../../shared/core/frontier/head.ts';
import type { OutLinks } from '../../../shared/core/frontier/message.ts';
import type { Clock } from '../../../shared/crawler/ports/clock.ts';
import type { CrawlRecord } from '../../../shared/crawler/ports/crawl-registry.ts';
import type { Engine } from '../../../shared/crawler/ports/engine.ts';
import type { LedgerStore } from '../../../shared/crawler/ports/ledger-store.ts';
import type { LinkExchange } from '../../../shared/crawler/ports/link-exchange.ts';
import { StaleTurn } from '../../../shared/crawler/ports/stale-turn.ts';
import type { Delivery, HostDeliveries, TurnQueue } from '../../../shared/crawler/ports/turn-queue.ts';
import { addSums, NO_SUMS, replaceHead, type Sums } from '../../../shared/engines/local/sums.ts';

export interface EngineCounts {
  /** To hosts. */
  messages: number;
  /** To the router. */
  parcels: number;
  /** Writes and reads of heads of domains. */
  domainWrites: number;
  domainReads: number;
}

export interface ManyHostsEngine extends Engine {
  readonly counts: EngineCounts;
  /** The heads of all hosts and domains, as JSON, and the parts of all ledgers by host and name. */
  readonly heads: ReadonlyMap<string, string>;
  readonly parts: ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>;
}

/** For one crawl. */
export function createManyHostsEngine(clock: Clock, crawl: CrawlRecord): ManyHostsEngine {
  const counts: EngineCounts = { messages: 0, parcels: 0, domainWrites: 0, domainReads: 0 };
  const store = createLedgers(counts);
  let record = crawl;
  return {
    clock,
    counts,
    heads: store.heads,
    parts: store.parts,
    queue: createQueue(clock, counts),
    exchange: createExchange(clock, counts),
    ledgers: store.ledgers,
    archiveOf: () => ({
      append: async (members) => members.map(() => ({ file: 'none.warc.gz', offset: 0, length: 0 })),
      flush: async () => {},
    }),
    registry: {
      isShared: false,
      load: async () => record,
      async create() {},
      async setStatus(_, status) {
        record = { ...record, status };
        return true;
      },
      async configure(_, changes) {
        record = { ...record, config: { ...record.config, ...changes } };
      },
      async addScopeSeeds() {},
      storeSites: async () => ({ id: '', count: 0 }),
      async setSites() {},
      readSites: async () => [],
      async noteFirstPass() {},
      async setUrlRulesVersion() {},
      resume: async () => 1,
      async totals() {
        const { hosts, hostsWaiting, urls, totals } = store.sums();
        return { ...totals, hosts, hostsWaiting, urls, activeMs: 0 };
      },
      isQuiet: async () => false,
    },
  };
}

/** Those who wait until something may have come. */
class Waiters {
  #wakes: (() => void)[] = [];

  wakeAll(): void {
    const wakes = this.#wakes;
    this.#wakes = [];
    for (const wake of wakes) wake();
  }

  async wait(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
    const waking = new AbortController();
    const wake = () => waking.abort();
    this.#wakes.push(wake);
    signal?.addEventListener('abort', wake);
    await clock.sleep(ms, waking.signal);
    signal?.removeEventListener('abort', wake);
  }
}

interface Group {
  messages: Delivery[];
  isFree: boolean;
}

function createQueue(clock: Clock, counts: EngineCounts): TurnQueue {
  const groups = new Map<string, Group>();
  /** Hosts that may be given, the first in line first. */
  const line = new Set<string>();
  const waiters = new Waiters();
  let serial = 0;

  function free(host: string, group: Group): void {
    group.isFree = true;
    if (group.messages.length === 0) groups.delete(host);
    else {
      line.add(host);
      waiters.wakeAll();
    }
  }

  return {
    async send(messages) {
      counts.messages += messages.length;
      for (const { host, message } of messages) {
        const group = groups.get(host) ?? { messages: [], isFree: true };
        groups.set(host, group);
        group.messages.push({ id: String(++serial), message, receiveCount: 1 });
        if (group.isFree) line.add(host);
      }
      waiters.wakeAll();
    },
    async receive(maxHosts, waitMs, signal) {
      if (line.size === 0) await waiters.wait(clock, waitMs, signal);
      const received: HostDeliveries[] = [];
      for (const host of line) {
        if (received.length >= maxHosts) break;
        line.delete(host);
        const group = groups.get(host) as Group;
        group.isFree = false;
        received.push({ host, deliveries: group.messages, leaseUntil: clock.now() + 900_000 });
      }
      return received;
    },
    async acknowledge({ host, deliveries: all }, done) {
      const group = groups.get(host);
      if (!group) return;
      const ids = new Set(done.map(({ id }) => id));
      group.messages = group.messages.filter(({ id }) => !ids.has(id));
      if (all.every(({ id }) => ids.has(id))) free(host, group);
    },
    async hold() {},
    async park({ host }, ms) {
      const group = groups.get(host);
      if (!group) return;
      if (ms <= 0) free(host, group);
      else void clock.sleep(ms).then(() => free(host, group));
    },
  };
}

function createExchange(clock: Clock, counts: EngineCounts): LinkExchange {
  let parcels: { readonly id: string; readonly outLinks: OutLinks }[] = [];
  const waiters = new Waiters();
  return {
    async send(outLinks) {
      parcels.push({ id: String(++counts.parcels), outLinks });
      waiters.wakeAll();
    },
    async receive(max, waitMs, signal) {
      if (parcels.length === 0) await waiters.wait(clock, waitMs, signal);
      const some = parcels.slice(0, max);
      parcels = parcels.slice(max);
      return some;
    },
    async acknowledge() {},
  };
}

function createLedgers(counts: EngineCounts) {
  const heads = new Map<string, string>();
  const parts = new Map<string, Map<string, Uint8Array>>();
  const dueAt = new Map<string, { readonly at: number; readonly version: number }>();
  let sums: Sums = NO_SUMS;

  function put(host: string, next: Head): void {
    const text = heads.get(host);
    const before = text === undefined ? undefined : parseHead(text);
    if ((before?.version ?? 0) !== next.version - 1) throw new StaleTurn(`${host} is newer`);
    heads.set(host, JSON.stringify(next));
    sums = replaceHead(addSums(sums, NO_SUMS), before, next);
    if (next.dueAt === undefined) dueAt.delete(host);
    else dueAt.set(host, { at: next.dueAt, version: next.version });
  }

  const ledgers: LedgerStore = {
    async loadHead(_, host) {
      if (host.startsWith('@')) counts.domainReads++;
      const text = heads.get(host);
      return text === undefined ? undefined : parseHead(text);
    },
    async commit(_, host, next) {
      if (host.startsWith('@')) counts.domainWrites++;
      put(host, next);
    },
    async importHead() {},
    async putPart(_, host, name, bytes) {
      const known = parts.get(host) ?? new Map<string, Uint8Array>();
      parts.set(host, known.set(name, bytes));
    },
    async readPart(_, host, name, offset = 0, length) {
      const bytes = parts.get(host)?.get(name);
      if (!bytes) throw new Error(`no part ${name} of ${host}`);
      return bytes.subarray(offset, length === undefined ? undefined : offset + length);
    },
    listParts: async (_, host) => [...(parts.get(host)?.keys() ?? [])],
    async deleteParts(_, host, names) {
      for (const name of names) parts.get(host)?.delete(name);
    },
    async *hosts() {
      for (const [host, text] of heads) yield { host, head: parseHead(text) };
    },
    async *sitePasses() {},
    async dueHosts(_, now, limit) {
      const due: { readonly host: string; readonly version: number }[] = [];
      for (const [host, { at, version }] of dueAt)
        if (at <= now && due.push({ host, version }) >= limit) break;
      return due;
    },
  };
  return { ledgers, heads, parts, sums: () => sums };
}
