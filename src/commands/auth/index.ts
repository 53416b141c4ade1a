import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { type Verb, withVerbs } from '../options.ts';

/** In the order of help. */
const verbs: readonly Verb[] = [
  ['status', async () => (await import('./status.ts')).authStatus],
  ['token', async () => (await import('./token.ts')).authToken],
];

/** `auth ...`: show and test credentials. */
export function authCommands(context: Context, verb: string | undefined) {
  const group = new DescribedCommand('auth', {
    examples: ['auth status', 'auth status chain --json', 'auth token'],
  })
    .summary('show login status and tokens')
    .description('Show login status, and print tokens for other programs. To log in, use innctl login.');
  return withVerbs(group, verbs, context, verb);
}
