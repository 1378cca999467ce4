import { parseConfig } from '../crawl/config.ts';
import type { CrawlId } from '../crawl/crawl-id.ts';
import { canonicalSitemaps } from '../frontier/seed-links.ts';
import { lookUpUrl } from '../report/look-up-url.ts';
import type { CrawlSummary } from '../report/summary.ts';
import { urlDetail } from '../report/url-detail.ts';
import { quoted } from '../text/printable.ts';
import { canonicalize } from '../url/canonical.ts';
import { hostKey } from '../url/host-key.ts';
import { parseSeed } from '../url/parse-seed.ts';
import { type Control, ControlError, type CrawlEntry } from './control.ts';
import type { ControlEngine } from './control-engine.ts';
import { createSeeding } from './create-seeding.ts';
import { checkRules, createFinder } from './find-crawl.ts';
import { hostDetail, hostEntry } from './host-detail.ts';
import type { ControlPolicy } from './plan-crawl.ts';
import { checkLimits, checkNotAtLimit, type ResumeLimits } from './resume-limits.ts';
import { summarizeCrawl } from './summarize-crawl.ts';

export type { ControlEngine, ControlPolicy };

/** Crawls of a list, and those of them looked at together. */
const MAX_LISTED = 1000;
const LIST_BATCH = 10;
const MAX_PAGE = 1000;
const DEFAULT_PAGE = 100;

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
      const { status: state, reason } = await recordOf(crawl);
      if (state === 'limited')
        throw new ControlError(
          'conflict',
          `The crawl ${quoted(crawl)} stands at its limit already: ${reason}`,
        );
      if (state === 'stopped' || state === 'finished')
        throw new ControlError(
          'conflict',
          `The crawl ${quoted(crawl)} is ${state}: there is nothing to pause`,
        );
      if (state === 'running')
        await registry.setStatus(crawl, 'paused', 'by the operator', { from: ['running'] });
      return status(crawl);
    },

    async stop(crawl) {
      const { status: state } = await recordOf(crawl);
      if (state === 'finished')
        throw new ControlError(
          'conflict',
          `The crawl ${quoted(crawl)} is finished: there is nothing to stop`,
        );
      if (state !== 'stopped')
        await registry.setStatus(crawl, 'stopped', 'by the operator', {
          from: ['running', 'paused', 'limited'],
        });
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

    async hosts(crawl, { cursor, limit = DEFAULT_PAGE }) {
      if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE)
        throw new ControlError('invalid', `Expected limit from 1 to ${MAX_PAGE}, got ${limit}`, 'limit');
      await recordOf(crawl);
      const page = await ledgers.hostPage(crawl, cursor, limit);
      return { hosts: page.hosts.map(({ host, head }) => hostEntry(host, head)), cursor: page.cursor };
    },

    async host(crawl, host) {
      await recordOf(crawl);
      const key = hostKey(canonicalize(`https://${host}/`) ?? '') || host;
      for (const name of new Set([host, key])) {
        const head = await ledgers.loadHead(crawl, name);
        if (head) return hostDetail(name, head);
      }
      throw new ControlError('notFound', `The crawl ${quoted(crawl)} knows no host ${quoted(host)}`, 'host');
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
