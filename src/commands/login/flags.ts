import { type Detail, usageError } from '../../cli/errors.ts';
import type { Login } from '../../config/credentials.ts';

/** How to log in. */
export type Method = Login['method'];

/** The flags of `login`. */
export interface LoginFlags {
  readonly web?: true;
  readonly device?: true;
  readonly clientCredentials?: true;
  readonly withToken?: true;
  readonly preset?: string;
  readonly identityUrl?: string;
  readonly baseUrl?: string;
  readonly dialect?: string;
  readonly issuer?: string;
  readonly authorizationUrl?: string;
  readonly deviceAuthorizationUrl?: string;
  readonly tokenUrl?: string;
  readonly revocationUrl?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly confidential?: true;
  readonly scope?: string;
  readonly redirectPort?: string;
  readonly insecureStorage?: true;
}

const methodFlags = [
  ['web', 'web', '--web'],
  ['device', 'device', '--device'],
  ['clientCredentials', 'client-credentials', '--client-credentials'],
  ['withToken', 'token', '--with-token'],
] as const satisfies readonly (readonly [keyof LoginFlags, Method, string])[];

const withClient: readonly Method[] = ['web', 'device', 'client-credentials'];

/** Flags that only some methods use. */
const uses = {
  issuer: withClient,
  authorizationUrl: ['web'],
  deviceAuthorizationUrl: ['device'],
  tokenUrl: withClient,
  revocationUrl: withClient,
  clientId: withClient,
  clientSecretFile: withClient,
  confidential: withClient,
  scope: withClient,
  redirectPort: ['web'],
} as const satisfies Partial<Record<keyof LoginFlags, readonly Method[]>>;

/** The method selected by flags. @throws {CliError} exit 2 if there are two. */
export function methodNamed(flags: LoginFlags): Method | undefined {
  const [first, second] = methodFlags.filter(([flag]) => flags[flag] === true);
  if (first !== undefined && second !== undefined)
    throw usageError(`${first[2]} and ${second[2]} contradict each other.`, 'Leave one of them out.');
  return first?.[1];
}

/** Without a method flag, and without prompting. Exit 2. */
export function methodMissing(): Error {
  return usageError(
    'There are several ways to log in: --web, --device, --client-credentials or --with-token.',
    'Without a person: innctl login --client-credentials, or pipe a token into innctl login --with-token',
  );
}

/** Flags that the method does not use. */
export function unusedFlags(flags: LoginFlags, method: Method): readonly Detail[] {
  const methodFlag = methodFlags.find(([, each]) => each === method)?.[2];
  return Object.entries(uses)
    .filter(([flag, methods]) => flag in flags && !methods.some((each) => each === method))
    .map(([flag]) => ({ field: flagOf(flag), reason: `is not used with ${methodFlag}` }));
}

function flagOf(attribute: string): string {
  return `--${attribute.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
