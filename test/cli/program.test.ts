import { expect, test } from 'vitest';
import { programName, type Start } from '../../cli/program.ts';

const CWD = '/repo';
const IN_REPOSITORY = { isSource: true, path: '/repo/cli/bin.js' };

test.each<[Omit<Start, 'cwd'>, string]>([
  [IN_REPOSITORY, 'node cli/bin.js'],
  [{ ...IN_REPOSITORY, path: '/other/cli/bin.js' }, 'node /other/cli/bin.js'],
  [{ ...IN_REPOSITORY, path: '/my files/cli/bin.js' }, 'node "/my files/cli/bin.js"'],
  [{ ...IN_REPOSITORY, npmEvent: 'strand' }, 'npm run strand --'],
  [{ ...IN_REPOSITORY, npmEvent: 'crawl' }, 'npm run strand --'],
  [{ ...IN_REPOSITORY, npmEvent: 'npx' }, 'npx strand'],
  [{ ...IN_REPOSITORY, npmEvent: 'test' }, 'node cli/bin.js'],
  [{ isSource: true, path: '/usr/local/bin/strand' }, 'strand'],
  [{ isSource: true, path: '/repo/node_modules/.bin/vitest', npmEvent: 'npx' }, 'strand'],
  [{ isSource: false, path: '/a/node_modules/.bin/strand', npmEvent: 'npx' }, 'npx strand'],
  [{ isSource: false, path: '/a/node_modules/.bin/strand-crawler', npmEvent: 'npx' }, 'npx strand-crawler'],
  [{ isSource: false, path: '/a/node_modules/.bin/strand' }, 'npx strand'],
  [{ isSource: false, path: '/usr/local/bin/strand' }, 'strand'],
  [{ isSource: false, path: '/a/node_modules/strand-crawler/cli/bin.js', npmEvent: 'crawl' }, 'npx strand'],
])('hints for %j begin with %s', (start, expected) => {
  expect(programName({ ...start, cwd: CWD })).toBe(expected);
});
