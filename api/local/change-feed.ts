/** Sends the changes of pages to the project's webhook while a crawl on this machine runs. */
import type { ChangeOutbox } from '../../shared/engines/local/items/change-outbox.ts';
import { changesEvents } from '../../shared/services/webhook/change-events.ts';
import type { Webhook } from '../../shared/services/webhook/webhook.ts';
import { openWebhook, type WebhookSession } from './crawl-webhooks.ts';

export interface ChangeFeedOptions extends Pick<WebhookSession, 'crawl' | 'clock'> {
  readonly outbox: ChangeOutbox;
  readonly webhook: Webhook;
  readonly warn: (line: string) => void;
}

const LOOK_MS = 1000;
/** Waits after a batch that three tries could not send: 10 s, 20 s, and so on, an hour at most. */
const FIRST_WAIT_MS = 10_000;
const MAX_WAIT_MS = 3_600_000;

/** Begins to send. `end`: sends the rest, and resolves when all is received, or the first failure has shown. */
export function startFeed(
  session: WebhookSession,
  options: Pick<ChangeFeedOptions, 'outbox' | 'warn'>,
): { readonly end: () => Promise<void> } {
  const { crawl, clock } = session;
  const { webhook, close } = openWebhook(session);
  const ending = new AbortController();
  const fed = feedChanges({ ...options, crawl, clock, webhook }, ending.signal).finally(close);
  // A failure is thrown by `end`.
  fed.catch(() => {});
  return {
    end() {
      ending.abort();
      return fed;
    },
  };
}

/**
 * Sends what there is, again and again, until `signal` aborts; then once more, up to the first failure. So a receiver
 * that is down loses nothing: the next session continues where this one ends. Rejects if the database fails.
 */
export async function feedChanges(options: ChangeFeedOptions, signal: AbortSignal): Promise<void> {
  const { clock, warn } = options;
  let failures = 0;
  while (!signal.aborted) {
    const fault = await sendAll(options, signal);
    if (fault === undefined) failures = 0;
    // Each session says it once, and again when the receiver had been back.
    else if (failures++ === 0) warn(`webhook: changes were not received, and are sent again: ${fault}`);
    const waitMs = failures === 0 ? LOOK_MS : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
    await clock.sleep(waitMs, signal);
  }
  if (failures === 0) await sendAll(options);
}

/** Returns why something was not received, for people. */
async function sendAll(
  { outbox, webhook, crawl, clock }: ChangeFeedOptions,
  signal?: AbortSignal,
): Promise<string | undefined> {
  for (;;) {
    const pending = signal?.aborted ? undefined : outbox.next(crawl);
    if (!pending) return undefined;
    // The receiver that has got the first of two knows it by its id.
    for (const event of changesEvents(crawl, pending.lines, clock.now())) {
      const fault = await webhook.send(event);
      if (fault !== undefined) return fault;
    }
    outbox.remove(pending);
  }
}
