import { withoutFragment } from '../../core/parser/link-set.ts';
import { PAGE_LIMITS } from '../../core/render/page-limits.ts';
import type { Rendering, RenderJob } from '../ports/renderer.ts';
import { type Connection, LargeAnswer, RefusedCommand } from './connection.ts';
import { WRITE_STYLES } from './written-styles.ts';

/** A page as it is rendered. */
interface PageFacts {
  readonly elements: number;
  /** Characters of all text, and of that which is shown. */
  readonly chars: number;
  readonly textChars: number;
  /** The URL by which relative links are resolved, if no element of the page says so. Empty if one does. */
  readonly base: string;
}

/** Reads a page in a world of its own: what the page does to the objects of its scripts does not matter here. */
export interface PageReader {
  facts(): Promise<PageFacts>;
  links(): Promise<readonly string[]>;
  /** Runs an expression, as if a person had caused it. Undefined: it did not end, and was ended. */
  run<T>(expression: string): Promise<T | undefined>;
  /** The document with its shadow roots, closed ones too, as declarative templates. `tooLarge`: it is more than the browser may send. */
  html(): Promise<string | 'tooLarge'>;
  picture(): Promise<Uint8Array>;
}

const READ_MS = 15_000;

/** Copies no text: there may be very much of it. */
const FACTS = `(() => {
  let textChars = 0;
  let chars = 0;
  const texts = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentNode } = texts.currentNode;
    chars += data.length;
    if (!/^(?:script|style|noscript|template|title)$/i.test(parentNode.nodeName) && data.length < 1e6) textChars += data.trim().length;
  }
  return {
    elements: document.getElementsByTagName('*').length,
    chars,
    textChars,
    base: document.querySelector('base[href]') ? '' : document.baseURI,
  };
})()`;

/** Links in shadow roots that are open, too, and in frames that the page has filled itself. */
const linksScript = (limit: number) => `(() => {
  const found = new Set();
  const roots = [document];
  for (let root = roots.pop(); root && found.size < ${limit}; root = roots.pop()) {
    for (const a of root.querySelectorAll('a[href], area[href]')) if (found.size < ${limit} && typeof a.href === 'string') found.add(a.href);
    for (const e of root.querySelectorAll('*')) if (e.shadowRoot) roots.push(e.shadowRoot);
    for (const { contentDocument: own } of root.querySelectorAll('iframe')) if (/^about:/.test(own?.URL)) roots.push(own);
  }
  return [...found];
})()`;

export function createReader(
  connection: Connection,
  {
    session,
    frameId,
    links: limit,
  }: { readonly session: string; readonly frameId: string; readonly links: number },
): PageReader {
  const send = <T>(method: string, params?: object) =>
    connection.send<T>(method, params, { session, ms: READ_MS });

  async function run<T>(expression: string): Promise<T> {
    const { executionContextId: contextId } = await send<{ executionContextId: number }>(
      'Page.createIsolatedWorld',
      { frameId, worldName: 'strand' },
    );
    const { result } = await send<{ result: { value: T } }>('Runtime.evaluate', {
      expression,
      contextId,
      returnByValue: true,
      awaitPromise: true,
      userGesture: true,
    });
    return result.value;
  }

  return {
    async run<T>(expression: string) {
      try {
        return await run<T>(expression);
      } catch (error) {
        if (error instanceof RefusedCommand && error.method === 'Runtime.evaluate') return undefined;
        throw error;
      }
    },
    facts: () => run<PageFacts>(FACTS),
    links: async () => (await run<string[] | undefined>(linksScript(limit))) ?? [],
    async html() {
      const { root } = await send<{ root: { backendNodeId: number } }>('DOM.getDocument', { depth: 0 });
      try {
        const { outerHTML } = await send<{ outerHTML: string }>('DOM.getOuterHTML', {
          backendNodeId: root.backendNodeId,
          includeShadowDOM: true,
        });
        return outerHTML;
      } catch (error) {
        if (error instanceof LargeAnswer) return 'tooLarge';
        throw error;
      }
    },
    picture: async () =>
      Buffer.from((await send<{ data: string }>('Page.captureScreenshot', { format: 'png' })).data, 'base64'),
  };
}

/** Reads the document, if it is not too large. */
export async function readPage(
  reader: PageReader,
  { limits, url, writesStyles = false }: RenderJob,
): Promise<Pick<Rendering, 'state' | 'html' | 'detail'>> {
  const { elements, chars, base } = await reader.facts();
  if (elements > PAGE_LIMITS.elements) return tooLarge(`it has ${elements} elements`);
  if (writesStyles) await reader.run(WRITE_STYLES);
  const html = chars > limits.htmlBytes ? 'tooLarge' : await reader.html();
  if (html === 'tooLarge' || Buffer.byteLength(html) > limits.htmlBytes)
    return tooLarge(`it has more than ${limits.htmlBytes} bytes`);
  return { state: 'rendered', html: withBase(html, base, url) };
}

const tooLarge = (detail: string) => ({ state: 'tooLarge', detail }) as const;

/** A page that has changed its own URL resolves its links by that one. */
function withBase(html: string, base: string, url: string): string {
  if (base === '' || withoutFragment(base) === withoutFragment(new URL(url).href)) return html;
  const at = html.indexOf('>', html.indexOf('<head')) + 1;
  const href = base.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `${html.slice(0, at)}<base href="${href}">${html.slice(at)}`;
}
