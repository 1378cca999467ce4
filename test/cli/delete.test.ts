import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runHere } from './commands.ts';

test('delete without a terminal says what it would delete, and the command that deletes the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'strand-delete-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, 'crawl.sqlite'),
    'This is no database, and long enough to be looked at. '.repeat(40),
  );
  const command = `confirm it with: strand delete ${folder}`;
  await expect(runHere('delete', folder)).rejects.toThrow(`${command} --yes`);
  await expect(runHere('delete', folder)).rejects.toThrow('but not its WARC files');
  await expect(runHere('delete', folder, '--archive')).rejects.toThrow(`${command} --archive --yes`);
});
