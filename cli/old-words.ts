/** Words that commands had before. They work, and the new ones are named. */
const OLD_VERBS: ReadonlyMap<string, readonly [verb: string, option: string]> = new Map([
  ['watch', ['status', '--watch']],
  ['exports', ['export', '--list']],
]);

/** The old word of the option that `crawl` and `resume` have. */
const OLD_OPTION = /^--save(?==|$)/;

export interface NewWords {
  readonly words: readonly string[];
  /** Says the new words, for standard error; none: all words are new. */
  readonly note?: string;
}

export function newWords(words: readonly string[]): NewWords {
  const [first = '', ...rest] = words;
  const now = OLD_VERBS.get(first);
  if (now) return { words: [...now, ...rest], note: `${first} is ${now.join(' ')} now` };
  const end = rest.indexOf('--');
  const isOld = (word: string, at: number) => OLD_OPTION.test(word) && (end < 0 || at < end);
  if ((first !== 'crawl' && first !== 'resume') || !rest.some(isOld)) return { words };
  const replaced = rest.map((word, at) => (isOld(word, at) ? word.replace(OLD_OPTION, '--mirror') : word));
  return { words: [first, ...replaced], note: '--save FOLDER is --mirror FOLDER now' };
}
