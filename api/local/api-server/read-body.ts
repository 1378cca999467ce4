import type { IncomingMessage } from 'node:http';

/** Reads a body of at most `maxBytes`; undefined: it is longer. Rejects if it breaks off. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += (piece as Buffer).length;
    if (bytes > maxBytes) return undefined;
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces).toString('utf8');
}
