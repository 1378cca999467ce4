/** Words of a private dialect that were replaced by the terms of the field. A newcomer would have to learn them. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = 'api,bench,cdk,cli,docs,examples,functions,packaging,shared,simulation,test';

/** Each with what to write instead. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bwhoever\b/i, 'the caller, the process, the reader'],
  [/\banew\b/i, 'again'],
  [/\bin peace\b/i, 'gracefully, to its end'],
  [/\bguilty\b|\bacquit/i, 'the terms of quarantine'],
  [/\blast deed\b/i, 'the last request'],
  [/\bhears\b/i, 'is called with, receives'],
  [/\bcrew\b|Crew\b/, 'WorkerPool'],
  [/\bHappening\b/, 'Event'],
  [/\bToldSettings\b|\basWhatItIs\b|\bMAX_UNASKED\b|\bleastRoom\b|\bMOST\b/, 'a name that says what it is'],
  [/\bnobody can tell\b/i, 'unknown'],
  [/\b(?:told|tells?|telling)\b/i, 'reports, says, shows, distinguishes'],
  [/\bso many\b/i, 'this number of, enough, at most'],
  [/\bfor good\b/i, 'finally, permanently'],
  [/\bwhichever\b/i, 'any, all, the larger one'],
  [/\band the like\b/i, 'a list that is complete, or similar ones'],
  [/\bdear(?:er|ly)?\b/i, 'expensive'],
  [/\bdeeds?\b/i, 'request, call'],
  [/\bmend(?:s|ed|ing)?\b/i, 'repair, fix, correct'],
  [/\b[wt]hence\b/i, 'from where'],
  [/\bhappenings?\b/i, 'event'],
  [/\bfates?\b|Fate\b|FATES\b/i, 'result, kind, outcome'],
];

const files = globSync([`{${FOLDERS}}/**/*.{ts,md}`, '*.md'], {
  cwd: ROOT,
  exclude: ['**/node_modules/**', 'CHANGELOG.md', 'test/docs/plain-words.test.ts'],
});

test.each(WORDS)('no file says %s: write %s', (word) => {
  expect(files.length).toBeGreaterThan(1000);
  const found = files.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, i) => (word.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});

/** Comments there are sentences that begin with their subject. */
const WRITTEN = 'api,bench,cdk,cli,examples,functions,packaging,shared,simulation,templates,test';

test.each([
  ['Of', /^\s*(?:\/\/|\/?\*+) Of /gm],
  // The first word of a doc comment, or of a comment in one line.
  ['What', /\/\*\*\s+(?:\*\s+)?What |^\s*\/\/ What [^\n]*\n(?!\s*\/\/)/gm],
])('no comment begins with "%s": it says what the thing is', (_, beginning) => {
  const sources = globSync(`{${WRITTEN}}/**/*.ts`, { cwd: ROOT, exclude: ['**/node_modules/**'] });
  expect(sources.length).toBeGreaterThan(400);
  const found = sources.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return [...text.matchAll(beginning)].map(({ index }) => {
      const line = text.slice(0, index).split('\n').length;
      return `${file}:${line}: ${text.slice(index).trimStart().slice(0, 100)}`;
    });
  });
  expect(found).toEqual([]);
});

/** The comments of a source: blocks, and lines that follow each other, as one text each. */
function commentsOf(source: string): string[] {
  const comments = source.matchAll(/\/\*[\s\S]*?\*\/|^[ \t]*\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/gm);
  return [...comments].map(([comment]) =>
    comment
      .replace(/^\s*\/\*+\s*|\s*\*\/$/g, '')
      .replace(/(?:^|\n)[ \t]*(?:\*|\/\/) ?/g, ' ')
      .trim(),
  );
}

/** Folders without any such sentence. */
const CLEAN = '{api,cdk,functions,shared}';
const TESTS = '{bench,simulation,test}';

/** How many `cli` and the tests still have. They can only become fewer: lower a number when you correct some. */
const HABITS: readonly (readonly [name: string, pattern: RegExp, inCli: number, inTests: number])[] = [
  ['a sentence begins with "Those": name the things', /(?:^|[.!?)] )Those\b/g, 0, 46],
  ['a sentence begins with "The same": name the thing', /(?:^|[.!?)] )The same (?!functions)/g, 0, 38],
  ['a sentence begins with "One": name the thing', /(?:^|[.!?)] )One\b/g, 0, 103],
  ['a sentence begins with "None": name the thing', /(?:^|[.!?)] )None\b/g, 0, 14],
  // "there is no", "is no longer", "is no more than" and "is no one" are right.
  [
    '"is no" stands for "is not a"',
    /(?<!\bthere )\b(?:is|are|was|were|be) no (?!longer|more|one\b|doubt|less|fewer|larger)[a-z]+/gi,
    0,
    67,
  ],
  ['"takes the place of" stands for "replaces"', /\b(?:takes?|took) the place of\b/g, 0, 3],
  ['"may be asked" stands for "may be requested"', /\bmay (?:not )?be asked\b/g, 1, 6],
];

test.each(HABITS)('in no comment %s', (_, pattern, inCli, inTests) => {
  const foundIn = (folders: string): string[] =>
    globSync(`${folders}/**/*.ts`, { cwd: ROOT }).flatMap((file) =>
      commentsOf(readFileSync(join(ROOT, file), 'utf8')).flatMap((comment) =>
        [...comment.matchAll(pattern)].map(({ index }) => `${file}: ${comment.slice(index, index + 100)}`),
      ),
    );
  expect(foundIn(CLEAN)).toEqual([]);
  expect(foundIn('cli').length).toBeLessThanOrEqual(inCli);
  expect(foundIn(TESTS).length).toBeLessThanOrEqual(inTests);
});
