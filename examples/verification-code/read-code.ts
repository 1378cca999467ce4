import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const PROGRAM = join(import.meta.dirname, 'reader/read-digits.js');
const MAX_MS = 30_000;
/** A picture of this size that unpacks to as much as it can costs 400 MB and a few seconds. */
const MAX_BYTES = 64 * 1024;

/**
 * Returns the code in the picture; undefined if no 4 or 5 digits are found. A process reads it that has nothing of the crawl, the
 * secret least of all: a picture that breaks the reader ends that process alone, and its memory is free afterwards.
 */
export async function readCode(picture: Uint8Array): Promise<string | undefined> {
  if (picture.length > MAX_BYTES)
    throw new Error(`Expected a picture of at most ${MAX_BYTES} bytes, got ${picture.length}`);
  const reader = spawn(process.execPath, [PROGRAM], { env: {}, timeout: MAX_MS, killSignal: 'SIGKILL' });
  // A reader that ends early does not take the picture; its exit code says so.
  reader.stdin.on('error', () => {}).end(picture);
  const [digits, errors, [code]] = await Promise.all([
    text(reader.stdout),
    text(reader.stderr),
    once(reader, 'close'),
  ]);
  const [why = `the reader ended with ${code ?? reader.signalCode}`] = /^\w*Error\b.*/m.exec(errors) ?? [];
  if (code !== 0) throw new Error(`The code could not be read: ${why}`);
  return /^\d{4,5}$/.test(digits) ? digits : undefined;
}
