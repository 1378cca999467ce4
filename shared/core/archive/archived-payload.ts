/** Where a payload is archived: what a `revisit` record says about it (WARC 1.1, section 6.7). */
export interface ArchivedPayload {
  /** WARC-Target-URI of its response record. */
  readonly url: string;
  /** WARC-Date of that record, as written there. */
  readonly date: string;
  /** WARC-Record-ID of that record: `<urn:uuid:...>`. Absent: it is not known any more. */
  readonly recordId?: string | undefined;
}

export interface NewPayload extends ArchivedPayload {
  /** The payload's digest, 20 bytes. */
  readonly sha1: Uint8Array;
  readonly recordId: string;
}

/** The payload that a revisit stands for, with its digest. */
export type RevisitedPayload = ArchivedPayload & Pick<NewPayload, 'sha1'>;
