/** The receiver of the stack's events in a world: it fails now and then, with or without having got them. */
import type { EventSink } from '../../functions/announcer.ts';
import type { RefusedHost } from '../../shared/core/frontier/host-refusal.ts';
import type { UrlChange } from '../../shared/core/frontier/url-change.ts';
import type { ReportedRefusal, SentEvent } from './spec.ts';

export interface EventReceiver {
  /** Ends of crawls. */
  readonly events: readonly SentEvent[];
  /** Changes of pages that were received. */
  readonly changes: readonly UrlChange[];
  /** Hosts that refuse a crawl, as received. */
  readonly refusedHosts: readonly ReportedRefusal[];
  readonly sink: EventSink;
}

/** Failures in a row. The waits after them are a minute and two. */
const MAX_IN_A_ROW = 2;

/** `chance`: that a sending fails. */
export function createEventReceiver(now: () => number, random: () => number, chance = 0.3): EventReceiver {
  const events: SentEvent[] = [];
  const changes: UrlChange[] = [];
  const refusedHosts: ReportedRefusal[] = [];
  /** Failures in a row, for each crawl and kind of events. */
  const failures = new Map<string, number>();
  return {
    events,
    changes,
    refusedHosts,
    sink: {
      async send(sent) {
        const [{ crawl: of, type: kind } = { crawl: '', type: '' }] = sent;
        const key = `${of} ${kind}`;
        const failed = failures.get(key) ?? 0;
        const fails = failed < MAX_IN_A_ROW && random() < chance;
        failures.set(key, fails ? failed + 1 : 0);
        const isReceived = !fails || random() < 0.5;
        for (const { crawl, type, id, data } of sent) {
          if (type === 'hostsRefused') {
            const { hosts } = data as { hosts: RefusedHost[] };
            if (isReceived) refusedHosts.push(...hosts.map((host) => ({ ...host, crawl })));
          } else if (type !== 'pagesChanged') events.push({ at: now(), crawl, type, id, isReceived });
          else if (isReceived) changes.push(...(data as { changes: UrlChange[] }).changes);
        }
        return fails ? 'HTTP 500' : undefined;
      },
    },
  };
}
