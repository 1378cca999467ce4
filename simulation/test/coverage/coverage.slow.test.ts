/**
 * The coverage of the simulation: which blocks a source has, and which of them count as reached, missed or
 * accepted.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { UsageError } from '../../../cli/usage-error.ts';
import { type Block, findBlocks } from '../../coverage/blocks.ts';
import { readCoverageOptions } from '../../coverage/coverage.ts';
import { REASONS } from '../../coverage/reasons.ts';
import {
  type Accepted,
  coverageOf,
  keyOf,
  needless,
  readAccepted,
  wordsOf,
} from '../../coverage/unreached.ts';

const SOURCE = `export function sign(x: number): string {
  if (x > 0) return 'plus';
  if (x < 0) {
    log('minus');
  }
  return x === 0 ? 'zero' : (name ?? 'none');
}
`;

const named = (source: string) =>
  findBlocks(source).map((block) => `${block.kind} ${wordsOf(source, block)}`);

/** Numbers of all blocks but those of that name. */
const reachedBut = (source: string, ...names: string[]) =>
  new Set(named(source).flatMap((name, i) => (names.includes(name) ? [] : [i])));

const NONE = () => undefined;

test('a source has functions, branches, conditions that are never false, and lines', () => {
  expect(named(SOURCE)).toEqual([
    expect.stringMatching(/^function \{ if/),
    "line if (x > 0) return 'plus';",
    "branch return 'plus';",
    "else no if (x > 0) return 'plus';",
    "line if (x < 0) { log('minus'); }",
    "branch { log('minus'); }",
    "else no if (x < 0) { log('minus'); }",
    "line log('minus');",
    "line return x === 0 ? 'zero' : (name ?? 'none');",
    "branch 'zero'",
    "branch name ?? 'none'",
    "branch 'none'",
  ]);
});

test('of what was not reached the outermost block is listed, with its lines', () => {
  const missed = ["branch { log('minus'); }", "line log('minus');", "branch 'none'"];
  const found = coverageOf('a.ts', SOURCE, reachedBut(SOURCE, ...missed), NONE);
  expect(found.unreached).toEqual([
    {
      file: 'a.ts',
      line: 3,
      endLine: 5,
      kind: 'branch',
      words: "{ log('minus'); }",
      key: expect.stringMatching(/^sign [0-9a-f]{8}: \{ log\('minus'\); \}$/),
    },
    { file: 'a.ts', line: 6, endLine: 6, kind: 'branch', words: "'none'", key: expect.any(String) },
  ]);
  expect(found).toMatchObject({ isLoaded: true, blocks: 8, reachedBlocks: 6, lines: 4, reachedLines: 3 });
});

test('a condition that was always true is listed, and what it holds is judged by itself', () => {
  const missed = ["else no if (x < 0) { log('minus'); }"];
  const found = coverageOf('a.ts', SOURCE, reachedBut(SOURCE, ...missed), NONE);
  expect(found.unreached.map(({ words }) => words)).toEqual(["no if (x < 0) { log('minus'); }"]);
});

test('a reason covers a block, or a file that no world loads, and all that they hold', () => {
  const missed = ["branch { log('minus'); }", "line log('minus');", "branch 'none'"];
  const block = findBlocks(SOURCE).find(
    ({ kind, start }) => kind === 'branch' && SOURCE[start] === '{',
  ) as Block;
  const reasons: Record<string, string> = { [keyOf(SOURCE, block)]: 'why', 'b.ts': 'an entry' };
  const reasonOf = (name: string) => reasons[name];
  const one = coverageOf('a.ts', SOURCE, reachedBut(SOURCE, ...missed), reasonOf);
  expect(one.unreached.map(({ reason }) => reason)).toEqual(['why', undefined]);
  expect(one.acceptedBlocks).toBe(1);
  const other = coverageOf('some/b.ts', SOURCE, undefined, reasonOf);
  expect(other).toMatchObject({ isLoaded: false, reachedBlocks: 0, acceptedBlocks: other.blocks });
});

test('an entry that matches no missed range is reported', () => {
  const [none, zero] = ["'none'", "'zero'"].map((words) =>
    keyOf(SOURCE, findBlocks(SOURCE).find((block) => wordsOf(SOURCE, block) === words) as Block),
  ) as [string, string];
  const accepted: Accepted = { defaults: [none, zero], wiring: ['gone.ts'] };
  const files = [coverageOf('a.ts', SOURCE, reachedBut(SOURCE, "branch 'none'"), NONE)];
  expect(needless(accepted, files)).toEqual([zero, 'gone.ts']);
});

test('a name holds where its code moves to another place or file, and not where the code changes', () => {
  const keys = (source: string) => findBlocks(source).map((block) => keyOf(source, block));
  const moved = `const before = 1;\n\n${SOURCE.replaceAll('\n', '\n  ')}`;
  expect(keys(moved)).toEqual(expect.arrayContaining(keys(SOURCE)));
  const changed = SOURCE.replace("log('minus')", "log('less')");
  expect(keys(SOURCE).filter((key) => !keys(changed).includes(key)).length).toBeGreaterThan(0);
});

test('every entry of the list has one of the reasons, and one only', () => {
  const accepted = readAccepted();
  expect(Object.keys(accepted).filter((reason) => !(reason in REASONS))).toEqual([]);
  const names = Object.values(accepted).flat();
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});

test('the command line is read, or refused with the reason', () => {
  expect(readCoverageOptions(['--seed', '7', '--seeds', '1e3', '--jobs', '2', '--json'])).toMatchObject({
    spec: { seed: 7 },
    count: 1000,
    jobs: 2,
    json: true,
  });
  expect(() => readCoverageOptions(['--seeds', '0'])).toThrow(UsageError);
  expect(() => readCoverageOptions(['--hosts', '3'])).toThrow(/--hosts/);
});

test('worlds report what they reached, and code that runs only for the checks does not count', async () => {
  const program = fileURLToPath(new URL('../../command/simulate.ts', import.meta.url));
  // Worlds of one crawl: a second one may refer to the first, and then reads all of its records.
  const args = [program, 'coverage', '--seed', '6', '--seeds', '2', '--jobs', '1', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e8 }).catch(
    (error: { code: number; stdout: string }) => {
      // Two worlds leave much unreached.
      expect(error.code).toBe(1);
      return error;
    },
  );
  const { files, loaded } = JSON.parse(stdout);
  expect(loaded.reachedBlocks).toBeGreaterThan(1000);
  const ledger = files.find(({ file }: { file: string }) => file === 'shared/core/frontier/ledger.ts');
  const missed = ledger.unreached.map(({ words }: { words: string }) => words).join('\n');
  // Judges read all records of a ledger; a crawl merges links.
  expect(missed).toContain('yield* this.#fresh.values()');
  expect(missed).not.toContain('const level = levelOfLink(link)');
});
