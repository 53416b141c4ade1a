import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Credential } from './credentials.ts';
import type { Sourced } from './resolve.ts';
import { isInsecure } from './values.ts';

/** The URLs of a run. */
export interface Targets {
  readonly identityUrl?: Sourced<string> | undefined;
  readonly baseUrl?: Sourced<string> | undefined;
  readonly tokenUrl?: Sourced<string> | undefined;
  /** The owner of the credential. */
  readonly profile: string;
}

/**
 * Binds the credential_command of a profile to the URLs of that profile.
 *
 * @param command a command from the environment is not bound.
 * @throws {CliError} `credential_bound`, exit 4, when a URL of the run comes from another source.
 */
export function checkCommandBinding(
  command: Sourced<string>,
  { identityUrl, baseUrl }: Omit<Targets, 'profile'>,
): void {
  if (!command.source.startsWith('profile ')) return;
  const urls = { identity_url: identityUrl, base_url: baseUrl };
  const strays = urlsThat(urls, ({ source }) => source !== command.source);
  if (strays.length === 0) return;
  throw new CliError(
    'credential_bound',
    `The credential_command of ${command.source} is for the URLs of that profile, but ${strays.join(', ')}.`,
    { exitCode: ExitCode.notLoggedIn, hint: 'Give a credential for that address: INNCTL_TOKEN' },
  );
}

/**
 * Refuses to send a stored or fetched credential unencrypted, even with --insecure-http. One from the environment may be sent.
 *
 * @param whose the start of the sentence: `The credential of profile chain`.
 * @throws {CliError} `unencrypted`, exit 4, when a URL of the run is http to another machine.
 */
export function refuseInsecure(whose: string, { identityUrl, baseUrl }: Omit<Targets, 'profile'>): void {
  const urls = { identity_url: identityUrl, base_url: baseUrl };
  const open = urlsThat(urls, ({ value }) => isInsecure(value));
  if (open.length === 0) return;
  throw new CliError('unencrypted', `${whose} is never sent unencrypted, but ${open.join(', ')}.`, {
    exitCode: ExitCode.notLoggedIn,
    hint: 'Use https. To send a token unencrypted, give it in the environment: INNCTL_TOKEN',
  });
}

/** The distinct origins of these URLs. */
export function originsOf(urls: readonly (string | undefined)[]): string[] {
  return [...new Set(urls.flatMap((url) => (url === undefined ? [] : [new URL(url).origin])))];
}

/**
 * Binds a stored credential to the origins it was given for, and a login to its token URL.
 *
 * @throws {CliError} `credential_bound`, exit 4, when a URL of the run has another origin, or the token URL differs.
 */
export function checkBinding(credential: Pick<Credential, 'origins' | 'login'>, targets: Targets): void {
  const { identityUrl, baseUrl, tokenUrl, profile } = targets;
  const { origins, login } = credential;
  const urls = { identity_url: identityUrl, base_url: baseUrl, token_url: tokenUrl };
  const strays = urlsThat(urls, ({ value }) => !origins.includes(new URL(value).origin));
  const inForce = tokenUrl ?? usualTokenUrl(identityUrl);
  const isOther =
    login?.token_url !== undefined && inForce !== undefined && inForce.value !== login.token_url;
  if (strays.length === 0 && !isOther) return;
  const givenFor = strays.length === 0 ? [String(login?.token_url)] : origins;
  const others = strays.length === 0 ? [`token_url (${inForce?.source}) is ${inForce?.value}`] : strays;
  const command = login === undefined ? `profiles add ${profile}` : `login --profile ${profile}`;
  throw new CliError(
    'credential_bound',
    `The credential of profile ${profile} was given for ${givenFor.join(' and ')}, but ${others.join(', ')}.`,
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

/** The default token URL. */
function usualTokenUrl(identityUrl: Sourced<string> | undefined): Sourced<string> | undefined {
  return identityUrl && { value: `${identityUrl.value}/connect/token`, source: 'default' };
}
