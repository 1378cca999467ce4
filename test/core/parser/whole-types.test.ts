import { expect, test } from 'vitest';
import {
  correctedType,
  isUncertain,
  isWholeType,
  PDF_TYPE,
  typeToRead,
  wholeTypes,
} from '../../../shared/core/parser/whole-types.ts';

const PDF = Buffer.from('%PDF-1.7');
const ZIP = Buffer.from('PK\x03\x04');
const [docx, odt] = wholeTypes('docx', 'odt');

test.each([
  ['text/html', PDF, '/a', PDF_TYPE],
  ['application/octet-stream', PDF, '/a', PDF_TYPE],
  ['application/x-pdf', Buffer.from('<html>'), '/a', PDF_TYPE],
  [undefined, PDF, '/a', PDF_TYPE],
  ['image/png', PDF, '/a', 'image/png'],
  ['text/html', Buffer.from('%PDF'), '/a', 'text/html'],
  ['application/octet-stream', ZIP, '/a.docx?v=1', docx],
  ['application/zip', ZIP, '/A.ODT', odt],
  ['application/octet-stream', ZIP, '/a.zip', 'application/octet-stream'],
  ['application/octet-stream', ZIP, '/a.pdf', 'application/octet-stream'],
  ['application/zip', ZIP, '/docx', 'application/zip'],
  ['application/octet-stream', Buffer.alloc(0), '/a.docx', 'application/octet-stream'],
])('%s beginning with %s at %s is %s', (declared, start, path, type) => {
  expect(correctedType(declared, start, `https://a.test${path}`)).toBe(type);
});

test('of a document without a type its first bytes decide', () => {
  const url = 'https://a.test/a';
  const typeOf = (start: string) => typeToRead(undefined, Buffer.from(start), url);
  expect(['<!doctype html>', 'text', '%PDF-1.7', ''].map(typeOf)).toEqual([
    'text/html',
    'text/plain',
    PDF_TYPE,
    undefined,
  ]);
  expect(typeToRead('text/plain', Buffer.from('<html>'), url)).toBe('text/plain');
  const ofStyle = (declared?: string, start = 'a{}') =>
    typeToRead(declared, Buffer.from(start), `${url}.css?v=1`);
  expect([ofStyle(), ofStyle('text/plain'), ofStyle(undefined, '<!doctype html>')]).toEqual([
    'text/css',
    'text/plain',
    'text/html',
  ]);
});

test('types that are read as a whole, and those that say little', () => {
  expect([PDF_TYPE, docx, odt].map(isWholeType)).toEqual([true, true, true]);
  expect(['text/html', undefined].map(isWholeType)).toEqual([false, false]);
  expect(['application/octet-stream', 'application/x-pdf', undefined, 'image/png'].map(isUncertain)).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test.each([
  ['<!doctype html><p>a', 'text/html'],
  ['\ufeff\n <HTML lang=en>', 'text/html'],
  ['<head><title>', 'text/html'],
  ['# Title', 'text/markdown'],
  ['<p align="center"><img src=a></p>', 'text/markdown'],
  ['<!-- comment -->\n# Title', 'text/markdown'],
  ['<html-preview>', 'text/markdown'],
  ['', 'text/markdown'],
])('what is declared as Markdown and begins with %j is %s', (start, type) => {
  expect(typeToRead('text/markdown', Buffer.from(start), 'https://a.test/a')).toBe(type);
});
