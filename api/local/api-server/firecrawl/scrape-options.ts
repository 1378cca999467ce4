import {
  areTexts,
  fieldOf,
  isCount,
  isFlag,
  isObject,
  isText,
  RequestRefused,
  refuseOthers,
} from './refused-fields.ts';

const FORMATS = ['markdown', 'html', 'rawHtml', 'links'] as const;
export type Format = (typeof FORMATS)[number];

/** How a page becomes a document. JSON. */
export interface ScrapeOptions {
  readonly formats: readonly Format[];
  readonly onlyMainContent: boolean;
  readonly includeTags: readonly string[];
  readonly excludeTags: readonly string[];
  /** The age in ms up to which a page that was read before is taken. */
  readonly maxAge: number;
  readonly timeout: number;
}

/** Headers for the host of the page alone. They may be secret, so they are kept with no job. */
export type RequestHeaders = Readonly<Record<string, string>>;

export function readHeaders({ headers }: Readonly<Record<string, unknown>>): RequestHeaders {
  if (headers === undefined || headers === null) return {};
  if (isObject(headers) && Object.values(headers).every(isText)) return headers as RequestHeaders;
  throw new RequestRefused('headers', 'Expected headers to be an object of texts');
}

export const SCRAPE_FIELDS = [
  'formats',
  'onlyMainContent',
  'includeTags',
  'excludeTags',
  'maxAge',
  'timeout',
  'headers',
] as const;

const DEFAULT_MAX_AGE_MS = 172_800_000;
const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 300_000;

/** `at`: before the names of fields in messages. Throws {@link RequestRefused}. */
export function readScrapeOptions(fields: Readonly<Record<string, unknown>>): ScrapeOptions {
  const timeout = fieldOf(fields, 'timeout', isCount, 'a number of milliseconds') ?? DEFAULT_TIMEOUT_MS;
  return {
    formats: readFormats(fields.formats),
    onlyMainContent: fieldOf(fields, 'onlyMainContent', isFlag, 'true or false') ?? true,
    includeTags: fieldOf(fields, 'includeTags', areTexts, 'a list of selectors') ?? [],
    excludeTags: fieldOf(fields, 'excludeTags', areTexts, 'a list of selectors') ?? [],
    maxAge: fieldOf(fields, 'maxAge', isCount, 'a number of milliseconds') ?? DEFAULT_MAX_AGE_MS,
    timeout: Math.min(Math.max(timeout, 1), MAX_TIMEOUT_MS),
  };
}

/** The options of a crawl's pages, in a field of their own. */
export function readPageOptions(given: unknown): ScrapeOptions {
  if (given === undefined || given === null) return readScrapeOptions({});
  if (!isObject(given)) throw new RequestRefused('scrapeOptions', 'Expected scrapeOptions to be an object');
  refuseOthers(given, SCRAPE_FIELDS, 'scrapeOptions.');
  return readScrapeOptions(given);
}

/** A format is a name, or an object with the name as its type. */
function readFormats(given: unknown): readonly Format[] {
  if (given === undefined || given === null) return ['markdown'];
  if (!Array.isArray(given)) throw new RequestRefused('formats', 'Expected formats to be a list');
  return given.map((one) => {
    const name = isObject(one) ? one.type : one;
    const format = FORMATS.find((known) => known === name);
    if (format === undefined) throw new RequestRefused(`formats.${String(name).slice(0, 100)}`);
    return format;
  });
}
