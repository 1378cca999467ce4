/** Copies the state of hooks between a folder and a stack. */
import { existsSync, rmSync } from 'node:fs';
import type { CrawlId } from '../../../shared/core/crawl/crawl-id.ts';
import { MAX_STATE_VALUE_BYTES } from '../../../shared/crawler/ports/shared-state.ts';
import type { HookState } from '../../../shared/engines/aws/state/hook-state.ts';
import { openStateFile } from '../../../shared/engines/local/items/state-store.ts';

/** Values that one transaction writes, each of up to 350 KB. */
const VALUES_AT_ONCE = 10;

/** Safe to repeat. Returns the keys of values that are too large for a stack. */
export async function pushState(
  path: string,
  state: Pick<HookState, 'change'>,
  crawl: CrawlId,
): Promise<string[]> {
  if (!existsSync(path)) return [];
  const file = openStateFile(path);
  try {
    const entries = file.entries();
    const isTooLarge = (json: string) => Buffer.byteLength(json) > MAX_STATE_VALUE_BYTES;
    const changes = entries.flatMap(([key, json]) => (isTooLarge(json) ? [] : [{ key, apply: () => json }]));
    for (let from = 0; from < changes.length; from += VALUES_AT_ONCE)
      await state.change(crawl, changes.slice(from, from + VALUES_AT_ONCE));
    return entries.flatMap(([key, json]) => (isTooLarge(json) ? [key] : []));
  } finally {
    file.close();
  }
}

/** Replaces what an earlier attempt has left. */
export async function pullState(
  state: Pick<HookState, 'readNow'>,
  crawl: CrawlId,
  path: string,
): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  const file = openStateFile(path);
  try {
    for (const [key, json] of (await state.readNow(crawl)).entries()) file.swap(key, undefined, json);
  } finally {
    file.close();
  }
}
