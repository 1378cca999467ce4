/** The features of a block of text, by name. */
import { AROUND } from './element-facts.ts';
import { SIGNS } from './signs.ts';

export const OWN_TAGS = [
  'p',
  'li',
  'div',
  'td',
  'th',
  'span',
  'a',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'pre',
  'dt',
  'dd',
  'figcaption',
  'label',
  'blockquote',
  'section',
];
/** Elements around a block, each holding more than the one before. */
export const LEVELS = 4;
export const NEIGHBOURS = [-1, -2, 1, 2];
export const FEATURES: readonly string[] = [
  ...[
    'words',
    'chars',
    'linkShare',
    'sentences',
    'commas',
    'digitShare',
    'capitalShare',
    'wordLength',
    'endsSentence',
  ],
  ...OWN_TAGS.map((name) => `is-${name}`),
  ...AROUND.map((name) => `in-${name}`),
  ...SIGNS.map((name) => `near-${name}`),
  ...SIGNS.map((name) => `any-${name}`),
  ...[
    'depth',
    'place',
    'wordPlace',
    'hasH1',
    'blocksAfterH1',
    'wordsAfterH1',
    'sinceHeading',
    'headingsBefore',
  ],
  ...Array.from({ length: LEVELS }, (_, i) =>
    ['words', 'linkShare', 'blocks', 'longShare', 'share'].map((name) => `${name}-${i}`),
  ).flat(),
  ...['siblings', 'alikeBlocks', 'alikeWords', 'alikeLinkShare', 'alikeMean', 'alikeLongShare'],
  ...['inBest', 'bestShare', 'toBest', 'inMain', 'hasMain', 'articles'],
  ...NEIGHBOURS.flatMap((step) => ['words', 'linkShare', 'long', 'alike'].map((name) => `${name}@${step}`)),
  ...[
    'windowWords',
    'windowLinkShare',
    'pageWords',
    'pageBlocks',
    'pageLinkShare',
    'pageLongShare',
    'pageLong',
  ],
  ...[
    'repeats',
    'titleShare',
    'dataShare',
    'hasData',
    'isArticle',
    'isProduct',
    'isForum',
    'dataShareOf',
    'dataShareAround',
  ],
  ...['best', 'title'].flatMap((from) =>
    ['depth', 'words', 'linkShare', 'blocks', 'longShare', 'aroundWords'].map(
      (name) => `${name}-from-${from}`,
    ),
  ),
  ...['hasTitle', 'toTitle', 'codeShare', 'pageCode', 'pageTerms', 'pageCells'],
];
