/**
 * Why a crawl could not be started, opened or continued: an error class for each thing that a caller may want
 * to handle.
 */
import { InvalidConfig } from './invalid-config.ts';

/** The folder has no crawl. */
export class NoCrawl extends InvalidConfig {
  override name = 'NoCrawl';
  readonly folder: string;

  constructor(folder: string) {
    super(`There is no crawl in ${folder}`);
    this.folder = folder;
  }
}

/** The folder holds a crawl already, so no other one can be started in it. */
export class CrawlExists extends InvalidConfig {
  override name = 'CrawlExists';
  readonly folder: string;

  constructor(folder: string) {
    super(`${folder} holds a crawl already: resume it, or choose another folder`);
    this.folder = folder;
  }
}

/** The crawl does not say how its operator can be reached. */
export class NoContact extends InvalidConfig {
  override name = 'NoContact';
  /** `unreadable`: `contact` is neither a URL nor a mail address. */
  readonly fault: 'missing' | 'unreadable';
  readonly contact: string;

  constructor(fault: NoContact['fault'], contact = '') {
    super(
      fault === 'unreadable'
        ? `Expected contact to be a URL or a mail address, got ${JSON.stringify(contact)}`
        : 'The owners of the hosts must be able to reach you: set contact to a URL or a mail address, such as ' +
            'https://example.org/about-my-crawl or me@example.org. Only crawls of this machine need none',
      { field: 'config.contact' },
    );
    this.fault = fault;
    this.contact = contact;
  }
}

/** The crawl's folder is in use by another process. */
export class FolderInUse extends Error {
  override name = 'FolderInUse';
}
