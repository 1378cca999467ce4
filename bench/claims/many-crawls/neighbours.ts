/** A page that kills its workers, and what a small crawl loses beside it, or beside a crawl of many hosts. */
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { URL_RULES_VERSION } from '../../../shared/core/url/canonical.ts';
import { hostKey } from '../../../shared/core/url/host-key.ts';
import { createAtlas } from '../../../simulation/web/atlas.ts';
import type { WebShape } from '../../../simulation/web/shape.ts';
import type { Figure } from '../../harness/record.ts';
import { createAccount, SEED } from './account.ts';

export interface Neighbours {
  readonly figures: Readonly<Record<string, Figure>>;
  readonly detail: string;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Pages of the host with the page that kills, and of the small crawl. */
const PAGES = 120;
const SMALL_PAGES = 48;
/** By then all is over, or never. */
const MAX_HOURS = 24;
/** The page that kills is one of these. */
const POISON = [0, 60, 119];
/** Hosts of a broad crawl for each place of the workers. */
const HOSTS_PER_PLACE = 7;
const SMALL_POOL = { hostsPerWorker: 20, maxConcurrency: 2 };
const CONFIG: CrawlOptions = {
  contact: 'https://sim.test/about',
  domainBudget: 'off',
  maxHostsPerDomain: 'off',
};

export async function measureNeighbours(): Promise<Neighbours> {
  const alone = await crawlBeside({});
  const poisoned = [];
  for (const page of POISON) poisoned.push(await crawlBeside({ poison: page }));
  const broad = await crawlBeside({
    hosts: HOSTS_PER_PLACE * SMALL_POOL.hostsPerWorker * SMALL_POOL.maxConcurrency,
  });
  const longest = Math.max(...poisoned.map(({ seconds }) => seconds));
  return {
    figures: {
      poisonDeaths: {
        value: Math.max(...poisoned.map(({ deaths }) => deaths)),
        unit: `workers that a page of ${PAGES} kills`,
      },
      neighbourDelay: {
        value: longest - alone.seconds,
        unit: `s that ${SMALL_PAGES} pages of another crawl take longer beside it`,
      },
      broadNeighbourDelay: {
        value: broad.seconds - alone.seconds,
        unit: `s longer beside ${HOSTS_PER_PLACE} hosts for each place of the workers`,
      },
    },
    detail: [
      `${SMALL_PAGES} pages alone: ${alone.seconds} s; beside many hosts: ${broad.seconds} s`,
      ...poisoned.map(
        ({ deaths, seconds, minutes, requests, poisonRequests }, i) =>
          `page ${POISON[i]} of ${PAGES} kills: ${deaths} deaths; its host done after ${minutes} min, ${requests} requests, ${poisonRequests} for the page; the neighbour ${seconds} s`,
      ),
    ].join('\n'),
  };
}

interface Beside {
  /** The page of the other crawl's first host that kills. */
  readonly poison?: number;
  /** Hosts of the other crawl. Default: one. */
  readonly hosts?: number;
}

/** A small crawl beside another one that is an hour old, or alone. */
async function crawlBeside({ poison, hosts }: Beside) {
  const isAlone = poison === undefined && hosts === undefined;
  const count = hosts ?? 1;
  const size = { hosts: count + 1, minPages: PAGES, maxPages: PAGES };
  const seen = new Map<string, Set<string>>();
  let requests = 0;
  let poisonRequests = 0;
  let poisonUrl: string | undefined;
  const account = createAccount({
    web: size,
    ...(hosts !== undefined && { pool: SMALL_POOL }),
    harmOf: (url) => (url === poisonUrl ? 'kills' : undefined),
    onRequest({ url, isRobots, host }) {
      if (isRobots) return;
      const urls = seen.get(host) ?? new Set();
      seen.set(host, urls.add(url));
      if (host === hostKey(firstUrl)) requests++;
      if (url === poisonUrl) poisonRequests++;
    },
  });
  const { cloud, deployment, operator, drive } = account;
  const { time } = cloud;
  const shape: WebShape = { ...size, linksPerPage: 20, sameHostShare: 1, responseMs: [200], plain: true };
  const atlas = createAtlas(SEED, shape);
  const urlsOf = (host: number) =>
    Array.from({ length: PAGES }, (_, page) => atlas.places.pageUrl(atlas.hosts.of(host), page));
  const firstUrl = urlsOf(0)[0] as string;
  if (poison !== undefined) poisonUrl = urlsOf(0)[poison];
  const rules = deployment.disableRules();
  if (!isAlone) {
    // Its turns are as long as it is old.
    await drive(
      operator.engine.registry.create('other', {
        config: CONFIG,
        scopeSeeds: [],
        urlRulesVersion: URL_RULES_VERSION,
        status: 'running',
      }),
    );
    await time.advance(HOUR);
  }
  rules.enable();
  const send = (crawl: string, urls: readonly string[]) =>
    drive(
      operator.engine.exchange.send({ crawl, links: urls.map((url) => ({ url, depth: 0, isSeed: true })) }),
    );
  if (!isAlone) for (let host = 0; host < count; host++) await send('other', urlsOf(host));
  await time.advance(hosts === undefined ? 0 : 5 * MINUTE);
  const beganAt = time.now();
  const small = urlsOf(count);
  await drive(
    deployment.operator().control.seed({
      crawl: 'small',
      seeds: small.slice(0, SMALL_PAGES),
      config: { ...CONFIG, maxPages: SMALL_PAGES },
    }),
  );
  const smallHost = hostKey(small[0] as string);
  const doneOf = (host: string) => seen.get(host)?.size ?? 0;
  let seconds = Number.NaN;
  await time.run(beganAt + MAX_HOURS * HOUR, () => {
    if (Number.isNaN(seconds) && doneOf(smallHost) >= SMALL_PAGES) seconds = (time.now() - beganAt) / 1000;
    return !Number.isNaN(seconds) && (poison === undefined || doneOf(hostKey(firstUrl)) >= PAGES);
  });
  const minutes = Math.round((time.now() - beganAt) / MINUTE);
  // A page that kills is tried again until it is given up.
  if (poison !== undefined) await time.advance(3 * HOUR);
  const { worker, small: smallWorker } = deployment.functions;
  return {
    seconds: Number.isNaN(seconds) ? MAX_HOURS * 3600 : seconds,
    deaths: worker.counts.deaths + smallWorker.counts.deaths,
    minutes,
    requests,
    poisonRequests,
  };
}
