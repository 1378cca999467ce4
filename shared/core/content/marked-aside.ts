/** Elements that authors mark as no part of the content: navigation, search, the head and the foot of a site. */
import type { TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';
import { isLong, isMarkedMain } from './element-facts.ts';

/** WAI-ARIA 1.2, sections 5.3 and 5.4. */
const ROLES: ReadonlySet<string> = new Set([
  'alertdialog',
  'banner',
  'complementary',
  'contentinfo',
  'dialog',
  'menu',
  'menubar',
  'navigation',
  'search',
  'tablist',
]);
const ASIDE = 1;
const CONTENT = 2;

/**
 * For each block, 1 if it stands in such an element. An `aside` within the content is a note of it. The marks of a page are not
 * believed if most of its sentences stand in them. Linear.
 */
export function asideBlocks(elements: readonly ContentElement[], blocks: readonly TextBlock[]): Uint8Array {
  const marks = new Uint8Array(elements.length);
  for (let i = 1; i < elements.length; i++) {
    const around = marks[elements[i]!.parent!.index]!;
    marks[i] = markOf(elements[i]!, around) ?? around;
  }
  const aside = Uint8Array.from(blocks, ({ element }) => (marks[element.index] === ASIDE ? 1 : 0));
  let balance = 0;
  for (const [i, block] of blocks.entries())
    if (isLong(block)) balance += aside[i] === 1 ? block.words : -block.words;
  return balance > 0 ? aside.fill(0) : aside;
}

function markOf(element: ContentElement, around: number): number | undefined {
  const { name, attributes } = element;
  if (name === 'nav' || ROLES.has(attributes.role ?? '')) return ASIDE;
  if (name === 'aside') return around === CONTENT ? CONTENT : ASIDE;
  return name === 'article' || isMarkedMain(element) ? CONTENT : undefined;
}
