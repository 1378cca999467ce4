/**
 * The n-grams of eld, read from the text of their module as they are asked for. All 50,000 of them as objects take 0.1 s of
 * CPU and 40 MB of memory, and a page has a hundred.
 */

/** The data that `loadData` of eld takes. */
export interface LanguageData {
  readonly type: string;
  /** Codes of languages by their numbers. */
  readonly languages: Readonly<Record<string, string>>;
  /** By n-gram, then by the number of a language: its score. */
  readonly ngrams: Readonly<Record<string, Readonly<Record<string, number>> | undefined>>;
}

/** `text`: a module whose last value is `{type:'...',languages:{0:'am',...},...,ngrams:{'abc':{0:176,...},...}}`. */
export function readLanguageData(text: string): LanguageData {
  // linear: the text is a file of a package
  const [, type, languages = ''] = /\{type:'(\w+)',languages:\{([^}]*)\}/.exec(text) ?? [];
  const start = text.indexOf('ngrams:{');
  if (type === undefined || start === -1) throw new Error('Expected the n-grams of eld');
  // linear: the text is a file of a package
  const codes = [...languages.matchAll(/(\d+):'([\w-]+)'/g)].map(([, id, code]) => [id, code]);
  return { type, languages: Object.fromEntries(codes), ngrams: lazyNgrams(text, start + 'ngrams:{'.length) };
}

function lazyNgrams(text: string, start: number): LanguageData['ngrams'] {
  const found: Map<string, number | Readonly<Record<string, number>>> = placesOf(text, start);
  return new Proxy(Object.create(null), {
    get(_, ngram: string) {
      const place = found.get(ngram);
      if (typeof place !== 'number') return place;
      const scores = scoresAt(text, place);
      found.set(ngram, scores);
      return scores;
    },
  });
}

/** Where the scores of each n-gram begin. */
function placesOf(text: string, start: number): Map<string, number> {
  const places = new Map<string, number>();
  for (let at = start, close = 0; ; at = close + 2) {
    const quote = text[at];
    const isQuoted = quote === "'" || quote === '"';
    const from = isQuoted ? at + 1 : at;
    const end = text.indexOf(isQuoted ? `${quote}:{` : ':{', from);
    const open = end + (isQuoted ? 3 : 2);
    close = end === -1 ? -1 : text.indexOf('}', open);
    if (close === -1) throw new Error(`Expected an n-gram of eld at ${at}`);
    const name = text.slice(from, end);
    places.set(name.includes('\\') ? name.replaceAll(/\\(.)/g, '$1') : name, open);
    if (text[close + 1] !== ',') return places;
  }
}

function scoresAt(text: string, place: number): Record<string, number> {
  const scores: Record<string, number> = {};
  for (const pair of text.slice(place, text.indexOf('}', place)).split(',')) {
    const [language = '', score] = pair.split(':');
    scores[language] = Number(score);
  }
  return scores;
}
