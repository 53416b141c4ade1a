import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Credential } from './credentials.ts';
import type { Sourced } from './reader.ts';

/** Where a run is going to. */
export interface Targets {
  readonly identityUrl?: Sourced<string> | undefined;
  readonly baseUrl?: Sourced<string> | undefined;
  readonly tokenUrl?: Sourced<string> | undefined;
  /** Whose credential it is. */
  readonly profile: string;
}

/** The origins of these URLs, each once. */
export function originsOf(urls: readonly (string | undefined)[]): string[] {
  return [...new Set(urls.flatMap((url) => (url === undefined ? [] : [new URL(url).origin])))];
}

/**
 * Lets a stored credential go only where it was given for.
 *
 * @throws {CliError} `credential_bound`, exit 4, when a URL of the run has another origin.
 */
export function checkBinding(credential: Pick<Credential, 'origins'>, targets: Targets): void {
  const { identityUrl, baseUrl, tokenUrl, profile } = targets;
  const strays = Object.entries({
    identity_url: identityUrl,
    base_url: baseUrl,
    token_url: tokenUrl,
  }).flatMap(([key, url]) =>
    url === undefined || credential.origins.includes(new URL(url.value).origin)
      ? []
      : [`${key} (${url.source}) is ${url.value}`],
  );
  if (strays.length === 0) return;
  throw new CliError(
    'credential_bound',
    `The credential of profile ${profile} was given for ${credential.origins.join(' and ')}, but ${strays.join(', ')}.`,
    {
      exitCode: ExitCode.notLoggedIn,
      hint: `Give it for the new address: innctl profiles add ${profile}`,
    },
  );
}
