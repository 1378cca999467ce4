/** The command line's entry: reads the arguments, runs the command, tells the shell how it went. */

import { InvalidConfig } from '../shared/crawl/config.ts';
import { FolderInUse } from '../shared/engines/local/lock.ts';
import { parseArgs, UsageError } from './args.ts';
import { crawl, resume } from './commands/crawl.ts';
import { exportUrls } from './commands/export.ts';
import { status } from './commands/status.ts';
import { url } from './commands/url.ts';
import { exitCodes } from './exit-codes.ts';
import { helpText } from './help.ts';
import { version } from './version.ts';

async function main(argv: readonly string[]): Promise<number> {
  const command = parseArgs(argv);
  switch (command.verb) {
    case 'crawl':
      return crawl(command);
    case 'resume':
      return resume(command);
    case 'status':
      return status(command);
    case 'url':
      return url(command);
    case 'export':
      return exportUrls(command);
    case 'help':
      process.stdout.write(helpText(command.topic, process.stdout.columns));
      return exitCodes.finished;
    case 'version':
      process.stdout.write(`strand ${version}\n`);
      return exitCodes.finished;
  }
}

// A reader that went away (`strand export | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.finished);
  throw error;
});

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isRefusal =
    error instanceof UsageError || error instanceof InvalidConfig || error instanceof FolderInUse;
  process.exitCode = isRefusal ? exitCodes.usage : exitCodes.unexpected;
  process.stderr.write(`strand: ${isRefusal ? error.message : describe(error)}\n`);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
