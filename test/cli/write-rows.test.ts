import { describe, expect, test } from 'vitest';
import type { RowStream } from '../../cli/export/row-stream.ts';
import { writeUrls } from '../../cli/export/write-rows.ts';
import { type Head, NEW_HEAD } from '../../shared/core/frontier/head.ts';
import { HostLedger } from '../../shared/core/frontier/ledger.ts';
import { flat, type RowSource, urlRows } from '../../shared/services/report/url-rows.ts';
import { paper } from './stack-fakes.ts';

const HOST = 'a.example';
const writeRows = (source: RowSource, out: RowStream) =>
  writeUrls({ urls: () => flat(urlRows(source, 'news')) }, 'jsonl', out);
const urls = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).url);

/** The host's head of that version, whose one part knows one URL. */
async function headOf(version: number): Promise<{ head: Head; parts: ReadonlyMap<string, Uint8Array> }> {
  const ledger = await HostLedger.open(HOST, NEW_HEAD.ledger, async () => new Uint8Array());
  ledger.merge({ url: `https://${HOST}/${version}`, depth: 0, isSeed: true }, 0);
  const { index, parts } = await ledger.prepareCommit(String(version));
  return {
    head: { ...NEW_HEAD, version, ledger: index },
    parts: new Map(parts.map(({ name, bytes }) => [name, bytes])),
  };
}

/** A store that lists one head, knows another now, and has these parts alone. */
function store(listed: Head, current: Head, parts: ReadonlyMap<string, Uint8Array>): RowSource {
  return {
    ledgers: {
      async *hosts() {
        yield { host: HOST, head: listed };
      },
      loadHead: async () => current,
      async readPart(_crawl, _host, name) {
        const bytes = parts.get(name);
        if (!bytes) throw new Error(`no part ${name}`);
        return bytes;
      },
    },
  };
}

describe('an export', () => {
  test('writes a row for each URL', async () => {
    const { head, parts } = await headOf(1);
    const out = paper();
    await writeRows(store(head, head, parts), out as never);
    expect(urls(out.text())).toEqual([`https://${HOST}/1`]);
  });

  test('writes seeds on their way after what ledgers know, each once', async () => {
    const { head, parts } = await headOf(1);
    const out = paper();
    const links = ['1', 'on-its-way'].map((path) => ({
      url: `https://${HOST}/${path}`,
      depth: 0,
      isSeed: true,
    }));
    const source: RowSource = { ...store(head, head, parts), waitingSeeds: () => links };
    await writeRows(source, out as never);
    expect(urls(out.text())).toEqual(links.map(({ url }) => url));
    expect(JSON.parse(out.text().trimEnd().split('\n')[1]!)).toMatchObject({ host: HOST, status: 'waiting' });
  });

  test('of a crawl that continues meanwhile reads what the newer head names, when parts of the older are gone', async () => {
    const [older, newer] = [await headOf(1), await headOf(2)];
    const out = paper();
    await writeRows(store(older.head, newer.head, newer.parts), out as never);
    expect(urls(out.text())).toEqual([`https://${HOST}/2`]);
  });

  test('has the current places of WARC records after files were joined', async () => {
    const at = (file: string) => ({ file, offset: 7, length: 9 });
    const ledger = await HostLedger.open(HOST, NEW_HEAD.ledger, async () => new Uint8Array());
    for (const path of ['a', 'b'])
      ledger.merge({ url: `https://${HOST}/${path}`, depth: 0, isSeed: true }, 0);
    const taken = (await ledger.next(1))!;
    const result = { fetchedAt: 1, httpStatus: 200, location: at('small.warc.gz') };
    ledger.settle({ ...taken, state: 'fetched', result });
    const { index, parts } = await ledger.prepareCommit('1');
    const head = { ...NEW_HEAD, version: 1, ledger: index };
    const out = paper();
    const source = store(head, head, new Map(parts.map(({ name, bytes }) => [name, bytes])));
    const locateAll: RowSource['locateAll'] = async (_crawl, locations) => {
      expect(locations).toEqual([at('small.warc.gz')]);
      return [{ ...at('joined.warc.gz'), offset: 1007 }];
    };
    await writeRows({ ...source, locateAll }, out as never);
    const rows = out
      .text()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map(({ warcFile, warcOffset }) => [warcFile, warcOffset])).toEqual(
      expect.arrayContaining([
        ['joined.warc.gz', 1007],
        [undefined, undefined],
      ]),
    );
  });

  test('fails where a part is missing that the newest head names', async () => {
    const { head } = await headOf(1);
    const export_ = writeRows(store(head, head, new Map()), paper() as never);
    await expect(export_).rejects.toThrow('no part');
  });
});
