import { cssReferences } from '../../core/parser/css-references.ts';

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

/**
 * Stands in `url()`, with quotes or without, and in strings: with escapes (CSS Syntax level 3, section 4.3.7), which leave it
 * the same URL. A percent-encoding would make another one of it (URL standard, section 4.6).
 */
const inCss = (reference: string): string =>
  reference
    .replace(/["'()\\]/g, '\\$&')
    .replace(/[\s\p{Cc}]/gu, (character) => `\\${character.codePointAt(0)!.toString(16)} `);
