/** An operator's queries about a crawl, in a folder or on a stack. */
import type { Link } from '../../core/frontier/message.ts';
import { quoted } from '../../core/text/printable.ts';
import { urlAsWritten } from '../../core/url/canonical.ts';
import { canonicalRoute } from '../../core/url/hash-route.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import { parseSeed } from '../../core/url/parse-seed.ts';
import type { CrawlRegistry } from '../../crawler/ports/crawl-registry.ts';
import { lookUpUrl } from '../report/look-up-url.ts';
import { nearCopiesOf } from '../report/near-copies.ts';
import { seedDetail } from '../report/seed-detail.ts';
import { urlDetail } from '../report/url-detail.ts';
import { configOf } from './config-of.ts';
import { type Control, ControlError } from './control.ts';
import type { ControlEngine } from './control-engine.ts';
import { pageOfDomains } from './domain-queries.ts';
import { createFinder } from './find-crawl.ts';
import { oneHost, pageOfHosts } from './host-queries.ts';
import { pageOfSites } from './site-list.ts';

export interface QueryEngine extends Pick<ControlEngine, 'locate'> {
  readonly registry: Pick<CrawlRegistry, 'load' | 'readSites' | 'totals'>;
  readonly ledgers: Pick<ControlEngine['ledgers'], 'hostPage' | 'loadHead' | 'readPart' | 'sitePasses'>;
  readonly clock: Pick<ControlEngine['clock'], 'now'>;
  /** A seed on its way to its host that is known by one of these URLs of the host. Default: such seeds are not known. */
  findSeed?(host: HostKey, urls: readonly string[]): Link | undefined;
}

export type CrawlQueries = Pick<Control, 'hosts' | 'host' | 'domains' | 'sites' | 'url'>;

/** They throw {@link ControlError} (`notFound`) if the crawl does not exist. */
export function createQueries(engine: QueryEngine): CrawlQueries {
  const { registry, ledgers, clock } = engine;
  const { recordOf } = createFinder(registry);
  return {
    async hosts(crawl, page) {
      await recordOf(crawl);
      return pageOfHosts(ledgers, crawl, page);
    },
    async host(crawl, host) {
      await recordOf(crawl);
      return oneHost(ledgers, crawl, host);
    },
    async domains(crawl, page) {
      const config = configOf(crawl, await recordOf(crawl));
      return pageOfDomains({ ledgers, registry, crawl, config, now: clock.now() }, page);
    },
    sites: async (crawl, page) => pageOfSites(engine, crawl, await recordOf(crawl), page),
    async url(crawl, text) {
      const given = parseSeed(text) ?? '';
      const url = canonicalRoute(given) ?? urlAsWritten(given);
      if (url === undefined)
        throw new ControlError('invalid', `Expected an http or https URL, got ${quoted(text)}`, 'url');
      const config = configOf(crawl, await recordOf(crawl));
      const found = await lookUpUrl(ledgers, crawl, url, config.urlRules);
      const { record, host, head, ledger, names } = found;
      const seed = record ? undefined : engine.findSeed?.(host, names);
      if (seed) return seedDetail(seed);
      if (!record)
        throw new ControlError('notFound', `The crawl ${quoted(crawl)} does not know ${quoted(url)}`, 'url');
      const { result } = record;
      const copies = await nearCopiesOf(record, () => ledger.records(), config);
      if (!result?.location || !engine.locate) return urlDetail(record, head, copies);
      const location = await engine.locate(crawl, result.location);
      return urlDetail({ ...record, result: { ...result, location } }, head, copies);
    },
  };
}
