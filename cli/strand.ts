/**
 * The command line's entry: reads the arguments, runs the command, tells the shell how it went. What a command needs is
 * loaded with it: a crawl on this machine loads nothing of AWS, and what asks a stack nothing of SQLite.
 */
import { InvalidConfig } from '../shared/crawl/config.ts';
import { storageFailure } from '../shared/storage-failed.ts';
import { tuneV8 } from '../shared/tune-v8.ts';
import { parseArgs } from './args.ts';
import { type Command, isStackCommand } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { ServiceUnavailable, UsageError } from './usage-error.ts';

tuneV8();

async function main(argv: readonly string[]): Promise<number> {
  const command = parseArgs(argv);
  if (isStackCommand(command)) return (await import('./commands/on-stack.ts')).onStack(command);
  return onThisMachine(command);
}

async function onThisMachine(command: Exclude<Command, { stack: string }>): Promise<number> {
  switch (command.verb) {
    case 'crawl':
      return (await import('./commands/crawl.ts')).crawl(command);
    case 'resume':
      return (await import('./commands/crawl.ts')).resume(command);
    case 'add':
      return (await import('./commands/add.ts')).add(command);
    case 'status':
      return (await import('./commands/status.ts')).status(command);
    case 'url':
      return (await import('./commands/url.ts')).url(command);
    case 'explain':
      return (await import('./commands/explain.ts')).explain(command);
    case 'report':
      return (await import('./commands/report.ts')).report(command);
    case 'warc':
      return (await import('./commands/warc.ts')).warc(command);
    case 'export':
      return (await import('./commands/export.ts')).exportUrls(command);
    case 'help': {
      const { helpText } = await import('./help.ts');
      process.stdout.write(helpText(command.topic, process.stdout.columns));
      return exitCodes.finished;
    }
    case 'version':
      process.stdout.write(`strand ${(await import('../shared/version.ts')).version}\n`);
      return exitCodes.finished;
  }
}

// A reader that went away (`strand export | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.finished);
  process.stderr.write(`strand: standard output cannot be written: ${error.message}\n`);
  process.exit(exitCodes.unexpected);
});
// Messages that nobody can be given any more stop no crawl.
process.stderr.on('error', () => {});

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = isRefusal(error) ? exitCodes.usage : exitCodes.unexpected;
  // What a project's file has left running does not keep a process that was refused.
  const end = isRefusal(error) ? () => process.exit() : undefined;
  process.stderr.write(`strand: ${describe(error)}\n`, end);
}

function isRefusal(error: unknown): error is Error {
  if (error instanceof UsageError || error instanceof InvalidConfig) return true;
  // By name, as its module loads SQLite.
  return error instanceof Error && error.name === 'FolderInUse';
}

/** What people can do something about is told in a line, a bug with its stack. */
function describe(error: unknown): string {
  if (isRefusal(error) || error instanceof ServiceUnavailable) return error.message;
  const failure = storageFailure(error);
  if (failure) return failure.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
