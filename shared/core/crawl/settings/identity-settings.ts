/** Who crawls, and what is sent to whom. */
import { z } from 'zod';
import type { CookieOptions, IdentityOptions } from '../network-options.ts';
import { authByHost, cookieList, headersByHost, identityKey } from '../network-schema.ts';
import { other, settingsOf, text } from './kinds.ts';

const setting = settingsOf('Identity');

const MAX_WORDS = 500;

export const IDENTITY_SETTINGS = {
  userAgent: setting(
    text(() => z.string().regex(/^[\x20-\x7e]+$/, 'printable ASCII'), 'TEXT'),
    {
      doc: 'The `User-Agent` header',
      more: 'It begins with the product token that robots.txt names. Requests say `User-Agent: TOKEN (+CONTACT)`.',
      option: 'user-agent',
      stackMost: MAX_WORDS,
      default: 'Strand/0.1',
    },
  ),
  contact: setting(
    text(() => z.string().regex(/^[\x21-\x7e]+$/, 'a URL or a mail address'), 'URL|MAIL'),
    {
      doc: 'URL or mail address of the operator; required, unless the `User-Agent` names it',
      more: 'It is not required if all seeds are on this machine.',
      option: 'contact',
      stackMost: MAX_WORDS,
    },
  ),
  // RFC 9110, section 10.1.2.
  from: setting(
    text(
      () =>
        z
          .string()
          .max(320)
          .regex(/^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/, 'a mail address'),
      'MAIL',
    ),
    { doc: 'Mail address of a person who is responsible: the `From` header', option: 'from' },
  ),
  identity: setting(other<z.ZodType<IdentityOptions, IdentityOptions>>(identityKey), {
    doc: 'Sign each request by a key, so that sites can verify who makes it: `{ agent, key }`, the https origin of the public keys, and a file or a private JWK',
    page: 'identity.md',
    only: {
      place: 'machine',
      reason: 'a private key is not kept in a table; the option identityParameter gives a stack its own',
    },
    resume: 'machine',
    opens: 'signs requests by a private key of this machine',
    isSecret: true,
  }),
  // Secrets of the person who set them: they are values, not names of files.
  headers: setting(other(headersByHost), {
    doc: "Headers by host pattern, then by name: `{ 'example.org': { Authorization: 'Bearer ...' } }`; `seeds` means the origins of the seeds",
    more: 'They are never sent to other hosts, and not archived. Where several patterns match, the last one counts.',
    page: 'network.md#headers-cookies-passwords',
    isSecret: true,
    default: {},
  }),
  cookies: setting(other<z.ZodType<CookieOptions[], CookieOptions[]>>(cookieList), {
    doc: 'Cookies, each for its domain: `{ domain, subdomains, path, secure, expiresAt, name, value }`',
    more: 'For those that hosts set, see `hostCookies`. `resume` adds some to those of the crawl.',
    page: 'network.md#headers-cookies-passwords',
    resume: 'both',
    stackMost: 1000,
    isSecret: true,
    default: [],
  }),
  auth: setting(other(authByHost), {
    doc: '`user:password` by host pattern, for HTTP Basic authentication',
    page: 'network.md#headers-cookies-passwords',
    isSecret: true,
    default: {},
  }),
};
