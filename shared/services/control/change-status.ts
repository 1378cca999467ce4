/** Pauses or stops a crawl by its record, which all workers of the crawl read every two seconds. */
import { BY_OPERATOR } from '../../core/causes/status-reason.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { quoted } from '../../core/text/printable.ts';
import type { CrawlRegistry } from '../../crawler/ports/crawl-registry.ts';
import { ControlError } from './control.ts';
import { createFinder } from './find-crawl.ts';

type Registry = Pick<CrawlRegistry, 'load' | 'setStatus'>;

/** Safe to repeat. Throws {@link ControlError} if the crawl does not exist or has ended. */
export async function pauseCrawl(registry: Registry, crawl: CrawlId): Promise<void> {
  const { status, why } = await createFinder(registry).recordOf(crawl);
  if (status === 'limited')
    throw new ControlError(
      'conflict',
      `The crawl ${quoted(crawl)} stands at its limit already: ${why?.text}`,
    );
  if (status === 'stopped' || status === 'finished')
    throw new ControlError('conflict', `The crawl ${quoted(crawl)} is ${status}: there is nothing to pause`);
  // A crawl that is paused until the next day would continue then.
  if (status === 'running' || why?.code === 'maxCostPerDay')
    await registry.setStatus(crawl, 'paused', BY_OPERATOR, { from: ['running', 'paused'] });
}

/** Safe to repeat. Throws {@link ControlError} if the crawl does not exist or is finished. */
export async function stopCrawl(registry: Registry, crawl: CrawlId): Promise<void> {
  const { status } = await createFinder(registry).recordOf(crawl);
  if (status === 'finished')
    throw new ControlError('conflict', `The crawl ${quoted(crawl)} is finished: there is nothing to stop`);
  if (status !== 'stopped')
    await registry.setStatus(crawl, 'stopped', BY_OPERATOR, { from: ['running', 'paused', 'limited'] });
}
