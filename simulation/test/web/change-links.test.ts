import { expect, test } from 'vitest';
import { isChangeUrl } from '../../../shared/core/access/change-urls.ts';
import { canonicalize } from '../../../shared/core/url/canonical.ts';
import { createAtlas } from '../../web/atlas.ts';
import { shapeOf } from '../../web/shape.ts';

test('links that change something are canonical, lead to their places, and are known by their looks; openers are not', () => {
  const atlas = createAtlas(5, { ...shapeOf(5), hosts: 4, minPages: 20, changeShare: 1 });
  for (let number = 0; number < 4; number++)
    for (let page = 0; page < 8; page++)
      for (const isOpener of [false, true]) {
        const of = { page, isOpener };
        const url = atlas.places.changeUrl(atlas.hosts.of(number), of);
        expect(canonicalize(url)).toBe(url);
        expect(atlas.places.find(url)).toMatchObject({ what: 'change', of });
        expect(isChangeUrl(url)).toBe(!isOpener);
        const target = atlas.places.changeUrl(atlas.hosts.of(number), { page, isOpener: false });
        expect(atlas.pages.redirectOf(atlas.places.find(url))?.target).toBe(isOpener ? target : undefined);
      }
});
