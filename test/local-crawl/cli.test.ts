import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { needs } from '../needs.ts';
import { checkLog } from '../web/check.ts';
import type { LogEntry } from '../web/server.ts';
import { closure } from '../web/truth.ts';
import { recordsOf } from './local-crawl.ts';
import { crawlArgs, place, requests, running, strand, strandIn } from './web-by-command-line.ts';

describe('strand crawl', () => {
  needs('signals').each([1, 2])(
    'of %i worker(s) interrupted ends its turns, says how to continue, and resumes without fetching anything twice',
    async (workers) => {
      const { web, log, seeds } = running;
      const truth = closure(web, { seeds, scope: 'host', robotsAgent: 'Strand' });
      const run = strand(...crawlArgs('--workers', String(workers)));
      await requests(60);
      run.child.kill('SIGINT');
      const { code, out } = await run.ended;
      expect([code, JSON.parse(out).state]).toEqual([130, 'interrupted']);
      // The requests in flight, one for each host, were in vain.
      const last = new Map(log.map((entry) => [entry.host, entry]));
      const again = await strand('resume', place.folder, '--json').ended;
      expect([again.code, JSON.parse(again.out).state]).toEqual([0, 'finished']);
      const allowRepeats = ({ host, path }: LogEntry) => last.get(host)?.path === path;
      expect(checkLog(web, log, { truth, allowRepeats, toleranceMs: 3 })).toEqual([]);
    },
  );

  needs('signals')(
    'refuses a folder that another process crawls into, and one that holds a crawl',
    async () => {
      const run = strand(...crawlArgs());
      await requests(5);
      // Otherwise a quick machine has finished the crawl before the other process looks.
      run.child.kill('SIGSTOP');
      const refused = await strand('resume', place.folder).ended;
      run.child.kill('SIGCONT');
      expect(refused.code).toBe(2);
      expect(refused.err).toMatch(/in use by another process \(process \d+\)/);
      run.child.kill('SIGINT');
      await run.ended;
      const second = await strand(...crawlArgs()).ended;
      expect(second.code).toBe(2);
      expect(second.err).toContain('holds a crawl already');
    },
  );

  test('stops at its limit of pages exactly, with its own exit code, and continues with a higher one', async () => {
    const limited = await strand(...crawlArgs('--max-pages', '25')).ended;
    expect(limited.code).toBe(3);
    expect(JSON.parse(limited.out)).toMatchObject({ pages: 25, state: 'limited' });
    const more = await strand('resume', place.folder, '--max-pages', '40', '--json').ended;
    expect([more.code, JSON.parse(more.out).pages]).toEqual([3, 40]);
  });

  test('says once what of its state is damaged, and exports the rest', async () => {
    await strand(...crawlArgs('--max-pages', '25')).ended;
    const damaged = async (change: string) => {
      const database = new DatabaseSync(join(place.folder, 'crawl.sqlite'));
      database.exec(change);
      database.close();
      return strand('export', place.folder).ended;
    };
    const parts = await damaged('UPDATE parts SET bytes = zeroblob(9)');
    expect([parts.code, parts.err]).toEqual([
      1,
      expect.stringMatching(
        /^(?:strand: \d+ URLs? of [\w.:]+ left out, as its stored state cannot be read: not a segment\n)+$/,
      ),
    ]);
    const heads = await damaged(`UPDATE heads SET head = '{}'`);
    expect([heads.code, heads.err]).toEqual([
      2,
      expect.stringMatching(
        /^strand: The head of a host in .* is damaged: "\{\}"\. Restore it from a backup, or delete the crawl\n$/,
      ),
    ]);
  });

  test('shows, also while it runs, its progress and what happened to a URL', async () => {
    const { code } = await strand(...crawlArgs('--scope', 'page')).ended;
    expect(code).toBe(0);
    const status = await strand('status', place.folder, '--json').ended;
    expect(JSON.parse(status.out)).toMatchObject({ state: 'finished', hosts: 8 });
    const url = running.seeds[0] as string;
    // Another spelling of it.
    const answer = await strand('url', place.folder, `${url}?utm_source=x`, '--json').ended;
    expect(JSON.parse(answer.out)).toMatchObject({ url, status: 'fetched', httpStatus: 200, depth: 0 });
    const explained = await strand('explain', place.folder, url).ended;
    expect(explained).toMatchObject({ code: 0, out: expect.stringContaining('it is not fetched again') });
    const unknown = await strand('url', place.folder, `${url}no/such/page`).ended;
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('does not know')]);
    const byHttp = await strand('url', place.folder, url.replace('http://', ''), '--json').ended;
    expect(JSON.parse(byHttp.out)).toMatchObject({ url, status: 'fetched' });
    const misspelt = await strand('status', `${place.folder}x`).ended;
    expect(misspelt.err).toBe(
      `strand: There is no crawl in ${place.folder}x; did you mean "${place.folder}"?\n`,
    );
    const items = await strand('export', place.folder, '--items').ended;
    expect(items).toMatchObject({ code: 0, out: '', err: expect.stringContaining('No items: no hook') });
    const exported = await strand('export', place.folder, '--format', 'jsonl').ended;
    const rows = exported.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.length).toBe(JSON.parse(status.out).urls);
    expect(rows.filter((row) => row.status === 'fetched').every((row) => row.warcLength > 0)).toBe(true);
  });

  test('ends with its own exit code where nothing could be fetched, and names the cause', async () => {
    const args = ['crawl', 'http://127.9.9.9:8/', '--out', place.folder, '--max-time', '30s'];
    const blocked = await strand(...args).ended;
    expect(blocked.code).toBe(4);
    const { records, setAside } = await recordsOf(place.folder);
    expect([...records.values()].map(({ state, result }) => [state, result?.cause])).toMatchObject([
      [
        'skipped',
        { failure: 'blockedAddress', detail: expect.stringContaining('--allow-private-addresses') },
      ],
    ]);
    expect(setAside.size).toBe(0);
  });

  test('takes its seeds from a file', async () => {
    const file = `${place.folder}.txt`;
    writeFileSync(file, `# seeds\n${running.seeds[0]}\n\n`);
    const args = crawlArgs('--scope', 'page', '--seeds', file).filter((arg) => !running.seeds.includes(arg));
    const { code, out } = await strand(...args).ended;
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ pages: 1, state: 'finished' });
  });

  test('does not take a file that is here for a host', async () => {
    const folder = dirname(place.folder);
    const name = `${basename(place.folder).toLowerCase()}.txt`;
    writeFileSync(join(folder, name), `${running.seeds[0]}\n`);
    const args = ['crawl', name, '--contact', 'me@example.org', '--out', place.folder];
    const { code, err } = await strandIn(folder, ...args).ended;
    expect([code, err]).toEqual([
      2,
      `strand: ${name} is a file here, not a host: its seeds are read by --seeds ${name}\n`,
    ]);
  });
});

describe('the log', () => {
  const entriesOf = (text: string): { level: string; message: string }[] =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('is all that standard error has with --log-format json, the error that ends the crawl included', async () => {
    const first = await strand(...crawlArgs('--log-format', 'json', '--max-pages', '5')).ended;
    const entries = entriesOf(first.err);
    expect(entries[0]).toMatchObject({ level: 'info', message: 'Crawl started', folder: place.folder });
    expect(entries.at(-1)).toMatchObject({ message: 'Crawl ended', state: 'limited' });
    expect(JSON.parse(first.out)).toMatchObject({ state: 'limited' });
    const again = await strand(...crawlArgs('--log-format', 'json')).ended;
    expect(again.code).toBe(2);
    expect(entriesOf(again.err)).toEqual([
      { time: expect.any(String), level: 'error', message: expect.stringContaining('holds a crawl already') },
    ]);
  });

  test('has a line for each page with --log-level debug, in the file too if --quiet hides it', async () => {
    const { err, out } = await strand(...crawlArgs('--log-level', 'debug', '--quiet', '--max-pages', '5'))
      .ended;
    expect(err).not.toMatch(/DEBUG|INFO/);
    const { pages } = JSON.parse(out);
    const entries = entriesOf(readFileSync(join(place.folder, 'log.jsonl'), 'utf8'));
    expect(entries.filter(({ message }) => message === 'Page').length).toBeGreaterThanOrEqual(pages);
  });
});
