import type { Readable, Writable } from 'node:stream';
import { messageOf } from '../../core/base/error-message.ts';
import { MAX_MESSAGE_BYTES, type OpenTransport, START_CHARS } from './transport.ts';

export interface Pipes {
  readonly write: Writable;
  readonly read: Readable;
}

/** Messages in JSON over two pipes, each followed by NUL. */
export const pipeTransport =
  ({ write, read }: Pipes): OpenTransport =>
  ({ onMessage, onLarge, onEnd }) => {
    const reader = createReader(onMessage, onLarge);
    // A fault of the pipe is the end of the browser, which its process reports.
    write.on('error', (error) => onEnd(`its pipe broke: ${messageOf(error)}`));
    read.on('error', (error) => onEnd(`its pipe broke: ${messageOf(error)}`));
    read.on('close', () => onEnd('its pipe was closed'));
    read.on('data', (chunk: Buffer) => {
      try {
        reader(chunk);
      } catch (error) {
        onEnd(`it sent no JSON: ${messageOf(error)}`);
      }
    });
    return { send: (text) => void write.write(`${text}\0`) };
  };

/** Returns a function that takes bytes as they come, and cuts them at NUL. */
function createReader(
  onMessage: (text: string) => void,
  onLarge: (start: string) => void,
): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let size = 0;

  function keep(piece: Buffer): void {
    size += piece.length;
    // A message that is too large keeps its start only.
    if (size <= MAX_MESSAGE_BYTES || pieces.length === 0) pieces.push(piece);
    else if (pieces.length > 1) pieces = [Buffer.from(Buffer.concat(pieces).subarray(0, START_CHARS))];
  }

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      const whole = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
      const isLarge = size > MAX_MESSAGE_BYTES;
      pieces = [];
      size = 0;
      if (isLarge) onLarge(whole.toString('utf8', 0, START_CHARS));
      else if (whole.length > 0) onMessage(whole.toString('utf8'));
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  };
}
