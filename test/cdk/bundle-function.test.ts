import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as inWorkers from '../../api/in-worker.ts';
import * as inPrograms from '../../api/index.ts';
import { bundleFunction, bundleFunctions } from '../../cdk/bundle-function.ts';

let folder: string;
beforeAll(() => {
  // Within the repository, where the package finds itself by its name.
  folder = mkdtempSync(join(import.meta.dirname, '../../node_modules/.strand-bundle-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Bundles the worker with this project's file, if any. */
function workerWith(text?: string): string {
  const configFile = text === undefined ? undefined : join(folder, 'strand.config.ts');
  if (configFile !== undefined) writeFileSync(configFile, text!);
  bundleFunction('worker', { outdir: folder, configFile, sourcemap: false });
  return readFileSync(join(folder, 'index.mjs'), 'utf8');
}

test('a project’s file adds to the worker what it has itself, whatever it imports of the package', () => {
  const project = `import { defineCrawl, openCrawl, StorageFailed } from 'strand-crawler';
    const done = async () => void (await openCrawl('crawls/mark-of-mine'));
    export default defineCrawl({ middleware: [(request, next) => next(request)], onFinish: done, onError: () => new StorageFailed('x') });`;
  const bundle = workerWith(project);
  expect(bundle).toContain('mark-of-mine');
  expect(bundle.length - workerWith().length).toBeLessThan(5000);
});

test('the package has the same exports in a worker, of which those for programs refuse', () => {
  expect(Object.keys(inWorkers).sort()).toEqual(Object.keys(inPrograms).sort());
  expect(() => inWorkers.startCrawl()).toThrow(/^startCrawl cannot be called in a worker of a stack/);
  expect(inWorkers.defineCrawl).toBe(inPrograms.defineCrawl);
  expect(inWorkers.StorageFailed).toBe(inPrograms.StorageFailed);
});

test('functions that are bundled together are the same as alone', () => {
  const read = (...names: string[]) => readFileSync(join(folder, ...names, 'index.mjs'), 'utf8');
  bundleFunctions(['router', 'api'], { outdir: folder, sourcemap: false });
  bundleFunction('router', { outdir: folder, sourcemap: false });
  expect(read('router')).toBe(read());
  expect(read('api')).not.toBe(read());
});
