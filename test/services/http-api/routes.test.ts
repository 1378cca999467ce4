import { describe, expect, test } from 'vitest';
import type { Control } from '../../../shared/services/control/control.ts';
import type { Deletion } from '../../../shared/services/control/deletion.ts';
import { API_SCHEMAS } from '../../../shared/services/http-api/api-schemas.ts';
import { answerSchema, ROUTES } from '../../../shared/services/http-api/route-table.ts';
import { type ApiAnswer, handleRequest } from '../../../shared/services/http-api/routes.ts';
import { SUMMARY_KEYS } from '../../../shared/services/report/summary.ts';
import { page } from '../../crawler/worker/scripted-fetcher.ts';
import { runToEnd } from '../../crawler/worker/world.ts';
import { A, openRoom } from '../control/control-room.ts';

const operations = new Map(ROUTES.map((route) => [route.operationId, route]));

/** The answer as it is sent; whatever it is, it is one that the description promises. */
async function ask(
  control: Control,
  method: string,
  target: string,
  given?: unknown,
  errors: unknown[] = [],
): Promise<ApiAnswer & { readonly body: Record<string, unknown> }> {
  const [path = '', search = ''] = target.split('?');
  const query = Object.fromEntries(new URLSearchParams(search));
  const body = given === undefined || typeof given === 'string' ? given : JSON.stringify(given);
  const answer = await handleRequest(control, { method, path, query, body }, (error) => errors.push(error));
  const sent = JSON.parse(JSON.stringify(answer.body)) as Record<string, unknown>;
  const routes = ROUTES.filter((route) => route.method === method && pattern(route.path).test(path));
  const schema = answer.status < 300 ? answerSchema(routes.at(-1)!) : API_SCHEMAS.Error;
  expect(schema.safeParse(sent).error?.issues ?? []).toEqual([]);
  if (answer.status < 300) expect(answer.status).toBe(routes.at(-1)!.status);
  return { status: answer.status, body: sent };
}

const pattern = (template: string): RegExp => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`);

async function crawled() {
  const room = openRoom({ site: { [A]: page('/1', 'x:y'), [`${A}1`]: page('http://elsewhere.test/') } });
  const created = await ask(room.control, 'POST', '/crawls', {
    crawl: 'one',
    seeds: [A],
    config: { maxPages: 9 },
  });
  await runToEnd(room.world, ['one']);
  return { ...room, created };
}

describe('over HTTP', () => {
  test('a crawl is begun with as many sites as it may have, with their settings', async () => {
    const { control } = await crawled();
    const sites = Array.from({ length: 15_000 }, (_, n) => ({
      url: `https://www.site-${n}.example-domain.org/some/folder/index.html`,
      group: 'a-group-of-sites',
      delayMs: 2500,
      maxPagesPerHost: 5000,
      recrawlSchedule: '0 6 * * *',
      recrawlTimeZone: 'Europe/Berlin',
    }));
    const asked = { crawl: 'many', sites, config: { recrawlEveryMs: 86_400_000 } };
    const { status, body } = await ask(control, 'POST', '/crawls', asked);
    expect([status, body.error]).toEqual([201, undefined]);
    // As the event of a function holds it.
    expect(JSON.stringify(JSON.stringify(asked)).length).toBeLessThan(6_000_000);
  });

  test('a crawl is begun, fed, asked, paused, resumed and stopped', async () => {
    const { control, created } = await crawled();
    expect(created).toMatchObject({ status: 201, body: { crawl: 'one', state: 'running' } });
    const on = (method: string, path: string, body?: unknown) => ask(control, method, path, body);
    expect(await on('GET', '/crawls')).toEqual({
      status: 200,
      body: { crawls: [{ crawl: 'one', state: 'running', pages: 2 }] },
    });
    expect(await on('POST', '/crawls/one/seeds', { seeds: ['a.test/2', 'x:y'] })).toEqual({
      status: 200,
      body: {
        crawl: 'one',
        added: 1,
        refused: [{ url: 'x:y', reason: 'expected an http or https URL' }],
      },
    });
    expect((await on('POST', '/crawls/one/pause')).body).toMatchObject({ state: 'paused' });
    expect((await on('POST', '/crawls/one/resume')).body).toMatchObject({ state: 'running' });
    expect((await on('POST', '/crawls/one/resume', { newUrlRules: true })).status).toBe(200);
    expect((await on('POST', '/crawls/one/stop', '')).body).toMatchObject({ state: 'stopped' });
    expect((await on('POST', '/crawls/one/resume', { maxPages: 99 })).body).toMatchObject({
      state: 'running',
    });
    const status = await on('GET', '/crawls/one');
    expect(status.body).toMatchObject({ pages: 2, byStatus: { fetched: 2 } });
    expect(Object.keys(status.body)).toEqual(SUMMARY_KEYS.filter((key) => key in status.body));
  });

  test('the captures of a URL are listed, a page at a time', async () => {
    const asked: unknown[] = [];
    const capture = { surt: 'test,a)/', file: 'f.warc.gz', offset: 1, length: 2, url: A };
    const { control } = openRoom({
      engine: {
        async captures(crawl, { place, ...query }) {
          asked.push([crawl, query]);
          if (place) return { captures: [], damaged: [] };
          const captures = [
            { ...capture, timestamp: '20260102030405', mime: 'text/html', status: 200, digest: 'sha1:A' },
            { ...capture, timestamp: '20260102030406', mime: 'warc/revisit', status: 200 },
            { ...capture, timestamp: '20260102030407', mime: 'warc/revisit' },
          ];
          return { captures, damaged: ['g.warc.gz'], next: { file: 'f.cdxj', at: 9, madeAt: 5 } };
        },
      },
    });
    await ask(control, 'POST', '/crawls', { crawl: 'one', seeds: [A] });
    const path = `/crawls/one/captures?url=${A}&matchType=host&from=2026&to=2026-01-03T04&limit=3`;
    const { status, body } = await ask(control, 'GET', path);
    expect([status, body]).toMatchObject([
      200,
      {
        captures: [
          {
            url: A,
            time: '2026-01-02T03:04:05Z',
            kind: 'response',
            httpStatus: 200,
            contentType: 'text/html',
          },
          { kind: 'identicalPayload', httpStatus: 200 },
          { kind: 'notModified', httpStatus: 304, warcFile: 'f.warc.gz', warcOffset: 1, warcLength: 2 },
        ],
        damaged: ['g.warc.gz'],
      },
    ]);
    expect(asked).toEqual([
      [
        'one',
        { from: 'test,a)', below: 'test,a*', first: '20260101000000', last: '20260103045959', limit: 3 },
      ],
    ]);
    expect((await ask(control, 'GET', `${path}&cursor=${body['cursor']}`)).body).toEqual({
      captures: [],
      damaged: [],
    });
    const refused = [
      '',
      '?url=',
      `?url=${A}&matchType=domain`,
      `?url=${A}&limit=0`,
      `?url=${A}&limit=1001`,
      `?url=${A}&from=20269999`,
      `?url=${A}&cursor=x`,
      `?url=${A}&page=1`,
      `?url=${'a'.repeat(20_000)}`,
    ];
    for (const query of refused)
      expect.soft((await ask(control, 'GET', `/crawls/one/captures${query}`)).status).toBe(400);
    expect((await ask(control, 'GET', `/crawls/none/captures?url=${A}`)).status).toBe(404);
  });

  test('a crawl is deleted, and asked again how far that is', async () => {
    const begun: unknown[] = [];
    let deletion: Deletion | undefined;
    const { control } = openRoom({
      engine: {
        deletions: {
          settleMs: 60_000,
          load: async () => deletion,
          async begin(crawl, { archive }) {
            begun.push([crawl, archive]);
            deletion ??= { requestedAt: 0, archive, stoppedAt: 1000 };
            return deletion;
          },
        },
      },
    });
    await ask(control, 'POST', '/crawls', { crawl: 'one', seeds: [A] });
    expect(await ask(control, 'DELETE', '/crawls/one?archive=true')).toEqual({
      status: 202,
      body: {
        crawl: 'one',
        state: 'deleting',
        archive: true,
        requestedAt: '1970-01-01T00:00:00.000Z',
        dataDeletedFrom: '1970-01-01T00:01:01.000Z',
      },
    });
    expect(begun).toEqual([['one', true]]);
    expect((await ask(control, 'DELETE', '/crawls/two')).status).toBe(202);
    deletion = undefined;
    expect((await ask(control, 'DELETE', '/crawls/two')).body).toMatchObject({ error: { code: 'notFound' } });
    expect((await ask(control, 'DELETE', '/crawls/one?archive=1')).body).toMatchObject({
      error: { code: 'invalid', field: 'archive' },
    });
    deletion = { requestedAt: 0, archive: true, deletedAt: 5000, nameFreeAt: 6000 };
    const again = await ask(control, 'POST', '/crawls', { crawl: 'three', seeds: [A] });
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'conflict', field: 'crawl' } } });
  });

  test('hosts and URLs are looked up, their names percent-encoded', async () => {
    const { control } = await crawled();
    const on = (path: string) => ask(control, 'GET', path);
    expect((await on('/crawls/one/hosts?limit=5')).body).toMatchObject({
      hosts: [{ host: 'a.test', pages: 2 }],
    });
    expect((await on('/crawls/one/hosts/a%2Etest')).body).toMatchObject({ host: 'a.test', requests: 3 });
    expect((await on(`/crawls/one/url?url=${encodeURIComponent(`${A}1`)}`)).body).toMatchObject({
      url: `${A}1`,
    });
    expect((await on('/crawls/one/domains')).body).toEqual({ domains: [], medianLinkers: 1 });
    expect((await on('/openapi.json')).body).toMatchObject({ openapi: '3.1.1' });
  });

  test('what cannot be done is answered with a code, a reason, and the field at fault', async () => {
    const { control } = await crawled();
    const cases: [
      target: string,
      body: unknown,
      status: number,
      code: string,
      message: RegExp,
      field?: string,
    ][] = [
      ['GET /', undefined, 404, 'notFound', /There is nothing at "\/"; see \/openapi.json/],
      ['GET /crawls/%E0%A4%A', undefined, 404, 'notFound', /nothing at/],
      ['GET /crawls/one/', undefined, 404, 'notFound', /nothing at/],
      ['GET /crawls/two', undefined, 404, 'notFound', /There is no crawl "two"/, 'crawl'],
      ['GET /crawls/a%20b', undefined, 400, 'invalid', /Expected crawl to be a name/, 'crawl'],
      ['GET /crawls/..', undefined, 400, 'invalid', /Expected crawl to be a name/, 'crawl'],
      ['PUT /crawls/one', '{}', 405, 'methodNotAllowed', /one of the methods GET, DELETE, got "PUT"/],
      ['DELETE /crawls', undefined, 405, 'methodNotAllowed', /POST, GET/],
      ['POST /crawls', undefined, 400, 'invalid', /^Expected a body of JSON, got nothing$/],
      ['POST /crawls', {}, 400, 'invalid', /^Expected seeds or sites, got neither$/, 'seeds'],
      ['POST /crawls', '{"seeds":', 400, 'invalid', /^Expected a body of JSON: .*JSON/],
      ['POST /crawls', '[]', 400, 'invalid', /^Expected the body to be of type object, got \[\]$/],
      [
        'POST /crawls',
        { seeds: [A], config: { delayMs: 'x' } },
        400,
        'invalid',
        /^Expected config.delayMs to be/,
        'config.delayMs',
      ],
      [
        'POST /crawls',
        { seed: [A] },
        400,
        'invalid',
        /Unknown key seed in the body; did you mean seeds\?/,
        'seed',
      ],
      ['POST /crawls', { crawl: 'x' }, 400, 'invalid', /^Expected seeds or sites, got neither$/, 'seeds'],
      ['POST /crawls', { crawl: 'one', seeds: [A] }, 409, 'conflict', /already/, 'crawl'],
      ['POST /crawls', `"${'x'.repeat(4_000_000)}"`, 413, 'tooLarge', /at most 4000000 bytes/],
      ['POST /crawls/one/seeds', { seeds: ['x:y'] }, 400, 'invalid', /seeds.0 cannot be a seed/, 'seeds.0'],
      ['POST /crawls/one/resume', { maxPages: 1 }, 409, 'conflict', /its maxPages is 1/, 'maxPages'],
      ['POST /crawls/one/resume', { newUrlRules: 1 }, 400, 'invalid', /newUrlRules/, 'newUrlRules'],
      ['POST /crawls', { seeds: [A], dedupeFrom: 'x y' }, 400, 'invalid', /dedupeFrom/, 'dedupeFrom'],
      ['POST /crawls', { seeds: [A], dedupeFrom: 'x' }, 400, 'invalid', /no earlier crawls/, 'dedupeFrom'],
      ['POST /crawls/one/resume', { delayMs: 1 }, 400, 'invalid', /delayMs/, 'delayMs'],
      ['GET /crawls/one/hosts?limit=1001', undefined, 400, 'invalid', /limit <= 1000/, 'limit'],
      ['GET /crawls/one/hosts?limt=1', undefined, 400, 'invalid', /did you mean limit\?/, 'limt'],
      [
        'GET /crawls/one/url',
        undefined,
        400,
        'invalid',
        /Expected url to be of type string, got nothing/,
        'url',
      ],
      ['GET /crawls/one/url?url=mailto:x', undefined, 400, 'invalid', /http or https URL/, 'url'],
      ['GET /crawls/one/hosts/z.test', undefined, 404, 'notFound', /knows no host "z.test"/, 'host'],
    ];
    for (const [target, body, status, code, message, field] of cases) {
      const [method = '', path = ''] = target.split(' ');
      const error = { code, message: expect.stringMatching(message), ...(field && { field }) };
      expect(await ask(control, method, path, body), target).toEqual({ status, body: { error } });
    }
  });

  test('a wrong method is answered with those that there are', async () => {
    const { control } = openRoom();
    expect(await handleRequest(control, { method: 'PUT', path: '/crawls' })).toMatchObject({
      status: 405,
      headers: { allow: 'POST, GET' },
    });
  });

  test('a failure on our side is hidden from the caller and logged in full', async () => {
    const { control } = await crawled();
    const secret = new Error('table strand-1234 is gone');
    const broken: Control = { ...control, list: () => Promise.reject(secret) };
    const errors: unknown[] = [];
    const { status, body } = await ask(broken, 'GET', '/crawls', undefined, errors);
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain('strand-1234');
    expect(errors).toEqual([secret]);
  });
});

describe('the description of the API', () => {
  const read = async () => {
    const { body } = await handleRequest(openRoom().control, { method: 'GET', path: '/openapi.json' });
    return JSON.parse(JSON.stringify(body));
  };

  test('has every route, under a name of its own, with all of its parameters', async () => {
    const { paths } = await read();
    const described = Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
    expect(described.map(({ path, method }) => `${method} ${path}`).toSorted()).toEqual(
      ROUTES.map(({ path, method }) => `${method.toLowerCase()} ${path}`).toSorted(),
    );
    expect(operations.size).toBe(ROUTES.length);
    for (const { path, operation } of described) {
      expect(operations.has(operation.operationId)).toBe(true);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const parameters = operation.parameters ?? [];
      expect(parameters.filter((one) => one.in === 'path' && one.required).map(({ name }) => name)).toEqual(
        inPath,
      );
      expect(Object.keys(operation.responses)).toContain('500');
    }
  });

  test('refers only to what it holds, and holds nothing that is not referred to', async () => {
    const document = await read();
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref as string);
    for (const ref of refs) {
      const found = ref
        .split('/')
        .slice(1)
        .reduce((at, key) => at?.[key], document);
      expect(found, ref).toBeTypeOf('object');
    }
    const { schemas, responses } = document.components;
    const names = [
      ...Object.keys(schemas).map((name) => `#/components/schemas/${name}`),
      ...Object.keys(responses).map((name) => `#/components/responses/${name}`),
    ];
    expect(names.filter((name) => !refs.includes(name))).toEqual([]);
    expect(JSON.stringify(document)).not.toMatch(/"\$(id|schema|defs)"/);
  });

  test('describes the settings of a crawl, with the defaults', async () => {
    const { schemas } = (await read()).components;
    expect(schemas.CrawlConfig.properties.delayMs).toMatchObject({
      type: 'number',
      minimum: 0,
      default: 1000,
    });
    expect(schemas.CrawlConfig.required).toBeUndefined();
    expect(schemas.NewCrawl.required).toBeUndefined();
    expect(schemas.CrawlSummary.required).toEqual(
      SUMMARY_KEYS.filter(
        (key) => !['reason', 'reasonCode', 'firstPassAt', 'begunBy', 'costIsEstimated'].includes(key),
      ),
    );
  });
});

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly responses: Readonly<Record<string, unknown>>;
}
