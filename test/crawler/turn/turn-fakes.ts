/** A crawl, a ledger and records for tests of one collaborator of a turn. */
import { type CrawlOptions, parseConfig } from '../../../shared/core/crawl/config.ts';
import { createHostConfigs } from '../../../shared/core/crawl/host-config.ts';
import { createScope } from '../../../shared/core/crawl/scope.ts';
import { HostLedger } from '../../../shared/core/frontier/ledger.ts';
import { EMPTY_INDEX } from '../../../shared/core/frontier/ledger-index.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import type { DocumentFacts } from '../../../shared/core/parser/document.ts';
import { createBudget } from '../../../shared/crawler/crawl-state/budget.ts';
import type { CrawlStatus } from '../../../shared/crawler/ports/crawl-registry.ts';
import type { TurnCrawl } from '../../../shared/crawler/turn/turn-crawl.ts';
import { T0 } from '../worker/fake-clock.ts';

export const HOST = 'a.test';
export const ORIGIN = `http://${HOST}`;

export interface CrawlOfTurn {
  readonly config?: CrawlOptions;
  readonly seeds?: readonly string[];
  readonly status?: CrawlStatus;
  /** Pages that the crawl has made before. */
  readonly pages?: number;
  readonly nameOf?: (url: string) => string;
}

/** The crawl of a turn, with a real configuration, scope and budget. Its status can be set. */
export function crawlOfTurn({ config, seeds, status, pages, nameOf }: CrawlOfTurn = {}): TurnCrawl & {
  status: CrawlStatus;
} {
  const parsed = parseConfig({ adaptive: false, ...config });
  const crawl = {
    id: 'c',
    host: HOST,
    config: parsed,
    everywhere: { configOf: createHostConfigs(parsed) },
    scope: createScope(parsed, seeds ?? [`${ORIGIN}/`]),
    budget: createBudget(parsed, { pages: pages ?? 0, bytes: 0, activeMs: 0 }, () => T0),
    status: status ?? 'running',
    nameOf: nameOf ?? ((url: string) => url),
    current: async () => crawl,
    isRunning: async () => crawl.status === 'running',
  };
  return crawl as unknown as ReturnType<typeof crawlOfTurn>;
}

/** The facts of an HTML page without links. */
export const PLAIN_FACTS = {
  type: 'html',
  links: [],
  robots: { noindex: false, nofollow: false },
  droppedLinks: 0,
} as unknown as DocumentFacts;

/** A record with all fields. */
export const recordOf = (url: string, fields: Partial<UrlRecord> = {}): UrlRecord => ({
  url,
  state: 'waiting',
  kind: undefined,
  depth: 1,
  level: 0,
  via: undefined,
  seenAt: T0,
  redirects: 0,
  attempts: 0,
  dueAt: 0,
  result: undefined,
  ...fields,
});

/** The ledger of a host never met. */
export const newLedger = (): Promise<HostLedger> =>
  HostLedger.open(HOST, EMPTY_INDEX, () => Promise.reject(new Error('it has no parts')));

/** A host's share of its domain's budget in a crawl without such budgets. */
export const NO_SHARE = {
  isOut: false,
  outUntil: undefined,
  reserve: async () => true,
  tryReserve: () => true,
  cancel: () => {},
};
