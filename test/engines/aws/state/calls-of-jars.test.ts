/** All calls and results of the jars of a stack: see `calls-of-jars.txt`. A list of accounts is one query, however many there are. */
import { createJarStore } from '../../../../shared/engines/aws/state/jar-store.ts';
import { CRAWL } from '../../../contract/subjects.ts';
import { openGolden } from '../../../golden.ts';
import { describeScenarios, scenario } from '../struck-suite.ts';
import { contextOf } from './state-world.ts';

const DOMAINS = ['a.test', 'b.test', 'c.test'];
const NAMES = [undefined, 'one', 'two'];
const JAR = { version: 1, generation: 0, cookies: '["secret"]' };

describeScenarios(
  [
    scenario({
      name: 'lists the accounts of a crawl, and reads and writes one',
      async prepare(world) {
        const jars = createJarStore(contextOf(world));
        for (const domain of DOMAINS)
          for (const account of NAMES) await world.wait(jars.replace(CRAWL, { domain, account }, JAR));
      },
      async run(world) {
        const jars = createJarStore(contextOf(world));
        const found: unknown[] = [];
        for await (const { key, jar } of jars.accounts(CRAWL)) found.push([key, jar]);
        const key = { domain: 'b.test', account: 'two' };
        const isWritten = await jars.replace(CRAWL, key, { ...JAR, version: 2 });
        return [found, isWritten, await jars.load(CRAWL, key)];
      },
    }),
  ],
  openGolden('calls-of-jars.txt', import.meta.url),
);
