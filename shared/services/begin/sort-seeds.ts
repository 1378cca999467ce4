import type { CrawlConfig } from '../../core/crawl/config.ts';
import { InvalidConfig } from '../../core/crawl/invalid-config.ts';
import { createScope } from '../../core/crawl/scope.ts';
import { type Site, Sites } from '../../core/crawl/sites.ts';
import type { SkipReason } from '../../core/crawl/skip-reason.ts';
import { quoted, shorten } from '../../core/text/printable.ts';
import { canonicalize } from '../../core/url/canonical.ts';
import { canonicalRoute } from '../../core/url/hash-route.ts';
import { parseSeed } from '../../core/url/parse-seed.ts';
import { createUrlRules } from '../../core/url/url-rules.ts';

export interface SortedSeeds {
  /** Canonical, each once, in the order given. */
  readonly accepted: readonly string[];
  readonly refused: readonly RefusedSeed[];
}

export interface RefusedSeed {
  readonly url: string;
  /** For people. */
  readonly reason: string;
  /** In the list of seeds. */
  readonly index: number;
  /** Why the crawl leaves the URL out. Absent: it is not an http or https URL at all. */
  readonly skip?: SkipReason;
}

/** Seeds named in one message. */
const MAX_NAMED = 5;

/**
 * Reads the URLs as people write them (`example.org` is `https://example.org/`), and holds them against the
 * crawl, and the settings of its sites.
 */
export function sortSeeds(
  urls: readonly string[],
  config: CrawlConfig,
  sites?: readonly Site[],
): SortedSeeds {
  const scope = createScope(config, [], sites && new Sites(sites));
  const nameOf = createUrlRules(config.urlRules);
  const accepted = new Set<string>();
  const refused: RefusedSeed[] = [];
  for (const [index, text] of urls.entries()) {
    const seed = parseSeed(text) ?? '';
    const route = config.render === 'never' ? undefined : canonicalRoute(seed);
    const canonical = route ?? canonicalize(seed);
    const url = canonical && nameOf(canonical);
    const skip = url === undefined ? undefined : scope.check(url, 0, true);
    if (url === undefined) refused.push({ url: text, reason: 'expected an http or https URL', index });
    else if (skip !== undefined) refused.push({ url: text, reason: reasonText(skip, config), index, skip });
    else accepted.add(url);
  }
  return { accepted: [...accepted], refused };
}

/** Seeds are refused, and nothing is done. */
export class SeedsRefused extends InvalidConfig {
  readonly refused: readonly RefusedSeed[];

  constructor(message: string, refused: readonly RefusedSeed[]) {
    super(message, { field: `seeds.${refused[0]?.index ?? 0}` });
    this.refused = refused;
  }
}

/** The error that names the refused seeds, the first ones at least. */
export function refusedSeeds(refused: readonly RefusedSeed[]): SeedsRefused {
  const named = refused
    .slice(0, MAX_NAMED)
    .map(({ url, reason, index }) => `seeds.${index} cannot be a seed: ${reason}, got ${quoted(url)}`);
  const more = refused.length > named.length ? [`and ${refused.length - named.length} more`] : [];
  return new SeedsRefused([...named, ...more].join('; '), refused);
}

/** Lines about the seeds that a crawl begins without. `hint`: where all of them are listed. */
export function leftOutLines(
  refused: readonly Pick<RefusedSeed, 'url' | 'reason'>[],
  hint = '',
): readonly string[] {
  const lines = refused
    .slice(0, MAX_LINES)
    .map(({ url, reason }) => `Left out the seed ${shorten(url, MAX_CHARS)}: ${reason}`);
  return refused.length > MAX_LINES ? [...lines, `Left out ${refused.length} seeds${hint}`] : lines;
}

const MAX_LINES = 10;
const MAX_CHARS = 200;

function reasonText(reason: SkipReason, { maxUrlLength, domains }: CrawlConfig): string {
  if (reason === 'exclude') return 'one of the patterns of `exclude` matches';
  if (reason === 'domain') return `only ${domains.join(', ')} may be crawled (\`domains\`)`;
  if (reason === 'port') return 'browsers refuse its port; `allowPorts` (`--allow-port N`) allows it';
  if (reason === 'urlLength') return `it is longer than \`maxUrlLength\`, ${maxUrlLength} characters`;
  return `it is outside of the crawl (${reason})`;
}
