/**
 * Documents to try: small ones put together of tokens, and how pieces of them are repeated to make large
 * ones.
 */
import fc from 'fast-check';

/** `before`, `deep` 600 times, `piece` many times, `between`, `second` many times, `after`. */
export interface Recipe {
  readonly before: string;
  /** Repeated as often in documents of all sizes: elements that stay open, say. */
  readonly deep: string;
  /**
   * Repeated until the document has its size. The middle of its three parts is repeated `innerCount` times in
   * it.
   */
  readonly piece: readonly [start: string, inner: string, end: string];
  readonly innerCount: number;
  readonly between: string;
  /** Repeated as well; '' for none. */
  readonly second: string;
  /**
   * Whether `piece` and `second` are repeated equally often, as in nesting; else each has half of the bytes.
   */
  readonly isNested: boolean;
  readonly after: string;
  /** The number of larger sizes that are tried even if the smallest one is cheap. */
  readonly sizes: number;
  /** Whether the properties of the small document are checked. */
  readonly isChecked: boolean;
}

export interface Vocabulary {
  readonly tokens: readonly string[];
  /** Frames around a piece: `['<a href="', '">']`. */
  readonly frames?: readonly (readonly [open: string, close: string])[] | undefined;
  /** Tokens that may be open many times around a piece. */
  readonly nests?: readonly string[] | undefined;
  /**
   * Beginnings of frames that stand once in a document when the rest of the frame is repeated: `<urlset>`.
   */
  readonly roots?: readonly string[] | undefined;
}

/** In a token: the number of the repetition, and a character that differs in each. */
const NUMBER = '{#}';
const CHARACTER = '{u}';
/** How often what stays open is repeated. */
export const DEEP = 600;

/**
 * Tokens that have broken parsers of every kind: white space, separators, controls, wide characters, long
 * numbers.
 */
const COMMON_TOKENS: readonly string[] = [
  ...[' ', '\t', '\n', '\r', '\r\n', '\f', '\0', '\u00a0', '\u2028', '\u00ad', '\ufeff', '\ufffd'],
  ...[
    'a',
    'aaaaaaaa',
    'A',
    'x',
    '0',
    '1',
    '99999999999',
    '-1',
    '1e999',
    '.',
    ',',
    ';',
    ':',
    '/',
    '\\',
    '=',
    '&',
  ],
  ...[
    '"',
    "'",
    '(',
    ')',
    '<',
    '>',
    '[',
    ']',
    '{',
    '}',
    '#',
    '%',
    '%2',
    '%41',
    '*',
    '$',
    '^',
    '|',
    '~',
    '@',
    '!',
  ],
  ...[
    'ü',
    'ß',
    '\u0130',
    'é\u0301',
    '日本',
    '\ud83d\ude00',
    NUMBER,
    `a${NUMBER}`,
    CHARACTER,
    '__proto__',
    'toString',
  ],
];

export function recipes(words: Vocabulary, seeds: readonly string[] = []): fc.Arbitrary<Recipe> {
  const token = tokenOf(words, seeds);
  const few = (maxLength: number) =>
    fc.array(token, { maxLength, size: 'max' }).map((parts) => parts.join(''));
  const soup = fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    { weight: 2, arbitrary: few(8) },
    ...seeds.map((seed) => mutated(seed, token)),
  );
  const frame = fc.oneof(
    { weight: 1, arbitrary: fc.constant(['', ''] as const) },
    ...(words.frames ? [{ weight: 3, arbitrary: fc.constantFrom(...words.frames) }] : []),
  );
  const nest = words.nests ? fc.constantFrom('', '', ...words.nests) : fc.constant('');
  const one = fc.oneof({ weight: 3, arbitrary: token }, { weight: 1, arbitrary: few(3) });
  const piece = fc.oneof(
    { weight: 4, arbitrary: one.map((start) => [start, '', ''] as const) },
    { weight: 1, arbitrary: fc.tuple(few(2), one, few(2)) },
  );
  const optional = (text: fc.Arbitrary<string>) => fc.oneof(fc.constant(''), text);
  return fc
    .record({
      soup,
      frame,
      deep: nest,
      piece,
      innerCount: fc.constantFrom(60, 8, 300, 1000, 2000, 5000),
      // Many pieces that match, then one that does not: there an expression begins to backtrack.
      ending: optional(one),
      joint: optional(one),
      second: optional(one),
      isNested: fc.boolean(),
      after: optional(few(3)),
      sizes: fc.noBias(fc.nat(199)).map((n) => (n === 199 ? 4 : n > 194 ? 2 : n > 184 ? 1 : 0)),
      isChecked: fc.noBias(fc.nat(3)).map((n) => n === 3),
    })
    .map(({ soup: start, frame: [open, close], ending, joint, ...rest }) => ({
      ...rest,
      before: start + open,
      between: ending + close + joint,
    }));
}

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;
/**
 * Any character of Unicode. fast-check's own unit `binary` keeps a list of all of them, 90 MB, which each collection
 * of garbage that a measurement waits for would look through.
 */
const codePoint = fc
  .nat(0x10ffff - SURROGATES)
  .map((n) => String.fromCodePoint(n < FIRST_SURROGATE ? n : n + SURROGATES));

function tokenOf({ tokens }: Vocabulary, seeds: readonly string[]): fc.Arbitrary<string> {
  const ofSeeds = seeds.flatMap((seed) => seed.match(SEED_PARTS) ?? []);
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...tokens) },
    { weight: 6, arbitrary: fc.constantFrom(...COMMON_TOKENS) },
    { weight: 1, arbitrary: fc.string({ unit: codePoint, maxLength: 4 }) },
    ...(ofSeeds.length > 0 ? [{ weight: 1, arbitrary: fc.constantFrom(...ofSeeds) }] : []),
  );
}

/** A seed is cut into names, numbers, blanks and single characters. */
const SEED_PARTS = /[\w-]+|\s+|[^\w\s-]{1,2}/gu;

/** The seed with tokens put in at a few places, or instead of what stood there. */
function mutated(seed: string, token: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const parts = seed.match(SEED_PARTS) ?? [seed];
  const edit = fc.record({
    at: fc.nat(parts.length),
    removed: fc.nat(3),
    added: fc.array(token, { maxLength: 2 }),
  });
  return fc.array(edit, { maxLength: 4 }).map((edits) => {
    const result = [...parts];
    for (const { at, removed, added } of edits) result.splice(Math.min(at, result.length), removed, ...added);
    return result.join('');
  });
}

/** Each piece once. */
export function smallText({ before, deep, piece, between, second, after }: Recipe): string {
  return times([before, deep, ...piece, between, second, after].join(''), 1);
}

/** How many characters of its documents are not repeated more often in a larger one. */
export const fixedLength = ({ before, deep, between, after }: Recipe, depth = DEEP): number =>
  before.length + depth * deep.length + between.length + after.length;

/** The document with its repetitions, of about `length` characters. */
export function largeText(recipe: Recipe, length: number, depth = DEEP): string {
  const { before, deep, between, second, isNested, after, innerCount } = recipe;
  const [start, inner, end] = recipe.piece;
  const piece = start + (inner && times(inner, innerCount)) + end;
  const room = length - fixedLength(recipe, depth);
  const share =
    second === '' ? room : isNested ? (room * piece.length) / (piece.length + second.length) : room / 2;
  const repeated = filled(piece, share) + times(between, 1) + (second && filled(second, room - share));
  return times(before, 1) + times(deep, depth) + repeated + times(after, 1);
}

/** For people: the document, its repetitions in words. */
export function inWords({
  before,
  deep,
  piece,
  innerCount,
  between,
  second,
  isNested,
  after,
}: Recipe): string {
  const [start, inner, end] = piece;
  const repeated = [
    JSON.stringify(start),
    ...(inner ? [`${JSON.stringify(inner)} ${innerCount} times`, JSON.stringify(end)] : []),
  ];
  const parts = [
    JSON.stringify(before),
    deep && `${JSON.stringify(deep)} ${DEEP} times`,
    `(${repeated.join(', ')}) repeated`,
    between && JSON.stringify(between),
    second && `${JSON.stringify(second)} repeated${isNested ? ' as often' : ''}`,
    after && JSON.stringify(after),
  ];
  return parts.filter(Boolean).join(', ');
}

const filled = (piece: string, length: number): string =>
  times(piece, Math.max(1, Math.floor(length / Math.max(1, piece.length))));

function times(piece: string, count: number): string {
  if (!piece.includes(NUMBER) && !piece.includes(CHARACTER)) return piece.repeat(count);
  return Array.from({ length: count }, (_, i) =>
    piece
      .replaceAll(NUMBER, String(i))
      .replaceAll(CHARACTER, String.fromCharCode(0x4e00 + ((i * 7919) % 20_000))),
  ).join('');
}
