import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { createScope } from '../../../shared/core/crawl/scope.ts';
import { SETTINGS } from '../../../shared/core/crawl/settings/settings.ts';
import { wideningSeeds } from '../../../shared/services/begin/widening-seeds.ts';

const url = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    fc.constantFrom('a.test', 'www.a.test', 'b.example.org', 'c.example.org:8080'),
    fc.constantFrom('/', '/x', '/x/', '/x/y', '/x/y/z?q', '/xy'),
  )
  .map(([scheme, host, path]) => `${scheme}://${host}${path}`);

test('the seeds kept draw the same scope as all of them, and none of them is there for nothing', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...(SETTINGS.scope.choices as readonly string[])),
      fc.array(url),
      fc.array(url),
      fc.array(url),
      (scope, kept, seeds, asked) => {
        const config = parseConfig({ scope, include: ['never'], exclude: ['.*'] });
        const plain = parseConfig({ scope });
        const found = wideningSeeds(config, kept, seeds);
        const all = createScope(plain, [...kept, ...seeds]);
        const few = createScope(plain, [...kept, ...found]);
        for (const each of [...asked, ...seeds]) expect(few.check(each, 0)).toBe(all.check(each, 0));
        for (const [i, each] of found.entries())
          expect(createScope(plain, [...kept, ...found.slice(0, i)]).check(each, 0)).toBe('scope');
      },
    ),
  );
});
