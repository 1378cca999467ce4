import type { FailureCode, FailureReason } from '../../../shared/core/outcome/failure-codes.ts';
import type { FetchOutcome } from '../../../shared/core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../../shared/core/outcome/fetch-request.ts';
import { memoryBody } from '../../../shared/core/outcome/memory-body.ts';
import { hostKey } from '../../../shared/core/url/host-key.ts';
import type { Clock } from '../../../shared/crawler/ports/clock.ts';
import type { Fetcher } from '../../../shared/crawler/ports/fetcher.ts';

/** The answer of a URL. */
export interface Answer {
  /** 200 unless given. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[];
  /** HTML unless the headers say otherwise. */
  readonly body?: string | Uint8Array;
  /** No response, but this. */
  readonly fails?: FailureReason;
  readonly code?: FailureCode;
  /** The server had closed the kept connection. */
  readonly isStaleConnection?: boolean;
  readonly truncated?: 'length' | 'time' | 'disconnect';
}
/** By URL; a function is asked at each request, with the number of requests of that URL before. */
export type Site = Readonly<Record<string, Answer | ((before: number, request: FetchRequest) => Answer)>>;

export interface LoggedRequest {
  readonly url: string;
  readonly host: string;
  readonly startedAt: number;
  endedAt: number;
}

export interface ScriptedFetcher extends Fetcher {
  readonly log: readonly LoggedRequest[];
  /** How often the URL was requested. */
  count(url: string): number;
}

/** Answers from `site`, 404 for what it does not have, each after `tookMs`. Without sockets. */
export function createScriptedFetcher(clock: Clock, site: Site, tookMs = 50): ScriptedFetcher {
  const log: LoggedRequest[] = [];
  const count = (url: string) => log.filter((request) => request.url === url).length;

  async function fetch(asked: FetchRequest): Promise<FetchOutcome> {
    const { url, onHead, signal } = asked;
    const entry = site[url];
    const answer = typeof entry === 'function' ? entry(count(url), asked) : (entry ?? { status: 404 });
    const request = { url, host: hostKey(url), startedAt: clock.now(), endedAt: Number.POSITIVE_INFINITY };
    log.push(request);
    await clock.sleep(tookMs, signal);
    request.endedAt = clock.now();
    const times = { url, startedAt: request.startedAt, endedAt: request.endedAt };
    const fails = signal?.aborted ? 'aborted' : answer.fails;
    const { code, isStaleConnection } = answer;
    if (fails)
      return {
        status: 'failed',
        reason: fails,
        message: `${fails}: ${url}`,
        ...(code && { code }),
        ...(isStaleConnection && { isStaleConnection }),
        ...times,
      };
    const bytes = typeof answer.body === 'object' ? Buffer.from(answer.body) : Buffer.from(answer.body ?? '');
    const fields = { 'Content-Type': 'text/html; charset=utf-8', ...answer.headers };
    const head = {
      httpStatus: answer.status ?? 200,
      statusText: '',
      headers: [
        ...Object.entries(fields),
        ...(answer.cookies ?? []).map((cookie): [string, string] => ['Set-Cookie', cookie]),
      ],
    };
    onHead?.(head)?.(bytes);
    return {
      status: 'response',
      ...times,
      ...head,
      body: memoryBody(bytes),
      requestHead: Buffer.from(`GET ${new URL(url).pathname} HTTP/1.1\r\n\r\n`),
      ipAddress: '127.0.0.1',
      ...(answer.truncated && { truncated: answer.truncated }),
    };
  }
  return { fetch, log, count, close: async () => {} };
}

/** A page that links to these. */
export const page = (...links: string[]): Answer => ({
  body: `<html><body>${links.map((link) => `<a href="${link}">x</a>`).join('')}</body></html>`,
});
export const redirect = (location: string, status = 301): Answer => ({
  status,
  headers: { Location: location },
});
export const robots = (text: string): Answer => ({ headers: { 'Content-Type': 'text/plain' }, body: text });
