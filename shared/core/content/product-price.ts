/** The price of a product page, which stands far from the sentences about the product. */
import type { TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';

const PRICE = /[$€£¥]\s?\d|\d\s?(?:€|EUR|USD|kr)\b/;
/** Longer texts are sentences. */
const MAX_PRICE_CHARS = 40;
/** Elements whose classes differ only behind this count as alike. */
const MAX_CLASS_CHARS = 400;
/** More prices of the same kind are those of a list of products. */
const MAX_ALIKE = 2;

/** Whether it is a price and hardly more. */
export const isPrice = ({ text, counts }: TextBlock): boolean =>
  counts.digits > 0 && text.length < MAX_PRICE_CHARS && PRICE.test(text);

/**
 * Adds to `main`, of a product page, the first of `blocks` that is a price, and those alike, unless it has a price. Prices of
 * other products are in links, or come as a list. In document order.
 */
export function withPrice(main: readonly TextBlock[], blocks: readonly TextBlock[]): readonly TextBlock[] {
  if (main.length === 0 || main.some(isPrice)) return main;
  const groups = Map.groupBy(blocks.filter(isPrice), kindOf);
  for (const [, group] of groups)
    if (group.length <= MAX_ALIKE && group.every((block) => block.linkWords === 0)) {
      const chosen = new Set([...main, ...group]);
      return blocks.filter((block) => chosen.has(block));
    }
  return main;
}

const kindOf = ({ element }: TextBlock): string => `${nameOf(element)} ${nameOf(element.parent)}`;

/** Bounded: a parent is named once for each of its prices. */
const nameOf = (element: ContentElement | undefined): string =>
  `${element?.name} ${(element?.attributes.class ?? '').slice(0, MAX_CLASS_CHARS)}`;
