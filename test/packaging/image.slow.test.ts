/** The steps of the image, run in a folder: without an engine of containers. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inFolder, ROOT } from './packed.ts';

const DOCKERFILE = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').replaceAll(/ *\\\n */g, ' ');
/** The instructions of the last stage, by their names. */
const LAST = Map.groupBy(
  DOCKERFILE.slice(DOCKERFILE.lastIndexOf('FROM '))
    .split('\n')
    .filter((line) => /^[A-Z]+ /.test(line)),
  (line) => line.split(' ')[0],
);

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'strand-image-'));
  const left = readFileSync(join(ROOT, '.dockerignore'), 'utf8').trim().split('\n');
  const source = join(root, 'src');
  cpSync(ROOT, source, {
    recursive: true,
    filter: (path) => {
      const parts = path.slice(ROOT.length + 1).split('/');
      return !left.includes(parts[0] ?? '') && !parts.some((part) => left.includes(`**/${part}`));
    },
  });
  // The step `npm ci` has made it here.
  symlinkSync(join(ROOT, 'node_modules'), join(source, 'node_modules'), 'junction');
  const [, build = ''] = /^RUN (node packaging.*)$/m.exec(DOCKERFILE) ?? [];
  execFileSync('sh', ['-c', build.replaceAll('/tmp', root)], { cwd: source, stdio: 'pipe' });
  const [tarball = ''] = globSync('strand-crawler-*.tgz', { cwd: root });
  // As `npm install --global` would, of packages that are here.
  const modules = join(root, 'lib/node_modules');
  mkdirSync(join(modules, 'strand-crawler'), { recursive: true });
  execFileSync('tar', ['xzf', tarball, '-C', join(modules, 'strand-crawler'), '--strip-components', '1'], {
    cwd: root,
  });
  const { dependencies } = JSON.parse(readFileSync(join(modules, 'strand-crawler/package.json'), 'utf8'));
  for (const name of Object.keys(dependencies))
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name), 'junction');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('its user is not root, and its one folder is that of the crawls', () => {
  expect(LAST.get('USER')).toEqual(['USER node']);
  expect(LAST.get('VOLUME')).toEqual(['VOLUME /data']);
  expect(LAST.get('WORKDIR')).toEqual(['WORKDIR /data']);
  expect(LAST.get('ENTRYPOINT')).toEqual(['ENTRYPOINT ["strand"]']);
  expect(LAST.get('COPY')).toEqual(['COPY --from=build /tmp/strand-crawler-*.tgz /tmp/']);
});

test('what it builds crawls where nothing but that folder can be written', async () => {
  const data = join(root, 'data');
  const site = join(root, 'site');
  for (const folder of [data, site]) mkdirSync(folder);
  writeFileSync(join(site, 'index.html'), '<title>One</title><h1>One</h1>');
  const program = join(root, 'lib/node_modules/strand-crawler/cli/bin.js');
  // Not even root can write there.
  process.env.TMPDIR = '/proc';
  process.env.HOME = '/proc';
  const words = ['crawl', 'https://site.example/', '--from-folder', `site.example=${site}`];
  const { code, err } = await inFolder(data).start(
    program,
    ...words,
    '--contact',
    'you@example.org',
    '--out',
    'c',
  );
  expect({ code, err: err.includes('rror') }).toEqual({ code: 0, err: false });
  expect(readdirSync(data)).toEqual(['c']);
});
