import type { CrawlId } from '../../core/crawl/crawl-id.ts';

/** An error that a hook of the project threw. */
export interface HookError {
  /** The failed part of the project; `file`: the code that runs when its file is loaded. */
  readonly source:
    | 'onPage'
    | 'extraction'
    | 'item'
    | 'middleware'
    | 'login'
    | 'module'
    | 'onError'
    | 'onChallenge'
    | 'behave'
    | 'file';
  readonly url: string;
  /** A single line. */
  readonly message: string;
  /** As V8 writes it, its first lines. */
  readonly stack?: string;
}

/** The errors of a project's hooks, for the summary: the first different errors of each kind of hook. */
export interface HookErrorLog {
  /**
   * Returns at once, and never throws: whether this is one of the first different errors that this log was
   * given.
   */
  note(crawl: CrawlId, error: HookError): boolean;
  /** Counts a page whose hook failed after the hook's call had ended: no turn knows of it. Never throws. */
  countLate(crawl: CrawlId): void;
}
