/** Links that were left out, as sorted lines: a log may have a link several times. */
import { knownCause } from '../../core/causes/stored-cause.ts';
import type { Skip } from '../../crawler/ports/skip-log.ts';

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
