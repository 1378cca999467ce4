import { expect, test } from 'vitest';
import { isMoreLabel } from '../../../shared/core/render/more-label.ts';

test.each([
  'Load more',
  ' Show\n 20 more results… ',
  'View more products ↓',
  'Older posts »',
  'Mehr anzeigen',
  'Weitere Artikel laden',
  'Afficher plus de produits',
  'Ver más',
  'Carregar mais',
  'Carica altri',
  'Toon meer',
  'Pokaż więcej',
  'Показать ещё',
  'もっと見る',
  '加载更多',
  '더보기',
])('%j brings more of a list', (text) => {
  expect(isMoreLabel(text)).toBe(true);
});

test.each([
  '',
  'More',
  'Read more',
  'Learn more',
  'Buy',
  'Show password',
  'Next',
  'Sign out',
  'Remove more',
  'Load more'.repeat(9),
])('%j does not', (text) => {
  expect(isMoreLabel(text)).toBe(false);
});
