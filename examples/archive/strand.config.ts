/** Headings and code samples of each page, out of an archive: `strand process crawls/docs --config strand.config.ts`. */
import { defineCrawl } from 'strand-crawler';

export default defineCrawl({
  onPage({ url, title, $, links }) {
    const headings = $('h1, h2, h3')
      .toArray()
      .map((heading) => $(heading).text().trim());
    return { url, title, headings, samples: $('pre').length, links: links.length };
  },
});
