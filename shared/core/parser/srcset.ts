/**
 * The URL references of a `srcset` (HTML standard, section 4.8.4.3.10, "parse a srcset attribute"): `a.png
 * 1x, b.png 2x`. A comma inside a reference belongs to it (`data:` URLs have them), a trailing one does not.
 * Descriptors are passed over unread: candidates that browsers would not choose are listed, too.
 */
export function srcsetReferences(srcset: string, add: (reference: string, from: number) => void): void {
  let at = 0;
  while (at < srcset.length) {
    GAP.lastIndex = at;
    GAP.test(srcset);
    const from = GAP.lastIndex;
    NOT_SPACE.lastIndex = from;
    if (!NOT_SPACE.test(srcset)) return;
    at = NOT_SPACE.lastIndex;
    let end = at;
    while (srcset.charCodeAt(end - 1) === COMMA) end--;
    add(srcset.slice(from, end), from);
    if (end === at) at = behindDescriptors(srcset, at);
  }
}

/**
 * The index behind the comma that ends the descriptors at `from`. Parentheses hide commas, and do not nest.
 */
function behindDescriptors(srcset: string, from: number): number {
  for (let at = from; at < srcset.length; at++) {
    const code = srcset.charCodeAt(at);
    if (code === COMMA) return at + 1;
    if (code !== OPENING) continue;
    at = srcset.indexOf(')', at);
    if (at === -1) break;
  }
  return srcset.length;
}

const GAP = /[\t\n\f\r ,]*/y;
const NOT_SPACE = /[^\t\n\f\r ]+/y;
const COMMA = 0x2c;
const OPENING = 0x28;
