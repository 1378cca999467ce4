/** The links that a stack's crawl left out, as its workers have stored them in S3. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { knownCause } from '../../shared/core/causes/stored-cause.ts';
import type { Skip } from '../../shared/crawler/ports/skip-log.ts';
import { skipsPrefix } from '../../shared/engines/aws/archive/item-folders.ts';
import type { SkipLine } from '../../shared/engines/aws/archive/skip-objects.ts';
import { createLineSorter } from '../../shared/engines/local/archive/sorted-lines.ts';
import { jsonObjects, type StoredLines } from './stack-items.ts';

/**
 * Yields each link once, by reason and URL. Sorts them in files of the temporary folder, and holds some megabytes.
 * `onBeyond`: called with the number of links that were only counted.
 */
export async function* stackSkips(
  stored: StoredLines,
  onBeyond: (links: number) => void,
): AsyncGenerator<Skip, void, undefined> {
  const temporary = await mkdtemp(join(tmpdir(), 'strand-skips-'));
  const sorter = createLineSorter((n) => join(temporary, `run-${n}`));
  try {
    for await (const line of jsonObjects<SkipLine>(stored, skipsPrefix(stored.crawl))) {
      if ('beyond' in line) onBeyond(line.beyond);
      else await sorter.add(sortedLineOf(line));
    }
    for await (const { skip } of distinctSkips(sorter.sorted())) yield skip;
  } finally {
    await sorter.dispose();
    await rm(temporary, { recursive: true, force: true });
  }
}

/** A line of ASCII for a link: sorted, such lines are in the order of reason and URL. */
export const sortedLineOf = (skip: Skip): string => `${keyOf(skip)}${ascii(skip)}\n`;

/** Yields the links of sorted lines, each once, with its line. `after`: the line before the first one. */
export async function* distinctSkips(
  lines: AsyncIterable<string>,
  after = '',
): AsyncGenerator<{ readonly line: string; readonly skip: Skip }> {
  let last = keyIn(after);
  for await (const line of lines) {
    const key = keyIn(line);
    if (key === last) continue;
    last = key;
    const { cause, ...skip } = JSON.parse(line.slice(key.length)) as Skip;
    yield { line, skip: { ...skip, ...(cause !== undefined && { cause: knownCause(cause) }) } };
  }
}

const keyIn = (line: string): string => line.slice(0, Math.max(0, line.indexOf('{')));

/** `REASON URL `, without a brace: the JSON begins at the first one. */
const keyOf = ({ reason, url }: Skip): string => `${ascii(reason)} ${ascii(url)} `.replaceAll('{', '%7B');

/** JSON whose characters beyond ASCII are escaped. */
const ascii = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
