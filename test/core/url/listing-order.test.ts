import { describe, expect, test } from 'vitest';
import { createListingOrders } from '../../../shared/core/url/listing-order.ts';

const DIR = 'http://a.test/pub/';
const CADDY = ['?sort=namedirfirst&order=desc', '?sort=name&order=asc', '?sort=time&order=desc'];

const ordersOf = (pageUrl: string, links: readonly string[]): readonly string[] => {
  const urls = links.map((link) => new URL(link, pageUrl).href);
  const isOrder = createListingOrders(
    pageUrl,
    urls.map((url) => ({ url })),
  );
  return links.filter((_, i) => isOrder(urls[i]!));
};

describe('orders of a listing', () => {
  test.each([
    ['Apache and Tomcat', ['?C=N;O=D', '?C=M;O=A', '?C=S;O=A', '?C=D;O=A']],
    ['Jetty, and fancyindex of nginx', ['?C=N&O=A', '?C=M&O=D', '?C=S&O=D']],
    ['Caddy', CADDY],
  ])('of %s are found', (_, links) => {
    expect(ordersOf(DIR, [...links, 'a.html', 'sub/', '../'])).toEqual(links);
    expect(ordersOf(`${DIR}${links[1]}`, links)).toEqual(links);
    expect(ordersOf('http://a.test/', links)).toEqual(links);
  });

  test.each([
    '?C=N',
    '?C=N;O=',
    '?C=N;O=DA',
    '?C=X;O=D',
    '?c=n;o=d',
    '?O=D;C=N',
    '?C=N;O=D;P=*.iso',
    '?C=N;O=D&page=2',
    '?page=2&C=N&O=D',
    '?sort=price&order=asc',
    '?sort=name&order=asc&page=2',
    '?sort=name&order=up',
    '?sort=name',
    'sub/?C=N;O=D',
    '../?C=N;O=D',
    'http://b.test/pub/?C=N;O=D',
    '/pub?C=N;O=D',
  ])('are exactly those: %s is none', (link) => {
    expect(ordersOf(DIR, [...CADDY, link])).toEqual(CADDY);
  });

  test('are not found on pages that are no folders', () => {
    expect(ordersOf('http://a.test/pub/list.php', ['?C=N;O=D', ...CADDY])).toEqual([]);
    expect(ordersOf('http://a.test/pub/list.php?at=/', ['?C=N;O=D', ...CADDY])).toEqual([]);
  });

  test('by name and size are not those of Caddy, but of a shop, if the page is no listing of Caddy', () => {
    const shop = ['?sort=name&order=asc', '?sort=size&order=desc', 'sub/?sort=namedirfirst&order=desc'];
    expect(ordersOf(DIR, shop)).toEqual([]);
  });
});
