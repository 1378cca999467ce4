/** Why the pages of a template are rendered, or not, for people. */
import type { CrawlConfig } from '../../core/crawl/crawl-options.ts';
import type { Head } from '../../core/frontier/head.ts';
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import {
  createTemplateNeeds,
  MAX_GAIN,
  renderTemplateOf,
  type TemplateNeed,
  type TemplateNeeds,
} from '../../core/render/template-needs.ts';
import { createTop } from './report-top.ts';

/** A template of URLs, and what trials of its pages have shown. */
export interface RenderedTemplate {
  readonly host: string;
  readonly template: string;
  /** HTML pages of it. */
  readonly pages: number;
  readonly isRendered: boolean;
  /** `rendered: trials added 120 %, 90 % and 300 % to a page`. */
  readonly why: string;
}

/** By the settings and the stored knowledge about the URL's host. Undefined: nothing of it is rendered, by the settings. */
export function renderingWord(
  url: string,
  { render }: Pick<CrawlConfig, 'render'>,
  head: Pick<Head, 'renderNeeds'> | undefined,
): string | undefined {
  if (render === 'always') return 'always, as the settings say';
  if (render === 'never' && head?.renderNeeds === undefined) return undefined;
  const need = createTemplateNeeds(head?.renderNeeds).of(url);
  const words = `${renderTemplateOf(url)}: ${whyOf(need)}`;
  return render === 'never' ? `never, as the settings say; before, ${words}` : words;
}

function whyOf(need: TemplateNeed | undefined): string {
  if (need === undefined) return 'not tried yet';
  const { gains, failed, mode } = need;
  const shown = gains.map((gain) => `${gain} %${gain === MAX_GAIN ? ' or more' : ''}`).join(', ');
  if (mode === undefined)
    return gains.length === 0
      ? 'not tried yet: no page shows a sign'
      : `undecided: trials added ${shown} to a page`;
  if (failed > 0 && mode === 'plain') return `not rendered: the last ${failed} trials failed`;
  return `${mode === 'rendered' ? 'rendered' : 'not rendered'}: trials added ${shown} to a page`;
}

const ROWS = 20;

/** Collects the templates that were tried, of hosts one after the other: those with the most pages. */
export function createTemplateTable() {
  const top = createTop<RenderedTemplate>(ROWS, ({ pages }) => pages);
  let host = '';
  let needs: TemplateNeeds | undefined;
  /** The lists of gains of the host's templates: each stands for one. */
  const seen = new Set<TemplateNeed['gains']>();
  return {
    beginHost(name: string, { renderNeeds }: Pick<Head, 'renderNeeds'>): void {
      host = name;
      needs = renderNeeds === undefined ? undefined : createTemplateNeeds(renderNeeds);
      seen.clear();
    },
    add({ url, kind }: UrlRecord): void {
      const need = kind === undefined ? needs?.of(url) : undefined;
      if (need === undefined || seen.has(need.gains)) return;
      if (need.gains.length === 0 && need.failed === 0) return;
      seen.add(need.gains);
      const isRendered = need.mode === 'rendered';
      top.add({ host, template: renderTemplateOf(url), pages: need.pages, isRendered, why: whyOf(need) });
    },
    tables: (): { readonly renderedTemplates?: readonly RenderedTemplate[] } =>
      top.values().length > 0 ? { renderedTemplates: top.values() } : {},
  };
}
