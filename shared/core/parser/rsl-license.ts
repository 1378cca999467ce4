/** Reads a licence of Really Simple Licensing (RSL 1.0, https://rslstandard.org/rsl). */
import { MAX_PATH_CHARS, MAX_PATH_STATEMENTS, type PathStatement } from '../usage/path-statement.ts';
import type { RawAttributes } from './tag-attributes.ts';
import { createXmlScanner, decodeXml } from './xml-scanner.ts';

/** The uses that a purpose can have (`usage/purpose.ts`), by the words of RSL and of its drafts. */
const USES = ['ai-input', 'search', 'tdm', 'train-ai'] as const;
type Use = (typeof USES)[number];
const WORDS: ReadonlyMap<string, readonly Use[]> = new Map<string, readonly Use[]>([
  ['all', USES],
  ['ai-all', ['ai-input', 'train-ai']],
  ['ai-train', ['train-ai']],
  ['train-ai', ['train-ai']],
  ['train-genai', ['train-ai']],
  ['ai-input', ['ai-input']],
  ['ai-use', ['ai-input']],
  ['ai-index', ['ai-input']],
  ['search', ['search']],
]);
/** Payments that cost nothing, or a mention of the source. */
const FREE = /^(?:free|attribution)$/;
/** More text of an element is not read. */
const MAX_TEXT_CHARS = 1000;

/** A licence that a site offers for some content. */
interface License {
  permitted?: Set<Use>;
  readonly prohibited: Set<Use>;
  /** It has to be paid for, or is for some users or countries alone: Strand has no such licence. */
  isConditional: boolean;
}

interface Content {
  readonly path: string;
  readonly licenses: License[];
  /** A licence has to be fetched from a server, even if it is free. */
  needsServer: boolean;
}

/**
 * Returns for each content of the file, at most `MAX_PATH_STATEMENTS`, the uses that need no permission: `ai-input=n,
 * search=y, tdm=y, train-ai=n`. A use is allowed if one of the licences has no condition, does not prohibit it, and
 * either permits it or names no permitted uses. Content of other origins than `origin`, and content without a licence,
 * states nothing; nor does text that is not RSL.
 */
export function readRslLicense(text: string, origin: string): PathStatement[] {
  const contents: Content[] = [];
  let isRsl = false;
  let content: Content | undefined;
  let license: License | undefined;
  /** The element whose text is wanted: its uses are added to this set. */
  let words: { readonly into: Set<Use>; text: string } | undefined;

  const start = (name: string, attributes: RawAttributes) => {
    words = undefined;
    if (name === 'rsl') isRsl = true;
    else if (name === 'content' && isRsl) {
      const path = pathOf(decodeXml(attributes.get('url') ?? ''), origin);
      content =
        path === undefined ? undefined : { path, licenses: [], needsServer: attributes.has('server') };
      if (content && contents.push(content) >= MAX_PATH_STATEMENTS) scanner.stop();
    } else if (name === 'license' && content) {
      license = { prohibited: new Set(), isConditional: false };
      content.licenses.push(license);
    } else if (license && (name === 'permits' || name === 'prohibits')) {
      if (attributes.get('type') !== 'usage') license.isConditional = true;
      else {
        if (name === 'permits') license.permitted ??= new Set();
        words = { into: name === 'permits' ? license.permitted! : license.prohibited, text: '' };
      }
    } else if (license && name === 'payment' && !FREE.test(attributes.get('type') ?? '')) {
      license.isConditional = true;
    }
  };
  const end = (name: string) => {
    for (const word of words?.text.toLowerCase().split(/[\s,]+/) ?? [])
      for (const use of WORDS.get(word) ?? []) words!.into.add(use);
    words = undefined;
    if (name === 'license') license = undefined;
    if (name === 'content') content = license = undefined;
  };

  const scanner = createXmlScanner({
    onStartTag(name, attributes, isEmpty) {
      start(localName(name), attributes);
      if (isEmpty) end(localName(name));
    },
    onEndTag: (name) => end(localName(name)),
    onText(source, from, to, isLiteral) {
      if (words === undefined || words.text.length > MAX_TEXT_CHARS) return;
      const raw = source.slice(from, Math.min(to, from + MAX_TEXT_CHARS));
      words.text += isLiteral ? raw : decodeXml(raw);
    },
    onEntities: () => scanner.stop(),
  });
  scanner.write(text);
  scanner.end();
  return contents.flatMap(statementOf);
}

function statementOf({ path, licenses, needsServer }: Content): PathStatement[] {
  if (licenses.length === 0 && !needsServer) return [];
  const value = USES.map((use) => {
    const isAllowed = !needsServer && licenses.some((license) => allows(license, use));
    return `${use}=${isAllowed ? 'y' : 'n'}`;
  });
  return [{ signal: 'rsl', path, value: value.join(', ') }];
}

const allows = ({ permitted, prohibited, isConditional }: License, use: Use): boolean =>
  !isConditional && !prohibited.has(use) && (permitted === undefined || permitted.has(use));

/** Path of a content: written as one, or as a URL of this origin. */
function pathOf(url: string, origin: string): string | undefined {
  const isOwn = url.toLowerCase().startsWith(`${origin}/`) || url.toLowerCase() === origin;
  const path = isOwn ? url.slice(origin.length) || '/' : url;
  return /^[/*]/.test(path) && !path.startsWith('//') && path.length <= MAX_PATH_CHARS ? path : undefined;
}

/** Without its prefix. */
const localName = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();
