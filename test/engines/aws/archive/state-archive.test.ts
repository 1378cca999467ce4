import { randomUUID } from 'node:crypto';
/** The archive's own order of things, against a client that answers when the test says so. */
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { createS3Archive } from '../../../../shared/engines/aws/archive/archive.ts';

const tick = () => new Promise((resolve) => setImmediate(resolve));
const member = (text: string) => [Buffer.from(text)];

interface Put {
  readonly key: string;
  readonly body: string;
  resolve(): void;
  reject(error: Error): void;
}

function open() {
  const puts: Put[] = [];
  const client = {
    send: (command: unknown) =>
      new Promise<object>((resolve, reject) => {
        if (!(command instanceof PutObjectCommand)) throw new Error('not expected here');
        const { Key, Body } = command.input;
        const put = {
          key: Key as string,
          body: (Body as Buffer).toString(),
          resolve: () => resolve({}),
          reject,
        };
        puts.push(put);
      }),
  } as unknown as S3Client;
  const sleeps: number[] = [];
  const options = {
    client,
    bucket: 'b',
    prefix: 'p',
    clock: {
      now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
      random: () => 0,
      uuid: randomUUID,
      sleep: async (ms: number) => {
        sleeps.push(ms);
      },
    },
    folder: 'warc',
    warcinfo: (filename: string) => member(`<${filename}>`),
  };
  return { puts, sleeps, options, archive: createS3Archive(options) };
}

const NAME = (serial: number) => `p-20260102030405-0000000000-0000${serial}.warc.gz`;

describe('the archive on S3', () => {
  test('keeps concurrent appends together and in order, with nothing between', async () => {
    const { archive, puts } = open();
    const all = await Promise.all([
      archive.append([member('aa'), member('b')]),
      archive.append([member('ccc'), member('d')]),
    ]);
    const lead = `<${NAME(0)}>`;
    expect(all.flat().map(({ offset, length }) => [offset - lead.length, length])).toEqual([
      [0, 2],
      [2, 1],
      [3, 3],
      [6, 1],
    ]);
    const flushed = archive.flush();
    await tick();
    puts[0]!.resolve();
    await flushed;
    expect(puts.map(({ key, body }) => [key, body])).toEqual([[`warc/${NAME(0)}`, `${lead}aabcccd`]]);
  });

  test('what is appended during a flush goes to the next object, and its flush waits for that one', async () => {
    const { archive, puts } = open();
    await archive.append([member('a')]);
    const first = archive.flush();
    await tick();
    const [location] = await archive.append([member('b')]);
    expect(location!.file).toBe(NAME(1));
    let isDone = false;
    const second = archive.flush().then(() => {
      isDone = true;
    });
    puts[0]!.resolve();
    await first;
    await tick();
    expect([puts.length, isDone]).toEqual([2, false]);
    puts[1]!.resolve();
    await second;
  });

  test('after a failed flush, one who appended before it cannot take his records for durable', async () => {
    const { archive, puts } = open();
    await archive.append([member('mine')]);
    await archive.append([member('yours')]);
    const mine = archive.flush();
    await tick();
    puts[0]!.reject(new Error('refused'));
    await expect(mine).rejects.toThrow('refused');
    const yours = archive.flush();
    await tick();
    expect(puts[1]).toMatchObject({ key: puts[0]!.key, body: puts[0]!.body });
    puts[1]!.reject(new Error('again'));
    await expect(yours).rejects.toThrow('again');
    const later = archive.flush();
    await tick();
    puts[2]!.resolve();
    await later;
    await archive.flush();
    expect(puts.length).toBe(3);
  });

  test('an append whose member fails leaves no trace', async () => {
    const { archive, puts } = open();
    async function* broken() {
      yield Buffer.from('half');
      throw new Error('the body cannot be read');
    }
    await archive.append([member('a')]);
    await expect(archive.append([member('x'), broken()])).rejects.toThrow('cannot be read');
    await archive.append([member('b')]);
    const flushed = archive.flush();
    await tick();
    expect(puts[0]!.body).toBe(`<${NAME(0)}>ab`);
    puts[0]!.resolve();
    await flushed;
  });

  test('does not keep the caller’s arrays', async () => {
    const { archive, puts } = open();
    const bytes = Buffer.from('kept');
    async function* streamed() {
      yield bytes;
    }
    await archive.append([[bytes], streamed()]);
    bytes.fill('x');
    const flushed = archive.flush();
    await tick();
    expect(puts[0]!.body).toBe(`<${NAME(0)}>keptkept`);
    puts[0]!.resolve();
    await flushed;
  });

  test('a flush with something to store gathers for a while, one without does not', async () => {
    const { options, puts, sleeps } = open();
    const archive = createS3Archive({ ...options, gatherMs: 500 });
    await archive.flush();
    expect(sleeps).toEqual([]);
    await archive.append([member('a')]);
    const flushed = archive.flush();
    await tick();
    puts[0]!.resolve();
    await flushed;
    expect(sleeps).toEqual([500]);
  });

  test.each(['', 'a/b', 'a b', 'ä'])('refuses the prefix %j', (prefix) => {
    const { options } = open();
    expect(() => createS3Archive({ ...options, prefix })).toThrow('Expected a prefix');
  });
});
