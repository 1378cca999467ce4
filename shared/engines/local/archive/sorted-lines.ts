/** Lines of text as a file that is durable. */
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { syncFolder } from './archive-names.ts';

const PIECE_BYTES = 64 * 1024;

/**
 * Makes the file of these lines, which is durable when this resolves; until then there is none, or the one
 * before.
 */
export async function writeLines(
  path: string,
  lines: AsyncIterable<readonly string[]>,
  temporary: string,
): Promise<void> {
  try {
    const handle = await open(temporary, 'wx');
    try {
      await writeAll(handle, lines);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

async function writeAll(handle: FileHandle, lines: AsyncIterable<readonly string[]>): Promise<void> {
  let text = '';
  for await (const piece of lines) {
    text += piece.join('');
    if (text.length < PIECE_BYTES) continue;
    await handle.writeFile(text, 'latin1');
    text = '';
    // Lines come without a wait from memory: others have their turn.
    await setImmediate();
  }
  await handle.writeFile(text, 'latin1');
}
