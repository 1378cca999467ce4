/** Tests of the failures and the output of hooks: the crawl continues, and reports the errors. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commandLine, rowOfPages, type SmallSite, startSite } from './small-site.ts';

let site: SmallSite;
let here: ReturnType<typeof commandLine>;
beforeEach(async () => {
  here = commandLine();
  site = await startSite(rowOfPages(20));
});
afterEach(async () => {
  here.remove();
  await site.stop();
});

const last = (out: string) => JSON.parse(out.trim().split('\n').at(-1) ?? '');

describe.each([1, 2])('with %i worker(s)', (workers) => {
  test.each([
    [
      'rejected promises that nobody awaits, and process.exit,',
      [`void Promise.reject(new Error('lost'))`, 'lost'],
      ['process.exit(0)', 'process.exit(0) was called, which does not end a crawl'],
    ],
    [
      'errors in timers, and process.exit after a moment,',
      [`setTimeout(() => { throw new Error('late') }, 1)`, 'late'],
      ['setTimeout(() => process.exit(0), 1)', 'process.exit(0) was called, which does not end a crawl'],
    ],
  ] as const)('%s of a hook are counted, and end no crawl', async (_, first, second) => {
    // The second page of each fault repeats an error that is known.
    const project = `export default { async onPage({ url }) {
      const page = Number(new URL(url).pathname.slice(1));
      if (page === 3 || page === 4) { ${first[0]}; }
      if (page === 7 || page === 8) { ${second[0]}; }
      await new Promise((resolve) => setTimeout(resolve, 5));
    } };`;
    const ended = await here.crawl(site, project, '--workers', String(workers)).ended;
    const { state, byStatus, hookErrors, hooks } = last(ended.out);
    expect(hooks).toMatchObject({ pages: 20, failed: 4 });
    expect([ended.code, state, byStatus.fetched]).toEqual([0, 'finished', 20]);
    const stack = expect.stringContaining('strand.config.mjs');
    expect(hookErrors).toEqual([
      { source: 'onPage', url: `${site.url}/3`, message: first[1], stack },
      { source: 'onPage', url: `${site.url}/7`, message: second[1], stack },
    ]);
    const status = await here.strand('status', here.folder, '--json').ended;
    expect(last(status.out).hookErrors).toEqual(hookErrors);
    expect(new Set(site.log).size).toBe(site.log.length);
  });

  test('a hook that fails late at every page changes the exit code', async () => {
    const project = `export default { async onPage() {
      void Promise.reject(new Error('lost'));
      void Promise.reject(new Error('lost again'));
    } };`;
    const { code, out } = await here.crawl(site, project, '--workers', String(workers)).ended;
    expect(last(out).hooks).toMatchObject({ pages: 20, failed: 20 });
    expect(code).toBe(5);
  });

  test('what hooks print goes to standard error, and standard output is what was requested', async () => {
    const project = `export default { onPage({ url }) {
      console.log('printed ' + url);
      process.stdout.write('without an end ');
    } };`;
    const { code, out, err } = await here.crawl(site, project, '--workers', String(workers)).ended;
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ state: 'finished', pages: 20 });
    expect(err).toContain(`printed ${site.url}/7`);
    expect(err).toContain('without an end');
  });
});

test('an error of middleware is counted with its stack', async () => {
  const project = `export default { middleware: [(request, next) => {
    if (request.url.endsWith('/19')) throw new Error('not this one');
    return next(request);
  }] };`;
  const { out } = await here.crawl(site, project).ended;
  const [error] = last(out).hookErrors;
  expect(error).toMatchObject({ source: 'middleware', message: 'not this one', url: `${site.url}/19` });
});
