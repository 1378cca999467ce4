import { isArriving, isBeingDeleted } from '../../core/causes/status-reason.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { quoted } from '../../core/text/printable.ts';
import { URL_RULES_VERSION } from '../../core/url/canonical.ts';
import type { CrawlRecord, CrawlRegistry } from '../../crawler/ports/crawl-registry.ts';
import { ControlError } from './control.ts';
import { crawlIdSchema } from './request-schemas.ts';

export interface Finder {
  find(crawl: CrawlId): Promise<CrawlRecord | undefined>;
  /** Throws {@link ControlError} if the crawl does not exist. */
  recordOf(crawl: CrawlId): Promise<CrawlRecord>;
}

export function createFinder(registry: Pick<CrawlRegistry, 'load'>): Finder {
  /** Names that cannot be are not requested: an engine's keys are made of them. */
  async function find(crawl: CrawlId): Promise<CrawlRecord | undefined> {
    return crawlIdSchema.safeParse(crawl).success ? registry.load(crawl) : undefined;
  }

  async function recordOf(crawl: CrawlId): Promise<CrawlRecord> {
    const record = await find(crawl);
    if (record) return record;
    throw new ControlError('notFound', `There is no crawl ${quoted(crawl)}`, 'crawl');
  }

  return { find, recordOf };
}

/** Throws {@link ControlError} if the crawl is being deleted, or is not complete yet. */
export function checkKept(crawl: CrawlId, record: CrawlRecord): void {
  if (isBeingDeleted(record))
    throw new ControlError('conflict', `The crawl ${quoted(crawl)} is being deleted`, 'crawl');
  if (isArriving(record))
    throw new ControlError(
      'conflict',
      `The crawl ${quoted(crawl)} is being copied here. If that was interrupted, \`strand push\` again continues it`,
      'crawl',
    );
}

/** Throws {@link ControlError} if the operator has stopped the crawl. */
export function checkNotStopped(crawl: CrawlId, { status }: CrawlRecord): void {
  if (status === 'stopped')
    throw new ControlError('conflict', `The crawl ${quoted(crawl)} is stopped: resume it first`);
}

/** Fingerprints of URLs made under other rules do not compare. `advice`: what the operator can do. */
export function checkRules(
  crawl: CrawlId,
  { urlRulesVersion }: CrawlRecord,
  advice = 'resume it with newUrlRules, after which pages whose form has changed may be fetched again, or begin another crawl',
): void {
  if (urlRulesVersion === URL_RULES_VERSION) return;
  throw new ControlError(
    'conflict',
    `The crawl ${quoted(crawl)} knows its URLs by version ${urlRulesVersion} of the rules for canonical URLs, this ` +
      `program by version ${URL_RULES_VERSION}: ${advice}`,
    'newUrlRules',
  );
}
