import type { HostKey } from '../../../core/url/host-key.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import type { HostDeliveries, TurnQueue } from '../../../crawler/ports/turn-queue.ts';
import { shardOf } from '../shard-of.ts';

/**
 * The turn queue, of `shards`, that has a host's messages. Where the number of queues changes while messages
 * wait, a host's may be in two of them, and nothing keeps two workers off it.
 */
export const turnShardOf = (host: HostKey, shards: number): number => shardOf(host, shards);

export interface ShardedTurnQueueOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** The one queue that is received from. Default: all in turn. */
  readonly receiveFrom?: TurnQueue;
}

/** How long one queue of several is waited for, which is the least that SQS waits. */
const SLICE_MS = 1000;

/**
 * Several turn queues as one: each host has its own. Not bound to one of them, a receive polls them one after the
 * other, each time beginning with another, for as many hosts as the caller can take; once all have shown to be empty,
 * it waits for each in turn, a second each. So where nothing comes it costs a request for each queue, and one a second.
 */
export function createShardedTurnQueue(
  queues: readonly TurnQueue[],
  { clock, receiveFrom }: ShardedTurnQueueOptions,
): TurnQueue {
  const [only, ...others] = queues;
  if (!only) throw new Error('Expected at least one turn queue, got none');
  if (others.length === 0) return only;
  const bound = receiveFrom;
  const owners = new WeakMap<HostDeliveries, TurnQueue>();
  let first = 0;

  function own(queue: TurnQueue, groups: readonly HostDeliveries[]): void {
    for (const received of groups) owners.set(received, queue);
  }

  async function receiveFromAll(maxHosts: number, waitMs: number, signal?: AbortSignal) {
    const until = clock.now() + waitMs;
    const all: HostDeliveries[] = [];
    const start = first++;
    for (let asked = 0; all.length < maxHosts && !signal?.aborted; asked++) {
      const restMs = until - clock.now();
      if (asked >= queues.length && (all.length > 0 || restMs <= 0)) break;
      // The last of the first round waits already, if nothing was found by then.
      const isToWait = asked >= queues.length - 1 && all.length === 0;
      const queue = queues[(start + asked) % queues.length] as TurnQueue;
      try {
        const sliceMs = isToWait ? Math.max(0, Math.min(SLICE_MS, restMs)) : 0;
        const groups = await queue.receive(maxHosts - all.length, sliceMs, signal);
        own(queue, groups);
        all.push(...groups);
      } catch (error) {
        // Received messages are locked: they must not be lost with the error.
        if (all.length === 0) throw error;
        break;
      }
    }
    return all;
  }

  return {
    async send(messages) {
      const shares = Map.groupBy(messages, ({ host }) => turnShardOf(host, queues.length));
      await Promise.all([...shares].map(([shard, share]) => (queues[shard] as TurnQueue).send(share)));
    },

    async receive(maxHosts, waitMs, signal) {
      if (!bound) return receiveFromAll(maxHosts, waitMs, signal);
      const groups = await bound.receive(maxHosts, waitMs, signal);
      own(bound, groups);
      return groups;
    },

    pack: (received) => owners.get(received)?.pack?.(received),

    async unpack(packed) {
      const queue = queues[turnShardOf(packed.host, queues.length)] as TurnQueue;
      const received = await queue.unpack?.(packed);
      if (received) own(queue, [received]);
      return received;
    },

    async acknowledge(received, deliveries) {
      await owners.get(received)?.acknowledge(received, deliveries);
    },

    async hold(received, until, restMs) {
      await owners.get(received)?.hold(received, until, restMs);
    },

    isHeld: (received, ms) => owners.get(received)?.isHeld?.(received, ms) ?? true,

    async park(received, ms, isServed) {
      await owners.get(received)?.park(received, ms, isServed);
    },
  };
}
