/** Keeps a terminal from obeying anything of a page, a crawl or an archive. */
import { StringDecoder } from 'node:string_decoder';
import { INVISIBLE } from '../shared/core/text/printable.ts';

/** The sequences that this program writes itself: tones (`format.ts`), a drawn line (`drawn-line.ts`), ends of lines. */
const OWN = String.raw`\r\u001b\[K|\u001b\[(?:0|1|2|22|3[123])m|\r?\n|\t`;
// linear: alternatives of at most five characters, without repetition.
const PIECES = new RegExp(`(${OWN})|${INVISIBLE}`, 'g');

/** The text with U+FFFD for each character that a terminal would obey or hide, apart from this program's own sequences. */
export const safeOnTerminal = (text: string): string => text.replace(PIECES, (_, own) => own ?? '\ufffd');

type Written = Parameters<NodeJS.WriteStream['write']>;

/**
 * From here on all that is written to the stream passes {@link safeOnTerminal}, if it is a terminal. Files and pipes get the bytes as
 * they are.
 */
export function guardTerminal(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>): void {
  if (!stream.isTTY) return;
  const write = stream.write.bind(stream) as (...written: Written) => boolean;
  // A chunk may end within a character.
  const decoder = new StringDecoder('utf8');
  stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) =>
    write(
      safeOnTerminal(typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk))),
      ...(rest.filter((given) => typeof given === 'function') as []),
    )) as NodeJS.WriteStream['write'];
}
