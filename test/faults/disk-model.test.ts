import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stream } from '../web/random.ts';
import { type DiskCall, type DiskOp, readDiskLog } from './disk-log.ts';
import { type Contents, createDiskModel, LOSSES, type Loss, readContents } from './disk-model.ts';
import { buildFaultDisk, type DiskFault, diskEnvironment } from './fault-disk.ts';

const call = (op: DiskOp, path: string, more: Partial<DiskCall> = {}): DiskCall => ({
  ...{ op, path, to: '', fileKind: path, stack: 0, n: 1, errno: 0, at: 0, inode: 1n, offset: 0, length: 0 },
  ...{ data: new Uint8Array(), hasFault: false, ...more },
});
const write = (path: string, text: string, offset = 0) =>
  call('write', path, { data: Buffer.from(text), length: text.length, offset });

function afterLoss(calls: readonly DiskCall[], loss: Loss, seed = 1): Record<string, string> {
  const model = createDiskModel();
  for (const one of calls) model.apply(one);
  return texts(model.afterLoss(loss, stream(seed)));
}

const texts = (contents: Contents): Record<string, string> =>
  Object.fromEntries(
    [...contents].map(([path, content]) => [
      path,
      content === 'folder' ? '/' : Buffer.from(content).toString(),
    ]),
  );

describe('after a loss of power', () => {
  const made = [call('create', 'a'), write('a', 'one'), call('sync', 'a')];
  const folderSync = call('sync', '');

  test('a file that was synced is gone if its folder was not', () => {
    expect(afterLoss(made, 'none')).toEqual({});
    expect(afterLoss(made, 'all')).toEqual({ a: 'one' });
    expect(afterLoss([...made, folderSync], 'none')).toEqual({ a: 'one' });
  });

  test('a file has the bytes of its last sync, and perhaps later ones', () => {
    const calls = [...made, folderSync, write('a', 'two'), write('a', 'more', 3)];
    expect(afterLoss(calls, 'none')).toEqual({ a: 'one' });
    expect(afterLoss(calls, 'all')).toEqual({ a: 'twomore' });
    const found = new Set(Array.from({ length: 200 }, (_, seed) => afterLoss(calls, 'any', seed).a));
    expect([...found].sort()).toEqual(['one', 'onemore', 'two', 'twomore']);
  });

  test('a write that is kept without the one before it leaves zeros in between', () => {
    const calls = [call('create', 'a'), folderSync, write('a', 'x'), write('a', 'y', 3)];
    const found = new Set(Array.from({ length: 200 }, (_, seed) => afterLoss(calls, 'any', seed).a));
    expect(found).toContain('\0\0\0y');
  });

  test('in order, nothing is kept without what came before it', () => {
    const calls = [...made, folderSync, write('a', '1', 3), write('a', '2', 4), write('a', '3', 5)];
    const found = new Set(Array.from({ length: 200 }, (_, seed) => afterLoss(calls, 'ordered', seed).a));
    expect([...found].sort()).toEqual(['one', 'one1', 'one12', 'one123']);
  });

  test('a rename is done or not', () => {
    const calls = [...made, folderSync, call('rename', 'a', { to: 'b' })];
    expect(afterLoss(calls, 'none')).toEqual({ a: 'one' });
    expect(afterLoss([...calls, folderSync], 'none')).toEqual({ b: 'one' });
  });

  test('a folder that was not synced into its own takes all that is in it along', () => {
    const calls = [call('mkdir', 'f'), call('create', 'f/a'), call('sync', 'f/a'), call('sync', 'f')];
    expect(afterLoss(calls, 'none')).toEqual({});
    expect(afterLoss([...calls, folderSync], 'none')).toEqual({ f: '/', 'f/a': '' });
  });

  test('what a failed sync was to keep is lost, though a later one succeeds', () => {
    const calls = [
      ...made,
      folderSync,
      write('a', 'two'),
      call('sync', 'a', { errno: 5 }),
      call('sync', 'a'),
    ];
    for (const loss of LOSSES) expect(afterLoss(calls, loss)).toEqual({ a: 'one' });
  });
});

const built = buildFaultDisk();
describe.skipIf('reason' in built)('the faulty disk', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'strand-disk-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
    rmSync(`${folder}.log`, { force: true });
  });

  const SCRIPT = `
    const { mkdirSync, openSync, writeSync, renameSync, unlinkSync, ftruncateSync, fsyncSync, closeSync, promises } = require('node:fs');
    const { DatabaseSync } = require('node:sqlite');
    process.chdir(process.argv[1]);
    const at = (name) => process.argv[1] + '/' + name;
    (async () => {
      mkdirSync(at('sub'));
      const database = new DatabaseSync(at('d.sqlite'));
      database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x)');
      for (let i = 0; i < 50; i++) database.exec('INSERT INTO t VALUES (' + i + ')');
      const fd = openSync(at('sub/a'), 'w');
      writeSync(fd, 'hello there');
      ftruncateSync(fd, 5);
      fsyncSync(fd);
      closeSync(fd);
      const handle = await promises.open(at('b'), 'wx');
      await handle.write(Buffer.from('x'.repeat(10000)), 0, 10000, 100);
      await handle.datasync();
      await handle.close();
      await promises.rename(at('b'), at('c'));
      await promises.writeFile(at('gone'), 'x');
      unlinkSync(at('gone'));
      if (process.argv[2] === 'close') database.close();
      else process.kill(process.pid, 'SIGKILL');
    })().catch((error) => { console.log(error.code); process.exitCode = 1; });`;

  const run = (end: 'close' | 'kill', fault?: { op: DiskOp; fileKind: string; fault: DiskFault }) => {
    const { library } = built as { library: string };
    const log = `${folder}.log`;
    const start = (struck?: Parameters<typeof diskEnvironment>[1]['fault']) => {
      for (const path of [folder, log]) rmSync(path, { recursive: true, force: true });
      mkdirSync(folder);
      const ended = spawnSync(process.execPath, ['-e', SCRIPT, folder, end], {
        env: { ...process.env, ...diskEnvironment(library, { folder, log, keepsData: true, fault: struck }) },
        encoding: 'utf8',
      });
      return { ...ended, calls: readDiskLog(log) };
    };
    const undisturbed = start();
    if (!fault) return undisturbed;
    const point = undisturbed.calls.find(
      ({ op, fileKind }) => op === fault.op && fileKind === fault.fileKind,
    );
    return start({ point: point!, fault: fault.fault });
  };

  test.each(['close', 'kill'] as const)('logs all that changes the folder (%s)', (end) => {
    const { calls } = run(end);
    const model = createDiskModel();
    for (const one of calls) model.apply(one);
    const [said, real] = [model.contents(), readContents(folder)].map(
      (contents) => new Map([...contents].filter(([path]) => !path.endsWith('-shm'))),
    );
    expect([...said!.keys()].sort()).toEqual([...real!.keys()].sort());
    for (const [path, content] of real!)
      expect(Buffer.from(said!.get(path)!).equals(Buffer.from(content))).toBe(true);
    expect(
      new Set(calls.filter(({ fileKind }) => fileKind === 'd.sqlite-wal').map(({ stack }) => stack)).size,
    ).toBeGreaterThan(2);
  });

  test('lets a call fail, and kills at one', () => {
    const failing = {
      op: 'sync',
      fileKind: 'b',
      fault: { kind: 'fail', errno: 'EIO', goesOn: false },
    } as const;
    expect(run('close', failing)).toMatchObject({ status: 1, stdout: 'EIO\n' });
    const killing = { op: 'rename', fileKind: 'b', fault: { kind: 'killBefore' } } as const;
    expect(run('close', killing).signal).toBe('SIGKILL');
    expect([...readContents(folder).keys()]).toContain('b');
  });
});
