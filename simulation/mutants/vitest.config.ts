/** The projects `unit` and `unit-together` over an overlay, each file in a process: the tests that a mutant must fail. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification, type VitestPluginContext } from 'vitest/node';
import main from '../../vitest.config.ts';
import { overlaid } from './overlay.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const unit = (main.test?.projects ?? []).find(
  (project) => typeof project === 'object' && 'test' in project && project.test?.name === 'unit',
);
if (typeof unit !== 'object' || !('test' in unit))
  throw new Error('Expected a project `unit` in vitest.config.ts');

/** Test files with commas between them: run in this order. */
const order = (process.env.STRAND_TEST_FILES ?? '').split(',');

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => order.indexOf(relative(ROOT, moduleId));
    return files.toSorted((a, b) => place(a) - place(b));
  }
}

const pathOf = (id: string): string => id.split('?')[0] as string;

export default defineConfig({
  root: ROOT,
  plugins: [
    {
      name: 'strand-overlay',
      enforce: 'pre',
      load: (id: string) => overlaid(pathOf(id)),
      // The cache of modules goes by what is on the disk.
      configureVitest({ defineCacheKeyGenerator }: VitestPluginContext) {
        defineCacheKeyGenerator(({ id }) => (overlaid(pathOf(id)) === undefined ? undefined : false));
      },
    },
  ],
  test: {
    ...unit.test,
    exclude: ['test/localstack/**', 'test/fuzz/**'],
    setupFiles: ['simulation/mutants/name-test-file.ts'],
    sequence: { sequencer: InOrder },
    // A slow machine is no bug.
    testTimeout: 120_000,
  },
});
