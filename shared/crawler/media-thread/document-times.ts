/** How long the reading of a document may take. */
export interface DocumentTimes {
  /** To wait for documents of other hosts. A document that waits longer is read later. */
  readonly waitMs: number;
  /** To be read: CPU time of its thread, which is the same on an idle and on a busy machine. */
  readonly cpuMs: number;
  /** To be read, by the clock: a last resort. A document that would need longer is read later. */
  readonly wallMs: number;
}

/** On one machine: 1,000 pages of a PDF take 7 to 30 s. */
export const DOCUMENT_TIMES: DocumentTimes = { waitMs: 60_000, cpuMs: 40_000, wallMs: 300_000 };

/** For documents of an archive, which are not fetched again. */
export const PATIENT_DOCUMENT_TIMES: DocumentTimes = { ...DOCUMENT_TIMES, waitMs: Number.POSITIVE_INFINITY };

/** All within `limitMs`, where a thread has less than a CPU. */
export const documentTimesWithin = (limitMs: number): DocumentTimes => ({
  waitMs: limitMs * 0.4,
  cpuMs: limitMs * 0.3,
  wallMs: limitMs * 0.6,
});
