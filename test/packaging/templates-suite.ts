import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TEMPLATE_NAMES } from '../../cli/init/templates.ts';
import { compiled, inFolder, type Packed, type Project } from './packed.ts';

const LOCAL = ['--allow-private-addresses', '--delay', '0', '--no-adaptive'];

/** Projects made by `strand init` and `npm create strand-crawler`, each used as it was created. */
export function templatesSuite(packed: () => Packed): void {
  let home: Project;
  let server: Server;
  let site: string;
  /** The text of the page `/news`. */
  let news = 'old';

  beforeAll(async () => {
    const beside = ['aws-cdk-lib', 'constructs', '@types/node'];
    home = packed().project('templates', ['strand-crawler', 'strand-crawler-functions'], beside);
    server = createServer((request, response) => {
      if (request.url === '/robots.txt') return void response.writeHead(404).end();
      if (request.url === '/style.css')
        return void response.setHeader('content-type', 'text/css').end('p {}');
      response.setHeader('content-type', 'text/html');
      const links = ['news', 'product/1', 'product/2']
        .map((path) => `<a href="/${path}">${path}</a>`)
        .join(' ');
      const text = request.url === '/news' ? news : `${request.url} `.repeat(20);
      response.end(
        `<link rel="stylesheet" href="/style.css"><h1>${request.url}</h1><p class="price">5</p><main><p>${text}</p></main>${links}`,
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    site = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => void server.close());

  /** Created by `strand init`; the packages are those of the folder above. */
  async function create(template: string): Promise<Project> {
    const { code, out } = await home.strand('init', template);
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringContaining(`cd ${template}\n  npm install\n`),
    });
    const folder = join(home.folder, template);
    symlinkSync(join(home.folder, 'node_modules'), join(folder, 'node_modules'), 'junction');
    return inFolder(folder);
  }

  /** Runs the words of a script of the project's package.json. */
  const script = (project: Project, name: string, ...more: string[]) => {
    const [program, ...words] = JSON.parse(project.read('package.json')).scripts[name].split(' ');
    expect(program).toBe('strand');
    return project.strand(...words, ...more);
  };

  test('archive-a-site archives pages and what they need, and makes a WACZ', async () => {
    const project = await create('archive-a-site');
    project.write('seeds.txt', site);
    expect(await script(project, 'crawl', ...LOCAL)).toMatchObject({ code: 0 });
    expect((await project.strand('export', 'crawls/site', '--format', 'cdxj')).out).toContain('/style.css');
    expect(await script(project, 'check')).toMatchObject({ code: 0 });
    expect(await script(project, 'wacz')).toMatchObject({ code: 0 });
    expect(existsSync(join(project.folder, 'site.wacz'))).toBe(true);
  });

  test('shop-items makes items of products, as CSV, and again from the archive', async () => {
    const project = await create('shop-items');
    project.write('seeds.txt', site);
    expect(await script(project, 'crawl', ...LOCAL)).toMatchObject({ code: 0 });
    expect(await script(project, 'items')).toMatchObject({ code: 0 });
    expect(project.read('items.csv').trim().split(/\r?\n/)).toHaveLength(3);
    expect(await script(project, 'process')).toMatchObject({ code: 0 });
    const items = project.read('items.jsonl').trim().split('\n');
    expect(items.map((line) => JSON.parse(line).name).sort()).toEqual(['/product/1', '/product/2']);
  });

  test('watch-a-site says what has changed', async () => {
    const project = await create('watch-a-site');
    const options = `{ allowPrivateAddresses: ['127.0.0.0/8'], delayMs: 0, adaptive: false }`;
    project.write('site.ts', `export const SITE = '${site}';\nexport const CRAWL = ${options};\n`);
    expect(await project.start('watch.ts')).toEqual({ code: 0, out: '4 pages, finished\n', err: '' });
    news = 'new';
    expect(await project.start('watch.ts')).toMatchObject({
      code: 0,
      out: `4 pages, finished\nchanged  ${site}news\n`,
    });
  });

  test('broad-crawl-on-aws is synthesized', async () => {
    const project = await create('broad-crawl-on-aws');
    const { scripts } = JSON.parse(project.read('package.json'));
    const app = JSON.parse(project.read('cdk.json')).app.split(' ');
    expect(app[0]).toBe('node');
    project.write('synth.ts', `process.env.CDK_OUTDIR = 'cdk.out';\nawait import('./${app[1]}');\n`);
    expect(project.run('synth.ts')).toMatchObject({ code: 0, err: '' });
    expect(scripts.crawl).toMatch(/^strand --stack BroadCrawl crawl /);
    expect(readdirSync(join(project.folder, 'cdk.out'))).toContain('BroadCrawl.template.json');
  });

  test('each has right types, and names of packages that are there', () => {
    const files = TEMPLATE_NAMES.flatMap((name) =>
      globSync(`${name}/*.ts`, { cwd: home.folder }).filter(
        (file) => !/synth\.ts$|a-site\/site\.ts$/.test(file),
      ),
    );
    expect(files).toHaveLength(4);
    const options = '--skipLibCheck --allowImportingTsExtensions';
    expect(compiled(home.folder, options, files)).toBe('');
  });

  test('a folder that holds anything is left as it is', async () => {
    const { code, err } = await home.strand('init', 'archive-a-site', '.');
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringMatching(/^strand: Expected an empty folder, got \. with /),
    });
  });

  test('npm create makes the same', () => {
    const folder = join(home.folder, 'created');
    mkdirSync(folder);
    execFileSync('tar', ['xzf', packed().tarballs['create-strand-crawler'] as string, '-C', folder]);
    const created = inFolder(folder);
    expect(created.run('package/index.js').out).toContain(
      'npm create strand-crawler archive-a-site my-crawl',
    );
    expect(created.run('package/index.js', 'shop-items')).toMatchObject({ code: 0, err: '' });
    expect(readdirSync(join(folder, 'shop-items')).sort()).toEqual([
      '.gitignore',
      'README.md',
      'package.json',
      'seeds.txt',
      'strand.config.ts',
    ]);
    expect(created.read('shop-items/package.json')).toBe(home.read('shop-items/package.json'));
    expect(created.run('package/index.js', 'shop-itms')).toMatchObject({
      code: 2,
      err: 'create-strand-crawler: There is no template "shop-itms": did you mean shop-items?\n',
    });
  });
}
