import { setFlagsFromString } from 'node:v8';

/**
 * To be called as a process starts, for all its threads. Objects made at a place in the code whose objects often survived a
 * collection are made among the old ones from then on, and keep what they name until V8 looks through all of its heap. Of
 * a crawl's objects many live as long as a page or a turn does, which is just too long, and then keep whole pages: 75 KB a
 * page grew old in place of 7. Measured on pages of 50 KB: 4 % less CPU, 50 MB less at the peak.
 */
export function tuneV8(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
