import type { CrawlConfig } from '../../core/crawl/config.ts';
import { createScope } from '../../core/crawl/scope.ts';
import type { SkipReason } from '../../core/crawl/skip-reason.ts';
import { quoted } from '../../core/text/printable.ts';
import { canonicalize } from '../../core/url/canonical.ts';
import { parseSeed } from '../../core/url/parse-seed.ts';
import { createUrlRules } from '../../core/url/url-rules.ts';
import { type AddedSeeds, ControlError } from './control.ts';

export interface SortedSeeds {
  /** Canonical, each once, in the order given. */
  readonly accepted: readonly string[];
  readonly refused: readonly (AddedSeeds['refused'][number] & {
    readonly index: number;
    /** The seed is not an http or https URL at all, rather than a URL that the crawl leaves out. */
    readonly isUnreadable: boolean;
  })[];
}

/** Seeds named in one message. */
const MAX_NAMED = 5;

/**
 * Reads the URLs as people write them (`example.org` is `https://example.org/`), and holds them against the
 * crawl.
 */
export function sortSeeds(urls: readonly string[], config: CrawlConfig): SortedSeeds {
  const scope = createScope(config, []);
  const nameOf = createUrlRules(config.urlRules);
  const accepted = new Set<string>();
  const refused: SortedSeeds['refused'][number][] = [];
  for (const [index, text] of urls.entries()) {
    const refuse = (reason: string, isUnreadable: boolean) =>
      refused.push({ url: text, reason, index, isUnreadable });
    const canonical = canonicalize(parseSeed(text) ?? '');
    const url = canonical && nameOf(canonical);
    const skip = url === undefined ? undefined : scope.check(url, 0, true);
    if (url === undefined) refuse('expected an http or https URL', true);
    else if (skip !== undefined) refuse(reasonText(skip, config), false);
    else accepted.add(url);
  }
  return { accepted: [...accepted], refused };
}

/** The error that names the refused seeds, the first ones at least. */
export function seedsError(refused: SortedSeeds['refused']): ControlError {
  const named = refused
    .slice(0, MAX_NAMED)
    .map(({ url, reason, index }) => `seeds.${index} cannot be a seed: ${reason}, got ${quoted(url)}`);
  const more = refused.length > named.length ? [`and ${refused.length - named.length} more`] : [];
  return new ControlError('invalid', [...named, ...more].join('; '), `seeds.${refused[0]?.index ?? 0}`);
}

function reasonText(reason: SkipReason, { maxUrlLength, domains }: CrawlConfig): string {
  if (reason === 'exclude') return 'one of the patterns of `exclude` matches';
  if (reason === 'domain') return `only ${domains.join(', ')} may be crawled (\`domains\`)`;
  if (reason === 'port') return 'browsers refuse its port; `allowPorts` (`--allow-port N`) allows it';
  if (reason === 'urlLength') return `it is longer than \`maxUrlLength\`, ${maxUrlLength} characters`;
  return `it is outside of the crawl (${reason})`;
}
