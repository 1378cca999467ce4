/**
 * Causes as they are stored. Earlier versions stored sentences: each one that has a code is read
 * as its cause, each other one as `other`. The sentence of what was read is the sentence that was stored.
 */
import { type Cause, PAGE_STEPS, type PageStep } from './cause.ts';
import { CAUSE_CODES, causeText, DUPLICATE_WORDS, SOFT_WORDS, STEP_WORDS } from './cause-text.ts';

const CODES: ReadonlySet<string> = new Set(CAUSE_CODES);

/** As one line of JSON. */
export const encodeCause = (cause: Cause): string => JSON.stringify(cause);

/** Reads what {@link encodeCause} or an earlier version wrote. Never fails. */
export function decodeCause(text: string): Cause {
  if (!text.startsWith('{"code":"')) return causeOfSentence(text);
  try {
    return knownCause(JSON.parse(text));
  } catch {
    return { code: 'other', text };
  }
}

/** A cause in a stored object: of this version, or a sentence of an earlier one. */
export function storedCause(stored: Cause | string): Cause {
  return typeof stored === 'string' ? causeOfSentence(stored) : knownCause(stored);
}

/** The cause that is stored for a URL. */
export interface ResultCause {
  readonly cause?: Cause;
  /** Earlier versions say it in the cause. */
  readonly duplicateOf?: string;
}

/** Reads the stored cause of a URL's result. */
export function decodeResultCause(text: string): ResultCause {
  const cause = decodeCause(text);
  if (cause.code === 'other') return duplicateIn(cause.text) ?? { cause };
  if (cause.code !== 'linksDropped' || cause.besides?.code !== 'other') return { cause };
  const duplicate = duplicateIn(cause.besides.text);
  if (!duplicate) return { cause };
  const { besides: _, ...dropped } = cause;
  return { cause: dropped, ...duplicate };
}

function duplicateIn(text: string): ResultCause | undefined {
  if (text.length > CUT_CHARS || !text.startsWith(DUPLICATE_WORDS)) return undefined;
  return { duplicateOf: text.slice(DUPLICATE_WORDS.length) };
}

/** A later version may know more codes. */
const knownCause = (cause: Cause): Cause =>
  CODES.has(cause.code) ? cause : { code: 'other', text: JSON.stringify(cause) };

const stepOf = (words: string | undefined): PageStep | undefined =>
  PAGE_STEPS.find((step) => STEP_WORDS[step] === words);

/** Sentences that never differ. */
const CONSTANT: ReadonlyMap<string, Cause> = new Map(
  (
    [
      { code: 'redirectWithoutLocation' },
      { code: 'noindex' },
      { code: 'needsJavaScript' },
      { code: 'loginPage' },
      { code: 'robotsDenied' },
      { code: 'robotsRedirectsTooSlow' },
      { code: 'crawlNotRunning' },
      { code: 'hostFailed' },
      { code: 'ownRequest' },
      { code: 'bodyBrokeOff', truncated: 'time' },
      { code: 'bodyBrokeOff', truncated: 'disconnect' },
      { code: 'robotsBrokeOff', truncated: 'time' },
      { code: 'robotsBrokeOff', truncated: 'disconnect' },
    ] as const
  ).map((cause) => [causeText(cause), cause]),
);

type Groups = readonly (string | undefined)[];

/** Sentences with parts that differ, the more special first. */
const PATTERNS: readonly (readonly [pattern: RegExp, read: (groups: Groups) => Cause | undefined])[] = [
  [/^HTTP (\d{3})$/, ([httpStatus]) => ({ code: 'httpStatus', httpStatus: Number(httpStatus) })],
  [
    /^robots\.txt, line (\d{1,9}): Disallow: (.*)$/s,
    ([line, pattern]) => ({ code: 'robotsDenied', line: Number(line), pattern: pattern! }),
  ],
  [
    /^robots\.txt: the server answered HTTP (\d{1,9})$/,
    ([httpStatus]) => ({ code: 'robotsStatus', httpStatus: Number(httpStatus) }),
  ],
  [/^robots\.txt: it redirects to (\S+), which cannot be had$/, ([to]) => ({ code: 'robotsMoved', to: to! })],
  [/^robots\.txt: (.+)$/s, ([detail]) => ({ code: 'robotsFailed', detail: detail! })],
  [
    /^the worker died (\d{1,9}) times when it fetched (this|its robots\.txt)$/,
    ([times, what]) => ({
      code: 'workerDied',
      times: Number(times),
      at: what === 'this' ? 'page' : 'robots',
    }),
  ],
  [
    /^(it )?blocked its thread for (\d{1,9}) s (.+)$/,
    ([it, seconds, words]) => {
      const step = stepOf(words);
      const code = it === undefined ? 'threadBlocked' : 'robotsBlockedThread';
      return step && { code, ms: 1000 * Number(seconds), step };
    },
  ],
  [
    /^(\d{1,9}) of its pages blocked their thread; the last one blocked its thread for (\d{1,9}) s (.+)$/,
    ([pages, seconds, words]) => {
      const step = stepOf(words);
      return step && { code: 'pagesBlockedThread', pages: Number(pages), ms: 1000 * Number(seconds), step };
    },
  ],
  [
    /^a trap: the last pages with URLs like (.+) brought nothing new \(--trap-after-pages 0 fetches them\)$/,
    ([group]) => ({ code: 'trap', kind: 'template', group: group! }),
  ],
  [
    /^a trap: combinations of parameters at (.+) brought no new pages \(--trap-after-pages 0 fetches them\)$/,
    ([group]) => ({ code: 'trap', kind: 'combinations', group: group! }),
  ],
  [
    /^a trap: the folder (.+) gives the same pages under ever new paths \(--trap-after-pages 0 fetches them\)$/,
    ([group]) => ({ code: 'trap', kind: 'folder', group: group! }),
  ],
  [
    /^to (.{0,200}), which is no http\(s\) URL$/s,
    ([location]) => ({ code: 'redirectToNoUrl', location: location! }),
  ],
];

/** Earlier versions truncated a sentence after this number of characters, perhaps within a URL. */
const CUT_CHARS = 2500;

function causeOfSentence(text: string): Cause {
  const cause = text.length > CUT_CHARS ? undefined : wholeSentence(text);
  return cause ?? { code: 'other', text };
}

function wholeSentence(text: string): Cause | undefined {
  const constant = CONSTANT.get(text);
  if (constant) return constant;
  for (const [pattern, read] of PATTERNS) {
    const match = pattern.exec(text);
    const cause = match && read(match.slice(1));
    if (cause && isSaidBy(cause, text)) return cause;
  }
  return [redirectOf(text), droppedOf(text)].find((cause) => cause && isSaidBy(cause, text));
}

/** A cause that does not give the sentence back is not the one that was stored. */
const isSaidBy = (cause: Cause, text: string): boolean => causeText(cause) === text;

/** `to <URL>`, and what was made of that. */
function redirectOf(text: string): Cause | undefined {
  const isSoft = text.endsWith(SOFT_WORDS);
  const plain = isSoft ? text.slice(0, -SOFT_WORDS.length) : text;
  const match = /^to (https?:\/\/[^\s,]{1,2500}(?:,[^\s,]{1,2500}){0,100})(,? .{0,200})?$/.exec(plain);
  if (!match) return undefined;
  const [, to, rest = ''] = match;
  const redirect = { code: 'redirect', to: to!, ...(isSoft && { isSoft }) } as const;
  const count = /^, not followed: (\d{1,9}) redirects in a row$/.exec(rest)?.[1];
  const candidates: Cause[] = [
    redirect,
    { ...redirect, joins: true },
    { ...redirect, notFollowed: 'redirects', redirects: Number(count) },
    { ...redirect, notFollowed: 'scopeFull' },
    { ...redirect, notFollowed: 'otherSite' },
  ];
  return candidates.find((cause) => causeText(cause) === text);
}

/** `5 links left out: more than 3 links; noindex`. */
function droppedOf(text: string): Cause | undefined {
  const match = /^(\d{1,15}) links? left out: ([^;]{1,500})(?:; (.+))?$/s.exec(text);
  if (!match) return undefined;
  const [, links, detail, rest] = match;
  const besides = rest === undefined ? undefined : causeOfSentence(rest);
  return { code: 'linksDropped', links: Number(links), detail: detail!, ...(besides && { besides }) };
}
