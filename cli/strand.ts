/**
 * The command line's entry: reads the arguments, runs the command, sets the exit code. What a command needs
 * is loaded with it: a crawl on this machine loads nothing of AWS, and what asks a stack nothing of SQLite.
 */
import { stackOrMessageOf } from '../shared/core/base/error-message.ts';
import { storageFailure } from '../shared/core/base/storage-failed.ts';
import { printableLines } from '../shared/core/text/printable.ts';
import { tuneV8 } from '../shared/engines/tune-v8.ts';
import { guardOutput } from '../shared/services/hooks/guard-output.ts';
import { parseArgs } from './args.ts';
import { type Command, isStackCommand } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { refuseForgottenDashes } from './forgotten-dashes.ts';
import { isOutage, isRefusal, isShown } from './refusal.ts';
import { guardTerminal } from './safe-terminal.ts';

tuneV8();
guardOutput(process.stdout, process.stderr);

/** The reader has closed its end, or the terminal is closed. */
const GONE: ReadonlySet<string> = new Set(['EPIPE', 'EIO']);

async function main(argv: readonly string[]): Promise<number> {
  refuseForgottenDashes(process.env);
  const command = parseArgs(argv);
  // A conversation moves the cursor; what it prints of a page it makes safe itself.
  if (command.verb !== 'shell') for (const stream of [process.stdout, process.stderr]) guardTerminal(stream);
  isAnswer = command.verb !== 'crawl' && command.verb !== 'resume';
  if (isStackCommand(command)) return (await import('./commands/on-stack.ts')).onStack(command);
  return onThisMachine(command);
}

async function onThisMachine(command: Exclude<Command, { stack: string }>): Promise<number> {
  switch (command.verb) {
    case 'crawl':
    case 'resume':
      return (await import('./commands/crawl.ts')).crawl(command);
    case 'add':
      return (await import('./commands/add.ts')).add(command);
    case 'status':
      return (await import('./commands/status.ts')).status(command);
    case 'watch':
      return (await import('./commands/watch-folder.ts')).watchFolder(command);
    case 'pause':
    case 'stop':
      return (await import('./commands/pause-stop.ts')).pauseOrStop(command);
    case 'list':
      return (await import('./commands/list.ts')).list(command);
    case 'hosts':
      return (await import('./commands/hosts.ts')).hosts(command);
    case 'delete':
      return (await import('./commands/delete.ts')).deleteFolder(command);
    case 'url':
      return (await import('./commands/url.ts')).url(command);
    case 'history':
      return (await import('./commands/history.ts')).history(command);
    case 'diff':
      return (await import('./commands/diff.ts')).diff(command);
    case 'explain':
      return (await import('./commands/explain.ts')).explain(command);
    case 'report':
      return (await import('./commands/report.ts')).report(command);
    case 'serve':
      return (await import('./commands/serve.ts')).serve(command);
    case 'process':
      return (await import('./commands/process.ts')).process(command);
    case 'warc':
      return (await import('./commands/warc.ts')).warc(command);
    case 'estimate':
      return (await import('./commands/estimate.ts')).estimate(command);
    case 'identity':
      return (await import('./commands/identity.ts')).identity(command);
    case 'read':
      return (await import('./commands/read.ts')).read(command);
    case 'shell':
      return (await import('./commands/shell.ts')).shell(command);
    case 'inlinks':
      return (await import('./commands/inlinks.ts')).inlinks(command);
    case 'send':
      return (await import('./commands/send.ts')).send(command);
    case 'duplicates':
      return (await import('./commands/duplicates.ts')).duplicates(command);
    case 'search':
      return (await import('./commands/search.ts')).search(command);
    case 'changes':
      return (await import('./commands/changes.ts')).changes(command);
    case 'export':
      return (await import('./commands/export.ts')).exportUrls(command);
    case 'init':
    case 'completion':
    case 'help':
    case 'version':
      return aboutProgram(command);
  }
}

async function aboutProgram(
  command: Extract<Command, { verb: 'init' | 'completion' | 'help' | 'version' }>,
): Promise<number> {
  switch (command.verb) {
    case 'init':
      return (await import('./commands/init.ts')).init(command);
    case 'completion':
      return print((await import('./completion.ts')).completionScript(command.shell));
    case 'help':
      return print((await import('./help.ts')).helpText(command.topic, process.stdout.columns));
    case 'version':
      return print(`strand ${(await import('../shared/core/base/version.ts')).version}\n`);
  }
}

function print(text: string): number {
  process.stdout.write(text);
  return exitCodes.finished;
}

/**
 * Verbs that do more than answer: they continue, and their exit code says how that went, whether or not
 * somebody reads.
 */
let isAnswer = true;

// A reader that went away (`strand export | head`) is no error.
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
  process.stderr.write(isShown(error) ? '' : `strand: ${printableLines(describe(error))}\n`);
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

/** Prints an error that a user can fix as one line, and a bug with its stack. */
function describe(error: unknown): string {
  if (isRefusal(error) || isOutage(error)) return error.message;
  const failure = storageFailure(error);
  if (failure) return failure.message;
  return stackOrMessageOf(error);
}
