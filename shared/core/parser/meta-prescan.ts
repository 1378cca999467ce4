/**
 * Finds the encoding that a document declares in its first bytes (HTML standard, section 13.2.3.2, "prescan a
 * byte stream to determine its encoding"). It is not a parse: it knows tags, attributes and comments, and
 * nothing else.
 */
import { charsetOf } from './charset-decoder.ts';
import { AttributeList, type RawAttributes, readAttributes } from './tag-attributes.ts';

/** The encoding declared in `start` by a `meta` element, or by an XML declaration if no `meta` does. */
export function prescanForCharset(start: Uint8Array): string | undefined {
  const text = Buffer.from(start.buffer, start.byteOffset, start.byteLength).toString('latin1');
  if (UTF_16LE.test(text)) return 'utf-16le';
  if (UTF_16BE.test(text)) return 'utf-16be';
  return metaCharset(text) ?? xmlDeclarationCharset(text);
}

/** A tag or a declaration at the begin. The standard knows that of XML alone: browsers cannot read the others. */
const UTF_16LE = /^(?:[\t\n\f\r ]\0)*<\0[!?a-z]\0[a-z-]\0/i;
const UTF_16BE = /^(?:\0[\t\n\f\r ])*\0<\0[!?a-z]\0[a-z-]/i;

/**
 * Matches the marks at which the prescan stops: a comment, a `meta` tag, another tag with its name, other
 * markup.
 */
const MARK = /<(?:(!--)|(meta)[\t\n\f\r /]|\/?[a-z][^\t\n\f\r >]*|([!/?]))/gi;

function metaCharset(text: string): string | undefined {
  MARK.lastIndex = 0;
  for (let mark = MARK.exec(text); mark !== null; mark = MARK.exec(text)) {
    const [, comment, meta, other] = mark;
    let end: number;
    if (comment) {
      // From the opening dashes on: those of `<!-->` and `<!--->` close as well.
      end = indexAfter(text, '-->', mark.index + 2);
    } else if (other) {
      end = indexAfter(text, '>', mark.index);
    } else {
      const attributes = new AttributeList();
      end = readAttributes(text, MARK.lastIndex, attributes);
      const charset = meta && end !== -1 ? charsetOfMeta(attributes) : undefined;
      if (charset) return charset;
      if (end > PRESCANNED_BYTES) end = behindRawText(text, mark[0].toLowerCase(), end);
    }
    if (end === -1) return undefined;
    MARK.lastIndex = end;
  }
  return undefined;
}

/**
 * How far the standard's prescan looks, for which a `meta` in a script is one, too. Behind that only the parser finds
 * declarations.
 */
const PRESCANNED_BYTES = 1024;
const RAW_TEXT_END: ReadonlyMap<string, RegExp> = new Map(
  ['iframe', 'noembed', 'noframes', 'script', 'style', 'textarea', 'title', 'xmp'].map((name) => [
    `<${name}`,
    // linear: a fixed text.
    new RegExp(`</${name}`, 'gi'),
  ]),
);

/** The index of the tag that ends the raw text behind the tag, or -1. */
function behindRawText(text: string, tag: string, from: number): number {
  const end = RAW_TEXT_END.get(tag);
  if (end === undefined) return from;
  end.lastIndex = from;
  return end.exec(text)?.index ?? -1;
}

function charsetOfMeta(attributes: RawAttributes): string | undefined {
  const label = attributes.get('charset');
  if (label !== undefined) return declaredInMarkup(label);
  if (attributes.get('http-equiv')?.toLowerCase() !== 'content-type') return undefined;
  return declaredInMarkup(charsetInContent(attributes.get('content') ?? ''));
}

/** HTML standard, section 2.4.5, "extracting a character encoding from a meta element". */
function charsetInContent(content: string): string | undefined {
  const found = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|(?!["'])([^\t\n\f\r ;]+))/i.exec(
    content,
  );
  return found?.[1] ?? found?.[2] ?? found?.[3];
}

/** Markup that could be read byte by byte is not in UTF-16, whatever it says. */
function declaredInMarkup(label: string | undefined): string | undefined {
  const charset = charsetOf(label);
  if (charset === 'utf-16le' || charset === 'utf-16be') return 'utf-8';
  return charset === 'x-user-defined' ? 'windows-1252' : charset;
}

/** HTML standard, section 13.2.3.2, "get an XML encoding". */
export function xmlDeclarationCharset(text: string): string | undefined {
  if (!text.startsWith('<?xml')) return undefined;
  const declaration = text.slice(0, text.indexOf('>') + 1);
  const found = /encoding[^!-\xff]*=[^!-\xff]*(?:"([!-\xff]*?)"|'([!-\xff]*?)')/.exec(declaration);
  const charset = charsetOf(found?.[1] ?? found?.[2]);
  return charset === 'utf-16le' || charset === 'utf-16be' ? 'utf-8' : charset;
}

function indexAfter(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? -1 : found + mark.length;
}
