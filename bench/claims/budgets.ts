/**
 * A spam farm against budgets of registrable domains, by the real router, worker and waker, on virtual time and with an
 * engine in memory. The farm invents a million hosts for each of its domains, and has links from hijacked pages. Four
 * crawls of the same capacity: hosts alike, domains alike, budgets by links, and by links without the farm.
 *
 *     npm run bench -- budgets [--hosts DOMAINS]
 */
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import type { BenchOptions } from '../claims.ts';
import type { Measured } from '../harness/record.ts';
import { createFarmWeb } from './budgets/farm-web.ts';
import { type CrawlRun, runCrawl } from './budgets/run-crawl.ts';

const DOMAINS = 600;
/** Honest domains for each of the farm. In the model of decision 0032 there are 400. */
const HONEST_FOR_FARM = 120;
const BUDGET = 2;
const PERIODS = 4;
/** Hosts served at once for each thousand domains, which request a page a second each. */
const AT_ONCE = 20;
/** The time in which that capacity requests about as many pages as the budgets of all domains allow. */
const PERIOD_S = 300;
/** A crawl in which no budget is met, so that with and without budgets the same is requested. */
const MESSAGE_DOMAINS = 300;
const MESSAGE_SECONDS = 300;

export async function measure({ hosts, given }: BenchOptions): Promise<Measured> {
  const domains = given.has('hosts') ? hosts : DOMAINS;
  const farmDomains = Math.max(1, Math.round(domains / HONEST_FOR_FARM));
  const crawl = (config: CrawlOptions, farm = farmDomains) =>
    runCrawl(createFarmWeb({ honestDomains: domains, farmDomains: farm }), {
      // Short turns, so that all hosts have several of them in this time.
      config: { ...config, domainBudgetEveryMs: PERIOD_S * 1000, turnMaxPages: BUDGET },
      hostsAtOnce: Math.ceil((AT_ONCE * domains) / 1000),
      seconds: PERIODS * PERIOD_S,
    });
  const byHost = await crawl({ domainBudget: 'off', maxHostsPerDomain: 'off' });
  const byDomain = await crawl({ domainBudget: BUDGET });
  const byLinks = await crawl({ domainBudget: `links:${BUDGET}` });
  const alone = await crawl({ domainBudget: `links:${BUDGET}` }, 0);
  const messages = await messagesAdded();
  const ofAll = 'of the requests for pages';
  const rows: readonly [string, CrawlRun][] = [
    ['hosts alike', byHost],
    ['domains alike', byDomain],
    ['by links', byLinks],
    ['by links, no farm', alone],
  ];
  return {
    figures: {
      farmShareByHost: {
        value: shareOf(byHost, 1),
        unit: `${ofAll} in the second half go to the farm if hosts are alike`,
      },
      farmShareByDomain: { value: shareOf(byDomain), unit: `${ofAll} with budgets of domains` },
      farmShareByLinks: { value: shareOf(byLinks), unit: `${ofAll} with budgets by links` },
      honestShareKept: {
        value: byLinks.honest[0] / alone.honest[0],
        unit: 'of the honest pages without the farm',
      },
      messagesAdded: { value: messages, unit: 'more messages by links than without budgets' },
    },
    detail: [
      `${domains} honest domains, ${farmDomains} of the farm; ${PERIODS} periods of ${PERIOD_S} s with ${BUDGET} requests for each domain`,
      ...rows.map(([name, run]) => rowOf(name, run)),
    ].join('\n'),
  };
}

/** The farm's share; `half` 1: in the second half of the time. */
const shareOf = ({ farm, honest }: CrawlRun, half: 0 | 1 = 0): number =>
  farm[half] / Math.max(1, farm[half] + honest[half]);

function rowOf(name: string, run: CrawlRun): string {
  const { farm, honest, counts, heads } = run;
  const pages = farm[0] + honest[0];
  const domains = [...heads.keys()].filter((host) => host.startsWith('@')).length;
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  return (
    `${name.padEnd(18)} ${pages} requests for pages, the farm's ${percent(shareOf(run))}, in the second half ${percent(shareOf(run, 1))}; ` +
    `${heads.size - domains} hosts, ${domains} domains; for a page ${(counts.messages / pages).toFixed(2)} messages, ` +
    `${(counts.parcels / pages).toFixed(2)} parcels, ${(counts.domainWrites / pages).toFixed(2)} writes and ${(counts.domainReads / pages).toFixed(2)} reads of domains`
  );
}

/** By how much links add messages and parcels to a crawl of which no domain meets its budget. */
async function messagesAdded(): Promise<number> {
  const sent = async (config: CrawlOptions): Promise<number> => {
    const run = await runCrawl(createFarmWeb({ honestDomains: MESSAGE_DOMAINS, farmDomains: 0 }), {
      config,
      hostsAtOnce: Math.ceil((AT_ONCE * MESSAGE_DOMAINS) / 1000),
      seconds: MESSAGE_SECONDS,
    });
    return (run.counts.messages + run.counts.parcels) / run.honest[0];
  };
  const off = await sent({ domainBudget: 'off', maxHostsPerDomain: 'off' });
  return (await sent({ domainBudget: 'links' })) / off - 1;
}
