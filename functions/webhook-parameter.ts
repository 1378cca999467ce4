/** The webhook of a stack, whose URL and secret are in a parameter of the Systems Manager. */
import { messageOf } from '../shared/core/base/error-message.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import { readParameter } from '../shared/services/accounts/read-parameter.ts';
import { isWebhookTarget, MIN_SECRET, type WebhookTarget } from '../shared/services/webhook/webhook.ts';
import type { EventSink } from './announcer.ts';
import { secretJson } from './secret-json.ts';

export interface WebhookInParameterOptions {
  /** The parameter's name. */
  readonly parameter: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly open: (target: WebhookTarget) => EventSink;
  /** Returns the parameter's value. Default: from the Systems Manager. */
  readonly read?: (parameter: string) => Promise<string>;
}

/** A value that the operator has replaced is used an hour later at the latest. */
const KEPT_MS = 3_600_000;

/**
 * Reads the parameter at the first event, and again when that was an hour ago. If it cannot be used, that is the reason why the
 * events were not received: they are sent again later.
 */
export function webhookInParameter(options: WebhookInParameterOptions): EventSink {
  const { parameter, clock, open, read = readParameter } = options;
  let opened: { readonly text: string; readonly sink: EventSink } | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  async function current(): Promise<EventSink> {
    if (opened && clock.now() - readAt < KEPT_MS) return opened.sink;
    const text = await read(parameter);
    // Reuses the sink: it knows which events were received.
    if (opened?.text !== text) opened = { text, sink: open(targetIn(text, parameter)) };
    readAt = clock.now();
    return opened.sink;
  }

  return {
    async send(events, until) {
      if (events.length === 0) return undefined;
      let sink: EventSink;
      try {
        sink = await current();
      } catch (error) {
        return `webhook: the parameter ${parameter}: ${messageOf(error)}`;
      }
      return sink.send(events, until);
    },
  };
}

function targetIn(text: string, parameter: string): WebhookTarget {
  const value = secretJson(text);
  if (isWebhookTarget(value)) return value;
  throw new Error(
    `Expected ${parameter} to hold { "url", "secret" } as JSON: an http(s) URL, and at least ${MIN_SECRET} characters`,
  );
}
