/**
 * The command line's entry: reads the arguments, runs the command, sets the exit code. What a command needs
 * is loaded with it: a crawl on this machine loads nothing of AWS, and what asks a stack nothing of SQLite.
 */
import { stackOrMessageOf } from '../shared/core/base/error-message.ts';
import { storageFailure } from '../shared/core/base/storage-failed.ts';
import { printableLines } from '../shared/core/text/printable.ts';
import { tuneV8, tuneV8ForLittleMemory, tuneWhenStarted } from '../shared/engines/tune-v8.ts';
import { guardOutput } from '../shared/services/hooks/guard-output.ts';
import { parseArgs } from './args.ts';
import { exitCodes } from './exit-codes.ts';
import type { Place } from './place.ts';
import { workingFolder } from './program.ts';
import { isOutage, isRefusal, isShown } from './refusal.ts';
import { guardTerminal } from './safe-terminal.ts';
import { UsageError } from './usage-error.ts';
import type { VerbFile } from './verb.ts';
import { TABLE } from './verbs.ts';

guardOutput(process.stdout, process.stderr);

/** The reader has closed its end, or the terminal is closed. */
const GONE: ReadonlySet<string> = new Set(['EPIPE', 'EIO']);

async function main(argv: readonly string[]): Promise<number> {
  if (workingFolder() === undefined)
    throw new UsageError('The folder in which this command runs was deleted. Go to another one (cd)');
  const words =
    argv.length > 0 || !isConversation() ? argv : await (await import('./ask.ts')).askOnTerminal();
  if (words === undefined) return exitCodes.interrupted;
  const command = await parseArgs(words, process.env);
  if (command === 'version') {
    process.stdout.write(`strand ${(await import('../shared/core/base/version.ts')).version}\n`);
    return exitCodes.finished;
  }
  const { verb, address, json, asked, note } = command;
  if (note !== undefined) process.stderr.write(`strand: ${note}\n`);
  // A conversation moves the cursor; what it prints of a page it makes safe itself.
  if (verb !== 'shell') for (const stream of [process.stdout, process.stderr]) guardTerminal(stream);
  isAnswer = verb !== 'crawl' && verb !== 'resume';
  if (verb === 'map' || verb === 'mcp') tuneV8ForLittleMemory();
  else if (isAnswer) tuneWhenStarted(tuneV8);
  const file: VerbFile = await TABLE[verb].load();
  const work = async (place: Place) => {
    const code = await file.run(asked, place, TABLE);
    return code === exitCodes.finished && place.isIncomplete ? exitCodes.unexpected : code;
  };
  if (address === undefined) return (await import('./here.ts')).onThisMachine(json, work);
  const { onStack } = await import('./on-stack.ts');
  return onStack({ address, json, options: file.options, work });
}

/** Whether somebody can be asked. */
const isConversation = (): boolean => Boolean(process.stdin.isTTY && process.stdout.isTTY);

/**
 * Verbs that do more than answer: they continue, and their exit code says how that went, whether or not
 * somebody reads.
 */
let isAnswer = true;

// A reader that went away (`strand export | head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (!GONE.has(error.code ?? '')) {
    process.stderr.write(`strand: standard output cannot be written: ${error.message}\n`);
    process.exit(exitCodes.unexpected);
  }
  if (isAnswer) process.exit(exitCodes.finished);
});
// Messages that nobody can be given any more stop no crawl.
process.stderr.on('error', () => {});

try {
  process.exitCode = await main(process.argv.slice(2));
  endWhenWritten();
} catch (error) {
  process.exitCode = isRefusal(error) ? exitCodes.usage : exitCodes.unexpected;
  const message = describe(error) + (isRefusal(error) ? await moreOn(error) : '');
  process.stderr.write(isShown(error) ? '' : `strand: ${printableLines(message)}\n`);
  if (isRefusal(error)) endWhenWritten();
}

/**
 * All is done: code of a project's file that still waits for something, such as its timers, does not keep the process alive. Not
 * at once, but after a while in which nothing has run: `process.exit` waits for ever if at that moment a thread that
 * compiles waits for this one to collect garbage (https://github.com/nodejs/node/issues/54918).
 */
function endWhenWritten(): void {
  setInterval(() => {
    if (process.stdout.writableLength === 0 && process.stderr.writableLength === 0) process.exit();
  }, 500).unref();
}

/** Names the folder that was probably meant by one without a crawl. */
async function moreOn(error: Error): Promise<string> {
  if (error.name !== 'NoCrawl' || !('folder' in error)) return '';
  return (await import('./no-crawl.ts')).crawlMeant(String(error.folder));
}

/** Prints an error that a user can fix as one line, and a bug with its stack. */
function describe(error: unknown): string {
  if (isRefusal(error) && error.name === 'NewerFormat')
    return `A newer version of Strand has written this crawl (${error.message}): use that one`;
  if (isRefusal(error) && error.name === 'CorruptBytes')
    return `The stored state of this crawl is damaged (${error.message}): restore it from a backup`;
  if (isRefusal(error) || isOutage(error)) return error.message;
  const failure = storageFailure(error);
  if (failure) return failure.message;
  return stackOrMessageOf(error);
}
