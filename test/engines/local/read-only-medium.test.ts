/** Databases of crawls in folders that nobody may write to. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../../shared/engines/local/database.ts';
import { temporaryFolder } from '../../local-crawl/local-crawl.ts';

let place: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  place = temporaryFolder();
  mkdirSync(place.folder, { recursive: true });
  chmodSync(dirname(place.folder), 0o755);
  openDatabase(join(place.folder, 'crawl.sqlite'), 'write').close();
});
afterEach(() => {
  chmodSync(place.folder, 0o755);
  place.remove();
});

const MODULE = new URL('../../../shared/engines/local/database.ts', import.meta.url);

/** Asks the database in another process, as a user who may not write to the folder even if this one is root. */
function ask(mode: string): string {
  chmodSync(place.folder, 0o555);
  const program = `
    import { openDatabase } from ${JSON.stringify(MODULE.href)};
    if (process.getuid() === 0) process.setuid(65534);
    const database = openDatabase(${JSON.stringify(join(place.folder, 'crawl.sqlite'))}, ${JSON.stringify(mode)});
    console.log('crawls:', database.prepare('SELECT count(*) AS n FROM crawls').get().n);`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  return stdout + (/^(?:\w+): .*$/m.exec(stderr)?.[0] ?? '');
}

test.skipIf(process.platform === 'win32')('a database without a journal is read, and not written', () => {
  expect(ask('read')).toBe('crawls: 0\n');
  expect(ask('write')).toMatch(/^StorageFailed: /);
});

test.skipIf(process.platform === 'win32')('one whose journal has what is not in it is refused', () => {
  writeFileSync(join(place.folder, 'crawl.sqlite-wal'), Buffer.alloc(100));
  expect(ask('read')).toMatch(/^StorageFailed: .*cannot be opened/);
});
