import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import { NoContact } from '../../shared/core/crawl/crawl-errors.ts';
import { contactFault } from '../../shared/services/control/contact-fault.ts';

/** Throws {@link NoContact}. */
export function checkContact(seeds: readonly string[], config: CrawlOptions): void {
  const fault = contactFault(seeds, config);
  if (fault !== undefined) throw new NoContact(fault, config.contact);
}
