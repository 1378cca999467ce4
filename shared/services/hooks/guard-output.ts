/**
 * The output of a project's code: standard output is for the result of the command, and a terminal obeys none of what a page may
 * have brought.
 */

import { printableLines } from '../../core/text/printable.ts';
import { currentHook } from '../project/hook-context.ts';

type Output = Pick<NodeJS.WriteStream, 'write'>;

/**
 * From now on, output of hooks and of the project's file goes to standard error, with control characters escaped.
 * Output of other code is unchanged.
 */
export function guardOutput(stdout: Output, stderr: Output): void {
  const toStderr = stderr.write.bind(stderr) as (...args: readonly unknown[]) => boolean;
  for (const stream of [stdout, stderr]) {
    const write = stream.write.bind(stream) as typeof toStderr;
    stream.write = (chunk: string | Uint8Array, ...rest: readonly unknown[]) =>
      currentHook() === undefined
        ? write(chunk, ...rest)
        : toStderr(printableLines(textOf(chunk)), ...rest.filter((value) => typeof value === 'function'));
  }
}

const textOf = (chunk: string | Uint8Array): string =>
  typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
