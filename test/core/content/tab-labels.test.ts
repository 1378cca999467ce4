/** The labels of tabs stand above what their panels show. */
import { describe, expect, test } from 'vitest';
import { extractContent } from '../../../shared/core/content/extract.ts';
import { withoutHang } from '../../hang-guard.ts';
import { markdown } from './to-markdown.ts';

const code = (text: string) => `<pre><code class=language-sh>${text}</code></pre>`;
const fenced = (text: string) => `\`\`\`sh\n${text}\n\`\`\``;
const list = (tabs: string) => `<div role=tablist>${tabs}</div>`;
/** The Markdown of what stands behind the first list of tabs. */
const behind = (html: string) => {
  const all = markdown(html);
  const tabs = markdown(html.slice(0, html.indexOf('<div role=tabpanel')));
  return all.slice(tabs === '' ? 0 : tabs.length).trim();
};

describe('panels with code begin with the labels of their tabs', () => {
  const both = `**npm**\n\n${fenced('npm i')}\n\n**pnpm**\n\n${fenced('pnpm i')}`;

  test.each([
    [
      'by the tab that labels a panel',
      list('<a role=tab id=t1>npm</a><a role=tab id=t2>pnpm</a>') +
        `<div role=tabpanel aria-labelledby=t1>${code('npm i')}</div><div role=tabpanel aria-labelledby=t2>${code('pnpm i')}</div>`,
    ],
    [
      'by the panel that a tab controls',
      list('<button role=tab aria-controls=p1>npm</button><button role=tab aria-controls=p2>pnpm</button>') +
        `<div role=tabpanel id=p1>${code('npm i')}</div><div role=tabpanel id=p2 hidden>${code('pnpm i')}</div>`,
    ],
    [
      'by their order',
      `<div>${list('<li role=tab>npm<li role=tab>pnpm')}<div><div role=tabpanel>${code('npm i')}</div><div role=tabpanel>${code('pnpm i')}</div></div></div>`,
    ],
  ])('%s', (_, html) => {
    expect(behind(html)).toBe(both);
    expect(behind(`${html}<section>${html}</section>`)).toContain(`${both}\n\n`);
  });

  test('unless a panel has its label already, or a tab has a picture', () => {
    const html =
      list('<a role=tab id=t1>npm</a><a role=tab id=t2><svg><title>pnpm logo</title></svg></a>') +
      `<div role=tabpanel aria-labelledby=t1><h4>npm</h4>${code('npm i')}</div><div role=tabpanel aria-labelledby=t2>${code('pnpm i')}</div>`;
    expect(behind(html)).toBe(`#### npm\n\n${fenced('npm i')}\n\n${fenced('pnpm i')}`);
  });

  test('not panels of text alone, nor one panel that all tabs change', () => {
    const tabs = list('<a role=tab id=t1>One</a><a role=tab id=t2>Two</a>');
    const text = `<div role=tabpanel aria-labelledby=t1>First</div><div role=tabpanel aria-labelledby=t2>Second</div>`;
    expect(behind(tabs + text)).toBe('First\n\nSecond');
    expect(behind(`${tabs}<div role=tabpanel aria-labelledby=t1>${code('a')}</div>`)).toBe(fenced('a'));
    const three = `<div role=tabpanel>${code('a')}</div>`.repeat(3);
    expect(behind(tabs + three)).not.toContain('**');
  });
});

test('a label is content if what stands below it is', () => {
  const paragraph = `<p>${'Each of these tools installs the package, and none of them asks a question. '.repeat(4)}</p>`;
  const html =
    `<body><nav><a href=/>Home</a></nav><main><h1>Installation</h1>${paragraph}` +
    list('<a role=tab id=t1>npm</a><a role=tab id=t2>pnpm</a>') +
    `<div role=tabpanel aria-labelledby=t1>${code('npm i')}</div><div role=tabpanel aria-labelledby=t2>${code('pnpm i')}</div>` +
    `${paragraph}</main></body>`;
  const { markdown: written, text } = extractContent(html, 'https://docs.example/');
  expect(written).toContain(`**pnpm**\n\n${fenced('pnpm i')}`);
  expect(text).toContain('npm\n\nnpm i\n\npnpm\n\npnpm i');
});

test('ten thousand tabs and panels take time linear in their number', () => {
  const tabs = '<a role=tab id=t>x</a>'.repeat(10_000);
  const panels = '<div role=tabpanel aria-labelledby=t><pre>a</pre></div>'.repeat(10_000);
  withoutHang(() => expect(markdown(list(tabs) + panels)).toContain('**x**'));
  withoutHang(() =>
    expect(markdown((list('<a role=tab>y</a>') + panels.slice(0, 60)).repeat(5000))).not.toBe(''),
  );
});
