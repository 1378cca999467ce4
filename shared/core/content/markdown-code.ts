/** A block of code as Markdown, between fences, with its language. */
import { withoutUnseen } from '../text/unseen-characters.ts';
import { codeText } from './code-text.ts';
import type { ContentElement } from './content-element.ts';
import { codeSpan, longestBackticks } from './markdown-pieces.ts';

export function codeBlock(code: ContentElement): string {
  const text = shownCode(code);
  if (text === '') return '';
  const fence = '`'.repeat(Math.max(3, longestBackticks(text) + 1));
  return `${fence}${languageOf(code)}\n${text}\n${fence}`;
}

/** Its lines as code within lines, for a place where no block may stand. */
export const codeLines = (code: ContentElement): string[] =>
  shownCode(code)
    .split('\n')
    .map((line) => codeSpan(line).trim());

const shownCode = (code: ContentElement): string =>
  withoutUnseen(codeText(code))
    .replaceAll('\u00a0', ' ')
    .replace(/\r\n?/g, '\n')
    .trimEnd()
    .replace(/^\n+/, '');

/** Whether a block of Markdown is code: other text that begins so is escaped. */
export const isFenced = (block: string): boolean => /^`{3,}[^`\n]*\n/.test(block);

/** Elements around the code that may name its language, besides those of a table. */
const MAX_STEPS = 4;
const TABLE: ReadonlySet<string> = new Set(['td', 'tr', 'tbody', 'table']);
const NAME = /^[\w+#.-]{1,20}$/;
/** Classes that begin like the name of a language and are none. */
const NO_LANGUAGE =
  /^(?:switcher|selector|picker|toggle|tabs?|label|name|code|block|none|default|text|plaintext|plain)(?:$|[-_])/;

/**
 * By attributes (`data-lang`, `data-language`) and classes: `language-js`, `lang-js`, `highlight-source-js` of GitHub,
 * `highlight-js` of Sphinx, `brush: js`, `sourceCode js` of pandoc, `mw-highlight-lang-js` of MediaWiki, `src-js` of Org, `highlight js` of Hexo's figures,
 * `code js` of DokuWiki.
 */
export function languageOf(code: ContentElement): string {
  const inner = code.children.find((child) => typeof child !== 'string' && child.name === 'code');
  let element: ContentElement | undefined = typeof inner === 'object' ? inner : code;
  const end = MAX_STEPS + (inner ? 1 : 0);
  for (let step = 0; element && step < end; element = element.parent) {
    const { name, attributes } = element;
    const named = attributes['data-language'] ?? attributes['data-lang'] ?? '';
    const found = NAME.test(named)
      ? named
      : (languageIn(attributes.class ?? '', step > 0 || inner === undefined) ??
        languageOfElement(name, attributes.class));
    if (found !== undefined && !NO_LANGUAGE.test(found.toLowerCase())) return found.toLowerCase();
    if (!TABLE.has(name)) step++;
  }
  return '';
}

function languageIn(all: string, isAround: boolean): string | undefined {
  const classes = all.slice(0, 500).split(/\s+/);
  for (const [i, name] of classes.entries()) {
    const found =
      /^(?:language-|lang-|(?:mw-)?highlight-(?:source|lang)-|source-|src-|highlight-text-(?=[a-z]))(.+)$/.exec(
        name,
      )?.[1];
    if (found !== undefined && NAME.test(found)) return found;
    const sphinx = isAround ? /^highlight-([a-z\d+#.]+)$/.exec(name)?.[1] : undefined;
    if (sphinx !== undefined) return sphinx;
    if (/^brush:?/.test(name)) return (name.replace(/^brush:?/, '') || classes[i + 1])?.split(';')[0];
    if (name === 'sourceCode' || name === 'hljs')
      return classes.find((other) => other !== name && isLanguage(other));
  }
  return undefined;
}

/** The first class of elements that have the name of the language as the next one. */
const NAMING: Readonly<Record<string, string>> = { figure: 'highlight', pre: 'code' };
/** Languages that a `pre` has as its first class: of rustdoc, and of pandoc where it does not know them. */
const KNOWN: ReadonlySet<string> = new Set(
  (
    'bash c++ clojure cpp csharp css diff dockerfile elixir erlang graphql haskell html ini java javascript js json jsx julia kotlin lua ' +
    'makefile nix ocaml perl php powershell py python python3 ruby rust scala scheme sh shell sql swift toml ts tsx typescript xml yaml yml zig'
  ).split(' '),
);

function languageOfElement(name: string, classes: string | undefined): string | undefined {
  const first = NAMING[name];
  if (first === undefined || classes === undefined) return undefined;
  const [one, next = ''] = classes.slice(0, 500).split(' ', 2);
  if (name === 'pre' && KNOWN.has(one!)) return one;
  return one === first && NAME.test(next) && isLanguage(next) ? next : undefined;
}

const isLanguage = (name: string): boolean =>
  /^[a-z][\w+#.-]*$/i.test(name) &&
  !/^(?:number|line|literate|literal-|wrap|code|hljs|block|language-|lang-)/i.test(name);
