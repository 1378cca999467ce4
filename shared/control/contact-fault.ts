/** Who crawls must be reachable by those who are crawled. */
import type { CrawlOptions } from '../crawl/config.ts';

/**
 * Returns the fault of how a crawl names its operator, by `contact` or by a URL or mail address within
 * `userAgent`. `unreadable`: `contact` is neither a URL nor a mail address. `missing`: neither names one, and
 * not every seed (absolute URLs) is on this machine: localhost, 127.0.0.0/8, ::1.
 */
export function contactFault(
  seeds: readonly string[],
  { contact, userAgent }: Pick<CrawlOptions, 'contact' | 'userAgent'>,
): 'unreadable' | 'missing' | undefined {
  if (contact !== undefined) return hasContact(contact) ? undefined : 'unreadable';
  return hasContact(userAgent ?? '') || seeds.every(isLoopback) ? undefined : 'missing';
}

/** Whether the text holds an http(s) URL or a mail address. */
function hasContact(text: string): boolean {
  return /https?:\/\/[^\s/()<>]/i.test(text) || /[^\s@()<>:;,]@[^\s@()<>:;,]+\.[a-z]/i.test(text);
}

/** Whether the URL's host is this machine by its very name: localhost, 127.0.0.0/8 or ::1. */
function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
