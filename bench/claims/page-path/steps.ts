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
  { step: 'digests', file: /\/shared\/archive\/digest\.ts/ },
  { step: 'digests', file: /\/shared\/fetcher\/spooled-body\.ts/, name: /^(?:append|finish)$/ },
  {
    step: 'content decoding',
    file: /\/shared\/parser\/(?:content-decoder|content-codings|coding-decoder|decode-at-once|member-decoder|bounded-output)\.ts/,
  },
  { step: 'content decoding', file: /^node:zlib/ },
  { step: 'charset', file: /\/shared\/parser\/(?:charset|charset-decoder|text-decoder|meta-prescan)\.ts/ },
  { step: 'charset', file: /^node:internal\/encoding|^node:string_decoder/ },
  { step: 'text hash', file: /\/shared\/parser\/text-hash\.ts/ },
  { step: 'resolve, canonical form', file: /\/shared\/url\/|^node:internal\/url/ },
  { step: 'resolve, canonical form', file: /\/shared\/parser\/link-set\.ts/, name: /^resolved$/ },
  { step: 'link scan', file: /\/shared\/parser\/|\/node_modules\/(?:htmlparser2|entities|dom[a-z]*)\// },
  { step: 'scope, traps', file: /\/shared\/crawl\/|\/shared\/frontier\/template-watch\.ts/ },
  {
    step: 'scope, traps',
    file: /\/shared\/turn\/(?:link-intake|page-links|sitemap-links|redirects)\.ts|\/shared\/frontier\/reason-against\.ts/,
  },
  { step: 'ledger: parts for a commit', file: /\/shared\/frontier\/ledger\.ts/, name: /^prepareCommit$/ },
  { step: 'ledger: merge, next, settle', file: /\/shared\/frontier\/ledger\.ts/ },
  { step: 'archive record', file: /\/shared\/archive\/|\/shared\/turn\/turn-output\.ts/ },
  { step: 'archive files, index', file: /\/shared\/engines\/local\/(?:archive|cdxj|sorted)[^/]*\.ts/ },
  { step: 'commit', file: /\/shared\/turn\/commit\.ts/ },
  { step: 'links between hosts', file: /\/shared\/routing\/router\.ts|\/shared\/frontier\/fold-links\.ts/ },
  { step: 'links between hosts', file: /\/shared\/engines\/local\/link-exchange\.ts/ },
  { step: 'turn queue, heads, parts (SQLite)', file: LOCAL },
  { step: 'robots.txt', file: /\/shared\/robots\/|\/shared\/turn\/(?:robots-|known-robots)[^/]*\.ts/ },
  {
    step: 'fetch',
    file: /\/shared\/fetcher\/|\/node_modules\/undici\/|\/shared\/turn\/host-pace\.ts|\/shared\/worker\/lanes\.ts/,
  },
  {
    step: 'fetch',
    file: /^node:(?:net|_http|internal\/(?:stream_base_commons|streams|net|dns|timers)|timers|events)|^wasm:/,
  },
  { step: 'turn', file: /\/shared\/(?:turn|crawl-state|worker)\// },
  { step: 'loading and compiling', file: /^node:internal\/(?:modules|process\/esm|vm|bootstrap|main)/ },
];
