import { defineCrawl } from 'strand-crawler';
import { z } from 'zod';

/** The schema of an item. Anything else is counted, reported to `onError`, and not kept. */
const product = z.object({
  url: z.url(),
  name: z.string().min(1),
  price: z.number().positive(),
  currency: z.literal('EUR'),
});

export default defineCrawl({
  crawl: { scope: 'host', delayMs: 500 },
  itemSchema: product,
  onPage({ url, $ }) {
    const article = $('article.product');
    if (article.length === 0) return;
    // A crossed-out price is the old one.
    const price = article.find('.price').clone().find('s').remove().end().text();
    return { url, name: article.find('h1').text().trim(), price: priceOf(price), currency: 'EUR' };
  },
  onError: ({ url, message }) => {
    process.stderr.write(`${url}: ${message}\n`);
  },
  onFinish: ({ pages, errors }) => {
    process.stderr.write(`${pages} pages, ${errors.onPage ?? 0} of them without a good price\n`);
  },
});

/** `€ 1.299,00` as 1299; undefined where there is no price. */
function priceOf(text: string): number | undefined {
  const found = /€\s*([\d.]+)(?:,(\d\d))?/.exec(text);
  return found === null ? undefined : Number(`${found[1]?.replaceAll('.', '')}.${found[2] ?? '0'}`);
}
