/** Collects the links and the metadata of an HTML document as its bytes arrive. */

import { searchWords } from '../url/search-words.ts';
import { charsetSniffing, xmlSniffing } from './charset.ts';
import { scanFrame, scanInner } from './frame-document.ts';
import { BlockHasher, type HashedBlocks } from './hashed-blocks.ts';
import {
  type CollectedLinks,
  type CollectorOptions,
  createCollector,
  MAX_TITLE_CHARS,
} from './html-link-collector.ts';
import { REQUISITE_ELEMENTS } from './html-requisites.ts';
import { createHtmlScanner, endOfText } from './html-scanner.ts';
import type { ResolveReference } from './link-set.ts';
import { essenceOf } from './media-type.ts';
import { createPageSigns, type PageSigns, SIGN_ELEMENTS } from './page-signs.ts';
import { resolverIn } from './query-charset.ts';
import { createTextDecoder } from './text-decoder.ts';
import { createTextHash, type TextHash } from './text-hash.ts';
import { XHTML_TYPE } from './type-of-xml.ts';
import { WantedElements } from './wanted-elements.ts';
import { type TextSink, withoutWords } from './without-words.ts';

export type { HtmlLink } from './link-set.ts';

export interface HtmlLinksOptions extends CollectorOptions {
  /** Absolute URL of the document. */
  readonly url: string;
  readonly contentType: string | undefined;
  /** It is XHTML, whatever `contentType` says; otherwise by that. */
  readonly isXml?: boolean;
  /**
   * How references become URLs. Called once for each distinct one, without its fragment, and with its query encoded in the
   * document's charset.
   */
  readonly resolve?: ResolveReference;
  readonly wantsTextHash?: boolean | undefined;
  /** `named`: words that begin with a letter count with their digits. */
  readonly wantsBlocks?: boolean | 'named' | undefined;
  readonly wantsSigns?: boolean | undefined;
}

export interface HtmlLinks extends CollectedLinks {
  readonly charset: string;
  /**
   * See `text-hash.ts`; of the title, of the text outside of scripts, styles, templates and form fields, and of images.
   */
  readonly textHash?: number;
  /** See `hashed-blocks.ts`; of the text that `textHash` is of. */
  readonly blocks?: HashedBlocks;
  readonly signs?: PageSigns;
}

export interface HtmlLinksParser {
  write(bytes: Uint8Array): void;
  end(): HtmlLinks;
}

/** The result does not depend on how the bytes are cut into pieces. */
export function createHtmlLinks(options: HtmlLinksOptions): HtmlLinksParser {
  const {
    url,
    contentType,
    isXml = essenceOf(contentType) === XHTML_TYPE,
    resolve,
    wantsRequisites = false,
    wantsTextHash = false,
  } = options;
  const collector = createCollector(options);
  const textHash = wantsTextHash ? createTextHash() : undefined;
  const hashed = textHash && withoutSearchWords(url, textHash);
  const signs = options.wantsSigns ? createPageSigns() : undefined;
  const blocks = options.wantsBlocks ? new BlockHasher(options.wantsBlocks === 'named') : undefined;
  const [plain, withSigns] = wantsRequisites
    ? ELEMENTS_AND_REQUISITES
    : textHash
      ? ELEMENTS_AND_IMAGES
      : ELEMENTS;
  const scanner = createHtmlScanner({
    elements: signs ? withSigns : plain,
    isXml,
    onStartTag(name, attributes) {
      signs?.startTag(name, attributes);
      if (name === 'img') textHash?.addName(imageName(attributes.get('src')));
      collector.startTag(name, attributes);
      if (name === 'iframe') scanFrame(attributes, plain, collector);
    },
    onForeignAnchor: collector.foreignAnchor,
    onNoscriptEnd: collector.endNoscript,
    onNoframes: (html) => scanInner(html, plain, collector),
    onTitle: (text) => {
      collector.title(text);
      const length = Math.min(text.length, MAX_TITLE_CHARS);
      hashed?.add(text, 0, length);
      hashed?.endRun();
      blocks?.add(text, 0, length);
      blocks?.endBlock();
    },
    onBlockTag: blocks && (() => blocks.endBlock()),
    styles: collector.styles,
    readText:
      signs || hashed || blocks
        ? (text, from) => {
            const to = blocks ? blocks.addUpToTag(text, from) : endOfText(text, from);
            signs?.text(text, from, to);
            hashed?.add(text, from, to);
            // A tag follows.
            if (to < text.length) hashed?.endRun();
            return to;
          }
        : undefined,
  });
  const decoder = createTextDecoder({
    ...(isXml ? xmlSniffing(contentType) : charsetSniffing(contentType)),
    onText: scanner.write,
  });

  return {
    write: decoder.write,
    end() {
      const charset = decoder.end();
      scanner.end();
      hashed?.endRun();
      return {
        ...collector.resolved(url, charset, resolverIn(charset, resolve)),
        charset,
        textHash: textHash?.value(),
        blocks: blocks?.blocks(),
        signs: signs?.signs(),
      };
    },
  };
}

/** A page of search results repeats the words of the search: they do not count. */
function withoutSearchWords(url: string, textHash: TextHash): TextSink {
  const words = searchWords(url);
  return words.size === 0 ? textHash : withoutWords(words, textHash);
}

type Elements = readonly [plain: WantedElements, withSigns: WantedElements];

const elementSets = (names: readonly string[]): Elements => [
  new WantedElements(names),
  new WantedElements([...names, ...SIGN_ELEMENTS]),
];

const LINK_ELEMENTS = [
  'a',
  'area',
  'base',
  'body',
  'embed',
  'frame',
  'iframe',
  'link',
  'meta',
  'noscript',
  'object',
];
const ELEMENTS = elementSets(LINK_ELEMENTS);
const ELEMENTS_AND_IMAGES = elementSets([...LINK_ELEMENTS, 'img']);
const ELEMENTS_AND_REQUISITES = elementSets([...LINK_ELEMENTS, ...REQUISITE_ELEMENTS]);

/** Which image it is: without a query, as a counter of visits has another one each time. */
function imageName(source = ''): string {
  const end = source.search(/[?#]/);
  return source.slice(0, Math.min(end < 0 ? source.length : end, MAX_IMAGE_CHARS));
}

const MAX_IMAGE_CHARS = 500;
