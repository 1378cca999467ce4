/** The events of a crawl on this machine that go to the project's webhook, when a session of it has ended. */
import { type CrawlConfig, parseConfig } from '../../shared/crawl/config.ts';
import type { CrawlId } from '../../shared/crawl/crawl-id.ts';
import { createFetcher } from '../../shared/fetcher/fetcher.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { CrawlSummary } from '../../shared/report/summary.ts';
import { crawlEvents } from '../../shared/webhook/crawl-events.ts';
import { createWebhook, type Webhook, type WebhookTarget } from '../../shared/webhook/webhook.ts';

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

/** Without the crawl's own cookies, passwords and headers, which are for its sites. */
export function openWebhook({ target, config, tempFolder, clock, signal }: WebhookSession): {
  readonly webhook: Webhook;
  readonly close: () => Promise<void>;
} {
  const { headers, cookies, auth } = parseConfig({});
  const fetcher = createFetcher({
    ...config,
    ...{ headers, cookies, auth, tls: 'verify', allowInvalidCertificates: false },
    totalTimeoutMs: TIMEOUT_MS,
    tempFolder,
    clock,
    maxSockets: 1,
  });
  return { webhook: createWebhook({ target, fetcher, clock, signal }), close: () => fetcher.close() };
}
