/** The settings of a crawl that concern its requests and connections beyond the web's public part. */
import { z } from 'zod';
import { readAgent } from '../identity/identity.ts';
import { isOriginPattern } from '../url/origin-pattern.ts';

/** Stands for the origins of the crawl's seeds in a map by host pattern. */
export const SEEDS = 'seeds';

/**
 * Names of headers that no setting may set, each with the reason: the crawler sets them itself, or the
 * archive would be wrong.
 */
const OWN = 'it belongs to the connection';
const CONDITIONAL = 'the answer would not be the whole page';
const SIGNED = 'each request has its own signature, by the key of identity (--identity)';
export const REFUSED_HEADERS: Readonly<Record<string, string>> = {
  host: 'it comes from the URL',
  'content-length': OWN,
  'transfer-encoding': OWN,
  connection: OWN,
  'keep-alive': OWN,
  te: OWN,
  trailer: OWN,
  upgrade: OWN,
  expect: OWN,
  'proxy-connection': OWN,
  'proxy-authorization': 'it comes from the URL of the proxy: http://user:password@proxy:8080',
  'user-agent': 'use userAgent (--user-agent)',
  'accept-encoding': 'the crawler requests the codings that it can decode',
  signature: SIGNED,
  'signature-agent': SIGNED,
  'signature-input': SIGNED,
  range: CONDITIONAL,
  'if-range': CONDITIONAL,
  'if-match': CONDITIONAL,
  'if-none-match': CONDITIONAL,
  'if-modified-since': CONDITIONAL,
  'if-unmodified-since': CONDITIONAL,
};

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

const pattern = z.string().refine(isOriginPattern, 'a host such as *.example.org or https://example.org');
const headerName = z
  .string()
  .regex(HEADER_NAME, 'the name of a header')
  .refine((name) => !Object.hasOwn(REFUSED_HEADERS, name.toLowerCase()), {
    error: ({ input }) => `another header: ${REFUSED_HEADERS[String(input).toLowerCase()]}`,
  });
const headerValue = z.string().max(MAX_HEADER_VALUE).regex(HEADER_VALUE, 'printable ASCII without line ends');

export const cookieSchema = z.strictObject({
  /** Without a dot before it. */
  domain: z.string().min(1).max(253),
  /** For the domain's subdomains too. */
  subdomains: z.boolean().optional(),
  path: z.string().startsWith('/').max(1024).optional(),
  /** By https only. */
  secure: z.boolean().optional(),
  /** ms since the epoch; none: as long as the crawl. */
  expiresAt: z.number().optional(),
  name: z.string().regex(HEADER_NAME, 'the name of a cookie'),
  value: z
    .string()
    .max(MAX_COOKIE_CHARS)
    .regex(/^[\x20-\x3a\x3c-\x7e]*$/, 'printable ASCII without a semicolon'),
});

export const TLS_MODES = ['verify', 'record', 'any'] as const;

const pem = (what: string) => z.string().max(MAX_PEM_CHARS).includes(`-----BEGIN ${what}`);

const clientCertificateSchema = z.strictObject({
  /** Hosts that may request it. */
  hosts: z.array(pattern).min(1),
  /** PEM: the certificate, then the intermediate ones. */
  certificate: pem('CERTIFICATE'),
  /** PEM, not encrypted. */
  key: z.string().max(MAX_PEM_CHARS).includes('PRIVATE KEY-----'),
});

/** Keys whose values are secrets: they are never printed. */
export const SECRET_KEYS = [
  'headers',
  'cookies',
  'auth',
  'clientCertificates',
  'proxies',
  'identity',
] as const;

/** Whether a part of a configuration, or of something that holds one, is secret. The identity's agent is public. */
export const isSecretPath = (path: readonly PropertyKey[]): boolean =>
  path.some((part, i) => (SECRET_KEYS as readonly PropertyKey[]).includes(part) && path[i + 1] !== 'agent');

/** Whether any of the settings is secret. */
export const hasSecrets = (config: object): boolean =>
  Object.entries(config).some(([key, value]) => isSecretPath([key]) && Object.keys(value ?? {}).length > 0);

/** The settings without those that are secret. */
export const withoutSecretKeys = <T extends object>(config: T): T =>
  Object.fromEntries(Object.entries(config).filter(([key]) => !isSecretPath([key]))) as T;

/** Whether the text is an https origin, as `Signature-Agent` must name one. */
function isAgent(text: string): boolean {
  try {
    return readAgent(text) !== '';
  } catch {
    return false;
  }
}

export const identityShape = {
  /** Mail address of a person who is responsible for the crawl: the header `From` (RFC 9110, section 10.1.2). */
  from: z
    .string()
    .max(320)
    .regex(/^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/, 'a mail address')
    .optional(),
  /**
   * Signs requests, so that sites can verify the crawler (`identity/sign-request.ts`). Absent: requests are not signed.
   */
  identity: z
    .strictObject({
      /** URL of the public keys. Absent: the key's file names it. */
      agent: z.string().refine(isAgent, 'an https origin such as https://crawler.example.org').optional(),
      /** A file, or the private JWK itself. */
      key: z.union([z.string().min(1).max(4096), z.record(z.string(), z.unknown())], {
        error: 'the name of a file, or a private JWK',
      }),
    })
    .optional(),
  /**
   * Headers by host pattern, then by name. `seeds` means the origins of the seeds. Where several
   * patterns match, the last one counts. Never sent to other hosts.
   */
  headers: z
    .record(pattern, z.record(headerName, headerValue))
    .refine(
      (all) => Object.values(all).reduce((sum, one) => sum + Object.keys(one).length, 0) <= MAX_HEADERS,
      {
        error: `at most ${MAX_HEADERS} headers`,
      },
    )
    .default({}),
  /** Cookies that are sent to the hosts they are for. Cookies that hosts set are ignored. */
  cookies: z.array(cookieSchema).max(MAX_COOKIES).default([]),
  /** `user:password` by host pattern, for HTTP Basic authentication. */
  auth: z.record(pattern, z.string().max(1000).includes(':')).default({}),
};

const PROXY_KINDS = ['http:', 'https:', 'socks5:', 'socks5h:'];

/** Whether the text is `direct` or the URL of a proxy, with no path. SOCKS5 allows 255 bytes for each. */
export function isProxyUrl(text: string): boolean {
  if (text === 'direct') return true;
  const url = text.length <= 2000 ? URL.parse(text) : null;
  if (url === null || !PROXY_KINDS.includes(url.protocol) || url.hostname === '') return false;
  const isBare = /^\/?$/.test(url.pathname) && url.search === '' && url.hash === '';
  const decodes = (part: string) => {
    try {
      const bytes = Buffer.byteLength(decodeURIComponent(part));
      return bytes <= 255;
    } catch {
      return false;
    }
  };
  return isBare && decodes(url.username) && decodes(url.password);
}

const isBlock = (text: string): boolean => /^[\da-f.:]{2,45}\/\d{1,3}$/i.test(text);

const proxySchema = z.strictObject({
  /** `http://user:password@proxy.example:8080`, https, socks5 or socks5h; `direct` for none. */
  url: z.string().refine(isProxyUrl, 'http://, https://, socks5:// or socks5h://HOST:PORT, or direct'),
  /** Hosts that are reached by it; addresses also as CIDR blocks. Absent: all hosts that no other rule names. */
  hosts: z
    .array(
      z.string().refine((text) => isOriginPattern(text) || isBlock(text), 'a host such as *.example.org'),
    )
    .min(1)
    .max(MAX_PROXIES)
    .optional(),
  /** URLs of one scheme alone. */
  scheme: z.enum(['http', 'https']).optional(),
});

export const tlsShape = {
  /**
   * Certificates: `verify` refuses bad ones; `record` accepts a host's bad one, without headers, cookies or
   * passwords, and notes that in its `metadata` records; `any` accepts all.
   */
  tls: z.enum(TLS_MODES).default('verify'),
  /** PEM certificates of authorities that are trusted besides the usual ones. */
  certificateAuthorities: z.array(pem('CERTIFICATE')).max(100).default([]),
  /** Shown to hosts that request one. */
  clientCertificates: z.array(clientCertificateSchema).max(20).default([]),
  /**
   * Proxies. Rules with `hosts` count before those without; if several remain, each host gets one of them,
   * always the same.
   */
  proxies: z.array(proxySchema).max(MAX_PROXIES).default([]),
};

export type Cookie = z.infer<typeof cookieSchema>;
