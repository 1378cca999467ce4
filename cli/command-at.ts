/** Where a crawl is, and the command line that asks for it there. */

import type { StackAddress } from '../api/stack-address.ts';
import { printable } from '../shared/core/text/printable.ts';
import { PROGRAM } from './program.ts';

/** A folder of this machine, with the project's file if one was named; or a crawl of a deployed stack. */
export type CrawlPlace =
  | { readonly dir: string; readonly config?: string }
  | (StackAddress & { readonly crawl: string });

/**
 * `strand resume crawls/a`, `strand --stack Strand resume a`. To be copied to a POSIX
 * shell.
 */
export function commandAt(place: CrawlPlace, verb: string, ...more: readonly string[]): string {
  if ('dir' in place) {
    const { dir, config } = place;
    const project = config !== undefined && verb === 'resume' ? ['--config', shellWord(config)] : [];
    // A name that begins with a dash would be taken for an option.
    const folder = shellWord(dir.startsWith('-') ? `./${dir}` : dir);
    return [PROGRAM, verb, folder, ...project, ...more].join(' ');
  }
  return [stackProgram(place), verb, shellWord(place.crawl), ...more].join(' ');
}

/** The program with what says which stack is meant. */
export function stackProgram({ stack, region }: StackAddress): string {
  return [PROGRAM, '--stack', stack, ...(region === undefined ? [] : ['--region', shellWord(region)])].join(
    ' ',
  );
}

/** The text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w./@%+,:=-]+$/.test(text) ? text : `'${printable(text).replaceAll("'", "'\\''")}'`;
}
