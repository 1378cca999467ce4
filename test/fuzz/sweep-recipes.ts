/**
 * The documents of the sweep: each token of a format, repeated in each place of its grammar. The same in each
 * run.
 */
import type { Recipe, Vocabulary } from './recipe.ts';

export interface SweptRecipe {
  readonly recipe: Recipe;
  /** The frame or nest, and how it is used: recipes of one place differ in their tokens only. */
  readonly place: string;
}

/** One token of each class that lexers and regular expressions distinguish. */
const PUMPS = [
  ...[' ', '\n', 'a', 'Z', '9', '0', '.', ',', ';', ':', '/', '\\', '=', '&', '"', "'", '(', '<', '>', '['],
  ...['{', '#', '%', '%41', '*', '-', '+', '_', '@', '!', '?', '|', '~', '\0', 'ü', '{u}', '\u00a0', 'a '],
];
/**
 * After a repetition that an expression matched, these make the whole fail; it may then try each shorter
 * match.
 */
const ENDINGS = ['', ' ', '!', ' "'];
/** How often a token is in one attribute or element, of which the document has many. */
const INNER_COUNTS = [60, 2000];

const NOTHING: Recipe = {
  ...{ before: '', deep: '', piece: ['', '', ''], innerCount: 1, between: '', second: '', isNested: false },
  ...{ after: '', sizes: 0, isChecked: false },
};

export function sweepRecipes({ tokens, frames = [], nests = [], roots = [] }: Vocabulary): SweptRecipe[] {
  const swept: SweptRecipe[] = [];
  const add = (place: string, recipe: Partial<Recipe>) =>
    swept.push({ place, recipe: { ...NOTHING, ...recipe } });
  const framed = frames.map(([open, close]) => `${open}a{#}${close}`);
  const closes = [...new Set(frames.map(([, close]) => close))].filter(Boolean);

  for (const [open, close] of [['', ''] as const, ...frames]) {
    // A token many times in one attribute, element, comment ..., which then ends or does not.
    for (const token of PUMPS)
      for (const ending of ENDINGS)
        add(`in ${open}`, { before: open, piece: [token, '', ''], between: ending + close });
    for (const token of tokens) add(`in ${open}`, { before: open, piece: [token, '', ''], between: close });
    for (const token of close === '' ? [] : PUMPS)
      add(`in open ${open}`, { before: open, piece: [token, '', ''] });
    if (open === '') continue;
    const root = roots.find((each) => open.startsWith(each) && open !== each) ?? '';
    // Many of them, each with many of a token.
    for (const token of PUMPS)
      for (const innerCount of INNER_COUNTS)
        add(`many ${open}`, { before: root, piece: [open.slice(root.length), token, close], innerCount });
    // A long one, and then many of another kind, which may refer to it.
    for (const use of framed)
      add(`after long ${open}`, { before: open, piece: ['a', '', ''], between: close, second: use });
    // Many beginnings, then many ends, of these or others.
    for (const end of closes) add(`many ${open}, then ends`, { piece: [open, '', ''], second: end });
    add(`many ${open}, then ends`, { piece: [open, '', ''], second: close, isNested: true });
  }
  for (const nest of nests) {
    // Many elements that stay open around many of a token, or of an attribute or element.
    for (const token of [...tokens, ...framed]) add(`within ${nest}`, { deep: nest, piece: [token, '', ''] });
    for (const token of tokens) add(`after ${nest}`, { piece: [nest, '', ''], second: token });
  }
  return swept;
}
