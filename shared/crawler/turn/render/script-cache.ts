import QuickLRU from 'quick-lru';
import type { FetchedResponse } from '../../../core/outcome/fetch-outcome.ts';
import { memoryBody } from '../../../core/outcome/memory-body.ts';
import { sharedHeaders } from '../../../core/render/answer-headers.ts';

/** Scripts that the pages of a process share, by their URLs. */
export interface ScriptCache {
  find(key: string, now: number): FetchedResponse | undefined;
  keep(key: string, script: FetchedResponse, body: Uint8Array): void;
}

const MAX_AGE_MS = 3_600_000;
const MAX_BYTES = 200_000_000;
/** A larger script is fetched by each page. */
const MAX_SCRIPT_BYTES = 10_000_000;

/** They are not asked about again for an hour: within a crawl a script hardly changes. The oldest ones go first. */
export function createScriptCache(): ScriptCache {
  let bytes = 0;
  const kept = new QuickLRU<string, FetchedResponse>({ maxSize: Number.MAX_SAFE_INTEGER });

  function remove(key: string): void {
    bytes -= kept.peek(key)?.body.size ?? 0;
    kept.delete(key);
  }

  return {
    find(key, now) {
      const script = kept.get(key);
      if (script === undefined || now - script.endedAt < MAX_AGE_MS) return script;
      remove(key);
      return undefined;
    },
    keep(key, script, body) {
      if (body.length > MAX_SCRIPT_BYTES) return;
      remove(key);
      kept.set(key, { ...script, headers: sharedHeaders(script.headers), body: memoryBody(body) });
      bytes += body.length;
      for (const [oldest] of kept.entriesAscending()) {
        if (bytes <= MAX_BYTES) break;
        remove(oldest);
      }
    },
  };
}
