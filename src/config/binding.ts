import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Credential } from './credentials.ts';
import type { Sourced } from './resolve.ts';
import { isInsecure } from './values.ts';

/** Where a run is going to. */
export interface Targets {
  readonly identityUrl?: Sourced<string> | undefined;
  readonly baseUrl?: Sourced<string> | undefined;
  readonly tokenUrl?: Sourced<string> | undefined;
  /** Whose credential it is. */
  readonly profile: string;
}

/**
 * Lets what a profile's own command prints go only where the profile says.
 *
 * @param command where its command line stands; one of the environment is not bound to URLs.
 * @throws {CliError} `credential_bound`, exit 4, when a URL of the run comes from elsewhere.
 */
export function checkCommandBinding(
  command: Sourced<string>,
  { identityUrl, baseUrl }: Omit<Targets, 'profile'>,
): void {
  if (!command.source.startsWith('profile ')) return;
  const strays = Object.entries({ identity_url: identityUrl, base_url: baseUrl }).flatMap(([key, url]) =>
    url === undefined || url.source === command.source ? [] : [`${key} (${url.source}) is ${url.value}`],
  );
  if (strays.length === 0) return;
  throw new CliError(
    'credential_bound',
    `The credential_command of ${command.source} is for the URLs of that profile, but ${strays.join(', ')}.`,
    { exitCode: ExitCode.notLoggedIn, hint: 'Give a credential for that address: INNCTL_TOKEN' },
  );
}

/**
 * What is kept or fetched for a person is never sent unencrypted, even with --insecure-http; what the environment gives may be.
 *
 * @param whose the beginning of the sentence: `The credential of profile chain`.
 * @throws {CliError} `unencrypted`, exit 4, when a URL of the run is http to another machine.
 */
export function refuseOpenLine(whose: string, { identityUrl, baseUrl }: Omit<Targets, 'profile'>): void {
  const open = Object.entries({ identity_url: identityUrl, base_url: baseUrl }).flatMap(([key, url]) =>
    url === undefined || !isInsecure(url.value) ? [] : [`${key} (${url.source}) is ${url.value}`],
  );
  if (open.length === 0) return;
  throw new CliError('unencrypted', `${whose} is never sent unencrypted, but ${open.join(', ')}.`, {
    exitCode: ExitCode.notLoggedIn,
    hint: 'Use https. A token that may be seen on the way is given in the environment: INNCTL_TOKEN',
  });
}

/** The origins of these URLs, each once. */
export function originsOf(urls: readonly (string | undefined)[]): string[] {
  return [...new Set(urls.flatMap((url) => (url === undefined ? [] : [new URL(url).origin])))];
}

/**
 * Lets a stored credential go only where it was given for.
 *
 * @throws {CliError} `credential_bound`, exit 4, when a URL of the run has another origin, or tokens would come from another URL than
 * at the login.
 */
export function checkBinding(credential: Pick<Credential, 'origins' | 'login'>, targets: Targets): void {
  const { identityUrl, baseUrl, tokenUrl, profile } = targets;
  const { origins, login } = credential;
  const strays = Object.entries({
    identity_url: identityUrl,
    base_url: baseUrl,
    token_url: tokenUrl,
  }).flatMap(([key, url]) =>
    url === undefined || origins.includes(new URL(url.value).origin)
      ? []
      : [`${key} (${url.source}) is ${url.value}`],
  );
  const inForce = tokenUrl ?? usualTokenUrl(identityUrl);
  const isOther =
    login?.token_url !== undefined && inForce !== undefined && inForce.value !== login.token_url;
  if (strays.length === 0 && !isOther) return;
  const givenFor = strays.length === 0 ? [String(login?.token_url)] : origins;
  const others = strays.length === 0 ? [`token_url (${inForce?.source}) is ${inForce?.value}`] : strays;
  const command =
    login === undefined ? `innctl profiles add ${profile}` : `innctl login --profile ${profile}`;
  throw new CliError(
    'credential_bound',
    `The credential of profile ${profile} was given for ${givenFor.join(' and ')}, but ${others.join(', ')}.`,
    { exitCode: ExitCode.notLoggedIn, hint: `Give it for the new address: ${command}` },
  );
}

/** Where tokens are issued when nothing says where. */
function usualTokenUrl(identityUrl: Sourced<string> | undefined): Sourced<string> | undefined {
  return identityUrl && { value: `${identityUrl.value}/connect/token`, source: 'default' };
}
