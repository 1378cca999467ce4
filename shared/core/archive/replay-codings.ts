/** Content codings of stored responses that the common readers of archives cannot decode. */

/** The codings of IANA's registry but for those that pywb, warcio and ReplayWeb.page decode: gzip, deflate and br. */
const UNREAD: ReadonlySet<string> = new Set([
  'zstd',
  'compress',
  'x-compress',
  'dcb',
  'dcz',
  'exi',
  'pack200-gzip',
  'aes128gcm',
]);

/** Returns the first coding in the field that common readers cannot decode. */
export function unreadCoding(contentEncoding: string): string | undefined {
  // Nearly all responses have one coding, or none.
  if (contentEncoding.length < 3 || contentEncoding === 'gzip') return undefined;
  return contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .find((coding) => UNREAD.has(coding));
}

/** Says how many responses are in the coding. */
export const codingWarning = (coding: string, count: number): string =>
  `${count} response${count === 1 ? ' is' : 's are'} in the content coding ${coding}, which pywb, warcio and ReplayWeb.page do not decode`;

/**
 * Called for each record that an export leaves out, or, with `coding`, for each that it includes though few readers can
 * decode it.
 */
export type ExportWarning = (message: string, about?: 'coding') => void;

/** Passes on lines of CDXJ. Behind the last one, `warn` is called for each coding that common readers cannot decode. */
export async function* withCodingWarnings(
  lines: AsyncIterable<string>,
  warn: ExportWarning | undefined,
): AsyncGenerator<string, void, undefined> {
  const counts = new Map<string, number>();
  for await (const line of lines) {
    const coding = ENCODING.exec(line)?.[1];
    if (coding !== undefined) counts.set(coding, (counts.get(coding) ?? 0) + 1);
    yield line;
  }
  for (const [coding, count] of counts) warn?.(codingWarning(coding, count), 'coding');
}

/** The field of a line that `cdxj.ts` writes. Quotes within values are escaped. */
const ENCODING = /, "encoding": "([a-z0-9-]{1,20})"/;
