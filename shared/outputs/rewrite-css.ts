import { cssReferences } from '../parser/css-references.ts';

/** Returns the reference to write instead of one, or undefined to leave it. */
export type Rewrite = (reference: string) => string | undefined;

/** The style sheet with other references in `url()` and `@import`. In time linear in its length. */
export function rewriteCss(css: string, rewrite: Rewrite): string {
  const pieces: string[] = [];
  let done = 0;
  cssReferences(css, (reference, _kind, from, to) => {
    const other = rewrite(reference);
    if (other === undefined) return;
    pieces.push(css.slice(done, from), inCss(other));
    done = to;
  });
  return done === 0 ? css : pieces.join('') + css.slice(done);
}

/** Stands in `url()`, with quotes or without, and in strings. */
const inCss = (reference: string): string =>
  reference.replace(
    /[\s"'()\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
