import { messageOf } from '../../shared/core/base/error-message.ts';
import { printable } from '../../shared/core/text/printable.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';
import { numberOf, readCrawl } from '../given.ts';
import { UsageError } from '../usage-error.ts';
import { verb } from '../verb.ts';

const DEFAULT_PORT = 8090;

export const command = verb({
  usage: 'serve DIR [options]',
  more: 'Pages without scripts, links that stay in the archive.',
  examples: ['serve crawls/example.org', 'serve crawls/example.org --port 8000'],
  options: [
    {
      name: 'port',
      argument: 'PORT',
      type: 'count',
      range: [0, 65_535],
      preset: String(DEFAULT_PORT),
      group: 'Output',
      help: 'port of 127.0.0.1 to serve at; 0: any that is free',
    },
  ],
  read: (given) => ({ crawl: readCrawl(given), port: numberOf(given, 'port') ?? DEFAULT_PORT }),
  /** Until Ctrl-C. */
  async run({ crawl, port }) {
    const { serveCrawl } = await import('../../api/serve-crawl.ts');
    const warn = (line: string) => void process.stderr.write(`${printable(line)}\n`);
    const stopping = new AbortController();
    const stop = () => stopping.abort();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
    await using server = await serveCrawl(crawl, { port, warn }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error;
      throw new UsageError(`Port ${port} cannot be used (${messageOf(error)}); --port 0 takes a free one`, {
        cause: error,
      });
    });
    const count = formatCounted(server.captures, 'response');
    process.stdout.write(`Serving ${count} of ${crawl} at ${server.url}  (Ctrl-C ends)\n`);
    if (!stopping.signal.aborted)
      await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve, { once: true }));
    return exitCodes.finished;
  },
});
