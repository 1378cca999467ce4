import { expect, test } from 'vitest';
import { mayLoad, type PageLoad } from '../../../shared/core/render/may-load.ts';

const PAGE: PageLoad = {
  url: 'https://site.example/page',
  documents: 1,
  isOfMainFrame: false,
  requests: 0,
  bytes: 0,
  timesAsked: 0,
  emptied: 0,
  hasClicked: false,
  takesPicture: false,
  limits: { requests: 60, bytes: 1000 },
};

const URL = 'https://site.example/a';

interface Asked {
  readonly type: string;
  readonly url?: string;
  readonly method?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const decide = (
  { type, url = URL, method = 'GET', accept = '*/*', headers = {} }: Asked,
  page: Partial<PageLoad> = {},
) => {
  const decision = mayLoad(
    { url, method, resourceType: type, headers: new Map(Object.entries({ accept, ...headers })) },
    { ...PAGE, ...page },
  );
  if (decision.do === 'fetch') return decision.kind;
  if (decision.do === 'refuse') return `refused: ${decision.reason}`;
  return decision.do === 'stay' ? `stays: ${decision.link}` : decision.do;
};

const UNNEEDED = 'refused: not needed for rendering';

test.each<[name: string, asked: Asked, page: Partial<PageLoad>, expected: string]>([
  ['the document of the page', { type: 'Document' }, { documents: 0, isOfMainFrame: true }, 'document'],
  ['a navigation of the page', { type: 'Document' }, { isOfMainFrame: true }, `stays: ${URL}`],
  [
    'a page that loads itself again',
    { type: 'Document', url: `${PAGE.url}#top` },
    { isOfMainFrame: true },
    'document',
  ],
  [
    'a page that loads itself without end',
    { type: 'Document', url: PAGE.url },
    { isOfMainFrame: true, documents: 3 },
    `stays: ${PAGE.url}`,
  ],
  [
    'a form that the page posts',
    { type: 'Document', method: 'POST' },
    { isOfMainFrame: true },
    'stays: undefined',
  ],
  [
    'a page that leads to a blob',
    { type: 'Document', url: 'blob:https://site.example/1' },
    { isOfMainFrame: true },
    'stays: undefined',
  ],
  ['a frame', { type: 'Document' }, {}, 'frame'],
  ['a form that a frame posts', { type: 'Document', method: 'POST' }, {}, 'stays: undefined'],
  ['a frame of a file', { type: 'Document', url: 'file:///etc/passwd' }, {}, 'refused: its scheme'],
  ['a frame of data', { type: 'Document', url: 'data:text/html,x' }, {}, 'local'],
  ['a script', { type: 'Script' }, {}, 'script'],
  ['a request of a script', { type: 'XHR' }, {}, 'xhr'],
  ['another one', { type: 'Fetch', method: 'POST' }, {}, 'xhr'],
  ['a preflight', { type: 'Preflight', method: 'OPTIONS' }, {}, 'preflight'],
  ['a worker', { type: 'Other' }, {}, 'script'],
  ['a module of JSON', { type: 'Other', accept: 'application/json,*/*;q=0.5' }, {}, 'script'],
  ['events', { type: 'Other', accept: 'text/event-stream' }, {}, 'xhr'],
  [
    'events that have ended',
    { type: 'EventSource', accept: 'text/event-stream' },
    { timesAsked: 1 },
    'refused: requested too often',
  ],
  ['an icon', { type: 'Other', accept: 'image/avif,image/webp,*/*;q=0.8' }, {}, UNNEEDED],
  ['a prefetch', { type: 'Other', headers: { purpose: 'prefetch' } }, {}, UNNEEDED],
  [
    'a script that is prefetched',
    { type: 'Script', headers: { 'sec-purpose': 'prefetch;prerender' } },
    {},
    UNNEEDED,
  ],
  ['a ping', { type: 'Ping', method: 'POST' }, {}, UNNEEDED],
  ['a report', { type: 'CSPViolationReport', method: 'POST' }, {}, UNNEEDED],
  ['a manifest', { type: 'Manifest' }, {}, UNNEEDED],
  ['an image', { type: 'Image' }, {}, 'empty'],
  ['a style', { type: 'Stylesheet' }, {}, 'empty'],
  ['an image too many', { type: 'Image' }, { emptied: 500 }, 'refused: too many requests'],
  ['a font', { type: 'Font' }, {}, UNNEEDED],
  ['an image of a picture', { type: 'Image' }, { takesPicture: true }, 'image'],
  ['a style of a picture', { type: 'Stylesheet' }, { takesPicture: true }, 'style'],
  ['a film of a picture', { type: 'Media' }, { takesPicture: true }, UNNEEDED],
  ['data', { type: 'Image', url: 'data:image/png;base64,AA' }, {}, 'local'],
  ['a file', { type: 'Fetch', url: 'file:///etc/passwd' }, {}, 'refused: its scheme'],
  ['a part of the browser', { type: 'Script', url: 'chrome://version' }, {}, 'refused: its scheme'],
  [
    'a post after a click',
    { type: 'Fetch', method: 'POST' },
    { hasClicked: true },
    'refused: POST after a click',
  ],
  ['reading after a click', { type: 'Fetch' }, { hasClicked: true }, 'xhr'],
  ['the third request to a URL', { type: 'Fetch' }, { timesAsked: 2 }, 'xhr'],
  ['the fourth one', { type: 'Fetch' }, { timesAsked: 3 }, 'refused: requested too often'],
  ['a request too many', { type: 'Fetch' }, { requests: 60 }, 'refused: too many requests'],
  ['a byte too many', { type: 'Fetch' }, { bytes: 1000 }, 'refused: too many bytes'],
])('decides on %s', (_, asked, page, expected) => {
  expect(decide(asked, page)).toBe(expected);
});
