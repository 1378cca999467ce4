/** Settings that an earlier version had: crawls that it has stored may have them. */

/** Each with its replacement. */
export const FORMER_SETTINGS: ReadonlyMap<unknown, string> = new Map([
  ['allowInvalidCertificates', "tls: 'any'"],
]);

interface StoredRecord {
  readonly config: object;
}

/** A stored record of a crawl, with the settings of this version. Anything else stays as it is: its reader reports that. */
export function withoutFormer<T extends StoredRecord>(record: T): T {
  const stored: unknown = (record as T | null)?.config;
  if (typeof stored !== 'object' || stored === null || !('allowInvalidCertificates' in stored)) return record;
  const { allowInvalidCertificates: isAny, ...config } = stored;
  return { ...record, config: isAny ? { ...config, tls: 'any' } : config };
}
