import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ExportObjects } from '../../../shared/engines/aws/exports/export-objects.ts';
import { ExportFolder } from '../../../shared/engines/local/exports/export-folder.ts';
import {
  type ExportStore,
  putJson,
  readJson,
  storeFile,
} from '../../../shared/services/exports/export-store.ts';
import { createSimCloud } from '../../../simulation/models/cloud.ts';
import { drive } from '../../../simulation/models/virtual-time.ts';
import { keepTime } from '../../api/stack/deployed-world.ts';

interface Opened {
  /** As another process opens it. */
  open(): ExportStore;
  /** The bytes of a file of the export, if it is there. */
  stored(name: string): Buffer | undefined;
  run(script: () => Promise<void>): Promise<void>;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-store-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const STORES: Readonly<Record<string, (name: string) => Opened>> = {
  'a folder': (name) => {
    const out = join(folder, name);
    return {
      open: () => new ExportFolder(out, join(out, 'work')),
      stored(file) {
        try {
          return readFileSync(join(out, file));
        } catch {
          return undefined;
        }
      },
      run: (script) => script(),
    };
  },
  'a bucket': (name) => {
    const cloud = createSimCloud({ seed: 1 });
    const { bucket } = cloud.settings;
    let processes = 0;
    return {
      open() {
        const process = cloud.begin(`p${processes++}`);
        const { s3 } = cloud.clientsOf(process);
        return new ExportObjects({ s3, bucket, clock: process.clock }, 'c', name);
      },
      stored: (file) => {
        const bytes = cloud.s3.objects(bucket).get(`exports/c/${name}/${file}`)?.bytes;
        return bytes && Buffer.from(bytes);
      },
      async run(script) {
        const ending = keepTime(cloud.time);
        await drive(cloud.time, script().finally(ending));
      },
    };
  },
};

const MB = 1024 * 1024;
const pieceOf = (n: number): Uint8Array => Buffer.alloc(3 * MB + n, n);

describe.each(Object.entries(STORES))('%s as the destination of an export', (_, storeOf) => {
  test('has a file when it is complete, and the later one of two with its name', async () => {
    const { open, stored, run } = storeOf('complete');
    await run(async () => {
      const file = open().create('deep/er/file');
      for (const n of [1, 2, 3]) await file.add(pieceOf(n));
      expect(file.bytes).toBe(9 * MB + 6);
      expect(stored('deep/er/file')).toBeUndefined();
      await file.complete();
      expect(stored('deep/er/file')?.equals(Buffer.concat([1, 2, 3].map(pieceOf)))).toBe(true);
      expect(await storeFile(open(), 'deep/er/file', [Buffer.from('again')])).toBe(5);
      expect(stored('deep/er/file')?.toString()).toBe('again');
      await open().create('empty').complete();
      expect(stored('empty')).toHaveLength(0);
    });
  });

  test('keeps a file whose name ends as unfinished ones of browsers do, and one in a folder of such a name', async () => {
    const { open, stored, run } = storeOf('parts');
    await run(async () => {
      const store = open();
      for (const name of ['a.zip.part', 'b.zip.part/file', 'a.zip', 'b.zip'])
        await storeFile(store, name, [Buffer.from(name)]);
      for (const name of ['a.zip.part', 'b.zip.part/file', 'a.zip', 'b.zip'])
        expect(stored(name)?.toString()).toBe(name);
    });
  });

  test('has no file that was dropped, and none whose content fails', async () => {
    const { open, stored, run } = storeOf('dropped');
    await run(async () => {
      const file = open().create('file');
      await file.add(pieceOf(1));
      await file.abort();
      await open().create('none').abort();
      async function* failing() {
        yield pieceOf(2);
        throw new Error('the archive is gone');
      }
      await expect(storeFile(open(), 'failing', failing())).rejects.toThrow('the archive is gone');
      for (const name of ['file', 'none', 'failing']) expect(stored(name)).toBeUndefined();
    });
  });

  test('continues a file in another process, also after one that did the same and died', async () => {
    const { open, stored, run } = storeOf('paused');
    await run(async () => {
      const first = open().create('file');
      await first.add(pieceOf(1));
      const paused = JSON.stringify(await first.pause());
      const dies = open().resume(JSON.parse(paused));
      await dies.add(pieceOf(2));
      await dies.pause();
      const second = open().resume(JSON.parse(paused));
      expect(second.bytes).toBe(3 * MB + 1);
      await second.add(pieceOf(2));
      expect(second.bytes).toBe(6 * MB + 3);
      await second.complete();
      expect(stored('file')?.equals(Buffer.concat([1, 2].map(pieceOf)))).toBe(true);
    });
  });

  test('keeps pieces of work until they are deleted', async () => {
    const { open, stored, run } = storeOf('work');
    const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
    await run(async () => {
      const store = open();
      await store.putWork('one', Buffer.from('0123456789'));
      await store.putWork('two', Buffer.from('two'));
      expect(text(await open().readWork('one'))).toBe('0123456789');
      expect(text(await open().readWork('one', 4))).toBe('0123');
      const read = open().workReader('one', 8);
      expect(text(await read(2, 3))).toBe('234');
      expect(text(await read(6, 9))).toBe('67');
      expect(text(await read(8, 9))).toBe('');
      const bytes = await putJson(store, 'facts', { n: 1 });
      expect(await readJson(open(), 'facts', bytes)).toEqual({ n: 1 });
      expect(await readJson(open(), 'facts')).toEqual({ n: 1 });
      await store.deleteWork(['one', 'none']);
      await expect(open().readWork('one')).rejects.toThrow();
      expect(text(await open().readWork('two'))).toBe('two');
      await store.deleteAllWork();
      await store.deleteAllWork();
      await expect(open().readWork('two')).rejects.toThrow();
      await store.putWork('three', Buffer.from('3'));
      expect(text(await open().readWork('three'))).toBe('3');
      expect(stored('three')).toBeUndefined();
    });
  });
});
