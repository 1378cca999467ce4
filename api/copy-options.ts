/** Types of the functions that copy crawls between this machine and a stack. */

export interface CopyProgress {
  /**
   * `wait`: until nothing of the crawl is on its way in the stack. `archive`: bytes of WARC files. `items`, `skips` and
   * `hosts`: how many.
   */
  readonly step: 'wait' | 'archive' | 'items' | 'skips' | 'hosts';
  readonly done: number;
  /** If it is known. */
  readonly all?: number;
}

export interface CopyOptions {
  /** Called again and again with the progress. */
  readonly onProgress?: (progress: CopyProgress) => void;
}

export interface PushOptions extends CopyOptions {
  /** Copies a folder that you have not begun on this machine though its settings open something: proxies, private addresses. */
  readonly trustSettings?: boolean;
}

export interface CopiedCrawl {
  /** Its name in the stack. */
  readonly crawl: string;
  readonly hosts: number;
  readonly warcFiles: number;
  readonly items: number;
  /** The parts of the crawl that the copy lacks, for people. */
  readonly lacks: readonly string[];
  /** Settings of a pulled crawl that open something, which `trustSettings` confirms when it is resumed; for people. */
  readonly opens?: readonly string[];
}
