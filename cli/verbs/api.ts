import { messageOf } from '../../shared/core/base/error-message.ts';
import { printable } from '../../shared/core/text/printable.ts';
import { exitCodes } from '../exit-codes.ts';
import { configOf, numberOf, readWords, textOf } from '../given.ts';
import { networkOf } from '../network-files.ts';
import { CONFIG_OPTION } from '../option-spec.ts';
import { optionsOf, preferMarkdownOptions, requestOptions } from '../options.ts';
import { portFault, portOption, stopSignal, untilAborted } from '../serving.ts';
import { verb } from '../verb.ts';

/** That of Firecrawl's own server. */
const DEFAULT_PORT = 3002;

export const command = verb({
  usage: 'api FOLDER [options]',
  more: "And Firecrawl's scrape, map, crawl and batch scrape. Only programs of this machine reach it.",
  examples: ['api crawls --contact me@example.org', 'api crawls --token token.txt --contact me@example.org'],
  options: [
    portOption(DEFAULT_PORT),
    {
      name: 'token',
      argument: 'FILE',
      type: 'text',
      group: 'Output',
      help: 'answer only requests with the token in this file, which only you can read (mode 0600)',
    },
    CONFIG_OPTION,
    ...optionsOf('purpose'),
    ...preferMarkdownOptions(),
    ...requestOptions(),
  ],
  read(given) {
    const [folder] = readWords(given, 'FOLDER');
    return {
      folder: folder!,
      port: numberOf(given, 'port') ?? DEFAULT_PORT,
      token: textOf(given, 'token'),
      config: textOf(given, 'config'),
      options: configOf(given),
      network: networkOf(given),
    };
  },
  /** Until Ctrl-C. */
  async run({ folder, port, token, ...given }) {
    const { serveApi } = await import('../../api/local/api-server/serve-api.ts');
    const { fetchOptions } = await import('../crawl/fetch-options.ts');
    const { options } = await fetchOptions({ url: 'http://127.0.0.1/', ...given });
    const onError = (error: unknown) => void process.stderr.write(`strand: ${printable(messageOf(error))}\n`);
    const stop = stopSignal();
    await using server = await serveApi({ folder, settings: options, port, tokenFile: token, onError }).catch(
      portFault(port),
    );
    process.stdout.write(`Serving the API of the crawls in ${folder} at ${server.url}  (Ctrl-C ends)\n`);
    await untilAborted(stop);
    return exitCodes.finished;
  },
});
