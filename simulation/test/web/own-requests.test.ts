import { expect, test } from 'vitest';
import { redirectedRequest } from '../../../shared/core/url/request-url.ts';
import { nameOf, recognized, requestsFor } from '../../web/own-requests.ts';

const PAGES = ['http://h.test/0', 'http://h.test/kills', 'http://h.test/cal/1'];
const web = {
  someChange: () => undefined,
  someUrl: (random: () => number) => PAGES[Math.floor(random() * PAGES.length)] as string,
  harmOf: (url: string) => (url.includes('kills') ? ('kills' as const) : undefined),
  isTrap: (url: string) => url.includes('/cal/'),
};
const made = Array.from({ length: 300 }, (_, i) => requestsFor(1, web, `http://h.test/${i}`));
const all = made.flat();

test('some pages make requests, the same each time, and none for pages that harm or of traps', () => {
  const making = made.filter((requests) => requests.length > 0).length;
  expect(making).toBeGreaterThan(30);
  expect(making).toBeLessThan(200);
  expect(made.map((_, i) => requestsFor(1, web, `http://h.test/${i}`))).toEqual(made);
  expect(new Set(all.map(({ url }) => url))).toEqual(new Set([PAGES[0]]));
  expect(new Set(all.map(({ request }) => request.method))).toEqual(new Set([undefined, 'POST', 'PUT']));
});

test('the web recognizes each request, also after a redirect, by what is sent of it', () => {
  for (const { url, request } of all) {
    const sent = ({ method, headers, body }: typeof request) => ({ url, method, headers, body });
    expect(recognized(sent(request))).toBe(nameOf({ url, request }));
    for (const status of [301, 303, 308])
      for (const isSameHost of [true, false]) {
        const next = redirectedRequest(request, status, isSameHost);
        if (next) expect(recognized(sent(next))).toBe(nameOf({ url, request: next }));
      }
  }
  expect(recognized({ url: 'http://h.test/', headers: { 'if-none-match': '"a"' } })).toBe('http://h.test/');
});
