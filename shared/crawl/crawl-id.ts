/** A crawl's name in its engine: `[A-Za-z0-9._-]{1,64}`. */
export type CrawlId = string;
