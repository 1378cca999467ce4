/** HTML of which no reference leads out of the server that shows it. */
import { Tokenizer } from 'htmlparser2';
import { refreshReference } from '../../../shared/core/parser/meta-refresh.ts';
import { loadCheerio, loadDocument } from '../../../shared/services/hooks/page-content.ts';

// The functions here are synchronous, since they are cut off when they take too long.
await loadCheerio();

/** Attributes by which a browser goes to a URL, or connects to its host, without that a policy could forbid it. */
const LEADING = ['href', 'xlink:href', 'src', 'action', 'formaction', 'data', 'ping', 'manifest', 'longdesc'];
/** Markup in an attribute, which is not parsed here. */
const HIDING = ['srcdoc'];
/** Schemes that make no request. `javascript:` does nothing where scripts are forbidden. */
const HARMLESS = new Set(['data:', 'about:', 'mailto:', 'tel:', 'javascript:']);
/** Parsers are quadratic in the attributes of a tag. */
const MAX_ATTRIBUTES = 1000;
/** The bound of rounds: removing attributes may reveal others, which the next round removes. */
const MAX_ROUNDS = 3;

/**
 * Returns the page without the references that lead away from `base`'s origin; undefined if that cannot be done. It is
 * parsed as browsers parse it without scripts, which may differ from how its references were rewritten. Throws for a
 * page that is nested too deep, or has a tag with too many attributes. `isRendered`: its scripts have run, so what it
 * shows without them is taken out.
 */
export function containHtml(html: string, base: string, isRendered = false): string | undefined {
  checkAttributes(html);
  let text = isRendered ? withoutFallbacks(html) : html;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    checkAttributes(text);
    const $ = loadDocument(text, false, { scriptingEnabled: false, keepsShadowRoots: true });
    let found = 0;
    $('*').each((_, node) => {
      const element = $(node);
      const tag = element.prop('tagName')?.toLowerCase() ?? '';
      const attributes = element.attr() ?? {};
      for (const [name, value] of Object.entries(attributes)) {
        // SVG has names with capital letters.
        const given = { name: name.toLowerCase(), value, isRefresh: isRefresh(tag, attributes) };
        if (!isLeak(tag, given, base)) continue;
        element.removeAttr(name);
        found++;
      }
    });
    if (found === 0) return text;
    text = $.html();
  }
  return undefined;
}

/** Without `noscript`, whose content is text to a browser that runs scripts: with them the page was written. */
function withoutFallbacks(html: string): string {
  const $ = loadDocument(html, false, { keepsShadowRoots: true });
  $('noscript').remove();
  return $.html();
}

function checkAttributes(html: string): void {
  let count = 0;
  const parser = new Tokenizer(
    { decodeEntities: false, xmlMode: false },
    {
      ...IGNORED,
      onopentagname() {
        count = 0;
      },
      onattribname() {
        if (++count > MAX_ATTRIBUTES) throw new Error(`a tag with more than ${MAX_ATTRIBUTES} attributes`);
      },
    },
  );
  parser.write(html);
  parser.end();
}

const nothing = (): void => {};
const IGNORED = {
  onattribdata: nothing,
  onattribend: nothing,
  onattribentity: nothing,
  oncdata: nothing,
  onclosetag: nothing,
  oncomment: nothing,
  ondeclaration: nothing,
  onend: nothing,
  onopentagend: nothing,
  onprocessinginstruction: nothing,
  onselfclosingtag: nothing,
  ontext: nothing,
  ontextentity: nothing,
};

interface Attribute {
  /** In lower case. */
  readonly name: string;
  readonly value: string;
  /** Its element is a `meta` that refreshes. */
  readonly isRefresh: boolean;
}

function isLeak(element: string, { name, value, isRefresh }: Attribute, base: string): boolean {
  // SMIL sets attributes without a script.
  if (name === 'attributename') return LEADING.includes(value.trim().toLowerCase());
  if (HIDING.includes(name)) return true;
  if (element === 'base') return name === 'href';
  if (name === 'content' && isRefresh) {
    const refresh = refreshReference(value);
    return refresh !== undefined && leadsAway(refresh.reference, base);
  }
  return LEADING.includes(name) && leadsAway(value, base);
}

const isRefresh = (element: string, attributes: Readonly<Record<string, string>>): boolean =>
  element === 'meta' && /^\s*refresh\s*$/i.test(attributes['http-equiv'] ?? '');

function leadsAway(reference: string, base: string): boolean {
  const url = URL.parse(reference, base);
  return url !== null && !HARMLESS.has(url.protocol) && url.origin !== new URL(base).origin;
}
