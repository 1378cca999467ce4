import { setFlagsFromString } from 'node:v8';

/**
 * To be called as a process starts, for all its threads. Measured together on pages of 50 KB, in crawls of ten seconds: 6 % less
 * CPU.
 *
 * - Objects made at a place in the code whose objects often outlived a collection are made among the old ones from then
 *   on, and keep what they name until V8 looks through all of its heap. A crawl's objects live as long as a page or a turn,
 *   which is just too long, and then keep whole pages: 75 KB of each page grew old, and 7 KB do without.
 * - The young ones have room for 1 MB at first and twice as much each time that enough of them live on: some twenty
 *   collections, of which each takes what is under way for old.
 */
export function tuneV8(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString('--semi-space-growth-factor=16');
}
