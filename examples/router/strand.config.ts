/** A shop that lists its products by a search form, and gives their prices by an API. */
import { defineCrawl, type PageContext } from 'strand-crawler';

export default defineCrawl({
  // Nothing is fetched but the seeds and what the hooks below request.
  crawl: { scope: 'page', delayMs: 500 },
  router: [
    {
      label: 'results',
      onPage({ $, data, enqueue }) {
        for (const link of $('a.product')) enqueue($(link).attr('href') ?? '', { label: 'product' });
        if ($('.more').length > 0) search(enqueue, data.page + 1);
      },
    },
    {
      label: 'product',
      onPage({ url, $, enqueue }) {
        const data = { url, name: $('h1').text().trim() };
        // An object is sent as JSON, and makes it a POST.
        enqueue('/api/price', { body: { id: $('h1').attr('data-id') }, label: 'price', data });
      },
    },
    { label: 'price', onPage: ({ html, data }) => ({ ...data, ...JSON.parse(html) }) },
  ],
  // The seed: no route has its label.
  onPage: ({ enqueue }) => search(enqueue, 1),
});

function search(enqueue: PageContext['enqueue'], page: number): void {
  const body = new URLSearchParams({ words: 'garden', page: String(page) });
  enqueue('/search', { body, label: 'results', data: { page } });
}
