/**
 * Notices which of a host's URLs add nothing new, and closes them: no more of them are fetched. For a host
 * that has enough pages to hold a trap. Three watches look at each page, each at another grouping of URLs:
 * templates, combinations of parameters, folders. All of them together take about 3 us a page, and nothing
 * for a link while nothing is closed; what they keep in the host's head is at most about 12 KB of JSON
 * (`test/core/frontier/trap-watch.test.ts`).
 */

import type { Sizes } from '../base/sizes.ts';
import type { TrapKind } from '../causes/cause.ts';
import { combinationOf } from '../url/combination-of.ts';
import { createCombinationWatch, type WatchedCombinations } from './combination-watch.ts';
import { createFolderWatch, type WatchedFolder } from './folder-watch.ts';
import { createTemplateWatch, MAX_LINKS, type PageYield, type WatchedTemplate } from './template-watch.ts';

/** As JSON in the host's head; empty fields are left out. */
export interface TrapState {
  readonly templates?: readonly WatchedTemplate[];
  readonly combinations?: readonly WatchedCombinations[];
  readonly folders?: readonly WatchedFolder[];
}

/** The property that URLs which are closed together share. */
export interface ClosedGroup {
  readonly kind: TrapKind;
  readonly group: string;
  /** It was closed because its pages forbid their use. */
  readonly isUnused?: true;
}

export interface TrapWatchOptions {
  /** As `trapMinNew` of the configuration. */
  readonly minNew: number;
  /** Whether the host's ledger has the URL. */
  readonly isKnown: (url: string) => boolean;
  readonly sizes?: Sizes;
}

export interface TrapWatch {
  /** Whether the text of this page will be requested. */
  wantsText(url: string): boolean;
  /** Call it for each page that was fetched successfully, the first time only. */
  count(url: string, brought: PageYield): void;
  /** Called for each link. */
  isClosed(url: string): boolean;
  closedBy(url: string): ClosedGroup | undefined;
  state(): TrapState;
}

export function createTrapWatch(
  { templates: ofTemplates = [], combinations: ofCombinations = [], folders: ofFolders = [] }: TrapState,
  options: TrapWatchOptions,
): TrapWatch {
  const templates = createTemplateWatch(ofTemplates, options);
  const combinations = createCombinationWatch(ofCombinations, options);
  const folders = createFolderWatch(ofFolders, options);

  function closedBy(url: string): ClosedGroup | undefined {
    const template = templates.closedBy(url);
    if (template !== undefined) {
      const unused = templates.forbidsUse(template) && ({ isUnused: true } as const);
      return { kind: 'template', group: template, ...unused };
    }
    const combined = combinations.closedBy(url);
    if (combined !== undefined) return { kind: 'combinations', group: combined };
    const folder = folders.closedBy(url);
    return folder === undefined ? undefined : { kind: 'folder', group: folder };
  }

  function bestLink(links: readonly string[], prefix: string | undefined): number {
    let best = 0;
    for (const link of links.slice(0, MAX_LINKS))
      if (!(prefix !== undefined && link.startsWith(prefix, link.indexOf('/', 8))) && !combinationOf(link))
        best = Math.max(best, templates.worthOfLink(link));
    return best;
  }

  return {
    wantsText: (url) => templates.wantsText(url) || folders.wantsText(url),
    count(url, brought) {
      const { newLinks, textHash } = brought;
      templates.count(url, brought);
      combinations.count(url, newLinks, (prefix) => bestLink(newLinks, prefix));
      folders.count(url, { newLinks, textHash, worthOfLink: (link) => templates.worthOfLink(link) });
    },
    isClosed: (url) => closedBy(url) !== undefined,
    closedBy,
    state() {
      const state = {
        templates: templates.state(),
        combinations: combinations.state(),
        folders: folders.state(),
      };
      return Object.fromEntries(Object.entries(state).filter(([, kept]) => kept.length > 0));
    },
  };
}

/** All that is closed, with the pages that it took. */
export function closedGroups(state: TrapState): (ClosedGroup & { readonly pages: number })[] {
  const { templates = [], combinations = [], folders = [] } = state;
  const closed = <G extends { readonly isClosed?: true }>(groups: readonly G[]) =>
    groups.filter(({ isClosed }) => isClosed);
  return [
    ...closed(templates).map(({ template, pages, unused }) => ({
      kind: 'template' as const,
      group: template,
      ...(unused !== undefined && { isUnused: true as const }),
      pages,
    })),
    ...closed(combinations).map(({ group, pages }) => ({ kind: 'combinations' as const, group, pages })),
    ...closed(folders).map(({ group, pages }) => ({ kind: 'folder' as const, group, pages })),
  ];
}
