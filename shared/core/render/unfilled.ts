/** Signs in the markup of a page that its scripts fill it. */

export interface MarkupFacts {
  /** Characters of visible text other than white space, as far as they were counted. */
  readonly textChars: number;
  /** Links to other pages of the host. */
  readonly ownLinks: number;
}

/** A page with less text may be the frame of one, or "You need to enable JavaScript to run this app". */
const BLANK_CHARS = 200;
const SHORT_CHARS = 600;
/** Characters of the markup that are searched. */
const MAX_CHARS = 262_144;

/** Elements that frameworks fill: by their usual ids, or an element of the page's own (`<app-root>`). */
const MOUNT = /<(?:(?:div|main|body|section)\s[^<>]*|[a-z]{1,30}-[a-z-]{1,30}(?:\s[^<>]*)?)>/gi;
const MOUNT_ID =
  /\sid=["']?(?:root|app|__next|__nuxt|svelte|___gatsby|q-app|main-app|swagger-ui|ember-app)["'\s>]/i;
const IS_EMPTY = /^(?:\s|<!--[^<>]*-->)*<\//;
const LOADING = />\s{0,50}(?:loading|please wait)(?:\.{1,3}|\u2026)?\s{0,50}</i;
const MAX_TAG_CHARS = 300;
const MAX_NOSCRIPT_CHARS = 2000;
/** Elements without a text, as in frames of lists. */
const MAX_MAIN_CHARS = 4000;
const TAG = /<[^<>]*>/g;

/** Returns whether the page has a sign that its scripts fill it. A sign proves nothing: it costs a trial. */
export function isUnfilled(markup: string, { textChars, ownLinks }: MarkupFacts): boolean {
  // A menu alone is not the page.
  if (ownLinks === 0 || textChars < BLANK_CHARS) return true;
  const head = markup.slice(0, MAX_CHARS);
  if (LOADING.test(head) || hasEmptyMain(head)) return true;
  return textChars < SHORT_CHARS && (hasEmptyMount(head) || asksForJavaScript(head));
}

function hasEmptyMount(markup: string): boolean {
  for (const { 0: tag, index } of markup.matchAll(MOUNT)) {
    const isOwn = !/^<(?:div|main|body|section)\s/i.test(tag);
    if (!isOwn && !MOUNT_ID.test(tag.slice(0, MAX_TAG_CHARS))) continue;
    const from = index + tag.length;
    if (IS_EMPTY.test(markup.slice(from, from + MAX_TAG_CHARS))) return true;
  }
  return false;
}

/** Whether a header, a menu and a footer stand around a place of the content that has no text. */
function hasEmptyMain(markup: string): boolean {
  const from = /<main[\s>]/i.exec(markup)?.index ?? -1;
  const within = from < 0 ? '' : markup.slice(from, from + MAX_MAIN_CHARS);
  const end = within.search(/<\/main/i);
  return end > 0 && within.slice(0, end).replace(TAG, '').trim() === '';
}

function asksForJavaScript(markup: string): boolean {
  const lower = markup.toLowerCase();
  const from = lower.indexOf('<noscript');
  return (
    from >= 0 &&
    lower
      .slice(from, from + MAX_NOSCRIPT_CHARS)
      .split('</noscript', 1)[0]!
      .includes('javascript')
  );
}
