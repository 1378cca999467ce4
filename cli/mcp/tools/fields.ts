/** Fields that several tools have. */
import { z } from 'zod';
import { canonicalize } from '../../../shared/core/url/canonical.ts';
import { parseSeed } from '../../../shared/core/url/parse-seed.ts';
import { pageLine } from '../page-text.ts';
import { ToolError } from '../tool-error.ts';

const MAX_URL = 2083;
const MAX_CHARS = 50_000;

export const urlField = z.string().max(MAX_URL);
/** A name of a crawl. Of any form: what no list has is refused with the names that there are. */
export const crawlField = z.string().max(255).optional();
export const startField = z.int().min(0).optional();
export const charsField = z.int().min(1).max(MAX_CHARS).default(20_000);
export const limitField = (preset: number, most: number) => z.int().min(1).max(most).default(preset);
/** A day, or a time. */
export const timeField = z
  .string()
  .max(40)
  .refine((text) => !Number.isNaN(Date.parse(text)), {
    error: 'a time such as 2026-01-31 or 2026-01-31T08:00Z',
  });

export const dateOf = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : new Date(text);

/** The canonical URL, without its fragment. Throws {@link ToolError} for all but plain http and https URLs. */
export function readUrl(text: string): string {
  const url = canonicalize(parseSeed(text) ?? '');
  if (url === undefined)
    throw new ToolError('invalidUrl', 'Expected an http or https URL, such as https://example.org/docs.');
  const { username, password } = new URL(parseSeed(text) ?? text);
  if (username !== '' || password !== '')
    throw new ToolError('invalidUrl', 'Expected a URL without user and password.');
  return url;
}

const MAX_SENTENCE = 400;

/** A sentence of Strand about a site, on one line, without the rules of its robots.txt, which may be sentences themselves. */
export const sentence = (text: string): string =>
  pageLine(text.replace(/[:,] (?:Dis)?allow: [^;]*/gi, ''), MAX_SENTENCE);

/** The URLs by which a page may be known that a model asks for: of the other scheme, with or without `www.` and a final slash. */
export function spellingsOf(url: string): readonly string[] {
  const { protocol, host, pathname, search } = new URL(url);
  const hosts = [host, host.startsWith('www.') ? host.slice(4) : `www.${host}`];
  const paths = [pathname, pathname.endsWith('/') ? pathname.slice(0, -1) || '/' : `${pathname}/`];
  const schemes = protocol === 'https:' ? ['https:', 'http:'] : ['http:', 'https:'];
  const all = hosts.flatMap((name) =>
    schemes.flatMap((scheme) => paths.map((path) => `${scheme}//${name}${path}${search}`)),
  );
  return [...new Set(all.flatMap((one) => canonicalize(one) ?? []))];
}
