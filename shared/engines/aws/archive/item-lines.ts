/** Objects of compressed lines, as items are stored. */
import { promisify } from 'node:util';
import { gunzip, gunzipSync } from 'node:zlib';
import { type ObjectFolder, readRange } from './read-range.ts';

/** The items of one turn take less: `MAX_ITEM_CHARS` of `turn-output.ts` and those of one page more. */
const OPTIONS = { maxOutputLength: 1024 * 1024 * 1024 };

const decompress = promisify(gunzip);

/** The lines of an object, without their line feeds. */
export async function linesOfObject(folder: ObjectFolder, file: string, bytes: number): Promise<string[]> {
  const compressed = await readRange(folder, file, 0, bytes);
  return linesIn(await decompress(compressed, OPTIONS));
}

/** The lines in the bytes of such an object. Throws if they are none. */
export const linesOfBytes = (compressed: Uint8Array): string[] => linesIn(gunzipSync(compressed, OPTIONS));

const linesIn = (bytes: Uint8Array): string[] =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    .toString()
    .split('\n')
    .filter((line) => line !== '');
