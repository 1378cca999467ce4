/** The lines of a file of sites. */
import { checkSites, SITE_KEYS } from '../shared/core/crawl/check-sites.ts';
import { InvalidConfig } from '../shared/core/crawl/invalid-config.ts';
import type { SiteOptions } from '../shared/core/crawl/sites.ts';
import { didYouMean } from '../shared/core/text/nearest.ts';
import { quoted, shorten } from '../shared/core/text/printable.ts';
import { UsageError } from './usage-error.ts';

/** Keys whose values are texts; of `include` and `exclude`, a cell has one pattern. The others are numbers. */
const TEXTS = new Set(['url', 'group', 'hours', 'days', 'timeZone', 'recrawlSchedule', 'recrawlTimeZone']);
const PATTERNS = new Set(['include', 'exclude']);

/** A line with its number, from 1. */
interface Line {
  readonly number: number;
  readonly text: string;
}

/**
 * Reads a URL a line, a JSON object a line, or CSV whose first line has the names of the columns, `url` first. Empty lines
 * and lines that begin with `#` say nothing. Throws {@link UsageError} that names the first line at fault with the
 * reason, and the numbers of others.
 */
export function siteLines(content: string, file: string): SiteOptions[] {
  const lines = content
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .map((text, i): Line => ({ number: i + 1, text: text.trim() }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'));
  const [first] = lines;
  // As some spreadsheets write CSV, by the language of the system.
  if (first && /^"?url"?[;\t]/i.test(first.text))
    throw new UsageError(
      `--sites ${file}: line ${first.number}: expected columns with commas between them, got ${quoted(first.text)}: save it as CSV with commas`,
    );
  const columns = first && /^"?url"?(,|$)/i.test(first.text) ? columnsOf(first, file) : undefined;
  const rows = columns ? lines.slice(1) : lines;
  const given = rows.map((line) => readLine(line, columns, file));
  try {
    // Whether the crawl fetches its pages again is known when it begins.
    return checkSites(given, (index) => `line ${rows[index]?.number}`, { recrawl: 'changes' });
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error;
    throw new UsageError(`--sites ${file}: ${error.message}`, { cause: error });
  }
}

function columnsOf(line: Line, file: string): readonly string[] {
  const names = cellsOf(line, file);
  for (const name of names)
    if (!SITE_KEYS.includes(name))
      throw new UsageError(
        `--sites ${file}: line ${line.number}: unknown column ${quoted(name)}; ${didYouMean(name, SITE_KEYS, `there are ${SITE_KEYS.join(', ')}`)}`,
      );
  return names;
}

function readLine(line: Line, columns: readonly string[] | undefined, file: string): unknown {
  const { number, text } = line;
  if (text.startsWith('{')) return jsonOf(line, file);
  if (!columns) return { url: text };
  const cells = cellsOf(line, file);
  if (cells.length > columns.length)
    throw new UsageError(
      `--sites ${file}: line ${number}: expected at most ${columns.length} columns, got ${cells.length}`,
    );
  const entries = cells.flatMap((cell, i) => (cell === '' ? [] : [[columns[i] as string, cell] as const]));
  return Object.fromEntries(entries.map(([key, cell]) => [key, readCell(key, cell)]));
}

function readCell(key: string, cell: string): unknown {
  if (TEXTS.has(key)) return cell;
  if (PATTERNS.has(key)) return [cell];
  // Other texts are reported as they stand there.
  return /^\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell;
}

function jsonOf({ number, text }: Line, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(
      `--sites ${file}: line ${number}: expected an object as JSON, got ${quoted(shorten(text, 60))}`,
      { cause },
    );
  }
}

/** RFC 4180, but for line breaks within a cell. */
function cellsOf({ number, text }: Line, file: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at <= text.length; ) {
    if (text[at] !== '"') {
      const end = text.indexOf(',', at);
      cells.push(text.slice(at, end < 0 ? text.length : end).trim());
      if (end < 0) break;
      at = end + 1;
      continue;
    }
    let end = at + 1;
    while (end < text.length && !(text[end] === '"' && text[end + 1] !== '"'))
      end += text[end] === '"' ? 2 : 1;
    const after = text[end + 1];
    if (end >= text.length || (after !== undefined && after !== ','))
      throw new UsageError(
        `--sites ${file}: line ${number}: a quote is not closed, in ${quoted(shorten(text, 60))}`,
      );
    cells.push(text.slice(at + 1, end).replaceAll('""', '"'));
    at = end + 2;
    if (after === undefined) break;
  }
  return cells;
}
