/** Behaviours of visitors of a page, in a real browser. */
import { describe, expect } from 'vitest';
import { behaviourSource } from '../../../shared/services/project/behaviour-source.ts';
import type { StrandConfig } from '../../../shared/services/project/project.ts';
import { needs } from '../../needs.ts';
import { findLinks, jobFor } from '../../web/scripted/render-page.ts';
import { openRenderer, openSite } from './open-renderer.ts';

const test = needs('browser');
const { site, parts, pageOf } = await openSite();
const renderer = openRenderer();

const behaveOn = (html: string, behave?: StrandConfig['behave']) => {
  const script = behaviourSource(behave);
  const behaviours = { scroll: false, more: behave === undefined, ...(script !== undefined && { script }) };
  return renderer.render(jobFor(site, { name: 'static', links: [], html }, { behaviours }), parts.fetchPart);
};

test.for(['endless-scroll', 'recycled-rows', 'more-button', 'hash-routes', 'on-click'])(
  '%s shows more to a visitor',
  async (name) => {
    const { fetchPart } = parts;
    const { found, rendering } = await findLinks(renderer, site, pageOf(name), { fetchPart, behaves: true });
    expect({ found, fault: rendering.behaviourFault }).toEqual({
      found: pageOf(name).behaved,
      fault: undefined,
    });
  },
);

describe('the function of a project', () => {
  const PAGE = '<p id=a>plain</p><a href=/leaf/x/1>x</a>';
  const outside = 'outside';

  test.for<[string, NonNullable<StrandConfig['behave']>, string | RegExp]>([
    [
      'throws',
      () => {
        throw new Error('no such button');
      },
      'no such button',
    ],
    ['gives a selector that is none', ({ click }) => click('['), /not a valid selector/],
    ['uses what is outside of it', () => outside, 'outside is not defined'],
    ['waits for what never comes', () => new Promise(() => {}), 'a step took longer than 5 s'],
    [
      'goes on for ever',
      async function* () {
        for (;;) yield;
      },
      /^it took more than 100 steps|^the time of the page was over/,
    ],
    [
      'never ends',
      () => {
        for (;;);
      },
      'a step gave the page no turn, and was ended',
    ],
  ])('%s: the page is rendered without it', async ([, behave, fault]) => {
    const { state, html, detail, behaviourFault } = await behaveOn(PAGE, behave);
    expect({ state, isWhole: html?.includes('plain') }, detail).toEqual({ state: 'rendered', isWhole: true });
    expect(behaviourFault).toMatch(fault);
  });

  test('has the document, and nothing of the page’s own scripts', async () => {
    const { html, behaviourFault } = await behaveOn(
      `${PAGE}<script>var secret = 1; HTMLElement.prototype.click = () => {}; document.getElementById('a').onclick = (e) => { e.target.textContent = 'clicked' }</script>`,
      ({ document, click }) => {
        if ('secret' in globalThis) throw new Error('it is there');
        if (!click('#a') || click('#none')) throw new Error('click does not say whether it clicked');
        document.body.append(document.URL.includes('/page/static') ? 'appended' : '');
      },
    );
    expect(behaviourFault).toBeUndefined();
    expect(html).toMatch(/clicked[\s\S]*appended/);
  });

  test('may send what the page sends when it is clicked', async () => {
    const { html = '' } = pageOf('posts-after-click');
    const { html: clicked } = await behaveOn(String(html), async function* ({ click }) {
      click('#order');
      yield;
    });
    expect(clicked).toContain('/leaf/posts-after-click/0');
  });
});

test('a button whose script never ends is left, and the page kept', async () => {
  const { state, html } = await behaveOn('<p>text</p><button onclick="for(;;);">Show more</button>');
  expect({ state, isWhole: html?.includes('text') }).toEqual({ state: 'rendered', isWhole: true });
});

test('a button that says that it shows more sends nothing, and one of a form is not clicked', async () => {
  const { html } = await behaveOn(
    '<p id=a>-</p><form action=/leaf/x/2><button>Load more</button></form><button id=b>Load more</button>' +
      '<script>b.onclick=()=>fetch("/api/post?name=x&i=0&least=0&most=9",{method:"POST",body:"x"}).then(()=>{a.textContent="sent"},()=>{a.textContent="refused"})</script>',
  );
  expect(html).toContain('refused');
});
