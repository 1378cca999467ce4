/** The example of a login with a verification code. Its reader has packages of its own. */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openCrawl, startCrawl } from '../../api/index.ts';
import { drawCode } from '../../examples/verification-code/draw-code.ts';
import { readCode } from '../../examples/verification-code/read-code.ts';
import { type CodeLogin, createCodeSite, newCode } from '../../examples/verification-code/site.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { needs } from '../needs.ts';
import { crawlWith, listen, ROOT, temporaryFolder } from './run-example.ts';

const SECRET = '{"user":"reader","password":"secret"}';

async function serve(change = (code: string, _nth: number) => code) {
  const logins: CodeLogin[] = [];
  const random = seeded(7);
  let pictures = 0;
  const draw = (code: string) => drawCode(change(code, pictures++), { random });
  const server = createCodeSite({ random, draw, log: (login) => logins.push(login) });
  return { site: await listen(server), logins };
}

async function crawl(site: string) {
  const out = join(temporaryFolder(), 'c');
  return crawlWith('verification-code', `${site}/`, out, ['--allow-private-addresses'], {
    MEMBERS_HOST: new URL(site).host,
    MEMBERS_SECRET: SECRET,
  });
}

/** Another code of the same length. */
const misread = (code: string): string => code.replace(/./g, (digit) => `${(Number(digit) + 1) % 10}`);

/** mulberry32: the pictures are the same in each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

needs('digitReader')('the digits of nearly all pictures are read', async () => {
  const random = seeded(51);
  const codes = Array.from({ length: 20 }, () => newCode(random));
  const wrong: unknown[] = [];
  for (const code of codes) {
    const read = await readCode(drawCode(code, { random }));
    if (read !== code) wrong.push([code, read]);
  }
  // WebAssembly rounds differently from one processor to another.
  expect(wrong.length, JSON.stringify(wrong)).toBeLessThanOrEqual(1);
});

needs('digitReader')('a site is crawled whose login asks for a code, another one each time', async () => {
  const { site, logins } = await serve();
  const done = await crawl(site);
  expect(done).toMatchObject({ code: 0, summary: { state: 'finished', pages: 13 } });
  const right = logins.filter(({ result }) => result === 'signedIn');
  expect(right.length).toBeGreaterThanOrEqual(3);
  expect(right.length).toBeLessThanOrEqual(5);
  expect(new Set(logins.map(({ code }) => code)).size).toBe(logins.length);
});

needs('digitReader').each([
  ['is misread', misread, ['wrongCode', 'signedIn']],
  ['shows no digits', () => '', ['signedIn']],
] as const)('if the first picture %s, the login reads a second one', async (_, change, results) => {
  const { site, logins } = await serve((code, nth) => (nth === 0 ? change(code) : code));
  expect(await crawl(site)).toMatchObject({ code: 0, summary: { state: 'finished', pages: 13 } });
  expect(logins.slice(0, results.length).map(({ result }) => result)).toEqual(results);
});

needs('digitReader')('if both are misread, the account rests, and the site has not locked it', async () => {
  const { site, logins } = await serve(misread);
  const out = join(temporaryFolder(), 'c');
  process.env.MEMBERS_HOST = new URL(site).host;
  process.env.MEMBERS_SECRET = SECRET;
  const project = join(ROOT, 'examples/verification-code/strand.config.ts');
  const running = await startCrawl({ ...QUICK, seeds: [`${site}/`], out, project });
  onTestFinished(() => running.stop().then(() => {}));
  const account = async () => {
    await using opened = await openCrawl(out);
    return (await opened.accounts())[0];
  };
  await expect.poll(async () => (await account())?.failures, { timeout: 120_000 }).toBe(1);
  expect(await account()).toMatchObject({ state: 'resting', logins: 0 });
  expect(logins.map(({ result }) => result)).toEqual(['wrongCode', 'wrongCode']);
});

test('a code is good for one login, and three wrong ones lock the account', async () => {
  const { site, logins } = await serve();
  const send = async (code: string, picture?: string) => {
    const html = await (await fetch(`${site}/login`)).text();
    const id = picture ?? (/name=picture value=([\w-]+)/.exec(html)?.[1] as string);
    const body = new URLSearchParams({ user: 'reader', password: 'secret', picture: id, code });
    await (await fetch(`${site}/login`, { method: 'POST', body, redirect: 'manual' })).text();
    return id;
  };
  const used = await send('0');
  const { code } = logins[0] as CodeLogin;
  await send(code, used);
  await send('0');
  await send('0');
  expect(logins.map(({ result }) => result)).toEqual(['wrongCode', 'wrongCode', 'locked', 'locked']);
});

needs('digitReader')('what is not a picture, or is too large, is an error of the login alone', async () => {
  await expect(readCode(Buffer.from('no picture'))).rejects.toThrow(
    /^The code could not be read: Error in \w+: /,
  );
  await expect(readCode(Buffer.alloc(70_000))).rejects.toThrow(
    'Expected a picture of at most 65536 bytes, got 70000',
  );
});
