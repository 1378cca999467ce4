/** A shop to try the example on, `node examples/router/site.ts`: lists only by its search form, prices only by its API. */
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';

const PRODUCTS = ['Garden chair', 'Garden table', 'Garden lamp', 'Garden hose', 'Garden gnome'];
const PER_PAGE = 2;

/** `log` is called for each request: its method, path and body. */
export function createSearchShop(log: (request: string) => void = () => {}): Server {
  return createServer(async (request, response) => {
    const { method, url = '/' } = request;
    const body = await text(request);
    log(`${method} ${url} ${body}`.trim());
    if (method === 'POST' && url === '/api/price') {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ price: 10 * (Number(JSON.parse(body).id) + 1), currency: 'EUR' }));
      return;
    }
    const html = method === 'POST' && url === '/search' ? results(new URLSearchParams(body)) : pageAt(url);
    response.writeHead(html === undefined ? 404 : 200, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end(html ?? 'Not found');
  });
}

function results(form: URLSearchParams): string {
  const found = PRODUCTS.flatMap((name, id) =>
    name.toLowerCase().includes(form.get('words') ?? '') ? [{ name, id }] : [],
  );
  const first = (Number(form.get('page')) - 1) * PER_PAGE;
  const links = found
    .slice(first, first + PER_PAGE)
    .map(({ name, id }) => `<a class="product" href="/product/${id}">${name}</a>`);
  return `${links.join('')}${first + PER_PAGE < found.length ? '<button class="more">More</button>' : ''}`;
}

function pageAt(path: string): string | undefined {
  if (path === '/')
    return '<title>Shop</title><form action="/search" method="post"><input name="words"></form>';
  const id = Number(/^\/product\/(\d+)$/.exec(path)?.[1] ?? Number.NaN);
  return PRODUCTS[id] === undefined ? undefined : `<h1 data-id="${id}">${PRODUCTS[id]}</h1>`;
}

if (import.meta.main) {
  createSearchShop().listen(8103, '127.0.0.1', () =>
    process.stdout.write('The shop is at http://127.0.0.1:8103/\n'),
  );
}
