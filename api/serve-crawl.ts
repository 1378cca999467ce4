import type { CrawlServer, ServeOptions } from './crawl-server.ts';

/**
 * Serves the archive in a crawl's folder to a browser on this machine: pages with links that stay in the archive,
 * without scripts. What the archive lacks is an error page; no request leaves the machine. Shows the archive as it is
 * now. Throws `NoCrawl`.
 *
 * ```ts
 * await using server = await serveCrawl('crawls/x', { port: 8080 });
 * ```
 */
export async function serveCrawl(folder: string, options: ServeOptions = {}): Promise<CrawlServer> {
  return (await import('./local/serve/serve-local.ts')).serveLocal(folder, options);
}
