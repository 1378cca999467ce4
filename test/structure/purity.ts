import { importsOf } from './read-imports.ts';

/** The folder without input, output, clock, randomness or memory of its own: what its code needs are parameters. */
const PURE_FOLDER = 'shared/core/';

export const isPure = (file: string): boolean => file.startsWith(PURE_FOLDER);

/**
 * Packages that compute and do nothing else. `node:crypto` without its randomness, see {@link IMPURE_NAMES}.
 */
const PURE_PACKAGES = new Set([
  'entities',
  'entities/decode',
  'htmlparser2',
  'node:buffer',
  'node:crypto',
  'node:stream',
  // `setImmediate` alone: a long task lets others run.
  'node:timers/promises',
  'node:util',
  'node:zlib',
  'quick-lru',
  'tldts',
  'unpdf',
  'zod',
]);

const IMPURE_NAMES = /^(?:random|getRandom|setTimeout|setInterval|scheduler|webcrypto)/;

const IMPURE_CALLS: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/\bDate\.now\b|\bnew Date\(\s*\)|(?<!new )\bDate\(\s*\)/, 'the current time'],
  [/\bMath\.random\b|\bcrypto\.|\brandomUUID\b/, 'randomness'],
  [/\bperformance\.|\bsetTimeout\(|\bsetInterval\(/, 'a clock'],
  [/\bprocess\.|\bglobalThis\b/, 'the process'],
  [/\bsetFlagsFromString\b/, 'a flag of V8'],
];

/**
 * Matches state that may change after the module is loaded: a variable, or a collection that begins empty. A
 * constant made late is `lazy`.
 */
const MODULE_STATE =
  /^(?:export\s+)?(?:let\s+(\w+)|(?:const)\s+(\w+)(?::[^=]*)?\s*=\s*(?:new\s+(?:Weak)?(?:Map|Set)(?:<[^;]*>)?\(\s*\)|\[\]|\{\}|create\w+\())/gm;

/** Returns a sentence for each thing that a file of a pure folder must not do. */
export function impurities(file: string, text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(?<=^|\s)\/\/.*$/gm, '');
  const packages = importsOf(file, text).filter(
    ({ from, isType }) => !isType && !/^(?:shared|package\.json)\b/.test(from),
  );
  return [
    ...packages.filter(({ from }) => !PURE_PACKAGES.has(from)).map(({ from }) => `imports ${from}`),
    ...packages
      .flatMap(({ names }) => names.filter((name) => IMPURE_NAMES.test(name)))
      .map((name) => `imports ${name}`),
    ...IMPURE_CALLS.filter(([pattern]) => pattern.test(code)).map(([, what]) => `asks for ${what}`),
    ...[...code.matchAll(MODULE_STATE)].map(([, a, b]) => `keeps state in the module: ${a ?? b}`),
  ].map((what) => `${file} ${what}, and its folder is pure: take it as a parameter`);
}
