/** Tests of the failures and the output of hooks: the crawl continues, and reports the errors. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openCrawl } from '../../api/open-crawl.ts';
import { THROWN } from '../services/hooks/thrown-values.ts';
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

const exited = (code: number) => `process.exit(${code}) was called, which does not end a crawl`;
/** As many as a summary names. */
const FAULTS = [
  { page: 3, code: `void Promise.reject(new Error('lost'))`, message: 'lost' },
  { page: 7, code: `setTimeout(() => { throw new Error('late') }, 1)`, message: 'late' },
  { page: 11, code: 'setTimeout(() => process.exit(1), 1)', message: exited(1) },
];
const stack = expect.stringContaining('strand.config.mjs');

describe.each([1, 2])('with %i worker(s)', (workers) => {
  test('rejected promises that nobody awaits, errors in timers, and process.exit after a moment, of a hook are counted, and end no crawl', async () => {
    // The second page of each fault repeats an error that is known.
    const faults = FAULTS.map(
      ({ page, code }) => `if (page === ${page} || page === ${page + 1}) { ${code}; }`,
    );
    const project = `export default { async onPage({ url }) {
      const page = Number(new URL(url).pathname.slice(1));
      ${faults.join('\n')}
      await new Promise((resolve) => setTimeout(resolve, 5));
    } };`;
    const ended = await here.crawl(site, project, '--workers', String(workers)).ended;
    const { state, byStatus, hookErrors, hooks } = last(ended.out);
    expect(hooks).toMatchObject({ pages: 20, failed: 6 });
    expect([ended.code, state, byStatus.fetched]).toEqual([0, 'finished', 20]);
    expect(hookErrors).toEqual(
      FAULTS.map(({ page, message }) => ({ source: 'onPage', url: `${site.url}/${page}`, message, stack })),
    );
    await using stored = await openCrawl(here.folder);
    expect((await stored.summary()).hookErrors).toEqual(hookErrors);
    expect(new Set(site.log).size).toBe(site.log.length);
  });

  test('a hook that fails at every page, late or by process.exit, changes the exit code; what it prints goes to standard error, and standard output is what was requested', async () => {
    const project = `export default { async onPage({ url }) {
      console.log('printed ' + url);
      process.stdout.write('without an end ');
      if (url.endsWith('/5') || url.endsWith('/6')) process.exit(0);
      void Promise.reject(new Error('lost'));
      void Promise.reject(new Error('lost again'));
    } };`;
    const { code, out, err } = await here.crawl(site, project, '--workers', String(workers)).ended;
    expect(code).toBe(5);
    const summary = JSON.parse(out);
    expect(summary).toMatchObject({ state: 'finished', pages: 20, hooks: { pages: 20, failed: 20 } });
    const url = `${site.url}/5`;
    expect(summary.hookErrors).toContainEqual({ source: 'onPage', url, message: exited(0), stack });
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

/** The ways in which a hook throws a value. */
const PLACES: Readonly<Record<string, string>> = {
  onPage: 'throw value',
  rejected: 'void Promise.reject(value)',
  timer: 'setTimeout(() => { throw value }, 1)',
  microtask: 'queueMicrotask(() => { throw value })',
  emitter: `new EventEmitter().emit('error', value)`,
  getter: 'return { get a() { throw value } }',
  state: `state.update('n', () => { throw value })`,
};

test.each([1, 2])(
  'with %i worker(s), no value that is thrown anywhere ends the crawl, and no page is requested twice',
  async (workers) => {
    const kinds = Object.values(THROWN);
    const places = [...Object.keys(PLACES), 'extraction', 'middleware'];
    const paths = places.flatMap((place) => kinds.map((_, kind) => `/${place}/${kind}`));
    const links = paths.map((path) => `<a href="${path}">${path}</a>`).join('');
    const pages = { '/': links, ...Object.fromEntries(paths.map((path) => [path, '<title>t</title>'])) };
    const faulty = await startSite(pages);
    const project = `import { EventEmitter } from 'node:events';
    const values = [${kinds.map((code) => `async () => [${code}]`).join(',\n')}];
    const ways = {
      ${Object.entries(PLACES).map(([place, code]) => `${place}(value, state) { ${code} }`)}
    };
    async function partsOf({ url }) {
      const [place, kind] = new URL(url).pathname.slice(1).split('/');
      return { place, value: kind && (await values[kind]())[0] };
    }
    const failAs = (name) => async (given, next) => {
      const { place, value } = await partsOf(given);
      if (place === name) throw value;
      return next(given);
    };
    export default {
      middleware: [failAs('middleware')],
      extraction: [failAs('extraction')],
      onError: () => Promise.reject(Object.create(null)),
      onFinish() { throw Object.create(null) },
      async onPage(page) {
        const { place, value } = await partsOf(page);
        const given = ways[place]?.(value, page.state);
        await new Promise((resolve) => setTimeout(resolve, 5));
        return given;
      },
    };`;
    try {
      const { code, out, err } = await here.crawl(faulty, project, '--workers', String(workers)).ended;
      const { state, hooks, hookErrors, byStatus } = last(out);
      expect([code, state]).toEqual([0, 'finished']);
      expect(hooks.failed).toBe((places.length - 1) * kinds.length);
      expect(byStatus.failed).toBe(kinds.length);
      expect(new Set(hookErrors.map(({ source }: { source: string }) => source))).toEqual(
        new Set(['onPage', 'item', 'extraction', 'middleware']),
      );
      expect(err).toContain('onFinish: [Object: null prototype] {}');
      expect(err).toContain('onError: [Object: null prototype] {}');
      const requested = paths.filter((path) => !path.startsWith('/middleware/'));
      expect(faulty.log.toSorted()).toEqual(['/', ...requested].toSorted());
    } finally {
      await faulty.stop();
    }
  },
);
