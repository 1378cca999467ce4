/** Looks lines up in a sorted file of lines, such as an index of captures, without reading all of it. */
import { open } from 'node:fs/promises';
import { linesBetween } from '../../../core/archive/search-lines.ts';
import { readHandle } from './read-handle.ts';

/**
 * Returns the lines that begin with `prefix`, without their line feeds. The file's lines are sorted by their bytes,
 * which are ASCII. Reads some KB for each halving of the file.
 */
export async function findLines(path: string, prefix: string): Promise<string[]> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const found: string[] = [];
    // No byte of the lines is above.
    const range = { from: prefix, below: `${prefix}\u007f` };
    for await (const { text } of linesBetween(readHandle(handle), size, range)) found.push(text);
    return found;
  } finally {
    await handle.close();
  }
}
