import { printable } from '../../shared/core/text/printable.ts';
import { exitCodes } from '../exit-codes.ts';
import { withOutput } from '../export/output-file.ts';
import { jsonRow, writerTo } from '../export/row-stream.ts';
import { formatCounted, formatDuration } from '../format.ts';
import { numberOf, readCrawl, textOf } from '../given.ts';
import { CONFIG_OPTION, WORKERS_OPTION } from '../option-spec.ts';
import { verb } from '../verb.ts';

const DEFAULT_PROJECT = 'strand.config.ts';
/** Pages at which a hook failed that are named. */
const MAX_NAMED = 10;

/** Ends with 5 if the hooks failed at every page. */
export const command = verb({
  usage: 'process DIR [options]',
  more: 'Without requests. Writes their items as JSON lines.',
  examples: [
    'process crawls/example.org > items.jsonl',
    'process crawls/a --config other.config.ts --workers 4',
  ],
  options: [
    CONFIG_OPTION,
    WORKERS_OPTION,
    {
      name: 'out',
      argument: 'PATH',
      type: 'text',
      group: 'Output',
      help: 'write to this file instead of standard output',
    },
  ],
  read: (given) => ({
    crawl: readCrawl(given),
    project: textOf(given, 'config') ?? DEFAULT_PROJECT,
    workers: numberOf(given, 'workers') ?? 1,
    out: textOf(given, 'out'),
  }),
  async run({ crawl, project, workers, out }) {
    const { processCrawl } = await import('../../api/process-crawl.ts');
    const { hookErrorLine } = await import('../../shared/services/hooks/run-hook.ts');
    const counts = { pages: 0, items: 0, failed: 0, requests: 0 };
    const startedAt = Date.now();
    await withOutput(out, async (stream) => {
      const write = writerTo(stream);
      for await (const { items, error, requests } of processCrawl(crawl, { project, workers })) {
        counts.pages++;
        counts.items += items.length;
        counts.requests += requests;
        if (error && ++counts.failed <= MAX_NAMED)
          process.stderr.write(`${printable(hookErrorLine(error))}\n`);
        await write(items.map(jsonRow).join(''));
      }
    });
    const { pages, items, failed, requests } = counts;
    const facts = [
      formatCounted(pages, 'page'),
      formatCounted(items, 'item'),
      ...(failed > 0 ? [`${formatCounted(failed, 'page')} at which a hook failed`] : []),
      ...(requests > 0 ? [`${formatCounted(requests, 'request')} not made`] : []),
    ];
    process.stderr.write(`${facts.join(', ')}, in ${formatDuration(Date.now() - startedAt)}\n`);
    return pages > 0 && failed === pages ? exitCodes.hooksFailed : exitCodes.finished;
  },
});
