/** Routes behind `#` of a host's pages: which are worth rendering, and which show what is known. */
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { NEEDED_GAIN, type ReadPage, routeGain } from '../../../core/render/gain.ts';
import type { RenderMode, TemplateNeeds } from '../../../core/render/template-needs.ts';
import { canonicalRoute, isRoute, withoutPlace } from '../../../core/url/hash-route.ts';
import type { RouteTexts } from './route-texts.ts';

/** A page that a route shows once more. */
export interface RouteCopy {
  readonly of: string;
  /** 0 to 1. */
  readonly similarity: number;
}

/**
 * A shell is the page at which routes are shown, without a route. The first three routes of a kind of shell are trials: if
 * the middle one shows little that its shell does not, as with slides of one page, no further ones are rendered.
 */
export class RoutePages {
  readonly #needs: TemplateNeeds;
  readonly #texts: RouteTexts;
  readonly #crawl: CrawlId;

  /** `needs`: those of the host, which are stored. `texts`: those of the process. */
  constructor(crawl: CrawlId, needs: TemplateNeeds, texts: RouteTexts) {
    this.#crawl = crawl;
    this.#needs = needs;
    this.#texts = texts;
  }

  /** False for a route that is not worth rendering as far as is known. */
  admits(url: string, now: number): boolean {
    if (!isRoute(url) || this.#needs.of(url)?.mode !== 'plain') return true;
    return this.#needs.modeOf(url, ANY_ROUTE, now) !== 'plain';
  }

  /** The mode of a route whose shell was fetched; counts it. */
  modeOf(url: string, now: number): RenderMode {
    return this.#needs.modeOf(url, ANY_ROUTE, now);
  }

  shellOf(url: string): ReadPage | undefined {
    return this.#texts.pageOf(this.#crawl, url);
  }

  keepShell(shell: ReadPage): void {
    this.#texts.keep(this.#crawl, shell);
  }

  /** Says of which page a rendered route is a copy, if it is one. `isTrial`: what it shows is kept for the others. */
  copyOf(
    route: ReadPage,
    shell: ReadPage | undefined,
    {
      isTrial,
      isNew,
      now,
    }: { readonly isTrial: boolean; readonly isNew: (url: string) => boolean; readonly now: number },
  ): RouteCopy | undefined {
    const first = this.#texts.firstOf(this.#crawl, route);
    const gain = shell && isTrial ? routeGain(shell, route, isNew) : undefined;
    if (isTrial) this.#needs.learn(route.url, gain, now);
    if (first !== route.url) return { of: first, similarity: 1 };
    if (shell === undefined || gain === undefined || gain > NEEDED_GAIN) return undefined;
    return { of: shell.url, similarity: Math.round(100 - gain) / 100 };
  }
}

const ANY_ROUTE = { hasScripts: true, isUnfilled: () => true };

/**
 * The routes that references of a page lead to, each once, without the page itself. `nameOf`: the name of their shell for
 * the crawl.
 */
export function routesOf(
  references: readonly string[],
  page: { readonly url: string; readonly isDocsify: boolean },
  nameOf: (url: string) => string,
): readonly string[] {
  const routes = new Set<string>();
  for (const reference of references) {
    const url = canonicalRoute(page.isDocsify ? withoutPlace(reference) : reference);
    if (url === undefined || !isRoute(url)) continue;
    const at = url.indexOf('#');
    routes.add(nameOf(url.slice(0, at)) + url.slice(at));
  }
  routes.delete(page.url);
  return [...routes];
}
