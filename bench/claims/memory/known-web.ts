/** The web of a crawl that knows very many URLs: any number of hosts, of each the same paths. */
import type { FetchMiddleware } from '../../../shared/services/project/project.ts';
import { responseOf } from '../../../shared/services/project/response-of.ts';

export const KNOWN_PER_HOST = 100;
/** As in a broad crawl, whose hosts' ledgers are opened and committed again and again. */
export const PAGES_PER_TURN = 5;
/** Links of a page to its own host; nine in ten are known. */
const LINKS = 30;
const WORDS = 'alpha beta gamma delta news review price garden water stone light paper house river'.split(
  ' ',
);
const word = (n: number) => WORDS[n % WORDS.length];

export const hostOf = (n: number): string => `site-${n}.example.test`;

export const pathOf = (n: number): string =>
  n === 0 ? '/' : `/${word(n)}/${2010 + (n % 15)}/${word(n * 7)}-${word(n * 31)}-${n}.html`;

/** Each page has other words, as pages that differ in numbers alone are a trap. */
const textOf = (n: number): string =>
  [...n.toString(WORDS.length)].map((digit) => word(Number.parseInt(digit, WORDS.length))).join(' ');

/** Answers for hosts of which `known` URLs are known. */
export const answerKnowing =
  (known: number): FetchMiddleware =>
  async (request) => {
    const { pathname, hostname } = new URL(request.url);
    if (pathname === '/robots.txt') return responseOf(request, { httpStatus: 404, body: '' });
    const page = Number(/-(\d+)\.html$/.exec(pathname)?.[1] ?? 0);
    const links = Array.from({ length: LINKS }, (_, i) => {
      const to = i % 10 === 0 ? known + page * LINKS + i : (page * 7 + i * 13) % known;
      return `<li><a href="${pathOf(to)}">${word(to)}</a>`;
    });
    const body = `<!doctype html><title>${hostname} ${page}</title><p>${textOf(page)}<ul>${links.join('\n')}</ul>`;
    return responseOf(request, {
      httpStatus: 200,
      body,
      headers: [['Content-Type', 'text/html; charset=utf-8']],
    });
  };
