import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withLocalChange } from '../../cli/session.ts';
import { presetNames } from '../profiles/presets.ts';

/**
 * `login`: prove who asks, and keep that as a profile, its secrets in the keyring of the system.
 *
 * Who asks is read from the service: GET /api/v1/users/me. The profile need not exist; without --profile it is the one in
 * effect, the preset's, or `default`. A profile that is for another service is replaced as `profiles add` does.
 */
export function loginCommand(context: Context) {
  return new DescribedCommand('login', {
    effect: 'writes',
    exits: ['notFound', 'notLoggedIn', 'forbidden', 'refused', 'unavailable', 'blocked'],
    examples: [
      'login --preset apaleo --client-id chain-admin',
      'login --device --preset apaleo --client-id chain-admin',
      'login --client-credentials --preset apaleo --profile ci --client-id chain-ci --client-secret-file -',
      'login --with-token --profile chain --identity-url https://identity.example.com --base-url https://api.example.com',
    ],
  })
    .summary('log in, and keep the credentials in the keyring')
    .description(
      'Log in as a person or as a program, and keep that as a profile; its secrets go into the keyring of the system. On a terminal it asks for what is missing; for a profile that is there it logs in again.',
    )
    .optionsGroup('How')
    .option('--web', 'in the browser of this machine (what a terminal gets without a method)')
    .option('--device', 'with a code, in a browser on any device')
    .option('--client-credentials', 'as a program, with client id and client secret')
    .option('--with-token', 'with a token from stdin, or typed at a terminal')
    .option(
      '--redirect-port <port>',
      'port of http://127.0.0.1:<port>/callback, where --web waits for the browser (default: any free one)',
    )
    .option('--insecure-storage', 'keep secrets unencrypted in credentials.json instead of the keyring')
    .optionsGroup('Where')
    .option('--preset <name>', `fill in what is known of a service: ${presetNames.join(', ')}`)
    .option('--identity-url <url>', 'URL of the identity area')
    .option('--base-url <url>', 'URL of the inventory area')
    .option('--dialect <name>', 'how the service spells its operations: contract or apaleo')
    .option('--issuer <url>', 'URL of the server that logs in (default: the identity URL)')
    .option('--authorization-url <url>', 'page to log in at (default: as the issuer says)')
    .option(
      '--device-authorization-url <url>',
      'URL that issues codes for devices (default: as the issuer says)',
    )
    .option('--token-url <url>', 'URL that issues tokens (default: as the issuer says)')
    .option('--revocation-url <url>', 'URL that ends tokens (default: as the issuer says)')
    .optionsGroup('Who')
    .option('--client-id <id>', 'OAuth client id')
    .option('--client-secret-file <path>', 'file with the client secret; - is stdin')
    .option('--confidential', 'the client has a secret; a terminal asks for it')
    .option('--scope <scopes>', 'OAuth scopes, one blank between them')
    .action(
      withLocalChange(context, async (session, flags) => {
        const { logIn } = await import('./log-in.ts');
        await logIn(session, flags);
      }),
    );
}
