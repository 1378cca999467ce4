import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readProject } from '../../cdk/project.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-project-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

describe('the project’s file', () => {
  test('need not be there', async () => {
    expect(await readProject(folder, undefined)).toEqual({ crawl: {}, aws: {} });
  });

  test('gives what crawls and stack are configured with', async () => {
    write('strand.config.ts', 'export default { crawl: { delayMs: 5 as number }, aws: { dueShards: 4 } };');
    expect(await readProject(folder, undefined)).toEqual({
      crawl: { delayMs: 5 },
      aws: { dueShards: 4 },
      file: join(folder, 'strand.config.ts'),
    });
  });

  test('may have another name', async () => {
    write('news.ts', 'export default { middleware: [] };');
    expect(await readProject(folder, 'news.ts')).toMatchObject({ file: join(folder, 'news.ts') });
  });

  test.each([
    ['export const crawl = {};', 'expected "export default defineCrawl({ ... })"'],
    ['export default { crawls: {} };', 'There is no crawls: did you mean crawl?'],
    ['export default { aws: 5 };', 'expected an object as aws'],
    ['export default { crawl: [] };', 'expected an object as crawl'],
  ])('%s is refused', async (text, message) => {
    write('strand.config.ts', text);
    await expect(readProject(folder, undefined)).rejects.toThrow(message);
  });

  test('is missed where it was named', async () => {
    await expect(readProject(folder, 'gone.ts')).rejects.toThrow(
      `there is no file ${join(folder, 'gone.ts')}`,
    );
    await expect(readProject(folder, 5)).rejects.toThrow('expected the path of a file, got 5');
  });
});
