/** The answers of a project to a host that refuses the crawler. */
import { expect, test } from 'vitest';
import { optionalText } from '../../../../shared/core/causes/cause-text.ts';
import type { CrawlOptions } from '../../../../shared/core/crawl/config.ts';
import type { FetchRequest } from '../../../../shared/core/outcome/fetch-request.ts';
import type { RefusalAnswer, SeenRefusal } from '../../../../shared/crawler/turn/page-hooks.ts';
import { type Answer, page, type Site } from '../../worker/scripted-fetcher.ts';
import { begin, CRAWL, createWorld, ledgersOf, runToEnd, SILENT, statesOf } from '../../worker/world.ts';

const A = 'http://www.a.test';
const B = 'http://b.test';
const CHALLENGE: Answer = { status: 403, headers: { 'cf-mitigated': 'challenge' } };
const PATHS = ['/', '/0', '/1', '/2'];

const cookieIn = ({ headers = {} }: FetchRequest) =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === 'cookie')?.[1] ?? '';

/** A site for those who have the cookie alone. */
const siteOf = (value: string): Site => ({
  [`${B}/`]: page(),
  ...Object.fromEntries(
    PATHS.map((path) => [
      `${A}${path}`,
      (_: number, request: FetchRequest): Answer =>
        cookieIn(request).split('; ').includes(`pass=${value}`)
          ? { ...page(...PATHS.slice(1)), headers: { 'Set-Cookie': 'seen=1; Path=/' } }
          : CHALLENGE,
    ]),
  ),
});

const passOf = (value: string, domain = 'a.test'): RefusalAnswer => ({
  cookies: [
    { domain, subdomains: true, name: 'pass', value },
    { domain: 'b.test', name: 'pass', value },
  ],
});

async function crawl(
  answers: (seen: SeenRefusal) => RefusalAnswer,
  { site = siteOf('right'), ...config }: CrawlOptions & { site?: Site } = {},
) {
  const seen: SeenRefusal[] = [];
  const hooks = {
    ...SILENT,
    async onChallenge(refusal: SeenRefusal) {
      seen.push(refusal);
      return answers(refusal);
    },
  };
  const world = createWorld(site, { hooks });
  await begin(world, [`${B}/`, `${A}/`], config);
  expect(await runToEnd(world)).toEqual([]);
  const head = (await ledgersOf(world.engine)).get('www.a.test')?.head;
  return { ...world, seen, head, states: await statesOf(world.engine) };
}

const fetched = (states: Record<string, string>) =>
  PATHS.filter((path) => states[`${A}${path}`] === 'fetched').length;

test.each([1, 3])(
  'cookies let the crawler in, in this and in later turns, with %i requests at a time',
  async (perHost) => {
    const { states, seen, head, engine, fetcher } = await crawl(() => passOf('right'), {
      perHost,
      turnMaxPages: 2,
    });
    expect(fetched(states)).toBe(PATHS.length);
    expect(seen).toHaveLength(1);
    expect(head).toMatchObject({ hasCookies: true });
    expect(head?.refusal).toBeUndefined();
    const jar = await engine.jars.load(CRAWL, { domain: 'a.test' });
    expect(JSON.parse(jar?.cookies ?? '').map(({ key }: { key: string }) => key)).toEqual(['pass', 'seen']);
    const [first, second] = fetcher.log.filter(({ url }) => url === `${A}/`);
    expect((second?.startedAt ?? 0) - (first?.startedAt ?? 0)).toBeGreaterThanOrEqual(30_000);
  },
);

test('cookies that are refused, too, are tried once before each rest', async () => {
  const answer = ({ rests }: SeenRefusal) => (rests === 0 ? passOf('wrong') : 'giveUp');
  const { states, seen, head, fetcher } = await crawl(answer, { keepTrying: true });
  expect(fetched(states)).toBe(0);
  expect(seen.map(({ rests }) => rests)).toEqual([0, 0, 1]);
  const [first, second, third, ...others] = fetcher.log.filter(({ url }) => url === `${A}/`);
  expect((second?.startedAt ?? 0) - (first?.startedAt ?? 0)).toBeLessThan(60_000);
  expect((third?.startedAt ?? 0) - (second?.startedAt ?? 0)).toBeGreaterThanOrEqual(3_600_000);
  expect(others).toEqual([]);
  expect(head?.setAside?.cause).toMatchObject({ code: 'challenged' });
});

test('cookies of other sites are not sent', async () => {
  const { seen, engine } = await crawl(({ rests }) => (rests > 0 ? 'giveUp' : passOf('right', 'other.test')));
  expect(seen.length).toBeGreaterThan(1);
  expect((await engine.jars.load(CRAWL, { domain: 'a.test' }))?.cookies ?? '[]').toBe('[]');
});

test('cookies let the crawler read a robots.txt that was refused', async () => {
  const robots = `${A}/robots.txt`;
  const text = { headers: { 'Content-Type': 'text/plain' }, body: 'User-agent: *\nDisallow: /1' };
  const { states } = await crawl(() => passOf('right'), {
    site: {
      ...siteOf('right'),
      [robots]: (_, request) => (cookieIn(request).includes('pass=right') ? text : CHALLENGE),
    },
  });
  expect(states[`${A}/1`]).toBe('deniedByRobots');
  expect(fetched(states)).toBe(PATHS.length - 1);
});

test('a host that asks for a person waits until the crawl is resumed, and the others go on', async () => {
  const world = await crawl(() => 'ask');
  expect(world.states).toMatchObject({ [`${B}/`]: 'fetched', [`${A}/`]: 'waiting' });
  expect(world.seen).toHaveLength(1);
  const { setAside } = world.head!;
  expect(setAside?.cause).toMatchObject({ code: 'challenged', asks: true });
  expect(optionalText(setAside?.cause)).toBe(
    'waits for your cookies (resume --cookies): challenged by Cloudflare (HTTP 403)',
  );
  const { registry, queue } = world.engine;
  const resume = await registry.resume(CRAWL);
  await queue.send([{ host: 'www.a.test', message: { kind: 'wake', crawl: CRAWL, resume } }]);
  expect(await runToEnd(world)).toEqual([]);
  expect(world.seen).toHaveLength(2);
});
