/** Firecrawl's webhooks: a job's documents and its end as signed requests, as long as this process runs. */
import { tmpdir } from 'node:os';
import { type CrawlOptions, parseConfig } from '../../../../shared/core/crawl/config.ts';
import { systemClock } from '../../../../shared/engines/system-clock.ts';
import { openWebhook } from '../../crawl-webhooks.ts';
import type { JobStatus } from './jobs.ts';
import type { FirecrawlDocument } from './page-document.ts';
import { areTexts, isObject, isText, RequestRefused, refuseOthers } from './refused-fields.ts';

const EVENTS = ['started', 'page', 'completed', 'failed'] as const;
type EventName = (typeof EVENTS)[number];

export interface JobWebhook {
  readonly url: string;
  readonly events: readonly EventName[];
  /** Given back with each event. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A URL, or an object with one. Throws {@link RequestRefused}. */
export function readWebhook({ webhook }: Readonly<Record<string, unknown>>): JobWebhook | undefined {
  if (webhook === undefined || webhook === null) return undefined;
  const fields = isText(webhook) ? { url: webhook } : webhook;
  if (!isObject(fields)) throw new RequestRefused('webhook', 'Expected webhook to be a URL or an object');
  refuseOthers(fields, ['url', 'events', 'metadata'], 'webhook.');
  const { url, events = EVENTS, metadata = {} } = fields;
  if (!isText(url) || !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new RequestRefused('webhook.url', 'Expected webhook.url to be an http or https URL');
  const named = areTexts(events) ? EVENTS.filter((event) => events.includes(event)) : [];
  if (!areTexts(events) || named.length < new Set(events).size)
    throw new RequestRefused('webhook.events', `Expected webhook.events to be of ${EVENTS.join(', ')}`);
  if (!isObject(metadata))
    throw new RequestRefused('webhook.metadata', 'Expected webhook.metadata to be an object');
  return { url, events: named, metadata };
}

export interface JobEventsOptions {
  readonly id: string;
  readonly kind: 'crawl' | 'batch_scrape';
  readonly webhook: JobWebhook;
  /** It signs. */
  readonly secret: string;
  /** For the requests. */
  readonly settings: CrawlOptions;
  readonly signal: AbortSignal;
  /** Called with the reason why an event was not received. */
  readonly onError: (error: Error) => void;
}

export interface JobEvents extends AsyncDisposable {
  started(): Promise<void>;
  page(document: FirecrawlDocument): Promise<void>;
  ended(status: JobStatus['status']): Promise<void>;
}

export function openJobEvents({ id, kind, webhook: given, secret, ...options }: JobEventsOptions): JobEvents {
  const { settings, signal, onError } = options;
  const { webhook, close } = openWebhook({
    target: { url: given.url, secret },
    config: parseConfig(settings),
    tempFolder: tmpdir(),
    clock: systemClock,
    signal,
  });
  async function send(name: EventName, data: readonly object[], success = true): Promise<void> {
    if (!given.events.includes(name) || signal.aborted) return;
    const type = `${kind}.${name}`;
    const event = { success, type, id, data, metadata: given.metadata };
    const fault = await webhook.send(event);
    if (fault !== undefined && !signal.aborted)
      onError(new Error(`webhook: ${type} of ${id} was not received: ${fault}`));
  }
  return {
    started: () => send('started', []),
    page: (document) => send('page', [document]),
    ended: (status) => (status === 'completed' ? send('completed', []) : send('failed', [], false)),
    [Symbol.asyncDispose]: close,
  };
}
