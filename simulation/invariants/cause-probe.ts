/**
 * Looks at what begins the turns that are committed: at the ports, so that it goes by nothing that the core
 * says about itself.
 */

import type { HostKey } from '../../shared/core/url/host-key.ts';
import type { Engine } from '../../shared/crawler/ports/engine.ts';
import type { Delivery, HostDeliveries } from '../../shared/crawler/ports/turn-queue.ts';
import type { AwsEngine } from '../../shared/engines/aws/engine.ts';
import { hostPartition } from '../../shared/engines/aws/state/tables.ts';
import type { Violation } from '../worlds/spec.ts';
import { createFindings, since } from './findings.ts';

export interface CauseProbe {
  /** The same engine, watched: one for each process. */
  wrap<E extends Engine>(engine: E): E;
  /**
   * Whether a worker has dropped that token before the head that names it was committed: its sender froze
   * between the two for so long that somebody else was given the host.
   */
  wasDroppedEarly(token: string): boolean;
  readonly violations: readonly Violation[];
}

/**
 * A turn is committed only if something began it: links, a wake-up, or the one token that the head named. A
 * turn begun by another token is a second chain. `now`: the world's time.
 */
export function createCauseProbe(now: () => number): CauseProbe {
  const findings = createFindings('oneChain');
  /** By head and version: tokens named by the processes that tried to write that version. One of them has. */
  const named = new Map<string, Map<number, Set<string>>>();
  const committed = new Set<string>();
  /** By head: the versions that were surely written by the attempts in `named`. */
  const written = new Map<string, Set<number>>();
  const droppedEarly = new Set<string>();

  function note(partition: string, version: number, token: string | undefined): void {
    const versions = named.get(partition) ?? new Map<number, Set<string>>();
    named.set(partition, versions);
    const tokens = versions.get(version) ?? new Set();
    versions.set(version, tokens);
    if (token !== undefined) tokens.add(token);
  }

  /**
   * The tokens that the head before `version` may name. The guard of a worker that a page blocks writes versions, too,
   * which are not seen here and keep the token: also where a turn has tried to write the same version, and failed.
   */
  function namedBefore(partition: string, version: number): ReadonlySet<string> {
    const versions = named.get(partition);
    const tokens = new Set<string>();
    for (let at = version - 1; at > 0; at--) {
      for (const token of versions?.get(at) ?? []) tokens.add(token);
      if (written.get(partition)?.has(at)) break;
    }
    return tokens;
  }

  function begins({ message }: Delivery, tokens: ReadonlySet<string>): boolean {
    return message.kind !== 'token' || tokens.has(message.token);
  }

  return {
    violations: findings.list,
    wasDroppedEarly: (token) => droppedEarly.has(token),
    wrap<E extends Engine>(engine: E): E {
      const { queue, ledgers } = engine as unknown as AwsEngine;
      /**
       * Deliveries given to the turns in progress. A process that froze may be given its host again before it
       * continues.
       */
      const held = new Set<HostDeliveries>();
      const hold = (received: readonly HostDeliveries[]) => {
        for (const one of received) held.add(one);
      };
      const deliveriesOf = (host: HostKey) =>
        Array.from(held).flatMap((one) => (one.host === host ? one.deliveries : []));
      const watched: Pick<AwsEngine, 'queue' | 'ledgers'> = {
        queue: {
          ...queue,
          async receive(...args) {
            const received = await queue.receive(...args);
            hold(received);
            return received;
          },
          async unpack(packed) {
            const received = await queue.unpack?.(packed);
            if (received) hold([received]);
            return received;
          },
          async acknowledge(received, deliveries) {
            for (const { message } of deliveries)
              if (message.kind === 'token' && !committed.has(message.token)) droppedEarly.add(message.token);
            if (deliveries.length === received.deliveries.length) held.delete(received);
            await queue.acknowledge(received, deliveries);
          },
          async park(received, ...args) {
            held.delete(received);
            await queue.park(received, ...args);
          },
        },
        ledgers: {
          ...ledgers,
          async commit(crawl, host, next, ...changes) {
            // A domain's head has no chain of turns: turns of its hosts replace it, and the router.
            if (next.domain) return ledgers.commit(crawl, host, next);
            const partition = hostPartition(crawl, host);
            const causes = deliveriesOf(host).filter(({ message }) => message.crawl === crawl);
            const tokens = namedBefore(partition, next.version);
            note(partition, next.version, next.token);
            await ledgers.commit(crawl, host, next, ...changes);
            written.set(partition, (written.get(partition) ?? new Set()).add(next.version));
            if (next.token !== undefined) committed.add(next.token);
            if (causes.some((delivery) => begins(delivery, tokens))) return;
            const found = causes.map(({ message }) =>
              message.kind === 'token' ? message.token : message.kind,
            );
            findings.add(
              `${since(now())}, version ${next.version} of ${partition} was begun by ${found.join(' ') || 'nothing'}, its head named ${[...tokens].join(' ') || 'no token'}`,
              { host, at: now() },
            );
          },
        },
      };
      return { ...engine, ...watched };
    },
  };
}
