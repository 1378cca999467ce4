import fc from 'fast-check';
import { type Handler, Parser, type ParserOptions } from 'htmlparser2';
import { expect, test } from 'vitest';
import { WholeTokenizer } from '../../../shared/core/parser/whole-tokenizer.ts';

test.each([
  ['tags and attributes', '<div class="a b" id=x hidden data-y=\'1\'><br/><p>one<p>two</div>'],
  [
    'references in text',
    'a &amp; b &lt;c&gt; &notit; &notin; &#x41;&#65 &&amp; &unknown; &NotEqualTilde; &am',
  ],
  ['references in values', '<a href="?a=1&copy=2&amp;b=&lt;" title=&quot;>x</a><a href="&not" alt="&notx">'],
  ['text that is no tag', 'a < b <1> << <=><i>x</i> </> </ > </1> <'],
  ['comments', 'a<!-- <p> --><!--><p>b<!---><p>c<!-- x --!>d<!-- -- > - -->e<!doctype x><!x><!><?php ?>f<!-'],
  [
    'raw text',
    '<script>if (a</b) "</scrip>" </SCRIPT ><style><p></style><title>a &lt;b</p></title>x<textarea>',
  ],
  ['names that begin like raw text', '<s>a</s><titles><p></titles><scripts><i></scripts><tt>x</tt>'],
  ['SVG', '<svg><title>a<b>c</b></title><![CDATA[<x>]]><script><i></i></script></svg><![CDATA[<y>]]>z'],
  ['odd attributes', '<a =b =c== "d\'e" f/g/ h = i j= k><p/ ><q / r>s<t/u="v"w>'],
  ['plain text', '<p>a<plaintext></plaintext><b>&amp;'],
  ['nothing', ''],
])("reports what the parser's own tokenizer does: %s", (_, html) => {
  expect(eventsOf(html, { Tokenizer: WholeTokenizer })).toEqual(eventsOf(html));
});

const SNIPPETS = fc.constantFrom(
  ...'< > / = " \' & ; # - ! ? [ ] x A \t \n &amp; &lt &#x3c; &notin; --> <!-- --!> <![CDATA[ ]]> <p> </p> <br> <a <svg> </svg>'.split(
    ' ',
  ),
  ...' href= class="a" <title> </title> <script> </script> <textarea> </textarea> <style> </style> <li> <table> <td>'.split(
    ' ',
  ),
  ' ',
  '\u{1d11e}',
  'é',
);

test('reports the same for any mixture of markup', () => {
  fc.assert(
    fc.property(fc.array(SNIPPETS, { maxLength: 60 }), (snippets) => {
      const html = snippets.join('');
      // Within a title the other one does not see a reference that directly follows a `<`, and it makes text of a tag's last
      // character where the document ends within it.
      fc.pre(!/<\/?[a-z]*&/i.test(html) && !/<[^>]*$/.test(html));
      expect(eventsOf(html, { Tokenizer: WholeTokenizer })).toEqual(eventsOf(html));
    }),
    { numRuns: 3000 },
  );
});

test('reports no attributes beside those that are wanted', () => {
  const html = '<a HREF="/&amp;" data-state="&quot;{&quot;" onclick=\'x\' id>t</a>';
  const options = { Tokenizer: WholeTokenizer, wanted: new Set(['href', 'id']) };
  expect(eventsOf(html, options)).toEqual(['<a {"href":"/&","id":""}', 't', '</a']);
});

test('takes time linear in the document', () => {
  // Quadratic time would take minutes.
  const hostile = ['<', '<!--', '<a b="', '&', '</', '<title></', '<![CDATA[', '&lt', '<script></script '];
  for (const piece of hostile) {
    expect(() => eventsOf(piece.repeat(300_000), { Tokenizer: WholeTokenizer })).not.toThrow();
  }
});

/** Tags and text as the parser reports them, adjacent text as one. */
function eventsOf(html: string, options: object = {}): string[] {
  const events: string[] = [];
  let isText = false;
  const handler: Partial<Handler> = {
    onopentag: (name, attributes) => {
      isText = false;
      events.push(`<${name} ${JSON.stringify(attributes)}`);
    },
    onclosetag: (name) => {
      isText = false;
      events.push(`</${name}`);
    },
    ontext: (text) => {
      if (isText) events[events.length - 1] += text;
      else events.push(text);
      isText = true;
    },
  };
  new Parser(handler, options as ParserOptions).end(html);
  return events;
}
