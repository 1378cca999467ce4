/** Why the seeds of a crawl gave nothing. */
import { causeText, resultText } from '../../core/causes/cause-text.ts';
import { type CrawlConfig, type CrawlOptions, parseConfig } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { CrawlRecord, CrawlTotals } from '../../crawler/ports/crawl-registry.ts';
import type { LedgerStore } from '../../crawler/ports/ledger-store.ts';
import { isWithoutSeed } from './crawl-outcome.ts';
import { lookUpUrl } from './look-up-url.ts';
import { outcomeInWords } from './outcome-words.ts';
import type { FailedSeed } from './summary.ts';

/** Seeds that are named ... */
const MAX_NAMED = 10;
/** ... and looked up: each costs some reads. */
const MAX_LOOKED_UP = 50;
const MAX_REDIRECTS = 10;

/**
 * The first seeds, each with the cause of its failure; empty if a seed was fetched, or if none has been tried.
 */
export async function findFailedSeeds(
  ledgers: Pick<LedgerStore, 'loadHead' | 'readPart'>,
  crawl: CrawlId,
  { config, scopeSeeds }: CrawlRecord,
  { pages, seeds = {} }: CrawlTotals,
): Promise<readonly FailedSeed[]> {
  if (!isWithoutSeed({ pages, seeds })) return [];
  const urlRules = urlRulesOf(config);
  if (!urlRules) return [];
  const found: FailedSeed[] = [];
  /** Where redirects led: the scope is drawn around these, too. */
  const targets = new Set<string>();
  const lookUp: LookUp = (url) => lookUpUrl(ledgers, crawl, url, urlRules);
  for (const seed of scopeSeeds.slice(0, MAX_LOOKED_UP)) {
    if (found.length >= MAX_NAMED) break;
    if (targets.has(seed)) continue;
    // A part that a newer version wrote, or that a turn has replaced meanwhile, must not keep the summary
    // from its reader.
    const cause = await causeOf(seed, lookUp, targets).catch(() => undefined);
    if (cause !== undefined) found.push({ url: seed, cause });
  }
  return found;
}

/** Undefined where a newer version wrote the settings, which must not keep the summary from its reader. */
function urlRulesOf(config: CrawlOptions): CrawlConfig['urlRules'] | undefined {
  try {
    return parseConfig(config).urlRules;
  } catch {
    return undefined;
  }
}

type LookUp = (url: string) => ReturnType<typeof lookUpUrl>;

/** The outcome of the seed, after its redirects; undefined for one that was not tried, or was fetched. */
async function causeOf(seed: string, lookUp: LookUp, targets: Set<string>): Promise<string | undefined> {
  let url = seed;
  let led = '';
  const passed = new Set<string>();
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const { record, head } = await lookUp(url);
    if (!record) return led === '' ? undefined : led;
    const { state, result } = record;
    if (state === 'waiting') {
      const cause = head?.setAside?.cause ?? result?.cause ?? head?.clock.cause;
      return cause && joined(led, causeText(cause));
    }
    const { httpStatus, cause } = result ?? {};
    if (state === 'fetched') return result && optionalJoined(led, resultText(result));
    const words = outcomeInWords({ state, httpStatus, cause });
    const target = cause?.code === 'redirect' && cause.notFollowed === undefined ? cause.to : undefined;
    if (!cause || target === undefined || target === url) return joined(led, words);
    led = led === '' ? words : `${led}, then ${causeText(cause)}`;
    targets.add(target);
    if (passed.add(url).has(target)) return `${led}, and so on`;
    url = target;
  }
  return led;
}

const joined = (led: string, cause: string): string => (led === '' ? cause : `${led}: ${cause}`);

const optionalJoined = (led: string, cause: string | undefined): string | undefined =>
  cause === undefined ? undefined : joined(led, cause);
