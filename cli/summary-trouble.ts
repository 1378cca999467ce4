/**
 * The troubles of a crawl, as lines of its summary: seeds, hosts, hooks, and pages that a crawler cannot
 * read.
 */
import { areHooksBroken, isWithoutSeed } from '../shared/report/crawl-outcome.ts';
import type { CrawlSummary } from '../shared/report/summary.ts';
import { printable, shorten } from '../shared/text/printable.ts';
import { formatCount, formatCounted, type Tone } from './format.ts';

const MAX_HOSTS = 10;
const MAX_FRAMES = 3;
/** A stack frame ends with a file and a line, so only extremely long frames are truncated. */
const MAX_FRAME_CHARS = 300;

/** How a crawl that is finished is called, where that alone would be misleading. */
export function troubledHeading(summary: CrawlSummary): readonly [string, Tone] | undefined {
  if (summary.state !== 'finished') return undefined;
  if (isWithoutSeed(summary)) return ['No seed could be fetched', 'red'];
  if (areHooksBroken(summary)) return ['Finished, but a hook failed at every page', 'red'];
  return isDoubtful(summary) ? ['Finished', 'yellow'] : undefined;
}

/** Most sites have some pages that are copies of others or say `noindex`; few have many. */
function isDoubtful({ hooks, hints, pages }: CrawlSummary): boolean {
  const { canonicalCopy = 0, noindex = 0, ...others } = hints;
  const isHinted = Object.values(others).some((count) => count > 0);
  return isHinted || (hooks.failed ?? 0) > 0 || 2 * (canonicalCopy + noindex) > pages;
}

/** Sections of the summary; those without lines are left out by the caller. `width`: characters of a line. */
export function troubleSections(
  summary: CrawlSummary,
  width: number,
): [label: string, lines: readonly string[]][] {
  const { setAside, failing, failedSeeds } = summary;
  return [
    ['Seeds', failedSeeds.flatMap(({ url, cause }) => named(url, cause, width))],
    ['Hints', hintLines(summary)],
    ['Hooks', hookLines(summary, width)],
    [
      'Failing',
      hostLines(
        failing.map((one) => [one.host, `${one.cause}; next try at ${one.nextTryAt}`]),
        width,
      ),
    ],
    [
      'Given up',
      hostLines(
        setAside.map(({ host, cause }) => [host, cause]),
        width,
      ),
    ],
  ];
}

/** The name and a text about it: in one line if it fits, otherwise in two. */
function named(name: string, text: string, width: number): string[] {
  const line = `${printable(name)}: ${printable(text)}`;
  if (line.length <= width) return [line];
  return [shorten(`${printable(name)}:`, width), shorten(`  ${printable(text)}`, 2 * width)];
}

function hostLines(hosts: readonly (readonly [host: string, cause: string])[], width: number): string[] {
  if (hosts.length === 0) return [];
  const shown = hosts
    .slice(0, MAX_HOSTS)
    .map(([host, cause]) => shorten(`${printable(host)}: ${printable(cause)}`, width));
  const more = hosts.length - shown.length;
  return [
    formatCounted(hosts.length, 'host'),
    ...shown,
    ...(more > 0 ? [`and ${formatCount(more)} more`] : []),
  ];
}

function hintLines({ hints }: CrawlSummary): string[] {
  const {
    javascript = 0,
    login = 0,
    withheld = 0,
    otherLanguage = 0,
    softNotFound = 0,
    nearDuplicate = 0,
  } = hints;
  const { unreadDocument = 0, cutDocument = 0, canonicalCopy = 0, noindex = 0 } = hints;
  const lines: string[] = [];
  if (javascript > 0)
    lines.push(
      `${formatCounted(javascript, 'page')} with scripts, but hardly any text and no links:`,
      'probably made by JavaScript, which Strand does not run',
    );
  if (withheld > 0)
    lines.push(
      `${formatCounted(withheld, 'page')} kept from hooks, documents and exports: they forbid the use that --purpose names`,
    );
  if (otherLanguage > 0)
    lines.push(
      `${formatCounted(otherLanguage, 'page')} kept from hooks, documents and exports: not in the languages of --languages`,
    );
  if (nearDuplicate > 0)
    lines.push(`${formatCounted(nearDuplicate, 'page')} with nearly the same text as another one`);
  if (canonicalCopy > 0)
    lines.push(
      `${formatCounted(canonicalCopy, 'page')} kept from onPage and documents: they name another page as the canonical one.`,
      '--no-obey-canonical includes them',
    );
  if (noindex > 0)
    lines.push(
      `${formatCounted(noindex, 'page')} kept from onPage: they say noindex. --no-obey-noindex includes them`,
    );
  if (unreadDocument > 0)
    lines.push(
      `${formatCounted(unreadDocument, 'document')} whose text and links were not read: export --format jsonl names the causes`,
    );
  if (cutDocument > 0)
    lines.push(
      `${formatCounted(cutDocument, 'document')} not read to the end: export --format jsonl names the causes`,
    );
  if (softNotFound > 0)
    lines.push(
      `${formatCounted(softNotFound, 'URL')} answered as for pages that do not exist, without the status 404 (soft 404)`,
    );
  if (login > 0)
    lines.push(
      `${formatCounted(login, 'seed')} led to a login page. A middleware can sign in: see examples/login`,
    );
  return lines;
}

function hookLines({ hooks, hookErrors }: CrawlSummary, width: number): string[] {
  const { pages = 0, failed = 0 } = hooks;
  const lines =
    failed > 0 ? [`a hook failed at ${formatCount(failed)} of ${formatCounted(pages, 'page')}`] : [];
  for (const { source, url, message, stack } of hookErrors) {
    lines.push(...named(`${source} at ${url}`, message, width));
    const frames = stack?.split('\n').slice(0, MAX_FRAMES) ?? [];
    for (const frame of frames) lines.push(`    ${shorten(printable(frame), MAX_FRAME_CHARS)}`);
  }
  return lines;
}
