import { serveCrawl } from '../../api/serve-crawl.ts';
import { messageOf } from '../../shared/core/base/error-message.ts';
import { printable } from '../../shared/core/text/printable.ts';
import type { LocalCommandOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';
import { UsageError } from '../usage-error.ts';

/** `strand serve DIR`: until Ctrl-C. */
export async function serve({ dir, port }: LocalCommandOf<'serve'>): Promise<number> {
  const warn = (line: string) => void process.stderr.write(`${printable(line)}\n`);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  await using server = await serveCrawl(dir, { port, warn }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error;
    throw new UsageError(`Port ${port} cannot be used (${messageOf(error)}); --port 0 takes a free one`, {
      cause: error,
    });
  });
  const count = formatCounted(server.captures, 'response');
  process.stdout.write(`Serving ${count} of ${dir} at ${server.url}  (Ctrl-C ends)\n`);
  if (!stopping.signal.aborted)
    await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve, { once: true }));
  return exitCodes.finished;
}
