import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Packed, Project } from './packed.ts';

const CDK = ['aws-cdk-lib', 'constructs'];
const SDK = ['dynamodb', 'eventbridge', 's3', 'sqs'].map((name) => `@aws-sdk/client-${name}`);

/** The construct in apps of others. */
export function constructSuite(packed: () => Packed): void {
  /** Code of the functions in a synthesized app, each once. */
  const bundles = ({ folder }: Project) =>
    globSync('cdk.out/asset.*/index.mjs', { cwd: folder }).map((file) =>
      readFileSync(join(folder, file), 'utf8'),
    );

  test('an app with two crawlers is synthesized from functions that were bundled in advance', () => {
    const app = packed().project('cdk', ['strand-crawler', 'strand-crawler-functions'], CDK);
    app.write(
      'app.ts',
      `import { App, Duration, Stack } from 'aws-cdk-lib';
       import { Crawler } from 'strand-crawler/cdk';
       const app = new App({ outdir: 'cdk.out' });
       const stack = new Stack(app, 'Data');
       new Crawler(stack, 'News', { workerTimeout: Duration.minutes(5), parameterName: '/strand/news' });
       new Crawler(stack, 'Shop', { crawl: { contact: 'me@example.org' } });
       app.synth();`,
    );
    const { code, err } = app.run('app.ts');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { Resources } = JSON.parse(app.read('cdk.out/Data.template.json'));
    const functions = Object.values<{ Type: string }>(Resources).filter(
      ({ Type }) => Type === 'AWS::Lambda::Function',
    );
    expect(functions).toHaveLength(14);
    expect(bundles(app)).toHaveLength(6);
    for (const text of bundles(app)) expect(text).toMatch(/export ?\{[^}]*\bhandler\b/);
  });

  test('an app in CommonJS may require it', () => {
    const app = packed().project('cjs', ['strand-crawler', 'strand-crawler-functions'], CDK);
    app.write(
      'app.cjs',
      `const { App, Stack } = require('aws-cdk-lib');
       const { Crawler } = require('strand-crawler/cdk');
       const app = new App({ outdir: 'cdk.out' });
       console.log(new Crawler(new Stack(app, 'Data'), 'News').name.startsWith('Data-News-'));`,
    );
    expect(app.run('app.cjs')).toMatchObject({ code: 0, out: 'true\n' });
  });

  test('a project’s file becomes a part of the worker, of the waker and of the exporter', () => {
    const app = packed().project(
      'hooks',
      ['strand-crawler', 'strand-crawler-functions'],
      [...CDK, ...SDK, 'esbuild'],
    );
    app.write(
      'strand.config.ts',
      `import { defineCrawl } from 'strand-crawler';
       export default defineCrawl({ middleware: [(request, next) => next({ ...request, mine: 'mark-of-mine' } as never)] });`,
    );
    app.write(
      'app.mjs',
      `import { App, Stack } from 'aws-cdk-lib';
       import { Crawler } from 'strand-crawler/cdk';
       const app = new App({ outdir: 'cdk.out' });
       new Crawler(new Stack(app, 'Data'), 'News', { configFile: 'strand.config.ts' });
       app.synth();`,
    );
    const { code, err } = app.run('app.mjs');
    expect({ code, err: err.replace(/^Bundling asset .*\n/gm, '') }).toEqual({ code: 0, err: '' });
    // That of the worker, of the waker, which calls `onFinish`, and of the exporter, which makes documents by its modules.
    expect(bundles(app).filter((text) => text.includes('mark-of-mine'))).toHaveLength(3);
  });

  test.each([
    [[], '', 'npm install --save-dev strand-crawler-functions@'],
    [[], `{ configFile: 'strand.config.ts' }`, 'npm install --save-dev esbuild'],
    [['esbuild'], `{ configFile: 'strand.config.ts' }`, 'npm install @aws-sdk/client-'],
  ])('with %j alone and props %s it says what to install: %s', (beside, props, message) => {
    const app = packed().project(
      `bare${beside.length}${props.length}`,
      ['strand-crawler'],
      [...CDK, ...beside],
    );
    app.write('strand.config.ts', 'export default {};');
    app.write(
      'app.mjs',
      `import { App, Stack } from 'aws-cdk-lib';
       import { Crawler } from 'strand-crawler/cdk';
       const app = new App({ outdir: 'cdk.out' });
       new Crawler(new Stack(app, 'Data'), 'News', ${props});`,
    );
    expect(app.run('app.mjs')).toMatchObject({ code: 1, err: expect.stringContaining(message) });
  });
}
