/** Pauses a crawl of which many pages kill or block the processes that work on them: perhaps its own code does it. */
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';

/** Pages that have killed or blocked processes, before their share counts; and as many more for each resume. */
const MIN_HARMFUL = 5;
/** They are at least this share of the pages that were fetched, and of themselves. */
const MIN_SHARE = 1 / 20;

/** Whether the crawl goes on only to lose further processes. `resumes`: how often the operator has wanted it to go on. */
export const harmsTooOften = (harmful: number, pages: number, resumes = 0): boolean =>
  harmful >= MIN_HARMFUL * (1 + resumes) && harmful >= MIN_SHARE * (pages + harmful);

/**
 * To be called when `url` is given up, as it has killed or blocked processes. A lost worker costs its other hosts
 * minutes, and a hook that kills at each page would cost six of them for each host.
 */
export async function watchKills(
  { engine: { registry }, crawls }: Pick<TurnServices, 'engine' | 'crawls'>,
  { id }: Pick<TurnCrawl, 'id'>,
  url: string,
): Promise<void> {
  const [totals, record] = await Promise.all([registry.totals(id), registry.load(id)]);
  const { killed = 0, blocked = 0 } = totals.errors;
  // This one is not counted yet.
  const harmful = killed + blocked + 1;
  if (record?.status !== 'running' || !harmsTooOften(harmful, totals.pages, record.resumes)) return;
  const text =
    `${harmful} of ${totals.pages + harmful} pages have killed or blocked the processes that worked on them, the last one ${url}. ` +
    'If a hook, a middleware or a module of the project does it, fix it; otherwise exclude such pages. Then resume the crawl';
  await registry.setStatus(id, 'paused', { code: 'killingPages', text }, { from: ['running'] });
  crawls.refresh(id);
}
