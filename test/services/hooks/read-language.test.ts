import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createLanguageReader } from '../../../shared/services/hooks/read-language.ts';
import { type Made, madePage } from './made-page.ts';

const GERMAN =
  'Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt.';
const HTML = `<!doctype html><html lang=en><meta charset=utf-8><main><h1>Titel</h1><p>${GERMAN}</main>`;

const languageOf = async (made: Made) =>
  createLanguageReader({ maxDecodedBytes: 5_000_000 })(await madePage(made));

test('a page has the language of its text, compressed or not', async () => {
  expect(await languageOf({ body: HTML })).toBe('de');
  expect(await languageOf({ body: gzipSync(HTML), headers: { 'Content-Encoding': 'gzip' } })).toBe('de');
  const plain = { 'Content-Type': 'text/plain; charset=utf-8' };
  expect(await languageOf({ body: GERMAN, headers: plain })).toBe('de');
});

test('a page with hardly any text has the declared language', async () => {
  expect(await languageOf({ body: '<html lang=de-CH>Impressum' })).toBe('de');
  expect(await languageOf({ body: 'Impressum' })).toBeUndefined();
});

test('what is no document, cannot be decoded or is too large has no language', async () => {
  expect(await languageOf({ body: GERMAN, headers: { 'Content-Type': 'text/css' } })).toBeUndefined();
  expect(await languageOf({ body: GERMAN.repeat(50_000) })).toBeUndefined();
  const bomb = gzipSync(Buffer.alloc(20_000_000, GERMAN));
  expect(await languageOf({ body: bomb, headers: { 'Content-Encoding': 'gzip' } })).toBeUndefined();
});
