/** A line of a CDXJ index. */
export interface IndexedCapture {
  readonly url: string;
  /** The URL with its host reversed, as the index is sorted: `org,example)/a`. */
  readonly surt: string;
  /** When it was fetched: `YYYYMMDDhhmmss`, UTC. */
  readonly timestamp: string;
  /** `warc/revisit` if the body is that of an earlier record. */
  readonly mime?: string;
  /** HTTP status. */
  readonly status?: number;
  /** Payload digest: `sha1:` and Base32. */
  readonly digest?: string;
  /** Name of the WARC file; where the record's gzip member begins in it, and its length in bytes. */
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  /** For a response to a method other than GET: the method, and the request's body as a query. */
  readonly method?: string;
  readonly requestBody?: string;
}

/**
 * Reads a line `SURT TIMESTAMP {JSON}`. If it is another line, throws a {@link SyntaxError} that names `where`.
 */
export function parseCdxjLine(line: string, where: string): IndexedCapture {
  const [surt = '', timestamp = ''] = line.split(' ', 2);
  const fields = fieldsOf(line.slice(surt.length + timestamp.length + 2));
  const { url, filename, offset, length, mime, status, digest, method, requestBody } = fields ?? {};
  const isPlaced = /^\d{1,15}$/.test(offset ?? '') && /^\d{1,15}$/.test(length ?? '');
  if (!/^\d{4,17}$/.test(timestamp) || url === undefined || filename === undefined || !isPlaced)
    throw new SyntaxError(
      `Expected "SURT TIMESTAMP {JSON}" with url, filename, offset and length in ${where}, got ${JSON.stringify(line.slice(0, 80))}`,
    );
  return {
    url,
    surt,
    timestamp,
    ...(mime !== undefined && { mime }),
    ...(/^\d{3}$/.test(status ?? '') && { status: Number(status) }),
    ...(digest !== undefined && { digest }),
    file: filename,
    offset: Number(offset),
    length: Number(length),
    ...(method !== undefined && { method }),
    ...(requestBody !== undefined && { requestBody }),
  };
}

function fieldsOf(json: string): Readonly<Record<string, string>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== 'object' || value === null) return undefined;
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, String(field)]));
  } catch {
    return undefined;
  }
}
