/** One gzip member holding one WARC record: in memory, or, when the body is large, as it is made. */
export type WarcMember = readonly Uint8Array[] | AsyncIterable<Uint8Array>;
