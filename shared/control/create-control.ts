import { parseConfig } from '../crawl/config.ts';
import type { CrawlId } from '../crawl/crawl-id.ts';
import { canonicalSitemaps } from '../frontier/seed-links.ts';
import { lookUpUrl } from '../report/look-up-url.ts';
import type { CrawlSummary } from '../report/summary.ts';
import { urlDetail } from '../report/url-detail.ts';
import { quoted } from '../text/printable.ts';
import { canonicalize } from '../url/canonical.ts';
import { parseSeed } from '../url/parse-seed.ts';
import { pauseCrawl, stopCrawl } from './change-status.ts';
import { type Control, ControlError, type CrawlEntry } from './control.ts';
import type { ControlEngine } from './control-engine.ts';
import { createSeeding } from './create-seeding.ts';
import { checkRules, createFinder } from './find-crawl.ts';
import { oneHost, pageOfHosts } from './host-queries.ts';
import type { ControlPolicy } from './plan-crawl.ts';
import { checkLimits, checkNotAtLimit, type ResumeLimits } from './resume-limits.ts';
import { summarizeCrawl } from './summarize-crawl.ts';

export type { ControlEngine, ControlPolicy };

/** Crawls of a list, and those of them looked at together. */
const MAX_LISTED = 1000;
const LIST_BATCH = 10;

/** What an operator can do with the crawls of `engine`. Everything but `create` is safe to repeat. */
export function createControl(engine: ControlEngine, policy: ControlPolicy): Control {
  const { registry, ledgers } = engine;

  const seeding = createSeeding(engine, policy);
  const { recordOf } = createFinder(registry);

  async function status(crawl: CrawlId): Promise<CrawlSummary> {
    return summarizeCrawl(engine, crawl, await recordOf(crawl));
  }

  return {
    status,
    addSeeds: seeding.addSeeds,
    seed: seeding.seed,

    async create(request) {
      return status(await seeding.create(request));
    },

    async list() {
      const names = (await registry.list()).sort().slice(0, MAX_LISTED);
      const entries: CrawlEntry[] = [];
      for (let from = 0; from < names.length; from += LIST_BATCH) {
        const batch = names.slice(from, from + LIST_BATCH).map(async (crawl) => {
          const record = await registry.load(crawl);
          if (!record) return [];
          const { pages } = await registry.totals(crawl);
          return [{ crawl, state: record.status, reason: record.reason, pages }];
        });
        entries.push(...(await Promise.all(batch)).flat());
      }
      return entries;
    },

    async pause(crawl) {
      await pauseCrawl(registry, crawl);
      return status(crawl);
    },

    async stop(crawl) {
      await stopCrawl(registry, crawl);
      return status(crawl);
    },

    async resume(crawl, given = {}) {
      const changes = checkLimits(given);
      const record = await recordOf(crawl);
      checkRules(crawl, record);
      const limits: ResumeLimits = { ...parseConfig(record.config), ...changes };
      const totals = await registry.totals(crawl);
      checkNotAtLimit(limits, totals);
      if (Object.keys(changes).length > 0) await registry.configure(crawl, changes);
      if (record.status !== 'running') await registry.setStatus(crawl, 'running');
      // Begun by a process that died before its seeds were on their way: merging them twice changes nothing.
      if (totals.hosts === 0)
        await seeding.sendSeeds(
          crawl,
          record.scopeSeeds,
          canonicalSitemaps(parseConfig(record.config).sitemapUrls),
        );
      await engine.wakeAll(crawl);
      return status(crawl);
    },

    async hosts(crawl, page) {
      await recordOf(crawl);
      return pageOfHosts(ledgers, crawl, page);
    },

    async host(crawl, host) {
      await recordOf(crawl);
      return oneHost(ledgers, crawl, host);
    },

    async url(crawl, text) {
      const url = canonicalize(parseSeed(text) ?? '');
      if (url === undefined)
        throw new ControlError('invalid', `Expected an http or https URL, got ${quoted(text)}`, 'url');
      const { urlRules } = parseConfig((await recordOf(crawl)).config);
      const { record, head } = await lookUpUrl(ledgers, crawl, url, urlRules);
      if (!record)
        throw new ControlError('notFound', `The crawl ${quoted(crawl)} does not know ${quoted(url)}`, 'url');
      const { result } = record;
      if (!result?.location || !engine.locate) return urlDetail(record, head);
      const location = await engine.locate(crawl, result.location);
      return urlDetail({ ...record, result: { ...result, location } });
    },
  };
}
