import { defineCrawl } from 'strand-crawler';

export default defineCrawl({
  crawl: {
    // Where site owners can reach you. Needed before you crawl a site of others.
    // contact: 'you@example.org',
    scope: 'host',
  },
  // The first route that matches a page makes its items.
  router: [
    {
      url: /\/products?\//,
      onPage({ url, $ }) {
        const name = $('h1').first().text().trim();
        const price = $('[itemprop=price], .price').first().text().trim();
        return name === '' ? undefined : { url, name, price };
      },
    },
  ],
});
