/** The head and the links of a page, as WAT files have them. */

import type { ContentElement } from '../../../core/content/content-element.ts';
import { textOf } from '../../../core/content/element-text.ts';
import { parseElements } from '../../../core/content/element-tree.ts';
import { MAX_CHARS } from '../../../core/content/extract.ts';

type Json = Readonly<Record<string, unknown>>;

/** Attributes that hold a URL, by element. */
const URL_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['src'],
  iframe: ['src'],
  img: ['src', 'longdesc', 'lowsrc'],
  input: ['src', 'formaction'],
  ins: ['cite'],
  link: ['href'],
  object: ['data', 'codebase'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  track: ['src'],
  video: ['src', 'poster'],
};
/** Further attributes of a link that are kept. */
const KEPT = ['rel', 'type', 'target', 'alt', 'title', 'hreflang', 'media', 'method'];
const METAS = ['name', 'property', 'http-equiv', 'content', 'charset'];
const ATTRIBUTES: ReadonlySet<string> = new Set([...Object.values(URL_ATTRIBUTES).flat(), ...KEPT, ...METAS]);
export const MAX_LINKS = 20_000;
const MAX_VALUE_CHARS = 4096;
const MAX_ANCHOR_NODES = 64;

/** `{ Head: { Title, Base, Metas, Link, Scripts }, Links }`. What a page does not have is left out. */
export function htmlMetadata(html: string): Json {
  const metas: Json[] = [];
  const headLinks: Json[] = [];
  const scripts: Json[] = [];
  const links: Json[] = [];
  let title: string | undefined;
  let base: string | undefined;
  for (const element of parseElements(html.slice(0, MAX_CHARS), ATTRIBUTES)) {
    const { name, attributes } = element;
    if (name === 'title' && element.parent?.name !== 'svg')
      title ??= cut(textOf(element, MAX_ANCHOR_NODES, MAX_VALUE_CHARS));
    else if (name === 'meta') push(metas, kept(attributes, METAS));
    else if (name === 'base') base ??= attributes.href;
    for (const attribute of URL_ATTRIBUTES[name] ?? []) {
      const url = attributes[attribute];
      if (url === undefined || name === 'base') continue;
      const list = name === 'link' ? headLinks : name === 'script' ? scripts : links;
      push(list, linkOf(element, attribute, url));
    }
  }
  const head = {
    Title: title,
    Base: base,
    Metas: metas.length > 0 ? metas : undefined,
    Link: headLinks.length > 0 ? headLinks : undefined,
    Scripts: scripts.length > 0 ? scripts : undefined,
  };
  return { Head: head, Links: links.length > 0 ? links : undefined };
}

function linkOf(element: ContentElement, attribute: string, url: string): Json {
  const { name, attributes } = element;
  const path = `${name.toUpperCase()}@/${attribute}`;
  const text = name === 'a' ? cut(textOf(element, MAX_ANCHOR_NODES, MAX_VALUE_CHARS)) : '';
  return { path, url: cut(url), ...(text !== '' && { text }), ...kept(attributes, KEPT) };
}

function kept(attributes: Readonly<Record<string, string>>, names: readonly string[]): Json {
  const found = names.filter((name) => attributes[name] !== undefined);
  return Object.fromEntries(found.map((name) => [name, cut(attributes[name]!)]));
}

function push(list: Json[], one: Json): void {
  if (list.length < MAX_LINKS && Object.keys(one).length > 0) list.push(one);
}

/** The beginning of a long value. */
export const cut = (text: string): string => text.slice(0, MAX_VALUE_CHARS);
