import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UnreadableDocument } from '../../../shared/core/media/media-module.ts';
import { openZip } from '../../../shared/core/media/zip.ts';
import { makeZip } from './made-documents.ts';

const read = (zip: Buffer, name = 'a.txt') => Buffer.from(openZip(zip).read(name)!).toString();

test('files come out as they went in, packed or stored, with a comment behind and in Zip64', () => {
  const files = { 'a.txt': 'hello '.repeat(100), 'b/c.txt': Buffer.from([0, 1, 2, 255]) };
  for (const options of [{}, { isStored: true }, { isZip64: true }]) {
    const zip = openZip(makeZip(files, options));
    expect([...zip.names]).toEqual(['a.txt', 'b/c.txt']);
    expect(Buffer.from(zip.read('a.txt')!).toString()).toBe(files['a.txt']);
    expect(Buffer.from(zip.read('b/c.txt')!)).toEqual(files['b/c.txt']);
    expect(zip.read('missing')).toBeUndefined();
  }
  expect(read(Buffer.concat([makeZip({ 'a.txt': 'x' }), Buffer.from('a comment')]))).toBe('x');
});

test('names of other folders are names, and the first of two files of one name counts', () => {
  expect(read(makeZip({ '../../etc/passwd': 'x' }), '../../etc/passwd')).toBe('x');
  const twice = makeZip({ 'a.txt': 'first', 'b.txt': 'second' });
  const renamed = Buffer.from(twice.toString('latin1').replaceAll('b.txt', 'a.txt'), 'latin1');
  expect(read(renamed)).toBe('first');
});

describe('what is refused', () => {
  const large = Buffer.alloc(30 * 1024 * 1024);
  const noise = (bytes: number) => Buffer.from(Array.from({ length: bytes }, (_, i) => (i * i * 7919) >>> 3));

  test.each([
    ['no archive', Buffer.from('not a zip'), /broken: it has no directory/],
    ['an empty one', Buffer.alloc(0), /broken: it has no directory/],
    ['one that is cut', makeZip({ 'a.txt': 'x'.repeat(500) }).subarray(0, 60), /broken/],
    ['an encrypted file', makeZip({ 'a.txt': 'x' }, { flags: 1 }), /encrypted/],
    ['an unknown method', makeZip({ 'a.txt': 'x' }, { method: 14 }), /compression method 14/],
    ['a bomb', makeZip({ 'a.txt': large }), /zip bomb: "a.txt" is packed more than 250 to 1/],
    ['damaged data', makeZip({ 'a.txt': noise(500) }, { method: 8, isStored: true }), /damaged/],
  ])('%s', (_, zip, message) => {
    const open = () => openZip(zip).read('a.txt');
    expect(open).toThrow(UnreadableDocument);
    expect(open).toThrow(message);
  });

  test('a checksum that is wrong', () => {
    const zip = makeZip({ 'a.txt': 'hello' }, { isStored: true });
    zip[35] = 0x78;
    expect(() => openZip(zip).read('a.txt')).toThrow(/wrong checksum/);
  });

  test('too many files, and a size that is too large', () => {
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`${i}`, '']));
    expect(() => openZip(makeZip(many))).toThrow(/more than 10000 files/);
    const zip = makeZip({ 'a.txt': 'x' });
    zip.writeUInt32LE(65 * 1024 * 1024, zip.length - 22 - 46 - 5 + 24);
    expect(() => openZip(zip).read('a.txt')).toThrow(/more than 64 MiB/);
  });

  test('files that are small alone and too large together', () => {
    const file = noise(1024 * 1024);
    const files = Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`${i}`, file]));
    const zip = openZip(makeZip(files, { isStored: true }));
    expect(() => [...zip.names].map((name) => zip.read(name))).toThrow(/more than 128 MiB/);
  });
});

test('whatever bytes are changed, reading ends with a content or with the one error', () => {
  const zip = makeZip({ 'a.txt': 'hello '.repeat(50), b: 'x' }, { isZip64: true });
  const byte = fc.tuple(fc.nat(zip.length - 1), fc.nat(255));
  fc.assert(
    fc.property(fc.array(byte, { minLength: 1, maxLength: 6 }), (changes) => {
      const changed = Buffer.from(zip);
      for (const [at, value] of changes) changed[at] = value;
      try {
        const opened = openZip(changed);
        for (const name of opened.names) opened.read(name);
      } catch (error) {
        expect(error).toBeInstanceOf(UnreadableDocument);
      }
    }),
  );
});
