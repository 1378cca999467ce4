import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { InvalidConfig } from '../../../shared/core/crawl/config.ts';
import { readProject } from '../../../shared/services/project/project-file.ts';

const PROJECT = fileURLToPath(new URL('../../cli/project/', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-project-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (text: string, name = 'strand.config.ts') => writeFileSync(join(folder, name), text);

describe("the project's file", () => {
  test('is strand.config.ts of the folder, where it is there', async () => {
    expect(await readProject(undefined, folder)).toEqual({
      crawl: {},
      middleware: [],
      modules: [],
      extraction: [],
      aws: {},
    });
    write('const delayMs: number = 7; export default { crawl: { delayMs }, aws: { stackName: "A" } };');
    expect(await readProject(undefined, folder)).toEqual({
      file: 'strand.config.ts',
      crawl: { delayMs: 7 },
      path: join(folder, 'strand.config.ts'),
      middleware: [],
      modules: [],
      extraction: [],
      aws: { stackName: 'A' },
    });
  });

  test('or the one that is named', async () => {
    write('export default {};', 'mine.ts');
    expect(await readProject('mine.ts', folder)).toMatchObject({
      file: 'mine.ts',
      path: join(folder, 'mine.ts'),
    });
  });

  test('imports the crawler by its name', async () => {
    const project = await readProject(undefined, PROJECT);
    expect(project.crawl).toEqual({ delayMs: 0, adaptive: false, maxPages: 50 });
    expect(project.middleware).toHaveLength(1);
  });

  test('hands over its hooks', async () => {
    write(`
      const validate = (value) => ({ value });
      export default {
        extraction: [(page, next) => next()],
        onPage() {}, onError() {}, onFinish() {}, middleware: undefined,
        itemSchema: Object.assign(() => {}, { '~standard': { version: 1, vendor: 'mine', validate } }),
      };
    `);
    const project = await readProject(undefined, folder);
    expect(project).toMatchObject({ crawl: {}, middleware: [], aws: {} });
    expect(project.extraction).toHaveLength(1);
    for (const key of ['onPage', 'onError', 'onFinish', 'itemSchema'] as const)
      expect(project[key]).toBeTypeOf('function');
  });

  test.each([
    ['', 'Expected "export default defineCrawl({ ... })" in strand.config.ts, got no such object'],
    [
      'const config = { crawl: { delayMs: 7 } };',
      'Expected "export default defineCrawl({ ... })" in strand.config.ts, got no such object',
    ],
    [
      'export default [];',
      'Expected "export default defineCrawl({ ... })" in strand.config.ts, got no such object',
    ],
    ['export default { crwal: {} };', 'strand.config.ts: Unknown key crwal; did you mean crawl?'],
    [
      'export default { zzz: {} };',
      'strand.config.ts: Unknown key zzz; there are crawl, accounts, middleware, extraction, modules, router, onPage, itemSchema, onError, challenge, onChallenge, behave, onFinish, webhook, aws',
    ],
    [
      'export default { crawl: { maxPage: 1, perHost: 65 } };',
      'strand.config.ts: Expected crawl.perHost <= 64, got 65; Unknown key maxPage in crawl; did you mean maxPages?',
    ],
    ['export default { crawl: 7 };', 'strand.config.ts: Expected crawl to be of type object, got 7'],
    [
      'export default { middleware: [1] };',
      'strand.config.ts: Expected middleware to be a list of functions (request, next) => outcome',
    ],
    [
      'export default { extraction: {}, onPage: 1, itemSchema: {}, onError: [], onFinish: "x" };',
      'strand.config.ts: Expected extraction to be a list of functions (page, next) => extraction; ' +
        'Expected onPage to be a function (page) => items; ' +
        'Expected itemSchema to be a schema that keeps to Standard Schema, such as one of zod; ' +
        'Expected onError to be a function (error) => void; Expected onFinish to be a function (summary) => void',
    ],
    ['export default { onpage() {} };', 'strand.config.ts: Unknown key onpage; did you mean onPage?'],
    [
      'export default { crawl: { overrides: [{ hosts: ["a.test"], delayMs: -1, delayMS: 1 }] } };',
      'strand.config.ts: Expected crawl.overrides.0.delayMs >= 0, got -1; ' +
        'Unknown key delayMS in crawl.overrides.0; did you mean delayMs?',
    ],
    [
      'export default { crawl: { urlRules: { sortQueries: true } } };',
      'strand.config.ts: Unknown key sortQueries in crawl.urlRules; did you mean sortQuery?',
    ],
    ['export default { aws: [] };', 'strand.config.ts: Expected aws to be an object of stack options'],
    ["throw new Error('no\\u001bway');", 'strand.config.ts cannot be loaded: no\ufffdway'],
  ])('that holds %j is refused', async (text, message) => {
    write(text);
    await expect(readProject(undefined, folder)).rejects.toThrow(new InvalidConfig(message));
  });

  test.each([
    ["import 'node:fs'; export default {};", 'Cannot use import statement outside a module'],
    ['export default {};', "Unexpected token 'export'"],
  ])('that may not hold %j, as its folder is of CommonJS, is refused with the remedy', (text, message) => {
    writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}');
    write(text);
    const program = fileURLToPath(new URL('../../../cli/bin.js', import.meta.url));
    const args = [program, 'explain', 'http://127.0.0.1:9/'];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: folder });
    expect(status).toBe(2);
    expect(stderr).toContain(
      `strand: strand.config.ts cannot be loaded: ${message}: write "type": "module" into the package.json of its folder\n`,
    );
  });

  test('that waits forever is refused in words, after its time', async () => {
    write('await new Promise(() => {}); export default {};');
    await expect(readProject(undefined, folder, 50)).rejects.toThrow(
      new InvalidConfig(
        'strand.config.ts cannot be loaded: a top-level await in it, or in what it imports, never settles (not within 0.05 s)',
      ),
    );
  });

  test('that waits for what cannot come is refused at once, with the exit code of a refusal', () => {
    write('await new Promise(() => {}); export default {};');
    const program = fileURLToPath(new URL('../../../cli/bin.js', import.meta.url));
    const args = [program, 'explain', 'http://127.0.0.1:9/', '--config', join(folder, 'strand.config.ts')];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: folder });
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^strand: .*strand\.config\.ts cannot be loaded: .*top-level await.*never settles \(nothing is left/,
      ),
    ]);
  });

  test('that is named and not there is refused', async () => {
    await expect(readProject('mine.ts', folder)).rejects.toThrow(
      new InvalidConfig(`There is no file ${join(folder, 'mine.ts')}, given as config`),
    );
  });
});
