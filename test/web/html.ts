/** A described page as HTML. */
import { stream } from './random.ts';
import type { Reference, Resource } from './resource.ts';

/** Stands where the filler goes; no page's text has it. */
export const FILLER_MARK = '<!--filler-->';

const WORDS =
  `host page crawl link delay robots token ledger turn queue seed scope depth river stone cloud paper garden
market winter letter number silver window bridge coffee island mirror orange planet shadow summer travel yellow`.split(
    /\s+/,
  );

export function html(resource: Resource): string {
  const { identity, references, base, charset, declaresCharset } = resource;
  const random = stream('text', identity);
  const words = (count: number) =>
    Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');
  const head = ['<meta name="generator" content="test web">'];
  if (declaresCharset) head.unshift(`<meta charset="${charset}">`);
  if (base !== undefined) head.push(`<base href="${quote(base)}">`);
  head.push(`<title>${words(4)}</title>`);
  for (const { how, written } of references)
    if (how === 'refresh') head.push(`<meta http-equiv="refresh" content="${quote(written)}">`);

  const frames = references.filter(({ how }) => how === 'frame');
  const body = [`<h1>${words(3)}</h1>`, `<p>${words(20 + Math.floor(random() * 150))}</p>`];
  references.forEach((reference, index) => {
    if (index === 1 && resource.fillerBytes !== undefined) body.push(FILLER_MARK);
    const mention = markup(reference, words(2));
    if (mention !== '') body.push(mention);
  });
  if (references.length < 2 && resource.fillerBytes !== undefined) body.push(FILLER_MARK);
  const all = frames.length > 0 ? frameSet(frames) : `<body>\n${body.join('\n')}\n</body>`;
  return `<!doctype html>\n<html>\n<head>\n${head.join('\n')}\n</head>\n${all}\n</html>\n`;
}

function markup({ how, written }: Reference, text: string): string {
  const url = quote(written);
  switch (how) {
    case 'a':
      return `<p><a href="${url}">${text}</a></p>`;
    case 'nofollow':
      return `<p><a rel="nofollow" href="${url}">${text}</a></p>`;
    case 'area':
      return `<map name="m"><area shape="rect" coords="0,0,9,9" href="${url}" alt="${text}"></map>`;
    case 'iframe':
      return `<iframe src="${url}"></iframe>`;
    case 'comment':
      return `<!-- <a href="${url}">${text}</a> -->`;
    case 'script':
      return `<script>var page = "${written}"; document.title = '<a href="${written}">${text}</a>';</script>`;
    case 'textarea':
      return `<textarea><a href="${url}">${text}</a></textarea>`;
    case 'form':
      return `<form method="post" action="${url}"><input name="q"></form>`;
    default:
      return '';
  }
}

function frameSet(frames: readonly Reference[]): string {
  const all = frames.map(({ written }) => `<frame src="${quote(written)}">`);
  return `<frameset cols="50%,50%">\n${all.join('\n')}\n</frameset>`;
}

function quote(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
}
