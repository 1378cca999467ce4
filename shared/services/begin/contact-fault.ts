/** Site owners must be able to reach the person who crawls. */
import type { CrawlOptions } from '../../core/crawl/config.ts';
import { NoContact } from '../../core/crawl/crawl-errors.ts';
import { hostKey } from '../../core/url/host-key.ts';

/**
 * Returns the fault of how a crawl names its operator, by `contact` or by a URL or mail address within
 * `userAgent`. `unreadable`: `contact` is neither a URL nor a mail address. `missing`: neither names one, and
 * not every seed (canonical URLs) is on this machine: localhost, 127.0.0.0/8, ::1, a host that comes from a folder.
 */
export function contactFault(
  seeds: readonly string[],
  { contact, userAgent, fromFolder = [] }: Pick<CrawlOptions, 'contact' | 'userAgent' | 'fromFolder'>,
): 'unreadable' | 'missing' | undefined {
  if (contact !== undefined) return hasContact(contact) ? undefined : 'unreadable';
  const isOwn = (seed: string) => isLoopback(seed) || fromFolder.some(([host]) => host === hostKey(seed));
  return hasContact(userAgent ?? '') || seeds.every(isOwn) ? undefined : 'missing';
}

/** Throws {@link NoContact}. */
export function checkContact(seeds: readonly string[], config: CrawlOptions): void {
  const fault = contactFault(seeds, config);
  if (fault !== undefined) throw new NoContact(fault, config.contact);
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
