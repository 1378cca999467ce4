/**
 * The troubles of a crawl, as lines of its summary: seeds, hosts, hooks, and pages that a crawler cannot
 * read.
 */

import { printable, shorten } from '../shared/core/text/printable.ts';
import {
  areHooksBroken,
  isIncomplete,
  isRefusedEverywhere,
  isWithoutSeed,
} from '../shared/services/report/crawl-outcome.ts';
import type { CrawlSummary } from '../shared/services/report/summary.ts';
import { formatCount, formatCounted, type Tone } from './format.ts';
import { refusedLines, refusedText } from './summary-refused.ts';

const MAX_HOSTS = 10;
const MAX_FRAMES = 3;
/** A stack frame ends with a file and a line, so only extremely long frames are truncated. */
const MAX_FRAME_CHARS = 300;

/** How a crawl that is finished is called, where that alone would be misleading. */
export function troubledHeading(summary: CrawlSummary): readonly [string, Tone] | undefined {
  if (summary.state !== 'finished') return undefined;
  if (isRefusedEverywhere(summary))
    return [['Refused', refusedText(summary)].filter(Boolean).join(': '), 'red'];
  if (isWithoutSeed(summary)) return ['No seed could be fetched', 'red'];
  if (areHooksBroken(summary)) return ['Finished, but a hook failed at every page', 'red'];
  if (isIncomplete(summary)) return ['Finished', 'red'];
  const isLessened = Object.keys(summary.losses).length > 0;
  return isLessened || isDoubtful(summary) ? ['Finished', 'yellow'] : undefined;
}

/** Most sites have some pages that are copies of others or say `noindex`; few have many. */
function isDoubtful(summary: CrawlSummary): boolean {
  const { hooks, hints, pages } = summary;
  const { canonicalCopy = 0, noindex = 0, cookie: _, changeLink: __, ...others } = hints;
  const isHinted =
    Object.values(others).some((count) => count > 0) || wantsCookies(summary) || leavesMostOut(summary);
  return isHinted || (hooks.failed ?? 0) > 0 || 2 * (canonicalCopy + noindex) > pages;
}

/** A site that lets nobody in without a cookie. Links that choose a language or fill a cart redirect so, too. */
const wantsCookies = ({ hints: { cookie = 0 }, pages }: CrawlSummary): boolean => cookie > pages;

/** Sites that put a token into all links have no other ones. */
const leavesMostOut = ({ hints: { changeLink = 0 }, pages }: CrawlSummary): boolean => changeLink > pages;

/** Sections of the summary; those without lines are left out by the caller. `width`: characters of a line. */
export function troubleSections(
  summary: CrawlSummary,
  width: number,
): [label: string, lines: readonly string[]][] {
  const { failedSeeds } = summary;
  const setAside = summary.setAside.filter(({ refused }) => !refused);
  const failing = summary.failing.filter(({ refused }) => !refused);
  return [
    ['Seeds', failedSeeds.flatMap(({ url, cause }) => named(url, cause, width))],
    ['Refused', refusedLines(summary, width)],
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

type Hint = readonly [name: string, lines: (count: number) => readonly string[]];

/** The hints of a summary, each with its lines, in the order in which they are shown. */
const HINTS: readonly Hint[] = [
  [
    'javascript',
    (count) => [
      `${formatCounted(count, 'page')} with scripts, but hardly any text or no links:`,
      'probably made by JavaScript, which --render needed runs',
    ],
  ],
  [
    'withheld',
    (count) => [
      `${formatCounted(count, 'page')} kept from hooks, documents and exports: they forbid the use that --purpose names`,
    ],
  ],
  [
    'otherLanguage',
    (count) => [
      `${formatCounted(count, 'page')} kept from hooks, documents and exports: not in the languages of --languages`,
    ],
  ],
  ['nearDuplicate', (count) => [`${formatCounted(count, 'page')} with nearly the same text as another one`]],
  [
    'canonicalCopy',
    (count) => [
      `${formatCounted(count, 'page')} kept from onPage and documents: they name another page as the canonical one.`,
      '--no-obey-canonical includes them',
    ],
  ],
  [
    'noindex',
    (count) => [
      `${formatCounted(count, 'page')} kept from onPage and documents: they say noindex. --no-obey-noindex includes them`,
    ],
  ],
  [
    'unreadDocument',
    (count) => [
      `${formatCounted(count, 'document')} whose text and links were not read: export --format jsonl names the causes`,
    ],
  ],
  [
    'cutDocument',
    (count) => [
      `${formatCounted(count, 'document')} not read to the end: export --format jsonl names the causes`,
    ],
  ],
  [
    'cutPage',
    (count) => [
      `${formatCounted(count, 'page')} too large to be read to the end (maxBodyBytes, maxDecodedBytes):`,
      'links and text behind that were left out',
    ],
  ],
  [
    'undecoded',
    (count) => [
      `${formatCounted(count, 'response')} could not be decoded, as the content coding is broken or not known (failed)`,
    ],
  ],
  [
    'brokeOff',
    (count) => [
      `${formatCounted(count, 'response')} broke off, or could not be decoded to the end: what was there was read`,
    ],
  ],
  [
    'softNotFound',
    (count) => [
      `${formatCounted(count, 'URL')} answered as for pages that do not exist, without the status 404 (soft 404)`,
    ],
  ],
  [
    'login',
    (count) => [
      `${formatCounted(count, 'seed')} led to a login page. An account of the project can sign in: see docs/accounts.md`,
    ],
  ],
];

function hintLines(summary: CrawlSummary): string[] {
  const lines = HINTS.flatMap(([name, linesOf]) => {
    const count = summary.hints[name] ?? 0;
    return count > 0 ? linesOf(count) : [];
  });
  return [...lines, ...cookieLines(summary), ...changeLines(summary), ...leftOutLines(summary)];
}

function changeLines(summary: CrawlSummary): string[] {
  if (!leavesMostOut(summary)) return [];
  return [
    `${formatCounted(summary.hints.changeLink ?? 0, 'URL')} not fetched, as signed in they may change something (changeLink):`,
    'seeds, and what enqueue requests, are fetched all the same',
  ];
}

function cookieLines(summary: CrawlSummary): string[] {
  const { cookie = 0 } = summary.hints;
  if (!wantsCookies(summary)) return [];
  return [
    `${formatCounted(cookie, 'URL')} redirected back with a cookie, which was not sent back:`,
    '--host-cookies turn sends it for the rest of a visit, --host-cookies keep in later visits, too',
  ];
}

/** With so few pages, links that were left out may have been the site. */
const FEW_PAGES = 3;

/** Links that were left out where they may have been what the crawl was begun for, and what includes them. */
function leftOutLines({ state, pages, skipped, byStatus, render }: CrawlSummary): string[] {
  const { scope = 0, nofollow = 0, trap = 0, hashRoute = 0 } = skipped;
  const lines: string[] = [];
  if (state === 'finished' && pages <= FEW_PAGES) {
    if (scope > 0)
      lines.push(
        `${formatCounted(scope, 'link')} out of the scope, as to other hosts: export --skipped lists them;`,
        '--scope domain, or more seeds, may include them',
      );
    if (nofollow > 0)
      lines.push(
        `${formatCounted(nofollow, 'link')} not followed: their page, or they themselves, say nofollow.`,
        '--no-obey-nofollow follows them',
      );
    if (hashRoute > 0 && Object.keys(render).length === 0)
      lines.push(
        `${formatCounted(hashRoute, 'link')} to routes behind #, as /#/guide, which are pages only where scripts run:`,
        '--render needed fetches them (docs/rendering.md)',
      );
  }
  if (trap > 0 && trap + byStatus.skipped > pages)
    lines.push(
      'more URLs left out as traps than pages fetched: such pages brought nothing new or forbid their use.',
      'report lists the groups of URLs; a crawl with --trap-after-pages 0 fetches them',
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
