/** The words of a command besides its options: folders, names of crawls, seeds. */

import type { TableName } from '../api/stored-crawl.ts';
import type { CrawlOptions } from '../shared/core/crawl/config.ts';
import { quoted } from '../shared/core/text/printable.ts';
import type { CloudFormat } from '../shared/services/control/crawl-export.ts';
import { crawlIdSchema } from '../shared/services/control/request-schemas.ts';
import type { SiteFilter } from '../shared/services/report/site-entries.ts';
import type { NetworkFiles, Seeds } from './command.ts';
import { isDate } from './format.ts';
import { EXPORT_FORMATS, type ExportFormat, isFolderFormat, isRowFormat, TABLES } from './option-spec.ts';
import { OPTIONS } from './options.ts';
import { PROGRAM } from './program.ts';
import type { ParsedOptions } from './read-options.ts';
import { seedUrl } from './seeds.ts';
import { UsageError } from './usage-error.ts';
import type { Verb } from './verbs.ts';

export const textOf = ({ values }: ParsedOptions, name: string): string | undefined =>
  values.get(name) as string | undefined;

export const isSet = ({ values }: ParsedOptions, name: string): boolean => values.get(name) === true;

/** The given options that are keys of the crawl's configuration, under these keys. */
export function configOf({ values }: ParsedOptions): CrawlOptions {
  const entries = OPTIONS.flatMap(({ key, name }) =>
    key && values.has(name) ? [[key, values.get(name)]] : [],
  );
  return Object.fromEntries(entries) as CrawlOptions;
}

const FILES = [
  'header',
  'basic-auth',
  'cookies',
  'ca',
  'client-cert',
  'client-key',
  'identity',
  'domain-budgets',
  'ip-delay-except',
];

/** Returns the options that are files or secrets. */
export function networkOf(given: ParsedOptions): NetworkFiles | undefined {
  if (!FILES.some((name) => given.values.has(name))) return undefined;
  const listOf = (name: string) => (given.values.get(name) as readonly string[] | undefined) ?? [];
  return {
    headers: listOf('header'),
    auth: listOf('basic-auth'),
    cookies: textOf(given, 'cookies'),
    ca: textOf(given, 'ca'),
    clientCert: textOf(given, 'client-cert'),
    clientKey: textOf(given, 'client-key'),
    identity: textOf(given, 'identity'),
    domainBudgets: textOf(given, 'domain-budgets'),
    ipDelayExcept: textOf(given, 'ip-delay-except'),
  };
}

/** As many words as are expected, none empty. */
export function readWords(verb: Verb, { words }: ParsedOptions, ...expected: string[]): readonly string[] {
  if (words.length === expected.length && words.every((word) => word !== '')) return words;
  throw wrongWords(verb, words, expected);
}

export function wrongWords(verb: Verb, words: readonly string[], expected: readonly string[]): UsageError {
  const came = words.length === 0 ? 'nothing' : words.map(quoted).slice(0, 5).join(' ');
  return new UsageError(`Expected ${[PROGRAM, verb, ...expected].join(' ')}, got ${came}`);
}

/**
 * Returns the arguments of `diff`: a crawl, a URL, and the times of one or two visits. `place`: the name of the crawl's
 * argument.
 */
export function readDiff(given: ParsedOptions, place: string) {
  const { words } = given;
  const [crawl, url, ...times] =
    words.length > 2 && words.length <= 4 ? words : readWords('diff', given, place, 'URL');
  const [from, to] = times.map(readTime);
  if (from && to && from > to)
    throw new UsageError(`Expected ${PROGRAM} diff ${place} URL FROM TO with FROM before TO`);
  return { place: crawl!, url: seedUrl(url!), from, to };
}

function readTime(text: string): Date {
  if (!isDate(text))
    throw new UsageError(`Expected the time of a visit (2026-01-31, 2026-01-31T08:00Z), got ${quoted(text)}`);
  return new Date(text);
}

export function readCrawlName(text: string): string {
  if (crawlIdSchema.safeParse(text).success) return text;
  throw new UsageError(
    `Expected the name of a crawl (letters, digits, ., _ and -; 64 at most), got ${quoted(text)}; ` +
      `all of a stack: ${PROGRAM} --stack NAME list`,
  );
}

/**
 * Returns the arguments of `hosts`: a crawl, and optionally a host in lower case. `place`: the name of the
 * crawl's argument.
 */
export function readHosts(given: ParsedOptions, place: string) {
  const { words } = given;
  const [crawl, host] = words.length === 2 ? words : readWords('hosts', given, place);
  const cursor = textOf(given, 'cursor');
  const limit = given.values.get('limit') as number | undefined;
  if (host !== undefined && (cursor !== undefined || limit !== undefined))
    throw new UsageError('Expected --limit and --cursor without a host: one host has one answer');
  const domains = isSet(given, 'domains');
  if (host !== undefined && domains) throw new UsageError('Expected --domains without a host');
  const sites = readSiteFilter(given);
  if (sites && (host !== undefined || domains))
    throw new UsageError('Expected --sites without a host and without --domains');
  return { names: [crawl!, host?.toLowerCase()] as const, cursor, limit, domains, ...(sites && { sites }) };
}

/** Which sites are to be listed; undefined: hosts are. A group or a state is one of sites. */
function readSiteFilter(given: ParsedOptions): SiteFilter | undefined {
  const group = textOf(given, 'group');
  const state = textOf(given, 'state') as SiteFilter['state'];
  if (!isSet(given, 'sites') && group === undefined && state === undefined) return undefined;
  return { ...(group !== undefined && { group }), ...(state !== undefined && { state }) };
}

/** `example`: the words before the seeds. */
export function readSeedWords(words: readonly string[], given: ParsedOptions, example: string): Seeds {
  const seedsFile = textOf(given, 'seeds');
  const sitesFile = textOf(given, 'sites');
  if (words.length === 0 && seedsFile === undefined && sitesFile === undefined) {
    throw new UsageError(
      `Expected a seed, got none: ${PROGRAM} ${example} https://example.org/, or --seeds FILE`,
    );
  }
  if (seedsFile === '-' && sitesFile === '-')
    throw new UsageError('Expected --seeds or --sites to read standard input, got both');
  const seeds = words.map((word) => seedUrl(word));
  return { seeds, seedsFile, ...(sitesFile !== undefined && { sitesFile }) };
}

/** Throws {@link UsageError} for files by site of anything but rows of URLs. */
export function readBySite(
  given: ParsedOptions,
  format: ExportFormat,
  { out, ...kinds }: RowKinds & { readonly out?: string | undefined },
): { readonly bySite?: true; readonly group?: string } {
  const group = textOf(given, 'group');
  if (!isSet(given, 'by-site')) {
    if (group !== undefined) throw new UsageError('Expected --by-site with --group');
    return {};
  }
  if (!isRowFormat(format) || kinds.skipped || kinds.items)
    throw new UsageError('Expected --format jsonl|csv with --by-site, without --items and --skipped');
  if (out === undefined)
    throw new UsageError('Expected --out FOLDER with --by-site: it writes several files');
  return { bySite: true, ...(group !== undefined && { group }) };
}

interface RowKinds {
  readonly skipped: boolean;
  readonly items: boolean;
}

/** Throws {@link UsageError} for an export of rows in another format, and for a WACZ without a file. */
export function refuseMix(
  format: ExportFormat,
  { out, ...kinds }: RowKinds & { readonly out?: string | undefined },
): void {
  refuseRows(format, kinds);
  if (format === 'wacz' && out === undefined)
    throw new UsageError('Expected --out FILE with --format wacz: it is one file, and not text');
  if (isFolderFormat(format) && out === undefined)
    throw new UsageError(`Expected --out FOLDER with --format ${format}: it writes several files`);
}

function refuseRows(format: ExportFormat, { skipped, items }: RowKinds): void {
  if ((skipped || items) && !isRowFormat(format)) {
    const flag = items ? '--items' : '--skipped';
    throw new UsageError(`Expected --format jsonl|csv with ${flag}, got ${quoted(format)}`);
  }
  if (skipped && items) throw new UsageError('Expected --items or --skipped, got both');
}

/** Smaller pieces would hold no sentence. */
const MIN_CHUNK_TOKENS = 20;

/** The place of a record for `warc cat`, which has no JSON. */
export function readOffset(text: string, json: boolean): number {
  if (!/^\d{1,15}$/.test(text))
    throw new UsageError(`Expected OFFSET to be a whole number of bytes, got ${quoted(text)}`);
  if (json) throw new UsageError('warc takes --json only with check: cat writes a record as it is stored');
  return Number(text);
}

/** The format of an export that a stack makes. Throws {@link UsageError} for what it cannot make. */
export function readCloudFormat(given: ParsedOptions, format: ExportFormat, kinds: RowKinds): CloudFormat {
  for (const name of ['out', 'chunk'])
    if (given.values.has(name))
      throw new UsageError(`Expected no --${name} with --in-cloud: the stack writes to its bucket`);
  refuseRows(format, kinds);
  if (kinds.items) return format === 'csv' ? 'itemsCsv' : 'items';
  if (kinds.skipped) return format === 'csv' ? 'skippedCsv' : 'skipped';
  return format;
}

/** The value of `--chunk`, if it is given. */
export function readChunk({ values }: ParsedOptions, format: ExportFormat): number | undefined {
  const tokens = values.get('chunk') as number | undefined;
  if (tokens === undefined) return undefined;
  if (format !== 'documents')
    throw new UsageError(`Expected --format documents with --chunk, got ${quoted(format)}`);
  if (tokens < MIN_CHUNK_TOKENS)
    throw new UsageError(`Expected --chunk to be at least ${MIN_CHUNK_TOKENS} tokens, got ${tokens}`);
  return tokens;
}

/** The format that is named, else that of the file's name, else JSON lines. */
export function readFormat(given: ParsedOptions, file = ''): ExportFormat {
  const ending = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  const byFile = EXPORT_FORMATS.find((format) => format === ending);
  return (given.values.get('format') as ExportFormat | undefined) ?? byFile ?? 'jsonl';
}

export function sinceOf(given: ParsedOptions): Date | undefined {
  const since = textOf(given, 'since');
  return since === undefined ? undefined : new Date(since);
}

/** The options of `report`. */
export function readReport(given: ParsedOptions) {
  const html = textOf(given, 'html');
  const broken = isSet(given, 'broken');
  const changes = isSet(given, 'changes');
  if (broken && html !== undefined) throw new UsageError('Expected --html or --broken, got both');
  if (broken && changes) throw new UsageError('Expected --changes or --broken, got both');
  return { html, ...(broken && { broken }), ...(changes && { changes }) };
}

/** The arguments of `inlinks`. `place`: the name of the crawl's argument. */
export function readInlinks(given: ParsedOptions, place: string) {
  const [crawl, url] = readWords('inlinks', given, place, 'URL');
  return { place: crawl!, url: seedUrl(url!), anchors: isSet(given, 'anchors') };
}

/** The arguments of `send`. `place`: the name of the crawl's argument. */
export function readSend(given: ParsedOptions, place: string) {
  const [crawl] = readWords('send', given, place);
  const to = textOf(given, 'to');
  if (to === undefined) throw new UsageError('Expected --to ADDRESS: where the documents are sent');
  return { place: crawl!, to };
}

/** The options of `duplicates`. */
export const readDuplicates = (given: ParsedOptions) => ({
  limit: given.values.get('limit') as number | undefined,
  index: textOf(given, 'index'),
});

/** The arguments of `search`. `place`: the name of the crawl's argument. */
export function readSearch(given: ParsedOptions, place: string) {
  const [crawl, ...words] = given.words;
  if (!crawl || words.length === 0) throw wrongWords('search', given.words, [place, 'WORDS...']);
  return {
    place: crawl,
    words: words.join(' '),
    host: textOf(given, 'host'),
    language: textOf(given, 'language'),
    since: sinceOf(given),
    limit: given.values.get('limit') as number | undefined,
    index: textOf(given, 'index'),
  };
}

/** The value of `--tables`, if it is given. */
export function readTables(
  { values }: ParsedOptions,
  format: ExportFormat,
): readonly TableName[] | undefined {
  const tables = values.get('tables') as Readonly<Record<string, boolean>> | undefined;
  if (tables === undefined) return undefined;
  if (format !== 'parquet')
    throw new UsageError(`Expected --format parquet with --tables, got ${quoted(format)}`);
  return TABLES.filter((name) => tables[name]);
}
