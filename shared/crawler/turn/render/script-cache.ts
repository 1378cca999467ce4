import { createSizedCache } from '../../../core/base/sized-cache.ts';
import type { FetchedResponse } from '../../../core/outcome/fetch-outcome.ts';
import { memoryBody } from '../../../core/outcome/memory-body.ts';
import { headersLength, sharedHeaders } from '../../../core/render/answer-headers.ts';
import { SCRIPT_AGE_MS } from '../../../core/render/shared-script.ts';

/** Scripts that the pages of a process share, by their URLs. */
export interface ScriptCache {
  find(key: string, now: number): FetchedResponse | undefined;
  keep(key: string, script: FetchedResponse, body: Uint8Array): void;
}

const MAX_BYTES = 200_000_000;
/** A larger script is fetched by each page. */
const MAX_SCRIPT_BYTES = 10_000_000;

/** They are not asked about again for an hour. */
export function createScriptCache(): ScriptCache {
  const kept = createSizedCache<FetchedResponse>({ maxSize: MAX_BYTES, maxAgeMs: SCRIPT_AGE_MS });
  return {
    find: (key, now) => kept.get(key, now),
    keep(key, script, body) {
      if (body.length > MAX_SCRIPT_BYTES) return;
      const headers = sharedHeaders(script.headers);
      const size = body.length + headersLength(headers);
      kept.set(key, { ...script, headers, body: memoryBody(body) }, { size, at: script.endedAt });
    },
  };
}
