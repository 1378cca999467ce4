/** Copies a site into a folder that browsers show without a server: `node mirror.ts URL FOLDER you@example.org`. */
import { type CrawlOptions, openCrawl, startCrawl } from 'strand-crawler';

/** Crawls `site` with its images, styles and scripts, writes them as files, and finds the links that lead nowhere. */
export async function mirror(site: string, folder: string, options: CrawlOptions) {
  const out = `${folder}.crawl`;
  const crawl = await startCrawl({ ...options, seeds: [site], requisites: true, out });
  await crawl.done;
  await using stored = await openCrawl(out);
  const { files, pages } = await stored.exportMirror(folder);
  const { broken } = await stored.brokenLinks();
  return { files, pages, broken };
}

if (import.meta.main) {
  const [site, folder = 'mirror', contact] = process.argv.slice(2);
  if (site === undefined || contact === undefined)
    throw new Error('Expected: node mirror.ts URL FOLDER CONTACT');
  const { files, pages, broken } = await mirror(site, folder, { contact });
  for (const { url, cause, pages } of broken)
    process.stdout.write(`not copied: ${url} (${cause}), linked from ${pages[0]?.page}\n`);
  process.stdout.write(`${files} files, ${pages} of them pages: open ${folder}/ in a browser\n`);
}
