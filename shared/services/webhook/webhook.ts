/** Sends events to a URL of the operator, each as a signed POST of JSON. */
import { messageOf } from '../../core/base/error-message.ts';
import type { FetchOutcome } from '../../core/outcome/fetch-outcome.ts';
import { userinfoOf } from '../../core/url/userinfo.ts';
import type { Clock } from '../../crawler/ports/clock.ts';
import type { Fetcher } from '../../crawler/ports/fetcher.ts';
import { signatureOf } from './signature.ts';

/** Where events are sent. */
export interface WebhookTarget {
  /**
   * An http(s) URL. Its user and password are for HTTP Basic authentication. Its address is checked as those of pages: no
   * private one unless `allowPrivateAddresses` has it.
   */
  readonly url: string;
  /** The key of the signature. At least 16 characters. */
  readonly secret: string;
}

export interface WebhookEvent<Type extends string = string, Data extends object = object> {
  /** Equal at each try: a receiver that has seen it ignores it. */
  readonly id: string;
  readonly type: Type;
  /** ISO 8601. */
  readonly time: string;
  readonly crawl: string;
  readonly data: Data;
}

export interface Webhook {
  /**
   * Resolves to undefined when the receiver has answered 2xx, else to the reason, for people. Never rejects. `signal`: aborted: no
   * more tries of this event. Default: the webhook's.
   */
  send(event: { readonly type: string }, signal?: AbortSignal): Promise<string | undefined>;
}

export interface WebhookOptions {
  readonly target: WebhookTarget;
  readonly fetcher: Pick<Fetcher, 'fetch'>;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** Aborted: no more tries. */
  readonly signal?: AbortSignal | undefined;
}

export const MIN_SECRET = 16;
/** Waits before the second and the third try. */
const WAITS_MS = [1000, 5000];
/** No more of an answer is read. */
const MAX_ANSWER_BYTES = 1024;

export function createWebhook({ target, fetcher, clock, signal: ofAll }: WebhookOptions): Webhook {
  const userinfo = userinfoOf(new URL(target.url));
  const basic = userinfo !== undefined && Buffer.from(userinfo, 'utf8').toString('base64');

  async function post(
    type: string,
    body: string,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const headers = {
      ...(basic && { authorization: `Basic ${basic}` }),
      'content-type': 'application/json',
      'x-strand-event': type,
      'x-strand-signature': signatureOf(target.secret, Math.floor(clock.now() / 1000), body),
    };
    try {
      const outcome = await fetcher.fetch({
        url: target.url,
        method: 'POST',
        headers,
        body,
        maxBodyBytes: MAX_ANSWER_BYTES,
        ...(signal && { signal }),
      });
      if (outcome.status === 'response') await outcome.body.dispose();
      return faultOf(outcome);
    } catch (error) {
      return messageOf(error);
    }
  }

  return {
    async send(event, signal = ofAll) {
      const body = JSON.stringify(event);
      let fault = await post(event.type, body, signal);
      for (const waitMs of WAITS_MS) {
        if (fault === undefined) break;
        await clock.sleep(waitMs, signal);
        if (signal?.aborted) break;
        // The signature has the time of the try.
        fault = await post(event.type, body, signal);
      }
      return fault;
    },
  };
}

function faultOf(outcome: FetchOutcome): string | undefined {
  if (outcome.status === 'failed') return outcome.message;
  const { httpStatus } = outcome;
  return httpStatus >= 200 && httpStatus < 300 ? undefined : `HTTP ${httpStatus}`;
}

/** Whether the value is a target that can be used. */
export function isWebhookTarget(value: unknown): value is WebhookTarget {
  const { url, secret, ...others } = (value ?? {}) as Record<string, unknown>;
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const isHttp = ['http:', 'https:'].includes(new URL(url).protocol);
  const isSecret = typeof secret === 'string' && secret.length >= MIN_SECRET;
  return isHttp && isSecret && Object.keys(others).length === 0;
}
