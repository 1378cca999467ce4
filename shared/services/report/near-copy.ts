/** A page whose text is nearly the same as that of another one of its host. */
export interface NearCopy {
  readonly url: string;
  /** 0.8 to 1. */
  readonly similarity: number;
}

export interface NearCopies {
  /** The first 100. */
  readonly copies: readonly NearCopy[];
  readonly copyCount: number;
}

/** Pages with nearly the same text, as a report shows them. */
export interface NearClusters {
  /** Pages that were marked, or found by `duplicates`, as copies. */
  readonly pages: number;
  /** The pages with the most copies. */
  readonly largest: readonly { readonly url: string; readonly copies: number }[];
}
