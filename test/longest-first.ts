/** The order of the test files: the longest begin first, so that no worker ends long after the others. */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest files of each group of projects, in the order in which they begin. */
const LONGEST = [
  'test/localstack/stack.test.ts',
  'test/localstack/stack-faults.test.ts',
  'test/localstack/parity.test.ts',
  'simulation/test/command/simulate.test.ts',
  'test/local-crawl/generated-web.test.ts',
  'test/engines/local/threads/threads.test.ts',
  'test/local-crawl/cli.test.ts',
  'test/faults/faults.test.ts',
  'test/fuzz/fuzz-1.test.ts',
  'test/fuzz/fuzz-2.test.ts',
  'test/localstack/engine.test.ts',
  'test/localstack/queues.test.ts',
  'test/fuzz/planted-bugs.test.ts',
];

/** Vitest itself knows how long files took only from an earlier run, which a fresh clone does not have. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.indexOf(relative(this.ctx.config.root, moduleId));
      return place === -1 ? LONGEST.length : place;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
