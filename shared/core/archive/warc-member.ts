/** A gzip member with one WARC record: in memory or, if the body is large, as a stream. */
export type WarcMember = readonly Uint8Array[] | AsyncIterable<Uint8Array>;
