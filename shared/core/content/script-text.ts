/**
 * The text of `sup` and `sub` in plain text: an exponent and a note's number must not run into the text before them.
 */
import type { ContentElement } from './content-element.ts';

/** Ordinals and marks that belong to the word. */
const GLUED = /^(?:st|nd|rd|th|er|re|ère|ème|eme|me|lle|os?|as?|de|ste|tm|sm|®|™|©|[^\p{L}\p{N}]*)$/iu;
/** The end of the symbol of an element, or of a group of them: H, Na, (OH). */
const CHEMICAL = /(?:[A-Z]|[A-Z][a-z]|[)\]])$/;

/** `before`: the text before it, at least its last two characters. `inner`: its own text. */
export function scriptText(element: ContentElement, before: string, inner: string): string {
  const text = inner.trim();
  if (text === '' || GLUED.test(text) || before === '' || /\s$/.test(before)) return inner;
  if (element.name === 'sub') {
    if (/^\d{1,3}$/.test(text) && CHEMICAL.test(before)) return text;
    return `_${grouped(text)}`;
  }
  if (isNote(element) || !/[\p{L}\p{N})\]}]$/u.test(before)) return /^[[(]/.test(text) ? text : `[${text}]`;
  return `^${grouped(text)}`;
}

const grouped = (text: string): string =>
  /^[-+\u2212]?[\p{L}\p{N}.]+$/u.test(text) || /^\(.*\)$/.test(text) ? text : `(${text})`;

/** Whether it leads to a note of the same page, or says that it is the mark of one. */
function isNote(element: ContentElement): boolean {
  const { attributes, parent, children } = element;
  if (/(?:^|[\s_-])(?:footnote|noteref|reference|fn|cite)/i.test(attributes.class ?? '')) return true;
  return [parent, ...children].some(
    (near) => typeof near === 'object' && near.name === 'a' && /^#/.test(near.attributes.href ?? ''),
  );
}
