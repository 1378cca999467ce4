/** The events of a crawl on this machine that go to the project's webhook, when a session of it has ended. */
import { type CrawlConfig, parseConfig } from '../../shared/core/crawl/config.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import { createFetcher } from '../../shared/crawler/fetcher/fetcher.ts';
import type { Clock } from '../../shared/crawler/ports/clock.ts';
import type { CrawlRegistry } from '../../shared/crawler/ports/crawl-registry.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import { summaryOf } from '../../shared/services/report/summary-of.ts';
import { crawlEvents, firstPassEvent } from '../../shared/services/webhook/crawl-events.ts';
import { createWebhook, type Webhook, type WebhookTarget } from '../../shared/services/webhook/webhook.ts';

export interface WebhookSession {
  readonly target: WebhookTarget;
  readonly crawl: CrawlId;
  readonly config: CrawlConfig;
  /** For bodies of answers, which are short: it stays unused. */
  readonly tempFolder: string;
  readonly clock: Pick<Clock, 'now' | 'sleep' | 'uuid'>;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 10_000;

/**
 * Sends the events of the summary. Resolves to the reason why not all were sent, for people: after an event that three
 * tries could not send, no further one is tried.
 */
export async function sendWebhooks(
  session: WebhookSession,
  summary: CrawlSummary,
): Promise<string | undefined> {
  const { crawl, clock } = session;
  const events = crawlEvents(crawl, summary, { now: () => clock.now(), idOf: () => clock.uuid() });
  if (events.length === 0) return undefined;
  const { webhook, close } = openWebhook(session);
  try {
    for (const [sent, event] of events.entries()) {
      const fault = await webhook.send(event);
      if (fault !== undefined)
        return `webhook: ${event.type} was not received, and ${events.length - sent - 1} events after it were not sent: ${fault}`;
    }
    return undefined;
  } finally {
    await close();
  }
}

/**
 * Sends the event that the first pass is complete, and notes when it was received. Resolves to the reason why it was not, for
 * people.
 */
export async function sendFirstPass(
  session: WebhookSession,
  registry: Pick<CrawlRegistry, 'load' | 'totals' | 'noteFirstPass'>,
): Promise<string | undefined> {
  const { crawl, clock } = session;
  const record = await registry.load(crawl);
  if (!record?.firstPass) return undefined;
  const counts = summaryOf(crawl, record, await registry.totals(crawl), NOTHING_BESIDES);
  const { webhook, close } = openWebhook(session);
  try {
    const event = firstPassEvent(crawl, record.firstPass, counts, clock.now());
    const fault = await webhook.send(event);
    if (fault !== undefined)
      return `webhook: ${event.type} was not received, and is sent again by resume: ${fault}`;
    await registry.noteFirstPass(crawl, { ...record.firstPass, isAnnounced: true });
    return undefined;
  } finally {
    await close();
  }
}

const NOTHING_BESIDES = {
  costByItem: {},
  setAside: [],
  failing: [],
  warcFiles: [],
  failedSeeds: [],
  hookErrors: [],
};

/** Without the crawl's own cookies, passwords and headers, which are for its sites. */
export function openWebhook({ target, config, tempFolder, clock, signal }: Omit<WebhookSession, 'crawl'>): {
  readonly webhook: Webhook;
  readonly close: () => Promise<void>;
} {
  const { headers, cookies, auth } = parseConfig({});
  const fetcher = createFetcher({
    ...config,
    ...{ headers, cookies, auth, tls: 'verify' },
    totalTimeoutMs: TIMEOUT_MS,
    tempFolder,
    clock,
    maxSockets: 1,
  });
  return { webhook: createWebhook({ target, fetcher, clock, signal }), close: () => fetcher.close() };
}
