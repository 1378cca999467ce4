import type { Readable } from 'node:stream';

/** A longer line without an end is printed in pieces of this size. */
const MAX_LINE_CHARS = 64 * 1024;

/** Takes the lines that the code of a thread prints. Resolves at the stream's end. */
export async function printLines(stream: Readable, print: (line: string) => void): Promise<void> {
  let rest = '';
  stream.setEncoding('utf8');
  for await (const text of stream) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) print(line);
    if (rest.length > MAX_LINE_CHARS) {
      print(rest);
      rest = '';
    }
  }
  if (rest !== '') print(rest);
}
