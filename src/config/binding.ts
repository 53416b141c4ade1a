import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Credential } from './credentials.ts';
import type { Settings, Sourced } from './resolve.ts';
import { isInsecure } from './urls.ts';

/** The URLs of the services in a run. */
type ServiceUrls = Pick<Settings, 'identityUrl' | 'baseUrl'>;

/**
 * Refuses to send a stored or fetched credential unencrypted, even with --insecure-http. One from the environment may be sent.
 *
 * @param whose the start of the sentence: `The credential of profile chain`.
 * @throws {CliError} `unencrypted`, exit 4, when a URL of the run is http to another machine.
 */
export function refuseInsecure(whose: string, { identityUrl, baseUrl }: ServiceUrls): void {
  const urls = { identity_url: identityUrl, base_url: baseUrl };
  const insecure = urlsThat(urls, ({ value }) => isInsecure(value));
  if (insecure.length === 0) return;
  throw new CliError('unencrypted', `${whose} is never sent unencrypted, but ${insecure.join(', ')}.`, {
    exitCode: ExitCode.notLoggedIn,
    hint: 'Use https. To send a token unencrypted, give it in the environment: INNCTL_TOKEN',
  });
}

/** The distinct origins of these URLs. */
export function originsOf(urls: readonly (string | undefined)[]): string[] {
  return [...new Set(urls.flatMap((url) => (url === undefined ? [] : [new URL(url).origin])))];
}

/**
 * Binds the stored credential of a profile to the origins it was given for, and a login to its token URL.
 *
 * @throws {CliError} `credential_bound`, exit 4, when a URL of the run has another origin, or the token URL differs.
 */
export function checkBinding(
  profile: string,
  { origins, login }: Pick<Credential, 'origins' | 'login'>,
  { identityUrl, baseUrl, tokenUrl }: ServiceUrls & Pick<Settings, 'tokenUrl'>,
): void {
  const urls = { identity_url: identityUrl, base_url: baseUrl, token_url: tokenUrl };
  const others = urlsThat(urls, ({ value }) => !origins.includes(new URL(value).origin));
  const inForce =
    tokenUrl ?? (identityUrl && { value: defaultTokenUrl(identityUrl.value), source: 'default' });
  const isOther =
    login?.token_url !== undefined && inForce !== undefined && inForce.value !== login.token_url;
  if (others.length === 0 && !isOther) return;
  const [givenFor, found] =
    others.length === 0
      ? [String(login?.token_url), `token_url (${inForce?.source}) is ${inForce?.value}`]
      : [origins.join(' and '), others.join(', ')];
  const command = login === undefined ? `profiles add ${profile}` : `login --profile ${profile}`;
  throw new CliError(
    'credential_bound',
    `The credential of profile ${profile} was given for ${givenFor}, but ${found}.`,
    { exitCode: ExitCode.notLoggedIn, hint: `Give it for the new address: innctl ${command}` },
  );
}

/** The wrong URLs of a run, as clauses: `base_url (INNCTL_BASE_URL) is https://...`. */
function urlsThat(
  urls: Readonly<Record<string, Sourced<string> | undefined>>,
  isWrong: (url: Sourced<string>) => boolean,
): readonly string[] {
  return Object.entries(urls).flatMap(([key, url]) =>
    url === undefined || !isWrong(url) ? [] : [`${key} (${url.source}) is ${url.value}`],
  );
}

/** The token URL of a server without a configured one. @param issuer the identity URL, or the URL of the OAuth server. */
export function defaultTokenUrl(issuer: string): string {
  return `${issuer}/connect/token`;
}
