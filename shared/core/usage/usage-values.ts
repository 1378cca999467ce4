/** Reads the values of Content-Usage and Content-Signal into one form for equal statements. */

/** Labels that are always kept. Of others few are, so that hostile values stay small. */
const KNOWN = /^(?:search|ai-input|train-ai|ai-train|use)$/;
const MAX_OTHERS = 16;
const MAX_LABEL = 64;
/** A longer value of Content-Usage counts as one that cannot be read. */
const MAX_CHARS = 65_536;

const KEY = /[a-z*][a-z0-9_\-.*]*/y;
/** Bare items of RFC 9651, section 3.3, numbers and strings by their lengths and characters. */
const ITEM =
  /[A-Za-z*][\w!#$%&'*+\-.^`|~:/]*|"(?:[ !#-[\]-~]|\\["\\])*"|-?(?:\d{1,12}\.\d{1,3}|\d{1,15})(?![\d.])|:[A-Za-z\d+/=]*:|\?[01]|@-?\d{1,15}(?![\d.])|%"(?:[ !#$&-~]|%[\da-f]{2})*"/y;
const SPACES = / */y;
const BLANKS = /[ \t]*/y;

/**
 * Reads a value of Content-Usage, a Dictionary (RFC 9651, section 4.2.2), by the rules of
 * draft-ietf-aipref-vocab, section 6: labels whose value is the Token `y` or `n`, whatever its parameters;
 * other members say nothing, nor does a value that is not a Dictionary. Returns `search=y, train-ai=n`, sorted,
 * or ''. `text`: one character an octet.
 */
export function readContentUsage(text: string): string {
  return usageText(text.length > MAX_CHARS ? [] : (dictionaryOf(text) ?? []));
}

/** Reads a value of Content-Signal: `search=yes, ai-train=no`; names without regard to case. */
export function readContentSignal(text: string): string {
  const members = new Map<string, string>();
  for (const part of text.slice(0, MAX_CHARS).toLowerCase().split(',')) {
    const [, name = '', value = ''] = /^[ \t]*([a-z-]+)[ \t]*=[ \t]*([a-z]+)[ \t]*$/.exec(part) ?? [];
    const isValid = name === 'use' ? /^(?:immediate|reference|full)$/ : /^(?:yes|no)$/;
    if (KNOWN.test(name) && isValid.test(value) && members.get(name) !== 'no') members.set(name, value);
  }
  return usageText(members);
}

/** Two texts of one signal as one: what either forbids is forbidden. */
export function combinedValue(one: string, other: string): string {
  const members = new Map<string, string>();
  for (const member of one === other ? [one] : [one, other]) {
    for (const part of member === '' ? [] : member.split(', ')) {
      const [name = '', value = ''] = part.split('=');
      if (!members.get(name)?.startsWith('n')) members.set(name, value);
    }
  }
  return usageText(members);
}

function usageText(members: Iterable<readonly [label: string, value: string]>): string {
  let others = 0;
  return [...members]
    .filter(([label]) => KNOWN.test(label) || (label.length <= MAX_LABEL && others++ < MAX_OTHERS))
    .map(([label, value]) => `${label}=${value}`)
    .sort()
    .join(', ');
}

/** The members whose value is `y` or `n`; undefined where the text is not a Dictionary. */
function dictionaryOf(text: string): Map<string, string> | undefined {
  const members = new Map<string, string>();
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  const takes = (character: string): boolean => text[at] === character && ++at > 0;
  const parameters = (): boolean => {
    while (takes(';')) {
      take(SPACES);
      if (take(KEY) === undefined || (takes('=') && take(ITEM) === undefined)) return false;
    }
    return true;
  };
  const innerList = (): boolean => {
    for (;;) {
      const spaces = take(SPACES);
      if (takes(')')) return true;
      if (spaces === '' && text[at - 1] !== '(') return false;
      if (take(ITEM) === undefined || !parameters()) return false;
    }
  };

  take(SPACES);
  while (at < text.length) {
    const key = take(KEY);
    if (key === undefined) return undefined;
    let value: string | undefined;
    if (takes('=')) {
      const isList = takes('(');
      value = isList ? undefined : take(ITEM);
      if (isList ? !innerList() : value === undefined) return undefined;
    }
    if (!parameters()) return undefined;
    // The last of several counts (RFC 9651, section 4.2.2).
    members.delete(key);
    if (value === 'y' || value === 'n') members.set(key, value);
    const blanks = take(BLANKS);
    if (at === text.length) return blanks?.includes('\t') ? undefined : members;
    if (!takes(',')) return undefined;
    take(BLANKS);
    if (at === text.length) return undefined;
  }
  return members;
}
