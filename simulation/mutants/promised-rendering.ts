/** Mutants of what is promised of pages that scripts fill (docs/rendering.md): worlds that render pages must notice them. */
import type { PromiseMutant } from './promise-mutant.ts';

const LOST = 'no page is lost by rendering, and its requests are archived once';
const OWN = 'requests of a rendered page keep the pace of its host';
const OTHERS = 'requests of rendered pages to other hosts are few, and end where those refuse';

const RENDERING = 'shared/crawler/turn/render/page-rendering.ts';
const PARTS = 'shared/crawler/turn/render/page-parts.ts';
const OTHER_HOSTS = 'shared/crawler/turn/render/other-hosts.ts';
const ROUNDS = 'shared/crawler/renderer/rounds/round-renderer.ts';
const PACE = 'shared/crawler/turn/pace/host-pace.ts';

const mutants: readonly Omit<PromiseMutant, 'worlds'>[] = [
  {
    promise: LOST,
    what: 'the answers of earlier rounds are forgotten',
    file: ROUNDS,
    edits: [['this.#answers.push(...(await', 'this.#answers.splice(0, 99, ...(await']],
    breaks: ['rendered', 'nothingLost'],
  },
  {
    promise: LOST,
    what: 'the second round is the last one',
    file: ROUNDS,
    edits: [['const isLast = rounds === MAX_ROUNDS ||', 'const isLast = rounds === 2 ||']],
    breaks: ['rendered', 'nothingLost'],
  },
  {
    promise: LOST,
    what: 'a page that was not rendered has no cause',
    file: RENDERING,
    edits: [['return { facts: withoutScripts(plain), cause };', 'return { facts: withoutScripts(plain) };']],
    breaks: ['rendered'],
  },
  {
    promise: LOST,
    what: 'the links are those of the page as its site sent it',
    file: RENDERING,
    edits: [['return { facts, view };', 'return { facts: plain, view };']],
    breaks: ['nothingLost'],
  },
  {
    promise: LOST,
    what: 'the requests of a page are not archived',
    file: PARTS,
    edits: [['    this.exchanges.push(outcome);\n', '']],
    breaks: ['rendered'],
  },
  {
    promise: LOST,
    what: 'they are archived twice',
    file: PARTS,
    edits: [['    this.exchanges.push(outcome);\n', '    this.exchanges.push(outcome, outcome);\n']],
    breaks: ['rendered'],
  },
  {
    promise: OWN,
    what: 'any number of them is in flight at once',
    file: PARTS,
    edits: [['const MAX_OWN_AT_ONCE = 2;', 'const MAX_OWN_AT_ONCE = 60;']],
    breaks: ['partsApart'],
  },
  {
    promise: OWN,
    what: 'the host does not rest after them',
    file: PACE,
    edits: [
      ['    this.#gapUntil = Math.max(this.#gapUntil, until);\n', ''],
      [
        '    this.#services.lanes.rest(crawl.host, until);\n    this.postponeTo(until);\n    this.#restForBytes();',
        '',
      ],
    ],
    breaks: ['partsApart'],
  },
  {
    promise: OWN,
    what: 'each worker of a process requests the scripts again',
    file: 'shared/crawler/turn/render/rendering.ts',
    edits: [['      scripts,\n      others', '      scripts: createScriptCache(),\n      others']],
    tests: ['test/crawler/turn/render/page-rendering.test.ts'],
  },
  {
    promise: OTHERS,
    what: 'a page makes any number of requests to another host',
    file: PARTS,
    edits: [['if (count > MAX_OF_OTHER)', 'if (count > 99)']],
    breaks: ['partsApart'],
  },
  {
    promise: OTHERS,
    what: 'they follow one another at once',
    file: OTHER_HOSTS,
    edits: [['const GAP_MS = 200;', 'const GAP_MS = 0;']],
    breaks: ['partsApart'],
  },
  {
    promise: OTHERS,
    what: 'a host that has refused or failed is asked again',
    file: OTHER_HOSTS,
    edits: [['const REFUSED_MS = 60_000;', 'const REFUSED_MS = 0;']],
    breaks: ['partsApart'],
  },
  {
    promise: OTHERS,
    what: 'robots.txt of the other host is not obeyed',
    file: OTHER_HOSTS,
    edits: [['if (!isAllowed(rules, pathAndQuery(request.url)).allowed)', 'if (rules === undefined)']],
    breaks: ['partsApart'],
  },
];

export const RENDERING_MUTANTS: readonly PromiseMutant[] = mutants.map((mutant) => ({
  ...mutant,
  worlds: 'rendered',
}));
