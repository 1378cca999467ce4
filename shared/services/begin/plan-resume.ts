import { type CrawlConfig, type CrawlOptions, parseConfig, withRecrawl } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { CookieOptions } from '../../core/crawl/network-options.ts';
import { URL_RULES_VERSION } from '../../core/url/canonical.ts';
import type { CrawlRecord, CrawlRegistry } from '../../crawler/ports/crawl-registry.ts';

/** A crawl that continues. */
export interface ResumePlan {
  readonly crawl: CrawlId;
  /** The settings that change. */
  readonly changes: CrawlOptions;
  readonly config: CrawlConfig;
  /** It was begun with another version of the rules for canonical URLs. */
  readonly hasNewRules: boolean;
}

/** Throws `InvalidConfig` for settings that do not fit the others. */
export function planResume(crawl: CrawlId, record: CrawlRecord, given: CrawlOptions): ResumePlan {
  const cookies = given.cookies && withCookies(record.config.cookies ?? [], given.cookies);
  const changes = withRecrawl({ ...given, ...(cookies && { cookies }) });
  const config = parseConfig({ ...record.config, ...changes });
  return { crawl, changes, config, hasNewRules: record.urlRulesVersion !== URL_RULES_VERSION };
}

/** Cookies that are given replace those of the same domain, path and name. */
function withCookies(before: readonly CookieOptions[], given: readonly CookieOptions[]): CookieOptions[] {
  const nameOf = ({ domain, path = '/', name }: CookieOptions) => JSON.stringify([domain, path, name]);
  return [...new Map([...before, ...given].map((one) => [nameOf(one), one])).values()];
}

/** Stores the changes. */
export async function storeResume(
  registry: Pick<CrawlRegistry, 'configure' | 'setUrlRulesVersion'>,
  { crawl, changes, hasNewRules }: Omit<ResumePlan, 'config'>,
): Promise<void> {
  if (Object.keys(changes).length > 0) await registry.configure(crawl, changes);
  if (hasNewRules) await registry.setUrlRulesVersion(crawl, URL_RULES_VERSION);
}
