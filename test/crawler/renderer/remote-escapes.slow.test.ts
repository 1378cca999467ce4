/**
 * Pages that try to reach the web without the crawler, in a browser that Strand has not started. First with the whole guard,
 * then with one of its parts at a time. In `remote-browser.test.ts` such a browser is refused.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type PrepareOptions, prepareBrowser } from '../../../shared/crawler/renderer/browser.ts';
import { findBrowser } from '../../../shared/crawler/renderer/find-browser.ts';
import { DEAD_PROXY } from '../../../shared/crawler/renderer/remote-browser.ts';
import { openSocket } from '../../../shared/crawler/renderer/socket-transport.ts';
import { needs } from '../../needs.ts';
import { hasStrace, traceBrowser } from '../../web/scripted/packets.ts';
import { findLinks } from '../../web/scripted/render-page.ts';
import { folder, openSite } from './open-renderer.ts';
import { startRemoteShell } from './remote-shell.ts';

const test = needs('browser');
const { site, parts, pageOf } = await openSite();
const all = site.pages.filter(({ escapes }) => escapes).map(({ name }) => name);
/** The pages themselves must come. */
const intercepted = `${site.origin}/page/*`;
/** Requests and connections that the interception does not see, and datagrams. */
const ONLY_CUT = ['web-socket', 'escape-socket', 'escape-speculation', 'escape-credentials'];
let runs = 0;

async function escapesOf(names: readonly string[], guard: Omit<PrepareOptions, 'startMs'>) {
  const own = join(folder, `remote-escapes-${++runs}`);
  mkdirSync(own);
  const traced = hasStrace() ? traceBrowser(findBrowser({ env: process.env })!, own) : undefined;
  const shell = await startRemoteShell(traced?.program);
  const running = await openSocket(shell.browser, 60_000);
  const browser = await prepareBrowser(running, { startMs: 60_000, contexts: DEAD_PROXY, ...guard });
  const states: object[] = [];
  for (const name of names) {
    const { rendering } = await findLinks(
      {
        render: (job, fetchPart) => {
          const startedAt = performance.now();
          return browser.render({ job, fetchPart, startedAt, deadline: startedAt + job.limits.ms });
        },
        close: async () => {},
      },
      site,
      pageOf(name),
      parts,
    );
    states.push({ name, state: rendering.state });
  }
  await browser.close();
  await shell.close();
  expect(states).toEqual(names.map((name) => ({ name, state: 'rendered' })));
  // The kernel has given the site all that was sent before.
  await fetch(`${site.origin}/leaf/x`, { headers: { 'x-crawler': '1' } });
  // The attempts to reach the dead proxy go nowhere, and messages to Strand are none of a page.
  const toStrand = `sendto TCP:[${new URL(shell.browser.url).host}-`;
  const packets = traced
    ?.takePackets()
    .filter((packet) => packet !== 'connect 127.0.0.1:9' && !packet.startsWith(toStrand));
  return { requests: [...new Set(site.takeEscapes())], packets: [...new Set(packets)] };
}

const NOTHING = { requests: [], packets: [] };

test('no page reaches anything, and no packet leaves the browser', async () => {
  expect(all.length).toBeGreaterThan(20);
  expect(await escapesOf(all, {})).toEqual(NOTHING);
});

test('the dead proxy holds by itself: no request is intercepted but the page', async () => {
  expect(await escapesOf(all, { guard: { intercepted } })).toEqual(NOTHING);
});

test('the interception holds by itself, with a network', async () => {
  const seen = all.filter((name) => !ONLY_CUT.includes(name));
  expect((await escapesOf(seen, { contexts: {} })).requests).toEqual([]);
});

test.each<[part: string, page: string, guard: Omit<PrepareOptions, 'startMs'>, escape: RegExp]>([
  ['the dead proxy, by a socket', 'escape-socket', { contexts: {} }, /connection to 127/],
  ['the dead proxy, by the browser', 'escape-speculation', { contexts: {} }, /GET .*spec-/],
  [
    'the list without exemptions',
    'escape-socket',
    { contexts: { ...DEAD_PROXY, proxyBypassList: '' } },
    /connection to 127/,
  ],
  ['the interception', 'escape-request', { contexts: {}, guard: { intercepted } }, /connection to 127/],
  ['the removed interfaces', 'escape-rtc', { contexts: {}, guard: { removed: '' } }, /datagram/],
])('without %s a page gets out', async (_, page, guard, expected) => {
  expect((await escapesOf([page], guard)).requests.join('\n')).toMatch(expected);
});
