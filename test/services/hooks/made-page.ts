import { createDocumentParser, type DocumentFacts } from '../../../shared/core/parser/document.ts';
import type { HookedPage } from '../../../shared/crawler/turn/page-hooks.ts';
import { responseOf } from '../../../shared/services/project/response-of.ts';

export interface Made {
  readonly body?: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly url?: string;
}

/** A page as a turn would have it. */
export async function madePage({
  body = '',
  headers = {},
  url = 'http://a.test/dir/page',
}: Made = {}): Promise<HookedPage> {
  const fields = { 'Content-Type': 'text/html', ...headers };
  const response = responseOf({ url }, { httpStatus: 200, headers: fields, body, startedAt: 5, endedAt: 9 });
  const parser = createDocumentParser({
    url,
    headers: response.headers,
    maxDecodedBytes: 1e6,
    maxLinks: 100,
  });
  parser.write(await response.body.bytes());
  const facts: DocumentFacts = await parser.end();
  return { url, depth: 1, via: 'http://a.test/', response, facts };
}

/** Time that passes on command: `sleep` ends when `pass` is called. */
export function handClock() {
  const sleepers = new Set<() => void>();
  return {
    clock: {
      now: () => 0,
      sleep: (_ms: number, signal?: AbortSignal) =>
        new Promise<void>((resolve) => {
          if (signal?.aborted) return resolve();
          sleepers.add(resolve);
          signal?.addEventListener('abort', () => resolve());
        }),
    },
    pass() {
      for (const wake of sleepers) wake();
      sleepers.clear();
    },
  };
}
