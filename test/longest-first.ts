/** The order of the test files: the longest begin first, so that no worker ends long after the others. */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest files, in the order in which they begin. */
export const LONGEST = [
  'test/localstack/one-crawl.test.ts',
  'test/localstack/stack.slow.test.ts',
  'test/localstack/stack-faults.slow.test.ts',
  'test/localstack/parity.slow.test.ts',
  'simulation/test/command/simulate.slow.test.ts',
  'test/packaging/package.slow.test.ts',
  'test/local-crawl/cli.test.ts',
  'test/local-crawl/generated-web.test.ts',
  'simulation/test/command/simulate.test.ts',
];

/** The projects of all others. */
const OTHERS = ['localstack', 'slow-localstack', 'slow', 'unit', 'unit-together', 'fuzz'];

/**
 * Vitest itself knows how long files took only from an earlier run, which a fresh clone does not have. After them the emulator's, which mostly
 * wait; the fuzzer's at the end: of low priority, they would only hold places of others before.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const place = LONGEST.indexOf(relative(this.ctx.config.root, moduleId));
      if (place !== -1) return place;
      return LONGEST.length + OTHERS.indexOf(project.name);
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
