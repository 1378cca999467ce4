import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createResolver } from '../../../shared/core/url/canonical.ts';
import { createSiteResolver } from '../../../shared/core/url/site-resolver.ts';
import { baseUrl, reference } from './references.ts';

test('resolves as a resolver of the page does, whatever pages and references came before', () => {
  const bases = fc.oneof(baseUrl, fc.constantFrom('http://a.com', 'http://a.co/', 'http://a.com/x/', 'x'));
  const anchored = reference.map((text) => `/${text}`);
  const given = fc.array(fc.tuple(bases, fc.array(fc.oneof(reference, anchored), { maxLength: 4 })));
  fc.assert(
    fc.property(given, (pages) => {
      const resolve = createSiteResolver();
      for (const [base, references] of [...pages, ...pages])
        for (const text of [...references, ...references])
          expect(resolve(text, base)).toBe(createResolver(base)(text));
    }),
  );
});

test('links of a site that stand on two pages have one string, up to a bound', () => {
  const resolve = createSiteResolver();
  const many = Array.from({ length: 6000 }, (_, i) => `/${'a'.repeat(9)}${i}`);
  for (const path of many) expect(resolve(path, 'http://a.test/x')).toBe(`http://a.test${path}`);
  for (const path of many) expect(resolve(path, 'http://a.test/y')).toBe(`http://a.test${path}`);
  expect(resolve('b', 'http://a.test/y/')).toBe('http://a.test/y/b');
  expect(resolve('b', 'http://a.test/z/')).toBe('http://a.test/z/b');
  expect(resolve('http:b', 'http://a.test/z/')).toBe('http://a.test/z/b');
  expect(resolve(many[0]!, 'http://b.test/')).toBe(`http://b.test${many[0]}`);
});
