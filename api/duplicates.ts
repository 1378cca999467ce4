/** Pages whose texts are nearly the same. */
export interface DuplicatePages {
  /** Pages that were compared: of HTML, with 32 words or more that do not repeat on other pages of their host. */
  readonly pages: number;
  /** Pages that are nearly the same as another one. */
  readonly copies: number;
  /** The largest one first. */
  readonly clusters: readonly DuplicateCluster[];
}

export interface DuplicateCluster {
  /** The page with the shortest URL. */
  readonly original: string;
  readonly copies: readonly {
    readonly url: string;
    /** With the original: the share of the text that both have in common, 0.9 to 1. Words of sentences that differ count less. */
    readonly similarity: number;
  }[];
}

export interface DuplicateOptions {
  /** Called with a page that cannot be read, and the reason. */
  readonly skip?: (url: string, reason: string) => void;
  /** Called for each page that is read, with the number of pages so far. */
  readonly onRead?: (pages: number) => void;
  /**
   * The file of the sketches, made if it is not there. Default: `sketches.sqlite` in the crawl's folder; for a crawl on a
   * stack, a file of its own below `.cache/strand` of the home folder.
   */
  readonly index?: string;
}
