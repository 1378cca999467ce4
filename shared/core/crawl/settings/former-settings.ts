/** Settings that an earlier version had: crawls that it has stored may have them. */

/** Each with its replacement. */
export const FORMER_SETTINGS: ReadonlyMap<unknown, string> = new Map([
  ['allowInvalidCertificates', "tls: 'any'"],
]);

interface StoredRecord {
  readonly config: object;
}

/** A stored record of a crawl, with the settings of this version. */
export function withoutFormer<T extends StoredRecord>(record: T): T {
  if (!('allowInvalidCertificates' in record.config)) return record;
  const { allowInvalidCertificates: isAny, ...config } = record.config;
  return { ...record, config: isAny ? { ...config, tls: 'any' } : config };
}
