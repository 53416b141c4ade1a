import type { Context } from '../cli/ports.ts';
import { sameCommand, shellLine } from '../out/text.ts';
import type { DevicePage } from './device-login.ts';
import type { WebPage } from './web-login.ts';

/** Where to log in, for a person at a terminal: the URL on a line of its own, and over SSH how the browser finds its way back. */
export function webSentence(
  { url, isOpened, port }: WebPage,
  outside: Pick<Context, 'env' | 'argv'>,
): string {
  const where = isOpened
    ? 'A page to log in opens in your browser. If it does not, open it yourself:'
    : 'Open this page in a browser, and log in:';
  return [where, '', `  ${url}`, '', ...wayBack(port, isOpened, outside)].join('\n');
}

/** Which code to type where, for a person at a terminal. */
export function deviceSentence({ url, code, completeUrl, isOpened, lifetimeMs }: DevicePage): string {
  const minutes = Math.floor(lifetimeMs / 60_000);
  const time = minutes > 1 ? `${minutes} minutes` : `${Math.round(lifetimeMs / 1_000)} seconds`;
  const where = isOpened
    ? 'A page opens in your browser. If it does not, open this one'
    : 'Open this page in a browser on any device';
  return [
    `${where}, and type the code ${code} within ${time}:`,
    '',
    `  ${url}`,
    ...(completeUrl === undefined
      ? []
      : ['', 'Or this one, which has the code already:', '', `  ${completeUrl}`]),
    '',
  ].join('\n');
}

/** The page goes back to 127.0.0.1, which is here, wherever the browser is. */
function wayBack(
  port: number,
  isOpened: boolean,
  { env, argv }: Pick<Context, 'env' | 'argv'>,
): readonly string[] {
  const isRemote = [env['SSH_CONNECTION'], env['SSH_TTY']].some((each = '') => each !== '');
  if (isOpened || !isRemote) return [];
  // The fields of SSH_CONNECTION: the client's address and port, then the server's.
  const host = env['SSH_CONNECTION']?.split(' ')[2] ?? '<this machine>';
  const line = shellLine(['ssh', '-N', '-L', `${port}:127.0.0.1:${port}`, host]);
  return [
    'You are here over SSH. So that the page finds its way back, type this first, where the browser is:',
    '',
    `  ${line}`,
    '',
    `Or log in with a code: ${sameCommand(withoutBrowser(argv), '--device')}`,
    '',
  ];
}

/** The flags of a login in the browser contradict those of one with a code. */
function withoutBrowser(argv: readonly string[]): readonly string[] {
  const port = '--redirect-port';
  return argv.filter((word, at) => {
    return word !== '--web' && word !== port && argv[at - 1] !== port && !word.startsWith(`${port}=`);
  });
}
