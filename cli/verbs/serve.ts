import { printable } from '../../shared/core/text/printable.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';
import { numberOf, readCrawl } from '../given.ts';
import { portFault, portOption, stopSignal, untilAborted } from '../serving.ts';
import { verb } from '../verb.ts';

const DEFAULT_PORT = 8090;

export const command = verb({
  usage: 'serve DIR [options]',
  more: 'Pages without scripts, links that stay in the archive.',
  examples: ['serve crawls/example.org', 'serve crawls/example.org --port 8000'],
  options: [portOption(DEFAULT_PORT)],
  read: (given) => ({ crawl: readCrawl(given), port: numberOf(given, 'port') ?? DEFAULT_PORT }),
  /** Until Ctrl-C. */
  async run({ crawl, port }) {
    const { serveCrawl } = await import('../../api/serve-crawl.ts');
    const warn = (line: string) => void process.stderr.write(`${printable(line)}\n`);
    const stop = stopSignal();
    await using server = await serveCrawl(crawl, { port, warn }).catch(portFault(port));
    const count = formatCounted(server.captures, 'response');
    process.stdout.write(`Serving ${count} of ${crawl} at ${server.url}  (Ctrl-C ends)\n`);
    await untilAborted(stop);
    return exitCodes.finished;
  },
});
