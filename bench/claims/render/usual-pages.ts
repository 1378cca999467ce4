import type { ScriptedPage } from '../../../test/web/scripted/scripted-page.ts';
import type { KnownSite } from '../../../test/web/scripted/site.ts';

/** Pages as many sites have them. */
const USUAL = [
  'components',
  'reactive',
  'fetched',
  'modules',
  'data-and-blob',
  'cookies',
  'redirected-requests',
  'coded',
];

export const pageOf = (site: KnownSite, name: string): ScriptedPage =>
  site.pages.find((page) => page.name === name) as ScriptedPage;

export const usualPages = (site: KnownSite, count: number): ScriptedPage[] =>
  Array.from({ length: count }, (_, i) => pageOf(site, USUAL[i % USUAL.length] as string));
