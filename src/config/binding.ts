import { CliError, ExitCode } from '../model/errors.ts';
import type { Credential } from './credentials.ts';
import type { Settings, Sourced } from './resolve.ts';
import { isInsecure } from './urls.ts';

/**
 * Whether a stored or fetched secret may be sent to a URL: never unencrypted to another machine, even with --insecure-http.
 *
 * @param origins those that it was given for; `undefined` before it is bound to any.
 */
export function mayReceive(url: string, origins?: readonly string[]): boolean {
  return !isInsecure(url) && (origins === undefined || origins.includes(new URL(url).origin));
}

/** The distinct origins of these URLs. */
export function originsOf(urls: readonly (string | undefined)[]): string[] {
  return [...new Set(urls.flatMap((url) => (url === undefined ? [] : [new URL(url).origin])))];
}

/**
 * Binds the stored credential of a profile to the origins it was given for, and a login to its token URL.
 *
 * @throws {CliError} exit 4: `credential_bound` when a URL of the run has another origin, or the token URL differs;
 *   `unencrypted` when a URL of the service is http to another machine.
 */
export function checkBinding(
  profile: string,
  { origins, login }: Pick<Credential, 'origins' | 'login'>,
  { identityUrl, baseUrl, tokenUrl }: Pick<Settings, 'identityUrl' | 'baseUrl' | 'tokenUrl'>,
): void {
  const service = { identity_url: identityUrl, base_url: baseUrl };
  const inForce = tokenUrlOf({ tokenUrl, identityUrl });
  const isOther = (url: string) => login?.token_url !== undefined && url !== login.token_url;
  const others = [
    ...urlsThat({ ...service, token_url: tokenUrl }, (url) => !origins.includes(new URL(url).origin)),
    ...urlsThat({ token_url: inForce }, isOther),
  ];
  const whose = `The credential of profile ${profile}`;
  const refused = (code: string, sentence: string, hint: string) =>
    new CliError(code, sentence, { exitCode: ExitCode.notLoggedIn, hint });
  if (others.length > 0) {
    const givenFor = [...new Set([...origins, login?.token_url])].filter((url) => url !== undefined);
    throw refused(
      'credential_bound',
      `${whose} was given for ${givenFor.join(' and ')}, but ${[...new Set(others)].join(', ')}.`,
      `Give it for the new address: innctl login --profile ${profile}`,
    );
  }
  const insecure = urlsThat(service, (url) => !mayReceive(url));
  if (insecure.length === 0) return;
  throw refused(
    'unencrypted',
    `${whose} is never sent unencrypted, but ${insecure.join(', ')}.`,
    'Use https. To send a token unencrypted, give it in the environment: INNCTL_TOKEN',
  );
}

/** The wrong URLs of a run, as clauses: `base_url (INNCTL_BASE_URL) is https://...`. */
function urlsThat(
  urls: Readonly<Record<string, Sourced<string> | undefined>>,
  isWrong: (url: string) => boolean,
): readonly string[] {
  return Object.entries(urls).flatMap(([key, url]) =>
    url === undefined || !isWrong(url.value) ? [] : [`${key} (${url.source}) is ${url.value}`],
  );
}

/** The configured token URL, or the default one; `undefined` without an identity URL. */
export function tokenUrlOf({
  tokenUrl,
  identityUrl,
}: Pick<Settings, 'tokenUrl' | 'identityUrl'>): Sourced<string> | undefined {
  return tokenUrl ?? (identityUrl && { value: defaultTokenUrl(identityUrl.value), source: 'default' });
}

/** The token URL of a server without a configured one. @param issuer the identity URL, or the URL of the OAuth server. */
export function defaultTokenUrl(issuer: string): string {
  return `${issuer}/connect/token`;
}
