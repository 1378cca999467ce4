import { isRecrawling } from '../../../core/crawl/config.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Crawl } from '../../../crawler/crawl-state/crawls.ts';
import { FirstPassWatch } from '../../../crawler/crawl-state/first-pass.ts';
import type { LocalEngine } from '../engine.ts';

/** Links between hosts take a tenth of a second here, and the sums of threads lag by less than one. */
const SETTLE_MS = 3000;

/** Notes in a crawl's record when its first pass is complete. */
export interface FirstPassNotes {
  /** Once a second while the crawl runs. */
  look(crawl: Crawl): Promise<void>;
  /** The crawl recrawls, and nothing is due. */
  note(crawl: CrawlId): Promise<void>;
}

/** `onNoted`: called once, unless the operator's programs have got the event of it. */
export function createFirstPassNotes(
  { registry, clock }: Pick<LocalEngine, 'registry' | 'clock'>,
  onNoted: () => void = () => {},
): FirstPassNotes {
  const watch = new FirstPassWatch({ settleMs: SETTLE_MS });
  let isLoaded = false;
  let isNoted = false;

  async function note(crawl: CrawlId): Promise<void> {
    if (isNoted) return;
    isNoted = true;
    await registry.noteFirstPass(crawl, { at: clock.now() });
    if (!(await registry.load(crawl))?.firstPass?.isAnnounced) onNoted();
  }

  return {
    note,
    async look(crawl) {
      if (isNoted || !isRecrawling(crawl.config)) return;
      // Once: the record holds all seeds.
      const isKnown = !isLoaded && (await registry.load(crawl.id))?.firstPass !== undefined;
      isLoaded = true;
      const isComplete = async () =>
        watch.look(crawl, await registry.totals(crawl.id), clock.elapsed()) === 'isComplete';
      // The sums here are exact.
      if (isKnown || (await isComplete())) await note(crawl.id);
    },
  };
}
