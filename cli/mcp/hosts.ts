/**
 * The hosts that a server may contact: those that its operator names, those that its crawls know, and those of URLs that its
 * tools have returned. So a model that obeys a page's order to fetch `https://evil.example/?data=...` cannot do it.
 */

import { hostKey } from '../../shared/core/url/host-key.ts';
import { compileHostPattern, type HostPattern } from '../../shared/core/url/host-pattern.ts';
import { domainOf } from '../../shared/core/url/registrable-domain.ts';
import type { Crawls } from './crawls.ts';
import { ToolError } from './tool-error.ts';

const MAX_NOTED = 10_000;

export class AllowedHosts {
  readonly #patterns: readonly HostPattern[];
  readonly #allowsAll: boolean;
  readonly #crawls: Crawls;
  readonly #noted = new Set<string>();

  /** `patterns`: hosts such as `example.org`, `*.example.org` or `*`. */
  constructor(patterns: readonly string[], crawls: Crawls) {
    this.#allowsAll = patterns.includes('*');
    this.#patterns = patterns.map(compileHostPattern);
    this.#crawls = crawls;
  }

  /** Notes the hosts of URLs that a tool returns about `site`: those of its own registrable domain, since a site chooses them. */
  note(urls: Iterable<string>, site: string): void {
    const domain = domainOf(hostKey(site));
    for (const url of urls) {
      if (this.#noted.size >= MAX_NOTED) return;
      const host = hostKey(url);
      if (domainOf(host) === domain) this.#noted.add(host);
    }
  }

  /** Throws {@link ToolError} if the URL's host may not be contacted. */
  async check(url: string): Promise<void> {
    if (await this.isAllowed(url)) return;
    const host = hostKey(url);
    throw new ToolError(
      'hostNotAllowed',
      `${host} is no host of a crawl here, and the operator has not allowed it. Ask the operator to start the server with --allow-hosts ${host}, or use another page.`,
    );
  }

  /** Throws {@link ToolError} unless the operator allows every host of the URL's domain. */
  async checkDomain(url: string): Promise<void> {
    const domain = domainOf(hostKey(url));
    const some = `https://any.host.${domain}/`;
    if (this.#allowsAll || this.#patterns.some((matches) => matches(hostKey(some)))) return;
    throw new ToolError(
      'hostNotAllowed',
      `The operator has not allowed all hosts of ${domain}. Use scope host, or ask for --allow-hosts *.${domain}.`,
    );
  }

  async isAllowed(url: string): Promise<boolean> {
    if (this.#allowsAll) return true;
    const host = hostKey(url);
    const names = [host, host.startsWith('www.') ? host.slice(4) : `www.${host}`];
    const bare = names.map((name) => name.replace(/:\d+$/, ''));
    if (this.#patterns.some((matches) => [...names, ...bare].some(matches))) return true;
    if (names.some((name) => this.#noted.has(name))) return true;
    const known = await this.#crawls.first(async (crawl) => {
      for (const name of names) {
        const isKnown = await crawl.host(name).then(
          ({ pages, waiting }) => pages + waiting > 0,
          () => false,
        );
        if (isKnown) return name;
      }
      return undefined;
    });
    if (known !== undefined) this.#noted.add(known);
    return known !== undefined;
  }
}
