import { printable } from '../../shared/core/text/printable.ts';
import { accountText } from '../account-text.ts';
import { commandAt } from '../command-at.ts';
import { exitCodes } from '../exit-codes.ts';
import { isSet, readCrawl, textOf } from '../given.ts';
import { JSON_OPTION } from '../option-spec.ts';
import { verb } from '../verb.ts';

/** Prints a line for each account. Ends with 2 if the account that is to be unlocked is not there. */
export const command = verb({
  usage: 'accounts DIR [options]',
  more: 'Hosts that were given up as their accounts were locked are tried again when the crawl is resumed.',
  examples: ['accounts crawls/members.example', 'accounts crawls/members.example --unlock reader-1'],
  options: [
    {
      name: 'unlock',
      type: 'text',
      argument: 'NAME',
      group: 'Output',
      help: 'let an account sign in again that is locked or rests',
    },
    JSON_OPTION,
  ],
  read: (given) => ({ crawl: readCrawl(given), unlock: textOf(given, 'unlock'), json: isSet(given, 'json') }),
  async run({ crawl, unlock }, place) {
    const opened = await place.open(crawl);
    if (unlock !== undefined && !(await opened.unlockAccount(unlock))) {
      const all = commandAt(place.addressOf(crawl), 'accounts');
      process.stderr.write(`strand: the crawl has used no account ${printable(unlock)}. All: ${all}\n`);
      return exitCodes.usage;
    }
    const accounts = await opened.accounts();
    if (accounts.length === 0 && !place.json) return place.print(undefined, 'No account was used');
    for (const account of accounts) place.print(account, accountText(account));
    return exitCodes.finished;
  },
});
