import type { Placed } from '../../../services/exports/placed.ts';
import { listFiles } from '../archive/compact-objects.ts';
import { linesOfObject } from '../archive/item-lines.ts';
import type { StoredLines } from '../archive/stack-items.ts';

/**
 * Lines of JSON that workers have stored in that folder. Cursor: the key of an object, which is read whole
 * or not at all. Keys sort by time.
 */
export async function* storedLinesBehind<T>(
  { context, run }: StoredLines,
  prefix: string,
  after: string | undefined,
): AsyncGenerator<Placed<T, string>> {
  const folder = { ...context, folder: prefix };
  const pages = listFiles(folder, after);
  for (let page = await run(() => pages.next()); !page.done; page = await run(() => pages.next())) {
    for (const { file, bytes } of page.value) {
      const lines = await run(() => linesOfObject(folder, file, bytes));
      const place = { after: file, share: 0.5 };
      for (const line of lines) yield { value: JSON.parse(line) as T, ...place, isGoodEnd: false };
      yield { ...place, isGoodEnd: true };
    }
  }
}
