import type { Context } from '../../model/ports.ts';
import { localCommand } from '../../session/command-line.ts';
import { withLocalChange } from '../../session/session.ts';
import { presetNames } from './given.ts';

/**
 * `login`: log in and store the login as a profile, its secrets in the keyring.
 *
 * GET /api/v1/users/me shows the user. The profile is created if needed; without --profile it is the current one, the
 * preset's, or `default`. A profile for another service is replaced as by `profiles add`.
 */
export function loginCommand(context: Context) {
  return localCommand('login', 'writes', [
    'login --preset apaleo --client-id chain-admin',
    'login --device --preset apaleo --client-id chain-admin',
    'login --client-credentials --preset apaleo --profile ci --client-id chain-ci --client-secret-file -',
    'login --with-token --profile chain --identity-url https://identity.example.com --base-url https://api.example.com',
  ])
    .exitsWith('notFound', 'notLoggedIn', 'forbidden', 'refused', 'unavailable', 'blocked')
    .summary('log in to a service')
    .description(
      'Log in as a person or as a program, and store the login as a profile, with its secrets in the system keyring. Prompts for missing values on a terminal. For an existing profile, logs in again.',
    )
    .optionsGroup('How')
    .option('--web', 'log in with the browser (the default on a terminal)')
    .option('--device', 'log in with a code, in a browser on any device')
    .option('--client-credentials', 'log in as a program, with client id and client secret')
    .option('--with-token', 'log in with a token from stdin or a prompt')
    .option(
      '--redirect-port <port>',
      'port of the redirect URL http://127.0.0.1:<port>/callback for --web (default: a free port)',
    )
    .option('--insecure-storage', 'store secrets unencrypted in credentials.json instead of the keyring')
    .optionsGroup('Where')
    .option('--preset <name>', `use known values of a service: ${presetNames.join(', ')}`)
    .option('--identity-url <url>', 'URL of the identity API')
    .option('--base-url <url>', 'URL of the inventory API')
    .option('--dialect <name>', 'API dialect of the service: contract or apaleo')
    .option('--issuer <url>', 'URL of the OAuth server (default: the identity URL)')
    .option('--authorization-url <url>', 'URL of the authorization endpoint (default: discovered)')
    .option(
      '--device-authorization-url <url>',
      'URL of the device authorization endpoint (default: discovered)',
    )
    .option('--token-url <url>', 'URL of the token endpoint (default: discovered)')
    .option('--revocation-url <url>', 'URL of the revocation endpoint (default: discovered)')
    .optionsGroup('Who')
    .option('--client-id <id>', 'OAuth client id')
    .option('--client-secret-file <path>', 'read the client secret from a file; - for stdin')
    .option('--confidential', 'prompt for the client secret')
    .option('--scope <scopes>', 'OAuth scopes, separated by spaces')
    .action(
      withLocalChange(context, async (session, flags) => {
        const { logIn } = await import('./log-in.ts');
        await logIn(session, flags);
      }),
    );
}
