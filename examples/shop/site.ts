/** A small shop to try the example on: `node examples/shop/site.ts`. Two of its seven prices are broken. */
import { createServer, type Server } from 'node:http';

const PRODUCTS: readonly { readonly name: string; readonly price: string }[] = [
  { name: 'Garden chair', price: '<span class="price">€ 49,90</span>' },
  { name: 'Oak table &amp; bench', price: '<span class="price">€ 1.299,00</span>' },
  { name: 'Lamp', price: '<span class="price">€ 19</span>' },
  { name: 'Hammock', price: '<span class="price">on request</span>' },
  { name: 'Parasol', price: '<span class="price"><s>€ 120,00</s> <b>€ 89,50</b></span>' },
  { name: 'Grill', price: '' },
  { name: 'Fire bowl', price: '<span class="price">€ 75,25</span>' },
];
const PER_PAGE = 3;

export function createShop(): Server {
  return createServer(({ url = '/' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://shop.test');
    const product = PRODUCTS[Number(/^\/product\/(\d+)$/.exec(pathname)?.[1] ?? Number.NaN)];
    const html =
      product !== undefined
        ? `<article class="product"><h1>${product.name}</h1>${product.price}</article><a href="/">All products</a>`
        : pathname === '/'
          ? listing(Number(searchParams.get('page') ?? 1))
          : undefined;
    response.writeHead(html === undefined ? 404 : 200, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end(html ?? 'Not found');
  });
}

function listing(page: number): string {
  const first = (page - 1) * PER_PAGE;
  const products = PRODUCTS.slice(first, first + PER_PAGE).map(
    ({ name }, i) => `<li><a href="/product/${first + i}">${name}</a></li>`,
  );
  const next = first + PER_PAGE < PRODUCTS.length ? `<a rel="next" href="/?page=${page + 1}">More</a>` : '';
  return `<title>Shop</title><ul>${products.join('')}</ul>${next}`;
}

if (import.meta.main) {
  createShop().listen(8101, '127.0.0.1', () =>
    process.stdout.write('The shop is at http://127.0.0.1:8101/\n'),
  );
}
