/** Options whose values are files, or secrets: each sets a setting in words of its own. */
import type { SettingKey } from '../shared/core/crawl/settings/settings.ts';
import type { OptionSpec } from './option-spec.ts';

export interface FileOption extends OptionSpec {
  readonly sets: SettingKey;
}

export const FILE_OPTIONS: readonly FileOption[] = [
  {
    sets: 'domainBudgets',
    name: 'domain-budgets',
    argument: 'FILE',
    type: 'text',
    group: 'Limits',
    help: 'budgets of some domains, such as ranks give them: DOMAIN, a tab and the requests, a line each; at most 5,000',
  },
  {
    sets: 'identity',
    name: 'identity',
    argument: 'FILE',
    type: 'text',
    group: 'Identity',
    help: 'sign each request by the key in this file, so that sites can verify who asks: strand identity create makes it',
  },
  {
    sets: 'headers',
    name: 'header',
    argument: "'[HOST] NAME: VALUE'",
    type: 'secrets',
    group: 'Identity',
    help: 'send this header to the hosts that HOST means (*.example.org), by default those of the seeds; @FILE: one a line; repeatable',
  },
  {
    sets: 'cookies',
    name: 'cookies',
    argument: 'FILE',
    type: 'text',
    group: 'Identity',
    help: "send the cookies of this file (Netscape's format), those for the sites of the seeds",
  },
  {
    sets: 'auth',
    name: 'basic-auth',
    argument: '[HOST:]USER:PASSWORD',
    type: 'secrets',
    group: 'Identity',
    help: 'log in by HTTP Basic authentication at HOST, by default at the hosts of the seeds; @FILE: one a line; repeatable',
  },
  {
    sets: 'certificateAuthorities',
    name: 'ca',
    argument: 'FILE',
    type: 'text',
    group: 'Network',
    help: 'trust the authorities of this file (PEM) besides the usual ones',
  },
  {
    sets: 'clientCertificates',
    name: 'client-cert',
    argument: 'FILE',
    type: 'text',
    group: 'Network',
    help: 'show this certificate (PEM) to the hosts of the seeds if they ask for one',
  },
  {
    sets: 'clientCertificates',
    name: 'client-key',
    argument: 'FILE',
    type: 'text',
    group: 'Network',
    help: 'the private key of --client-cert, if it is not in the same file',
  },
];
