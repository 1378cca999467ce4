import { type Handler, Parser, type ParserOptions } from 'htmlparser2';
import { tagNameAt } from './tag-names.ts';
import { WholeTokenizer } from './whole-tokenizer.ts';

/** Elements around each other. Browsers nest no deeper. */
export const MAX_DEPTH = 512;

/** Parts of htmlparser2's parser that its type does not have. */
interface ParserInside {
  /** Both innermost first. */
  readonly stack: unknown[];
  readonly foreignContext: unknown[];
  readTagName(start: number, end: number): string;
}

/**
 * Calls `handler` with the tags and text of an HTML document, character references decoded. Linear in the
 * length of `html`: htmlparser2 searches and shifts the stacks of its open elements at each tag, so elements
 * around more than `MAX_DEPTH` others are forgotten: `onForget` is called, and their end tags are never
 * reported. Attributes whose names are not `wanted` are not reported either.
 */
export function parseShallow(
  html: string,
  handler: Partial<Handler> & Required<Pick<Handler, 'onopentag'>>,
  onForget: () => void,
  wanted?: ReadonlySet<string>,
): void {
  const parser = new Parser(
    {
      ...handler,
      onopentag(name, attributes, isImplied) {
        forgetOutermost();
        handler.onopentag(name, attributes, isImplied);
      },
    },
    { Tokenizer: WholeTokenizer, wanted } as unknown as ParserOptions,
  );
  const inner = parser as unknown as ParserInside;
  const { stack, foreignContext } = inner;
  const readTagName = inner.readTagName.bind(parser);
  inner.readTagName = (start, end) => {
    // Inside SVG and MathML, names have capitals.
    if (foreignContext.length > 1) return readTagName(start, end);
    const name = tagNameAt(html, start, end);
    return name === 'image' ? 'img' : name;
  };
  const forgetOutermost = () => {
    if (foreignContext.length > MAX_DEPTH) foreignContext.pop();
    if (stack.length <= MAX_DEPTH) return;
    stack.pop();
    onForget();
  };
  parser.end(html);
}
