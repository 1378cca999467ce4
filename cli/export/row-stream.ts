/** Rows on their way to a file or to standard output. */
import { once } from 'node:events';

/** The methods of `process.stdout` that are used. */
export type RowStream = Pick<NodeJS.WritableStream, 'write' | 'once'>;

/** Writes, and waits while the reader is slower. */
export function writerTo(out: RowStream): (text: string) => Promise<void> {
  return async (text) => {
    if (text !== '' && !out.write(text)) await once(out as NodeJS.WriteStream, 'drain');
  };
}

/** Rows are written together. */
const WRITE_CHARS = 64 * 1024;

/** The values as texts of many lines. */
export async function* gathered<T>(
  values: AsyncIterable<T>,
  lineOf: (value: T) => string,
): AsyncGenerator<string> {
  let text = '';
  for await (const value of values) {
    text += lineOf(value);
    if (text.length < WRITE_CHARS) continue;
    yield text;
    text = '';
  }
  yield text;
}
