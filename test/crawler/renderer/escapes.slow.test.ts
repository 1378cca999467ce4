/**
 * Pages that try to reach the web without the crawler. First with the whole guard, then with one of its parts at a time:
 * each holds alone what it is for, and without it the same pages get out, so that these tests can fail.
 *
 * With `STRAND_BROWSER=/usr/bin/chromium` they try the full browser. It makes requests by itself, which only the cut network ends.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import type { BrowserOptions } from '../../../shared/crawler/renderer/browser.ts';
import { CUT_NETWORK } from '../../../shared/crawler/renderer/browser-flags.ts';
import { findBrowser } from '../../../shared/crawler/renderer/find-browser.ts';
import { needs } from '../../needs.ts';
import { hasStrace, traceBrowser } from '../../web/scripted/packets.ts';
import { findLinks } from '../../web/scripted/render-page.ts';
import { folder, openRenderer, openSite } from './open-renderer.ts';

const test = needs('browser');
const ofShell = findBrowser({ env: process.env })?.isShell === false ? base.skip : test;
const { site, parts, pageOf } = await openSite();
const all = site.pages.filter(({ escapes }) => escapes).map(({ name }) => name);

const WEBRTC = ['escape-rtc', 'escape-frame-rtc', 'escape-popup-rtc'];
/** Requests and connections that the interception does not see. */
const UNSEEN = ['web-socket', 'escape-socket', 'escape-speculation', 'escape-credentials'];
const SEEN = all.filter((name) => !UNSEEN.includes(name));

type Guard = Pick<BrowserOptions, 'guard' | 'changeFlags'>;

const without =
  (...beginnings: string[]): Guard['changeFlags'] =>
  (flags) =>
    flags.filter((flag) => !beginnings.some((beginning) => flag.startsWith(beginning)));
const openNetwork = without(...CUT_NETWORK);
/** The pages themselves must come. */
const intercepted = `${site.origin}/page/*`;
const PROXY = ['--proxy-server', '--proxy-bypass-list'];
const NAMES = '--host-resolver-rules';

let runs = 0;

interface Escaped {
  readonly requests: readonly string[];
  readonly packets: readonly string[];
}

/** Draws the pages, ends the browser, and returns what came to the site and what left the browser. */
async function escapesOf(names: readonly string[], guard: Guard): Promise<Escaped> {
  const own = join(folder, `escapes-${++runs}`);
  mkdirSync(own);
  const program = findBrowser({ env: process.env })!;
  const traced = hasStrace() ? traceBrowser(program, own) : undefined;
  const renderer = openRenderer({ program: traced?.program ?? program, temporaryFolder: own, start: guard });
  for (const name of names) {
    const { rendering, found } = await findLinks(renderer, site, pageOf(name), {
      fetchPart: parts.fetchPart,
    });
    // A page whose navigation is not intercepted goes where it wants, and finds an error there.
    const rendered = guard.guard?.intercepted === undefined ? found : pageOf(name).links.length;
    expect({ name, state: rendering.state, rendered }).toEqual({
      name,
      state: 'rendered',
      rendered: pageOf(name).links.length,
    });
  }
  await renderer.close();
  // The kernel has given the site all that was sent before.
  await fetch(`${site.origin}/leaf/x`, { headers: { 'x-crawler': '1' } });
  return { requests: [...new Set(site.takeEscapes())], packets: [...new Set(traced?.takePackets())] };
}

const NOTHING: Escaped = { requests: [], packets: [] };

test('no page reaches anything, and no packet leaves the browser', async () => {
  expect(all.length).toBeGreaterThan(20);
  expect(await escapesOf(all, {})).toEqual(NOTHING);
});

test('the cut network holds by itself: no request is intercepted but the page, and nothing removed', async () => {
  expect(await escapesOf(all, { guard: { intercepted, removed: '' } })).toEqual(NOTHING);
});

ofShell('the interception holds by itself, with an open network', async () => {
  expect(await escapesOf(SEEN, { changeFlags: openNetwork })).toEqual(NOTHING);
});

test('names are not resolved: this holds without the dead proxy', async () => {
  const guard = { intercepted };
  expect(
    await escapesOf(['escape-socket', 'escape-request'], { guard, changeFlags: without(...PROXY) }),
  ).toEqual(NOTHING);
});

test('the dead proxy is the way to everything: this holds where names are resolved', async () => {
  const guard = { intercepted };
  const { requests, packets } = await escapesOf(['escape-socket', 'escape-request'], {
    guard,
    changeFlags: without(NAMES),
  });
  expect(requests).toEqual([]);
  // The attempt to reach the dead proxy is all there is.
  expect(packets.filter((packet) => packet !== 'connect 127.0.0.1:9')).toEqual([]);
});

ofShell('interfaces that no request announces are removed: this holds with an open network', async () => {
  expect(
    await escapesOf([...WEBRTC, 'escape-transport', 'escape-service-worker'], { changeFlags: openNetwork }),
  ).toEqual(NOTHING);
});

test.each<[part: string, pages: string[], guard: Guard, escape: RegExp]>([
  ['the cut network, sockets', ['escape-socket'], { changeFlags: openNetwork }, /connection to 127/],
  ['the cut network, the browser', ['escape-speculation'], { changeFlags: openNetwork }, /GET .*spec-/],
  [
    'the interception',
    ['escape-request'],
    { guard: { intercepted }, changeFlags: openNetwork },
    /connection to 127/,
  ],
  [
    'both rules for names and addresses',
    ['escape-request'],
    { guard: { intercepted }, changeFlags: without(NAMES, ...PROXY) },
    /connection to 127/,
  ],
  [
    'the list without exemptions',
    ['escape-request'],
    { guard: { intercepted }, changeFlags: without(NAMES, '--proxy-bypass-list') },
    /connection to 127/,
  ],
])('without %s a page gets out', async (_, pages, guard, expected) => {
  const { requests } = await escapesOf(pages, guard);
  expect(requests.join('\n')).toMatch(expected);
});

ofShell.each<[part: string, changeFlags: Guard['changeFlags']]>([
  ['the policy of WebRTC', without('--force-webrtc')],
  ['the cut network and the removal of interfaces', openNetwork],
])('without %s a page sends datagrams', async (_, changeFlags) => {
  const { requests } = await escapesOf(['escape-rtc'], { guard: { removed: '' }, changeFlags });
  expect(requests.join('\n')).toMatch(/datagram/);
});
