/** The CDK app as a program without a terminal, as CI has it: it asks for nothing, and says which setting is wrong. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const outdir = mkdtempSync(join(tmpdir(), 'strand-app-'));
afterAll(() => rmSync(outdir, { recursive: true }));

function run(context: Record<string, unknown>) {
  // The functions' code is not bundled, which takes long.
  const given = { 'aws:cdk:bundling-stacks': [], ...context };
  const { CDK_DEFAULT_ACCOUNT: _, ...own } = process.env;
  const env = { ...own, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify(given) };
  const args = ['--disable-warning=ExperimentalWarning', 'cdk/app.ts'];
  const { status, stderr, stdout } = spawnSync(process.execPath, args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  return { status, stderr, stdout };
}

test('a wrong setting ends it with an error that names the setting', () => {
  const { status, stderr, stdout } = run({ workerTimeout: '5', adopt: '{"bucket": "b"}' });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  for (const name of ['workerTimeout', 'adopt']) expect(stderr).toContain(`Option ${name}`);
  expect(readdirSync(outdir).filter((file) => file.endsWith('.template.json'))).toEqual([]);
});

test('right settings give a template', () => {
  const { status, stderr, stdout } = run({ stackName: 'News' });
  expect({ status, stderr, stdout }).toEqual({ status: 0, stderr: '', stdout: '' });
  expect(readdirSync(outdir)).toContain('News.template.json');
});
