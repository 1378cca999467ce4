/** Options of `serveCrawl`. */
export interface ServeOptions {
  /**
   * The port of 127.0.0.1.
   * @default 0, any that is free
   */
  readonly port?: number;
  /** Called for each part of the archive that cannot be read. */
  readonly warn?: (message: string) => void;
}

/** A server that shows a crawl's archive. Close it when done, or use `await using`. */
export interface CrawlServer extends AsyncDisposable {
  /** The URL of the list of pages: `http://127.0.0.1:8080/`. */
  readonly url: string;
  /** Number of responses that can be shown. */
  readonly captures: number;
  /** Returns the URL at which the server shows `url`, as it was at `timestamp` (`YYYYMMDDhhmmss`). */
  pageUrl(url: string, timestamp: string): string;
  close(): Promise<void>;
}
