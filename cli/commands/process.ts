import { processCrawl } from '../../api/process-crawl.ts';
import { printable } from '../../shared/core/text/printable.ts';
import { hookErrorLine } from '../../shared/services/hooks/run-hook.ts';
import type { LocalCommandOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatCounted, formatDuration } from '../format.ts';
import { withOutput } from './output-file.ts';
import { writerTo } from './write-rows.ts';

const DEFAULT_PROJECT = 'strand.config.ts';
/** Pages at which a hook failed that are named. */
const MAX_TOLD = 10;

/**
 * `strand process DIR`: the project's hooks, over the archive of a crawl. Ends with 5 if they failed at every
 * page.
 */
export async function process(command: LocalCommandOf<'process'>): Promise<number> {
  const { dir, config: project = DEFAULT_PROJECT, workers, out } = command;
  const { stderr } = globalThis.process;
  const counts = { pages: 0, items: 0, failed: 0, requests: 0 };
  const startedAt = Date.now();
  await withOutput(out, async (stream) => {
    const write = writerTo(stream);
    for await (const { items, error, requests } of processCrawl(dir, { project, workers })) {
      counts.pages++;
      counts.items += items.length;
      counts.requests += requests;
      if (error && ++counts.failed <= MAX_TOLD) stderr.write(`${printable(hookErrorLine(error))}\n`);
      await write(items.map((item) => `${JSON.stringify(item)}\n`).join(''));
    }
  });
  const { pages, items, failed, requests } = counts;
  const facts = [
    formatCounted(pages, 'page'),
    formatCounted(items, 'item'),
    ...(failed > 0 ? [`${formatCounted(failed, 'page')} at which a hook failed`] : []),
    ...(requests > 0 ? [`${formatCounted(requests, 'request')} not made`] : []),
  ];
  stderr.write(`${facts.join(', ')}, in ${formatDuration(Date.now() - startedAt)}\n`);
  return pages > 0 && failed === pages ? exitCodes.hooksFailed : exitCodes.finished;
}
