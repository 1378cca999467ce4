import { contactFault } from '../../shared/control/contact-fault.ts';
import type { CrawlOptions } from '../../shared/crawl/config.ts';
import { NoContact } from '../../shared/crawl/crawl-errors.ts';

/** Throws {@link NoContact}. */
export function checkContact(seeds: readonly string[], config: CrawlOptions): void {
  const fault = contactFault(seeds, config);
  if (fault !== undefined) throw new NoContact(fault, config.contact);
}
