/** How fresh the copies of a crawl are, for a terminal. */

import { printable, shorten } from '../../shared/core/text/printable.ts';
import type { FreshnessReport } from '../../shared/services/report/report-freshness.ts';
import { formatCount, toned } from '../format.ts';
import { bandText, freshnessFigures, rateText, shareText } from './freshness-words.ts';

const WIDTH = 100;
const INDENT = 20;
const ROWS = 10;
const BAR = 30;
const MAX_NAME = 44;

/** Lines of at most 100 characters. */
export function freshnessText(report: FreshnessReport, colour: boolean): string[] {
  const { sinceFetch, templates, hints } = report;
  const lines = [toned('Freshness', 'bold', colour)];
  for (const [label, value, note] of freshnessFigures(report))
    lines.push(
      shorten(
        toned(`  ${label}`.padEnd(INDENT), 'dim', colour) + value.padEnd(8) + printable(note),
        WIDTH + (colour ? 8 : 0),
      ),
    );
  const most = Math.max(...sinceFetch.map(({ pages }) => pages));
  lines.push('', toned('Copies by the time since their last fetch', 'bold', colour));
  for (const [at, { pages, freshPages }] of sinceFetch.entries()) {
    if (pages === 0) continue;
    const bar = '#'.repeat(Math.max(1, Math.round((BAR * pages) / most)));
    const note = `${formatCount(pages).padStart(9)}  ${shareText(freshPages / pages).padStart(5)} up to date`;
    lines.push(`  ${bandText(sinceFetch, at).padEnd(INDENT - 2)}${note}  ${bar}`);
  }
  if (templates.length > 0) {
    lines.push('', toned('Templates with the most changes', 'bold', colour));
    for (const { host, template, pages, changesPerDay, freshShare } of templates.slice(0, ROWS)) {
      const name = shorten(printable(host + template), MAX_NAME).padEnd(MAX_NAME);
      lines.push(
        `  ${name}${formatCount(pages).padStart(9)} pages ${rateText(changesPerDay).padStart(8)} changes/d  ${shareText(freshShare)} up to date`,
      );
    }
  }
  if (hints.length > 0) {
    lines.push('', toned('Hints: lastmod of sitemaps, dates of feeds', 'bold', colour));
    for (const { host, precision, recall, hintedFetches } of hints.slice(0, ROWS)) {
      const name = shorten(printable(host), MAX_NAME).padEnd(MAX_NAME);
      lines.push(
        `  ${name}${formatCount(hintedFetches).padStart(9)} hints, precision ${shareText(precision)}, recall ${shareText(recall)}`,
      );
    }
  }
  return lines;
}
