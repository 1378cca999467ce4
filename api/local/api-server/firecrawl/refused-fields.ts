/** Fields of Firecrawl's requests that Strand does not have. Each is refused by its name, unless it says that it is off. */

/** The request is refused. `field` names the part. */
export class RequestRefused extends Error {
  override name = 'RequestRefused';
  readonly field: string;
  readonly status: number;

  constructor(field: string, message = `Strand does not do this: ${field}`, status = 400) {
    super(message);
    this.field = field;
    this.status = status;
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** They say who sends the request. */
const ABOUT_THE_CLIENT = new Set(['origin', 'integration']);
/** Values by which a request says that it does not want the thing. */
const isOff = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === 0 ||
  (Array.isArray(value) && value.length === 0);

/**
 * Values by which Strand does what is wanted: its fetches run no script and have no advertisements, it keeps pages for
 * `maxAge`, and knows spellings of one URL. Firecrawl's clients send some of them with each request.
 */
const MET: ReadonlyMap<string, (value: unknown) => boolean> = new Map(
  Object.entries({
    blockAds: (value: unknown) => value === true,
    removeBase64Images: (value: unknown) => value === true,
    storeInCache: (value: unknown) => value === true,
    deduplicateSimilarURLs: (value: unknown) => value === true,
    proxy: (value: unknown) => value === 'basic' || value === 'auto',
    fastMode: (value: unknown) => value === true,
    parsers: (value: unknown) => Array.isArray(value) && value.every((parser) => parser === 'pdf'),
    parsePDF: (value: unknown) => value === true,
  }),
);

/** Throws {@link RequestRefused} for the first field that is none of `known`. */
export function refuseOthers(fields: Fields, known: readonly string[], at = ''): void {
  for (const [name, value] of Object.entries(fields)) {
    if (known.includes(name) || ABOUT_THE_CLIENT.has(name) || isOff(value) || MET.get(name)?.(value))
      continue;
    throw new RequestRefused(`${at}${name}`);
  }
}

/** The field as a value of a type, or the default. Throws {@link RequestRefused} for another type. */
export function fieldOf<T>(
  fields: Fields,
  name: string,
  isRight: (value: unknown) => value is T,
  expected: string,
): T | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (isRight(value)) return value;
  throw new RequestRefused(name, `Expected ${name} to be ${expected}`);
}

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
export const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;
export const isSeconds = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= 86_400;
export const areTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length <= 1000 && value.every(isText);
export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
