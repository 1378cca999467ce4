/** Starts a crawl on a stack. */
import { type CrawlOptions, InvalidConfig } from '../../shared/core/crawl/config.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import { takeSeedCredentials } from '../../shared/core/crawl/seed-credentials.ts';
import type { SiteOptions } from '../../shared/core/crawl/sites.ts';
import { parseSeed } from '../../shared/core/url/parse-seed.ts';
import type { BegunCrawl } from '../../shared/services/control/control.ts';
import { crawlFaults, readProject } from '../../shared/services/project/project-file.ts';
import type { StartStackCrawlOptions } from '../start-options.ts';
import type { StackConnection } from './connect-stack.ts';
import { createWithSeeds } from './seed-batches.ts';

export interface StackStart {
  readonly crawl?: CrawlId;
  readonly seeds: readonly string[];
  /** Their URLs are seeds, too. */
  readonly sites?: readonly SiteOptions[] | undefined;
  readonly dedupeFrom?: CrawlId | undefined;
  /** As given; those of the project's file come after them. */
  readonly options: CrawlOptions;
  /** As in the project's file. */
  readonly projectOptions?: () => Promise<CrawlOptions>;
}

const DEPLOYED =
  'the hooks of a stack are deployed with it. Put them into strand.config.ts and deploy it again; or run them over the archive later, by processCrawl';
const ON_ITS_OWN = 'a crawl on a stack continues without this program. Call stop() of the crawl';

/** Options of a crawl on one machine, each with the reason why a stack does not take it. */
const REFUSED: Readonly<Record<string, string>> = {
  out: 'the crawl is stored in the stack',
  cache: 'the folder of an earlier crawl is on this machine, where a stack cannot read it',
  workers: 'how many workers a stack has is an option of its deployment, maxConcurrency',
  signal: ON_ITS_OWN,
  middleware: DEPLOYED,
  extraction: DEPLOYED,
  modules: DEPLOYED,
  onPage: DEPLOYED,
  router: DEPLOYED,
  itemSchema: DEPLOYED,
  onError: DEPLOYED,
  challenge: DEPLOYED,
  onChallenge: DEPLOYED,
  behave: DEPLOYED,
  onFinish: `${ON_ITS_OWN}, or wait for its done`,
  webhook: 'the webhook of a stack is deployed with it. Put it into strand.config.ts and deploy it again',
};

/** Throws {@link InvalidConfig} with all that is wrong. */
export function readStackOptions(given: StartStackCrawlOptions): StackStart {
  const { stack, region, crawl, seeds = [], sites, project, dedupeFrom, ...rest } = given;
  const entries = Object.entries(rest).filter(([, value]) => value !== undefined);
  const isRefused = ([key]: [string, unknown]) => Object.hasOwn(REFUSED, key);
  const options: CrawlOptions = Object.fromEntries(entries.filter((entry) => !isRefused(entry)));
  const faults = [
    ...entries.filter(isRefused).map(([key]) => `Expected no ${key} with stack: ${REFUSED[key]}`),
    ...crawlFaults(options, [], ['stack', 'region', 'crawl', 'seeds', 'sites', 'project', 'dedupeFrom']),
  ];
  if (typeof stack !== 'string') faults.push(`Expected stack to be a name, got ${typeof stack}`);
  if (region !== undefined && typeof region !== 'string')
    faults.push(`Expected region to be a name, got ${typeof region}`);
  if (sites !== undefined && !Array.isArray(sites))
    faults.push(`Expected sites to be a list, got ${typeof sites}`);
  if (!Array.isArray(seeds) || (seeds.length === 0 && sites === undefined))
    faults.push('Expected seeds to be a list of at least one URL');
  if (faults.length > 0) throw new InvalidConfig(`startCrawl: ${faults.join('; ')}`);
  return {
    ...(crawl !== undefined && { crawl }),
    ...(dedupeFrom !== undefined && { dedupeFrom }),
    ...(sites && { sites }),
    // The stack refuses text that is not a URL, and takes the other seeds.
    seeds: seeds.map((seed) => parseSeed(String(seed)) ?? String(seed)),
    options,
    ...(project !== undefined && { projectOptions: async () => (await readProject(project)).crawl }),
  };
}

/** Begins the crawl with all its seeds. Throws `ControlError`. */
export async function beginStackCrawl(
  { control, refusedKeys }: Pick<StackConnection, 'control' | 'refusedKeys'>,
  { crawl, seeds, sites, dedupeFrom, options, projectOptions }: StackStart,
): Promise<BegunCrawl> {
  const ofProject = Object.entries((await projectOptions?.()) ?? {});
  // A setting that the whole stack decides is left out here, since a project's settings also hold on one
  // machine.
  const shared = Object.fromEntries(ofProject.filter(([key]) => !refusedKeys.includes(key)));
  const all = [...seeds, ...(sites?.map(({ url }) => url) ?? [])];
  const { options: config } = takeSeedCredentials({ ...shared, ...options }, all);
  const taken = takeSeedCredentials({}, seeds);
  return createWithSeeds(control, {
    ...(crawl !== undefined && { crawl }),
    ...(dedupeFrom !== undefined && { dedupeFrom }),
    ...(taken.seeds.length > 0 && { seeds: taken.seeds }),
    ...(sites && { sites }),
    config,
  });
}
