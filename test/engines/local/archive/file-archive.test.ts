import { copyFile, mkdir, mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { encodeCapture } from '../../../../shared/core/archive/capture.ts';
import { encodeMetadata } from '../../../../shared/core/archive/metadata.ts';
import { decodeMember, fieldOf } from '../../../../shared/core/archive/read-warc.ts';
import type { RecordLocation } from '../../../../shared/core/archive/record-location.ts';
import { warcDate } from '../../../../shared/core/archive/warc-record.ts';
import { encodeWarcinfo } from '../../../../shared/core/archive/warcinfo.ts';
import {
  ArchiveFailed,
  type FileArchiveOptions,
  openFileArchive,
} from '../../../../shared/engines/local/archive/archive.ts';
import { listWarcFiles } from '../../../../shared/engines/local/archive/archive-names.ts';
import type { FileArchiveJournal } from '../../../../shared/engines/local/archive/warc-journal.ts';
import { captureOf, newId, RECORDS, RESPONSE_ID, T0 } from '../../../core/archive/captures.ts';

let root: string;
let folders = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'archive-'));
});
afterAll(() => rm(root, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

function memoryJournal(entries: Iterable<readonly [string, number]> = []) {
  const rows = new Map(entries);
  const saves: number[] = [];
  const journal: FileArchiveJournal = {
    load: () => [...rows].map(([file, bytes]) => ({ file, bytes })),
    save: (file, bytes) => {
      rows.set(file, bytes);
      saves.push(bytes);
    },
    close: (file) => rows.delete(file),
  };
  return { ...journal, rows, saves };
}

async function newArchive(
  options: Partial<FileArchiveOptions> & { journal?: ReturnType<typeof memoryJournal> } = {},
) {
  const folder = options.folder ?? join(root, String(folders++), 'archive');
  const journal = options.journal ?? memoryJournal();
  const warnings: string[] = [];
  const archive = await openFileArchive({
    folder,
    prefix: 'test',
    warcinfo: (filename) => encodeWarcinfo({ id: newId(), filename, date: T0, software: 'test' }),
    clock: { now: () => T0 },
    warn: (message) => warnings.push(message),
    ...options,
    journal,
  });
  return { archive, folder, journal, warnings };
}

const capture = async (name: string, size = 100, id?: string) => {
  const body = Buffer.alloc(size, `${name} `);
  const headers: [string, string][] = [['Content-Type', 'image/png']];
  const ids = [id ?? newId(), newId()];
  const exchange = captureOf({ url: `http://example.test/${name}`, headers, body });
  return (await encodeCapture(exchange, { newId: () => ids.shift()! })).members;
};

const METADATA = { url: 'http://example.test/', date: warcDate(T0), hopsFromSeed: 0, fetchTimeMs: 1 };

async function uriAt(folder: string, { file, offset, length }: RecordLocation): Promise<string | undefined> {
  const entry = (await listWarcFiles(folder)).find((found) => found.file === file);
  const bytes = (await readFile(entry!.path)).subarray(offset, offset + length);
  return fieldOf(decodeMember(bytes, { offset }), 'WARC-Target-URI');
}

/**
 * The file is a warcinfo record of its name and the records at these places, with nothing between or after.
 */
async function expectWholeFile(
  folder: string,
  file: string,
  locations: readonly RecordLocation[],
): Promise<void> {
  const bytes = await readFile(join(folder, file));
  const first = locations[0]!;
  expect(fieldOf(decodeMember(bytes.subarray(0, first.offset)), 'WARC-Filename')).toBe(file);
  let end = first.offset;
  for (const { offset, length } of locations) {
    expect(offset).toBe(end);
    end = offset + length;
    decodeMember(bytes.subarray(offset, end), { offset });
  }
  expect(end).toBe(bytes.length);
}

test('a file begins with its warcinfo, holds the members with nothing between, and is renamed when closed', async () => {
  const { archive, folder, journal } = await newArchive();
  expect(await listWarcFiles(folder)).toEqual([]);
  const locations = [
    ...(await archive.append(await capture('a'))),
    ...(await archive.append(await capture('b'))),
  ];
  const file = 'test-20260102030405-00000.warc.gz';
  expect(locations.map((location) => location.file)).toEqual([file, file, file, file]);
  await archive.flush();
  expect(await listWarcFiles(folder)).toMatchObject([
    { file, path: join(folder, `${file}.open`), isOpen: true },
  ]);
  expect(await uriAt(folder, locations[2]!)).toBe('http://example.test/b');
  expect(journal.rows.get(file)).toBe(locations[3]!.offset + locations[3]!.length);
  await archive.close();
  expect(await listWarcFiles(folder)).toMatchObject([{ file, path: join(folder, file), isOpen: false }]);
  await expectWholeFile(folder, file, locations);
  expect(journal.rows.size).toBe(0);
});

test('an archive to which nothing was appended leaves nothing, and closing twice is one closing', async () => {
  const { archive, folder, journal } = await newArchive();
  await archive.flush();
  expect(await archive.append([])).toEqual([]);
  await archive.close();
  await archive.close();
  expect(await listWarcFiles(folder)).toEqual([]);
  expect(journal.saves).toEqual([]);
  await expect(archive.append(await capture('late'))).rejects.toThrow('is closed');
});

test('appends of many turns at once, some streamed, keep the members of each together', async () => {
  const { archive, folder } = await newArchive();
  const captures = await Promise.all(
    Array.from({ length: 300 }, (_, i) => capture(String(i), i % 50 === 0 ? 400_000 : i * 37)),
  );
  const all = await Promise.all(captures.map((members) => archive.append(members)));
  await archive.close();
  for (const [response, request] of all) expect(request!.offset).toBe(response!.offset + response!.length);
  const locations = all.flat();
  await expectWholeFile(folder, locations[0]!.file, locations);
  for (const i of [0, 17, 250, 299])
    expect(await uriAt(folder, all[i]![0]!)).toBe(`http://example.test/${i}`);
});

test('a file that reaches the size is closed after the append that took it there', async () => {
  const { archive, folder, journal } = await newArchive({ maxBytes: 10_000 });
  const locations: RecordLocation[] = [];
  for (let i = 0; i < 12; i++) locations.push(...(await archive.append(await capture(String(i), 3000))));
  const files = await listWarcFiles(folder);
  expect(files.map(({ file }) => file)).toEqual(
    [0, 1, 2, 3].map((serial) => `test-20260102030405-0000${serial}.warc.gz`),
  );
  for (const { file, bytes } of files) {
    expect(bytes).toBeGreaterThanOrEqual(10_000);
    expect(bytes).toBeLessThan(10_000 + 3000 + 1500);
    await expectWholeFile(
      folder,
      file,
      locations.filter((location) => location.file === file),
    );
  }
  // Rotation made each of them durable before its name.
  expect(journal.saves).toEqual(files.flatMap(({ bytes }) => [0, bytes]));
  await archive.close();
});

test('an archive opened again continues with the next number', async () => {
  const first = await newArchive();
  await first.archive.append(await capture('a'));
  await first.archive.close();
  const second = await newArchive({ folder: first.folder });
  const [location] = await second.archive.append(await capture('b'));
  await second.archive.close();
  expect(location!.file).toBe('test-20260102030405-00001.warc.gz');
  expect(await listWarcFiles(first.folder)).toHaveLength(2);
});

test('flushes at once share syncs, and each covers what was appended before it', async () => {
  const { archive, journal, folder } = await newArchive();
  const handle = await open(join(folder, 'probe'), 'w');
  const datasync = vi.spyOn(Object.getPrototypeOf(handle), 'datasync');
  await handle.close();
  await Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      const [, request] = await archive.append(await capture(String(i)));
      await archive.flush();
      expect(journal.rows.get(request!.file)).toBeGreaterThanOrEqual(request!.offset + request!.length);
    }),
  );
  expect(datasync.mock.calls.length).toBeLessThan(20);
  const calls = datasync.mock.calls.length;
  await archive.flush();
  expect(datasync.mock.calls.length).toBe(calls);
  await archive.close();
});

test('a large member passes through in writes of one buffer', async () => {
  const { archive, folder } = await newArchive();
  const handle = await open(join(folder, 'probe'), 'w');
  const write = vi.spyOn(Object.getPrototypeOf(handle), 'write');
  await handle.close();
  const [location] = await archive.append(await capture('large', 20_000_000));
  await archive.close();
  const sizes = write.mock.calls.map((call) => call[2] as number);
  expect(sizes.slice(0, -1).every((size) => size === 1024 * 1024)).toBe(true);
  expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(20_000_000);
  expect(await uriAt(folder, location!)).toBe('http://example.test/large');
});

test('a member that fails in its midst leaves no trace, and the archive continues', async () => {
  const { archive, folder } = await newArchive();
  const before = await archive.append(await capture('before'));
  for (const size of [10, 3_000_000]) {
    const [response] = await capture('broken');
    const failing = (async function* () {
      for (let at = 0; at < size; at += 500_000) yield Buffer.alloc(Math.min(size, 500_000), 'x');
      throw new Error('the temporary file is gone');
    })();
    await expect(archive.append([response, failing])).rejects.toThrow('the temporary file is gone');
    await archive.flush();
  }
  const after = await archive.append(await capture('after'));
  await archive.close();
  await expectWholeFile(folder, before[0]!.file, [...before, ...after]);
});

test('a file whose only append failed is not kept', async () => {
  const { archive, folder, journal } = await newArchive();
  const failing = (async function* () {
    yield Buffer.alloc(10);
    throw new Error('gone');
  })();
  await expect(archive.append([failing])).rejects.toThrow('gone');
  await archive.flush();
  await archive.close();
  expect(await listWarcFiles(folder)).toEqual([]);
  expect(journal.rows.size).toBe(0);
});

test.each(['write', 'datasync'] as const)(
  'a failing %s ends the archive, and nothing more is promised',
  async (method) => {
    const { archive, folder, journal } = await newArchive();
    const [, kept] = await archive.append(await capture('kept'));
    await archive.flush();
    const good = kept!.offset + kept!.length;

    const handle = await open(join(folder, 'probe'), 'w');
    const spy = vi.spyOn(Object.getPrototypeOf(handle), method);
    await handle.close();
    spy.mockRejectedValueOnce(
      Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }),
    );
    await archive.append(await capture('buffered'));
    const appended = archive.append(await capture('waiting'));
    const failures = await Promise.allSettled([archive.flush(), archive.flush()]);
    expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await appended.catch(() => {});
    // The disk works again; lost records must not be reported as stored.
    for (const call of [archive.flush(), archive.append(await capture('later')), archive.close()]) {
      await expect(call).rejects.toThrow(ArchiveFailed);
      await expect(call).rejects.toThrow(/failed to make test-.* durable: ENOSPC/);
    }
    expect([...journal.rows.values()]).toEqual([good]);

    const again = await newArchive({ folder, journal });
    expect(await listWarcFiles(folder)).toMatchObject([{ bytes: good, isOpen: false }]);
    expect(again.warnings).toEqual([]);
    await again.archive.close();
  },
);

test('a disk that fails while a large member is written rejects its append', async () => {
  const { archive, folder } = await newArchive();
  const handle = await open(join(folder, 'probe'), 'w');
  const write = vi.spyOn(Object.getPrototypeOf(handle), 'write');
  await handle.close();
  write.mockRejectedValueOnce(new Error('ENOSPC: no space left on device'));
  await expect(archive.append(await capture('large', 5_000_000))).rejects.toThrow(
    /failed to write .*: ENOSPC/,
  );
  await expect(archive.flush()).rejects.toThrow(ArchiveFailed);
  await expect(archive.close()).rejects.toThrow(ArchiveFailed);
});

test('a write that takes only part of the bytes is continued', async () => {
  const { archive, folder } = await newArchive();
  const handle = await open(join(folder, 'probe'), 'w');
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  const write = prototype.write;
  vi.spyOn(prototype, 'write').mockImplementation(function (this: unknown, ...args: unknown[]) {
    const [buffer, offset, length, position] = args as [Buffer, number, number, number];
    return write.call(this, buffer, offset, Math.ceil(length / 3), position);
  });
  const locations = await archive.append(await capture('a', 5000));
  await archive.close();
  await expectWholeFile(folder, locations[0]!.file, locations);
});

test('a journal that fails rejects the flush, though the bytes are on the disk', async () => {
  const { archive, journal } = await newArchive({ journal: memoryJournal() });
  await archive.append(await capture('a'));
  vi.spyOn(journal, 'save').mockImplementation(() => {
    throw new Error('database is locked');
  });
  await expect(archive.flush()).rejects.toThrow(/failed to make .* durable: database is locked/);
  await expect(archive.append(await capture('b'))).rejects.toThrow(ArchiveFailed);
  await expect(archive.close()).rejects.toThrow(ArchiveFailed);
});

// ------------------------------------------------------------------------------------------------- crashes

const FILE = 'test-20260102030405-00000.warc.gz';

/** A file as a killed writer leaves it, and where its appends end. */
async function killedFile(): Promise<{ bytes: Buffer; ends: number[]; leadBytes: number }> {
  const { archive, folder } = await newArchive();
  const ends: number[] = [];
  let leadBytes = 0;
  for (let i = 0; i < 5; i++) {
    const [response, request, metadata] = await archive.append([
      ...(await capture(String(i), i * 100, RESPONSE_ID)),
      encodeMetadata({ ...METADATA, concurrentTo: RESPONSE_ID }, RECORDS),
    ]);
    leadBytes ||= response!.offset;
    // Whole without its metadata, too.
    ends.push(request!.offset + request!.length, metadata!.offset + metadata!.length);
  }
  await archive.close();
  return { bytes: await readFile(join(folder, FILE)), ends, leadBytes };
}

async function folderWith(bytes: Uint8Array | undefined, name = `${FILE}.open`): Promise<string> {
  const folder = join(root, String(folders++), 'archive');
  await mkdir(folder, { recursive: true });
  if (bytes) await writeFile(join(folder, name), bytes);
  return folder;
}

test('after a crash a file is cut to what the journal says, or removed if that is nothing', async () => {
  const { bytes, ends } = await killedFile();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, ...ends),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (saved, share) => {
        const size = saved + Math.floor((bytes.length - saved) * share);
        const folder = await folderWith(bytes.subarray(0, size));
        const journal = memoryJournal([[FILE, saved]]);
        const { archive, warnings } = await newArchive({ folder, journal });
        const files = await listWarcFiles(folder);
        expect(files.map(({ file, isOpen, bytes }) => [file, isOpen, bytes])).toEqual(
          saved === 0 ? [] : [[FILE, false, saved]],
        );
        if (saved > 0) expect((await readFile(files[0]!.path)).equals(bytes.subarray(0, saved))).toBe(true);
        expect(warnings).toEqual([]);
        expect(journal.rows.size).toBe(0);
        await archive.close();
      },
    ),
    { numRuns: 50 },
  );
});

test('a file cut anywhere that no journal knows, or shorter than it says, keeps its whole captures', async () => {
  const { bytes, ends } = await killedFile();
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length), fc.boolean(), async (size, isKnown) => {
      const folder = await folderWith(bytes.subarray(0, size));
      const journal = memoryJournal(isKnown ? [[FILE, bytes.length + 1]] : []);
      const { archive, warnings } = await newArchive({ folder, journal });
      const kept = Math.max(0, ...ends.filter((end) => end <= size));
      const files = await listWarcFiles(folder);
      expect(files.map(({ file, isOpen, bytes }) => [file, isOpen, bytes])).toEqual(
        kept === 0 ? [] : [[FILE, false, kept]],
      );
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toMatch(isKnown ? 'announced records are lost' : 'the journal does not know it');
      expect(warnings[0]).toContain(`Kept ${kept} bytes`);
      expect(journal.rows.size).toBe(0);
      await archive.close();
    }),
    { numRuns: 50 },
  );
});

test('whenever the process is killed, every location whose flush resolved can be read after repairing', async () => {
  const { archive, folder, journal } = await newArchive();
  const announced: RecordLocation[] = [];
  for (let i = 0; i < 12; i++) {
    const locations = await archive.append(await capture(String(i), i === 7 ? 2_500_000 : 500));
    if (i % 3 === 0) {
      await archive.flush();
      announced.push(...locations);
    }
    const dead = await folderWith(undefined);
    for (const { path, file } of await listWarcFiles(folder)) {
      await copyFile(path, join(dead, `${file}.open`));
      // Bytes that were written and not synced may be there in part.
      const saved = journal.rows.get(file)!;
      const { length } = await readFile(path);
      await truncate(join(dead, `${file}.open`), saved + Math.floor((length - saved) * ((i * 0.37) % 1)));
    }
    const repaired = await newArchive({ folder: dead, journal: memoryJournal(journal.rows) });
    for (const location of announced) expect(await uriAt(dead, location)).toMatch('http://example.test/');
    await repaired.archive.close();
  }
  await archive.close();
});

test('a crash between the new name and the journal loses nothing; a missing file is reported', async () => {
  const { bytes } = await killedFile();
  for (const [content, saved, expected] of [
    [bytes, bytes.length, []],
    [undefined, 0, []],
    [undefined, 500, [`WARC file ${FILE} is missing and the journal says 500: announced records are lost`]],
    [
      bytes.subarray(0, 400),
      500,
      [`WARC file ${FILE} has 400 bytes and the journal says 500: announced records are lost`],
    ],
  ] as const) {
    const journal = memoryJournal([[FILE, saved]]);
    const { archive, warnings } = await newArchive({ folder: await folderWith(content, FILE), journal });
    expect(warnings).toEqual(expected);
    expect(journal.rows.size).toBe(0);
    await archive.close();
  }
});

test('files that are not ours are left alone', async () => {
  const folder = await folderWith(Buffer.from('x'), 'test-b-20260102030405-00000.warc.gz.open');
  await writeFile(join(folder, 'notes.txt.open'), 'x');
  await writeFile(join(folder, 'other-20260102030405-00000.warc.gz'), 'x');
  const { archive, warnings } = await newArchive({ folder });
  const [location] = await archive.append(await capture('a'));
  await archive.close();
  expect(warnings).toEqual([]);
  expect((await listWarcFiles(folder)).map(({ file, isOpen }) => [file, isOpen])).toEqual([
    ['other-20260102030405-00000.warc.gz', false],
    [location!.file, false],
    ['test-b-20260102030405-00000.warc.gz', true],
  ]);
});

test.each(['', 'a/b', '../a', 'a b'])('the prefix %j is refused', async (prefix) => {
  await expect(newArchive({ prefix })).rejects.toThrow(/Expected a prefix/);
});

test('a folder that is not there has no files', async () => {
  expect(await listWarcFiles(join(root, 'none'))).toEqual([]);
});
