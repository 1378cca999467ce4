/** The workflows of GitHub, which no test can run, and the files beside them. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import vitestConfig from '../../vitest.config.ts';
import { LONGEST } from '../longest-first.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly uses?: string;
  readonly 'timeout-minutes'?: number;
  readonly permissions?: Permissions;
  readonly steps?: readonly Step[];
}

type Permissions = Readonly<Record<string, string>>;

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Permissions;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** The CDK brings one. */
const require = createRequire(createRequire(import.meta.url).resolve('aws-cdk-lib'));
const { parse } = require('yaml') as { parse(text: string): unknown };

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const FILES = globSync('.github/workflows/*.yml', { cwd: ROOT }).sort();
const WORKFLOWS = FILES.map((file) => [file, parse(read(file)) as Workflow] as const);
const MANIFEST = JSON.parse(read('package.json'));

const stepsOf = ({ jobs }: Workflow): readonly Step[] =>
  Object.values(jobs).flatMap(({ steps = [] }) => steps);

/** Beside `contents: read`, what a job may do. */
const GRANTED: Readonly<Record<string, Permissions>> = {
  'release.yml npm': { contents: 'read', 'id-token': 'write' },
  'release.yml image': { contents: 'read', packages: 'write' },
};

describe.each(WORKFLOWS)('%s', (file, workflow) => {
  test('names each action by a commit, with its version beside it', () => {
    const used = [...read(file).matchAll(/\buses: (?!\.\/)(.*)/g)].map(([, action = '']) => action);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((action) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  test('runs scripts, projects and files that are there', () => {
    const projects = vitestConfig.test?.projects?.map(
      (project) => (project as { test: { name: string } }).test.name,
    );
    const lines = stepsOf(workflow).flatMap(({ run = '' }) => run.split('\n'));
    const all = (pattern: RegExp) =>
      lines.flatMap((line) => [...line.matchAll(pattern)].map(([, name = '']) => name));
    expect(all(/\bnpm run ([\w:]+)/g).filter((script) => !(script in MANIFEST.scripts))).toEqual([]);
    expect(all(/--project ([\w-]+)/g).filter((name) => !projects?.includes(name))).toEqual([]);
    expect(all(/ (\.ci\/\w+)/g).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test('may only read, except where it publishes', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const [name, { permissions }] of Object.entries(workflow.jobs))
      expect(permissions).toEqual(GRANTED[`${file.split(/[\\/]/).at(-1)} ${name}`]);
    const checkouts = stepsOf(workflow).filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(checkouts.map(() => false));
  });

  test('puts nothing into a shell that others have written', () => {
    expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
    expect(stepsOf(workflow).filter(({ run }) => run?.includes('${{'))).toEqual([]);
  });

  test('has a limit of time for each job', () => {
    for (const [name, job] of Object.entries(workflow.jobs))
      if (!job.uses) expect(job['timeout-minutes'], name).toBeLessThanOrEqual(60);
  });
});

test('a commit stands for one version of an action in all workflows', () => {
  const versions = FILES.flatMap((file) => [...read(file).matchAll(/\buses: ([\w/-]+)(@.*)/g)]);
  const byAction = Map.groupBy(versions, ([, action]) => action);
  for (const [action, uses] of byAction) expect(new Set(uses.map(([, , at]) => at)).size, action).toBe(1);
});

test('Node is the same version wherever it is named', () => {
  const version = read('.nvmrc').trim();
  expect(MANIFEST.devDependencies.node).toBe(version);
  const [major] = version.split('.');
  expect(read('Dockerfile').match(/FROM node:\d+/g)).toEqual([`FROM node:${major}`, `FROM node:${major}`]);
  expect(read('.devcontainer/devcontainer.json')).toContain(`typescript-node:${major}-`);
});

test('the test files that begin first are there', () => {
  expect(LONGEST.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});
