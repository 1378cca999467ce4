/** References as pages have them, and worse: pieces that mean something to a URL parser, in any order. */
import fc from 'fast-check';

const PIECES =
  'http: https: HTTP: ftp: mailto: // http:// https:// 1.2.3.4 256.0.0.1 01.2.3.4 :80 :443 :8080 :65536 :0999 / a A0 b.com www.x-y.org xn--a.com 1.2 0x7f . .. /. /.. %2e %2E % %4 %41 %34 31 %2f ' +
  '%C3%a9 %7e é ß ? # @ u:p@ :80 :443 :8080 : \\ [::1] &x=1 \' " < | ^ { ~ - _ * ;v=1 %00 \0 \ud800';

const piece = fc.constantFrom(...PIECES.split(' '), ' ', '\t', '\n');

export const reference = fc.oneof(
  fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
  fc.array(piece, { maxLength: 6 }).map((pieces) => `https://www.example.com/${pieces.join('')}`),
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.string({ unit: 'binary' }),
);

export const baseUrl = fc.oneof(
  fc.constantFrom(
    'https://example.com/',
    'http://example.com/a/b.html',
    'http://u:p@127.0.0.1:8080/%7Ejoe/x?y#z',
  ),
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  reference,
);
