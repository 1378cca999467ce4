/** Requests to destinations of documents, tried again as long as that may help. */
import { causeOf, messageOf } from '../../shared/core/base/error-message.ts';
import { SinkFailed } from '../../shared/services/outputs/sink/sink.ts';

export interface SinkRequest {
  readonly method: 'HEAD' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface SinkAnswer {
  readonly status: number;
  /** At most 16 MiB of it. */
  readonly body: string;
}

export type Sleep = (ms: number) => Promise<void>;

export const TRIES = 8;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 60_000;
const TIMEOUT_MS = 120_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** The wait before try number `tries`, the second being 1: doubled each time, with up to as much again by chance. */
export const waitBefore = (tries: number, random: number): number =>
  Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1) * (1 + random));

const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/**
 * Returns the first response that is not a transient error: if a server is busy (408, 429, 5xx) or does not answer, the
 * request is sent again after `Retry-After` or a growing wait. `make` is called for each try. Throws {@link SinkFailed}
 * after the last one. Redirects are not followed.
 */
export async function sendUntilTaken(make: () => SinkRequest, sleep: Sleep): Promise<SinkAnswer> {
  let trouble = '';
  for (let tries = 1; ; tries++) {
    let waitMs = waitBefore(tries, Math.random());
    const { url, ...request } = make();
    try {
      const response = await fetch(url, {
        ...request,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const body = await textOf(response);
      if (!isPassing(response.status)) return { status: response.status, body };
      trouble = `HTTP ${response.status}`;
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
      if (seconds >= 0) waitMs = Math.min(MAX_WAIT_MS, Math.max(waitMs, seconds * 1000));
    } catch (error) {
      trouble = messageOf(causeOf(error) ?? error);
    }
    if (tries >= TRIES)
      throw new SinkFailed(`${new URL(url).host} did not take documents: ${trouble}, ${TRIES} times`);
    await sleep(waitMs);
  }
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
