/** Rows on their way to a file or to standard output. */
import { once } from 'node:events';

/** The methods of `process.stdout` that are used. */
export type RowStream = Pick<NodeJS.WritableStream, 'write' | 'once'>;

/** Writes, and waits while the reader is slower. */
export function writerTo(out: RowStream): (text: string | Uint8Array) => Promise<void> {
  return async (text) => {
    if (text.length > 0 && !out.write(text)) await once(out as NodeJS.WriteStream, 'drain');
  };
}

/** Rows are written together. */
const WRITE_CHARS = 64 * 1024;

/** Writes a row for each value, many at once. `head`: before the first. */
export async function streamRows<T>(
  out: RowStream,
  values: AsyncIterable<T>,
  rowOf: (value: T) => string,
  head = '',
): Promise<void> {
  const write = writerTo(out);
  let text = head;
  for await (const value of values) {
    text += rowOf(value);
    if (text.length < WRITE_CHARS) continue;
    await write(text);
    text = '';
  }
  await write(text);
}

export const jsonRow = (value: unknown): string => `${JSON.stringify(value)}\n`;
