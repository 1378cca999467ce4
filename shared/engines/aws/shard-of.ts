import { hash } from 'node:crypto';
import type { HostKey } from '../../core/url/host-key.ts';

/**
 * The shard, from 0 to `shards - 1`, that a host belongs to: by its name alone, so the same everywhere and
 * always.
 */
export const shardOf = (host: HostKey, shards: number): number =>
  hash('sha256', host, 'buffer').readUInt32BE() % shards;
