import { parseUrl } from './parse-url.ts';

/**
 * An absolute http(s) URL, as the WHATWG parser writes it. What has no scheme gets https: `example.org/a`,
 * `localhost:8080`, `//example.org`. A path (`/a`, `./a`) and another scheme (`mailto:`) give undefined.
 */
export function parseSeed(text: string): string | undefined {
  const trimmed = text.trim();
  const hasPort = /^[^/:?#@]+:\d{1,5}(?:[/?#]|$)/.test(trimmed);
  const hasScheme = !hasPort && /^[a-z][a-z\d+.-]*:/i.test(trimmed);
  if (!hasScheme && !/^(?:\/\/)?[^\s/.?#\\-]/.test(trimmed)) return undefined;
  const url = parseUrl(hasScheme ? trimmed : `https://${trimmed.replace(/^\/\//, '')}`);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined;
}
