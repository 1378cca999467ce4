/** The output of `explain` for people: a line for each rule that applies, and the verdict. */

import { RANKS } from '../shared/core/frontier/rank.ts';
import { printable, shorten } from '../shared/core/text/printable.ts';
import type { DomainWord, Explanation, TemplateWord } from '../shared/services/report/explanation.ts';
import { statusText } from './export-rows.ts';
import { formatCount, formatCounted } from './format.ts';

const MAX_FACT = 200;

export function explanationText(explained: Explanation): string {
  const { url, canonical, scope, template, rank, settings, hostState, hours, domain, crawl, verdict } =
    explained;
  const facts: [label: string, fact: string | undefined][] = [
    ['Becomes', canonical === url ? undefined : becomesText(explained)],
    [
      'Scope',
      scope && `${scope.reason === undefined ? 'in' : 'out'}: ${scope.rule}${assumedText(explained)}`,
    ],
    ['Template', template && templateText(template)],
    ['Rendering', explained.rendering],
    ['Robots', robotsText(explained)],
    ['Usage', explained.robots?.usage?.join('; ')],
    ['Known', knownText(explained)],
    [
      'Rank',
      rank === undefined
        ? undefined
        : `${rank} of 0 to ${RANKS - 1}, by depth and links; the lowest is first`,
    ],
    ['Settings', settingsText(settings)],
    ['Host', hostState && hostText(hostState)],
    ['Domain', domain && domainText(domain)],
    ['Next', hours?.from ?? hostState?.nextFetchAt],
    ['Crawl', crawl && `${crawl.crawl}, ${crawl.state}`],
  ];
  const lines = facts.flatMap(([label, fact]) =>
    fact ? [`  ${label.padEnd(10)}${shorten(printable(fact), MAX_FACT)}`] : [],
  );
  return [printable(url), ...lines, printable(verdict)].join('\n');
}

function becomesText({ canonical, urlRules }: Explanation): string {
  if (canonical === undefined) return 'nothing: it is not an http or https URL';
  return urlRules.length > 0 ? `${canonical}, by ${urlRules.join(', ')}` : canonical;
}

function templateText({ template, isClosed, isFull, pages }: TemplateWord): string {
  const after = pages === undefined ? '' : `, ${formatCounted(pages, 'page')}`;
  return `${template}: ${isFull ? 'full' : isClosed ? 'closed' : 'open'}${after}`;
}

/** The assumptions for a URL that the crawl does not know. */
const assumedText = ({ known, as, scope }: Explanation): string =>
  known || as !== 'link' || scope?.reason === 'scope' ? '' : ' (as if it were a link of a seed)';

function robotsText({ robots }: Explanation): string | undefined {
  if (!robots) return undefined;
  const { says, rule, line, until, cause, url, forbiddenUse: use } = robots;
  if (says === 'ignored') return 'ignored, as the settings say';
  if (says === 'unknown') return `not known, or too old; requested first: ${url}`;
  if (says === 'closed') return `could not be fetched: ${cause}; requested again after ${until}: ${url}`;
  if (use !== undefined)
    return `denied for this crawl's purpose: ${robots.forbiddenBy === 'license' ? 'its licence' : 'it'} forbids its use (${use})`;
  if (rule !== undefined) return `${says} by line ${line}: ${rule}`;
  return says === 'allowed' ? 'allowed: no rule matches' : 'denied: its rules take too long to apply';
}

function knownText({ known, crawl }: Explanation): string | undefined {
  // Links that a turn finds are stored when it ends.
  if (!known) return crawl && (crawl.state === 'running' ? 'no, unless in the last seconds' : 'no');
  const { depth, via } = known;
  const found = via === undefined ? undefined : `found on ${via}`;
  return [statusText(known), known.kind, depth === 0 ? 'a seed' : `depth ${depth}`, found]
    .filter(Boolean)
    .join(', ');
}

function settingsText(settings: Explanation['settings']): string | undefined {
  const entries = Object.entries(settings).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  return entries.length > 0 ? entries.join(', ') : undefined;
}

function domainText(explained: DomainWord): string {
  const { domain, budget, granted = 0, nextBudgetAt, hosts, maxHosts, linkers, medianLinkers } = explained;
  const parts = [
    budget !== undefined &&
      `${formatCount(granted)} of ${formatCount(budget)} requests for pages granted, until ${nextBudgetAt}`,
    linkers !== undefined &&
      `${formatCounted(linkers, 'domain')} linking to it (${formatCount(medianLinkers ?? 1)} to the median one)`,
    maxHosts !== undefined && `${formatCount(hosts)} of ${formatCount(maxHosts)} hosts opened`,
  ];
  return `${domain}: ${parts.filter(Boolean).join(', ')}`;
}

function hostText({ pages, failures, cause, setAside }: NonNullable<Explanation['hostState']>): string {
  const trouble =
    failures > 0 ? `${formatCounted(failures, 'failure')}${cause === undefined ? '' : `: ${cause}`}` : '';
  const parts = [formatCounted(pages, 'page'), setAside === undefined ? trouble : `given up: ${setAside}`];
  return parts.filter(Boolean).join(', ');
}
