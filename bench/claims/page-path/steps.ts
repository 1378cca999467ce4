/**
 * The steps of a page, and the files and functions that do them. What no rule matches belongs to its caller's
 * step.
 */
import type { StepRule } from './profile.ts';

export const OTHERWISE = 'other';
/** Frames of the local engine; `node:sqlite` has no frames of its own. */
const LOCAL = /\/shared\/engines\/local\//;

export const STEPS: readonly StepRule[] = [
  // Before the folders that they lie in.
  { step: 'digests', file: /^node:internal\/crypto|^node:crypto/ },
  { step: 'digests', file: /\/shared\/core\/archive\/digest\.ts/ },
  { step: 'digests', file: /\/shared\/crawler\/fetcher\/spooled-body\.ts/, name: /^(?:append|finish)$/ },
  {
    step: 'content decoding',
    file: /\/shared\/core\/parser\/(?:content-decoder|content-codings|coding-decoder|decode-at-once|member-decoder|bounded-output|reused-inflate|gzip-head)\.ts/,
  },
  { step: 'content decoding', file: /^node:zlib/ },
  {
    step: 'charset',
    file: /\/shared\/core\/parser\/(?:charset|charset-decoder|text-decoder|meta-prescan)\.ts/,
  },
  { step: 'charset', file: /^node:internal\/encoding|^node:string_decoder/ },
  { step: 'text hash', file: /\/shared\/core\/parser\/text-hash\.ts/ },
  { step: 'resolve, canonical form', file: /\/shared\/core\/url\/|^node:internal\/url/ },
  { step: 'resolve, canonical form', file: /\/shared\/core\/parser\/link-set\.ts/, name: /^resolved$/ },
  {
    step: 'link scan',
    file: /\/shared\/core\/parser\/|\/node_modules\/(?:htmlparser2|entities|dom[a-z]*)\//,
  },
  { step: 'scope, traps', file: /\/shared\/core\/crawl\/|\/shared\/core\/frontier\/template-watch\.ts/ },
  {
    step: 'scope, traps',
    file: /\/shared\/crawler\/turn\/(?:links\/(?:link-intake|page-links|sitemap-links)|page\/redirects)\.ts|\/shared\/core\/frontier\/reason-against\.ts/,
  },
  {
    step: 'ledger: parts for a commit',
    file: /\/shared\/core\/frontier\/ledger\.ts/,
    name: /^prepareCommit$/,
  },
  { step: 'ledger: merge, next, settle', file: /\/shared\/core\/frontier\/ledger\.ts/ },
  { step: 'archive record', file: /\/shared\/core\/archive\/|\/shared\/crawler\/turn\/turn-output\.ts/ },
  { step: 'archive files, index', file: /\/shared\/engines\/local\/(?:archive|cdxj|sorted)[^/]*\.ts/ },
  { step: 'commit', file: /\/shared\/crawler\/turn\/commit\.ts/ },
  {
    step: 'links between hosts',
    file: /\/shared\/crawler\/routing\/router\.ts|\/shared\/core\/frontier\/fold-links\.ts/,
  },
  { step: 'links between hosts', file: /\/shared\/engines\/local\/link-exchange\.ts/ },
  { step: 'turn queue, heads, parts (SQLite)', file: LOCAL },
  { step: 'robots.txt', file: /\/shared\/core\/robots\/|\/shared\/crawler\/turn\/robots\// },
  {
    step: 'fetch',
    file: /\/shared\/crawler\/fetcher\/|\/node_modules\/undici\/|\/shared\/crawler\/turn\/pace\/host-(?:pace|requests)\.ts|\/shared\/crawler\/worker\/lanes\.ts/,
  },
  {
    step: 'fetch',
    file: /^node:(?:net|_http|internal\/(?:stream_base_commons|streams|net|dns|timers)|timers|events)|^wasm:/,
  },
  { step: 'turn', file: /\/shared\/crawler\/(?:turn|crawl-state|worker)\// },
  { step: 'loading and compiling', file: /^node:internal\/(?:modules|process\/esm|vm|bootstrap|main)/ },
];
