/** The schemas of settings that concern requests and connections beyond the web's public part. */
import { z } from 'zod';
import { lazy } from '../base/lazy.ts';
import { readAgent } from '../identity/identity.ts';
import { isOriginPattern } from '../url/origin-pattern.ts';
import { isProxyUrl, REFUSED_HEADERS } from './network-values.ts';

/** `token` of RFC 9110, section 5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** No control characters: a line end would begin another header. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
const MAX_HEADER_VALUE = 8192;
/** Together, over all patterns and names. */
const MAX_HEADERS = 1000;
const MAX_PROXIES = 1000;
export const MAX_COOKIES = 5000;
const MAX_COOKIE_CHARS = 4096;

/** A bundle of all public authorities has 250 KB. */
const MAX_PEM_CHARS = 1024 * 1024;

const pattern = () =>
  z.string().refine(isOriginPattern, 'a host such as *.example.org or https://example.org');
const headerName = () =>
  z
    .string()
    .regex(HEADER_NAME, 'the name of a header')
    .refine((name) => !Object.hasOwn(REFUSED_HEADERS, name.toLowerCase()), {
      error: ({ input }) => `another header: ${REFUSED_HEADERS[String(input).toLowerCase()]}`,
    });
const headerValue = () =>
  z.string().max(MAX_HEADER_VALUE).regex(HEADER_VALUE, 'printable ASCII without line ends');

export const cookieSchema = lazy(() =>
  z.strictObject({
    domain: z.string().min(1).max(253),
    subdomains: z.boolean().optional(),
    path: z.string().startsWith('/', 'a path from the first / on').max(1024).optional(),
    secure: z.boolean().optional(),
    expiresAt: z.number().optional(),
    name: z.string().regex(HEADER_NAME, 'the name of a cookie'),
    value: z
      .string()
      .max(MAX_COOKIE_CHARS)
      .regex(/^[\x20-\x3a\x3c-\x7e]*$/, 'printable ASCII without a semicolon'),
  }),
);

const pem = (what: string) =>
  z.string().max(MAX_PEM_CHARS).includes(`-----BEGIN ${what}`, `PEM with -----BEGIN ${what}-----`);

export const clientCertificateList = () =>
  z
    .array(
      z.strictObject({
        hosts: z.array(pattern()).min(1),
        certificate: pem('CERTIFICATE'),
        key: z.string().max(MAX_PEM_CHARS).includes('PRIVATE KEY-----', 'PEM with a PRIVATE KEY'),
      }),
    )
    .max(20);

/** Whether the text is an https origin, as `Signature-Agent` must name one. */
function isAgent(text: string): boolean {
  try {
    return readAgent(text) !== '';
  } catch {
    return false;
  }
}

/** See {@link IdentityOptions}. */
export const identityKey = () =>
  z.strictObject({
    agent: z.string().refine(isAgent, 'an https origin such as https://crawler.example.org').optional(),
    key: z.union([z.string().min(1).max(4096), z.record(z.string(), z.unknown())], {
      error: 'the name of a file, or a private JWK',
    }),
  });

/** By host pattern, then by name. */
export const headersByHost = () =>
  z
    .record(pattern(), z.record(headerName(), headerValue()))
    .refine(
      (all) => Object.values(all).reduce((sum, one) => sum + Object.keys(one).length, 0) <= MAX_HEADERS,
      {
        error: `at most ${MAX_HEADERS} headers`,
      },
    );

export const cookieList = () => z.array(cookieSchema()).max(MAX_COOKIES);

/** `user:password` by host pattern. */
export const authByHost = () => z.record(pattern(), z.string().max(1000).includes(':', 'user:password'));

const isBlock = (text: string): boolean => /^[\da-f.:]{2,45}\/\d{1,3}$/i.test(text);

export const proxyList = () =>
  z
    .array(
      z.strictObject({
        url: z.string().refine(isProxyUrl, 'http://, https://, socks5:// or socks5h://HOST:PORT, or direct'),
        hosts: z
          .array(
            z
              .string()
              .refine((text) => isOriginPattern(text) || isBlock(text), 'a host such as *.example.org'),
          )
          .min(1)
          .max(MAX_PROXIES)
          .optional(),
        scheme: z.enum(['http', 'https']).optional(),
      }),
    )
    .max(MAX_PROXIES);

/** PEM. */
export const authorities = () => z.array(pem('CERTIFICATE')).max(100);
