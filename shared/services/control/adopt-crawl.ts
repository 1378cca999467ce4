import { ARRIVING, isArriving } from '../../core/causes/status-reason.ts';
import { type CrawlOptions, parseConfig } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { Site } from '../../core/crawl/sites.ts';
import { quoted } from '../../core/text/printable.ts';
import type { CrawlRecord } from '../../crawler/ports/crawl-registry.ts';
import { checkContact } from '../begin/contact-fault.ts';
import { orRefused } from './as-refusal.ts';
import { ControlError } from './control.ts';
import type { ControlEngine } from './control-engine.ts';
import { checkNotDeleted } from './delete-crawl.ts';
import { type ControlPolicy, crawlOptionsOf } from './plan-request.ts';
import { crawlIdSchema } from './request-schemas.ts';

/** Settings that apply only where a crawl was begun (a folder or a stack). */
const OF_A_PLACE = ['hosts', 'warcMaxBytes', 'identity'] as const satisfies readonly (keyof CrawlOptions)[];

/** A crawl as it stands where it is copied from. */
export interface CopiedCrawl {
  readonly record: CrawlRecord;
  /** Its list of sites, if it has one. */
  readonly sites?: readonly Site[] | undefined;
}

/**
 * Begins the copy of a crawl that was begun elsewhere: it is here from now on, and cannot be resumed before its copy is
 * complete. Safe to repeat until then. Returns the settings that it does not have here. Throws {@link ControlError}, also
 * where there is another crawl of that name.
 */
export async function beginCopy(
  engine: Pick<ControlEngine, 'registry' | 'deletions'>,
  policy: ControlPolicy,
  crawl: CrawlId,
  { record: { config: given, scopeSeeds, urlRulesVersion }, sites }: CopiedCrawl,
): Promise<readonly string[]> {
  if (!crawlIdSchema.safeParse(crawl).success)
    throw new ControlError(
      'invalid',
      `${quoted(crawl)} cannot be the name of a crawl here: give it another one`,
      'crawl',
    );
  const leftOut = OF_A_PLACE.filter((key) => given[key] !== undefined);
  const options: CrawlOptions = { ...given };
  for (const key of leftOut) delete options[key];
  const config = crawlOptionsOf(options, policy);
  orRefused(() => checkContact(scopeSeeds, parseConfig(config)));
  const there = await engine.registry.load(crawl);
  if (there === undefined) {
    await checkNotDeleted(engine, crawl);
    const status = { status: 'paused', why: ARRIVING } as const;
    const listed = sites && { sites: await engine.registry.storeSites(crawl, sites) };
    await engine.registry.create(crawl, { config, scopeSeeds, ...listed, urlRulesVersion, ...status });
  } else if (!isArriving(there) || !isSame(there.scopeSeeds, scopeSeeds))
    throw new ControlError(
      'conflict',
      `There is a crawl ${quoted(crawl)} already: give this one another name, or delete the other`,
      'crawl',
    );
  return leftOut;
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
