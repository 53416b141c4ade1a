import { join } from 'node:path';
import * as v from 'valibot';
import { quietly, replaceFile, sweepDrafts } from '../fs/replace.ts';
import type { Context } from '../model/ports.ts';
import { mapping } from './file.ts';
import { closeSecrets, readStored, refuseHardLink, rewrite } from './stored-file.ts';

/** A draft that is older was left by a killed writer: writing takes milliseconds. */
const STALE_DRAFT_MS = 60_000;

const text = v.optional(v.string());

const secretEntries = { token: text, client_secret: text, refresh_token: text };

/** Secrets in the keyring or in credentials.json. */
export const secretsSchema = mapping(v.looseObject(secretEntries));

const loginSchema = mapping(
  v.looseObject({
    method: v.picklist(['web', 'device', 'client-credentials', 'token']),
    issuer: text,
    token_url: text,
    revocation_url: text,
    client_id: text,
    client_auth: v.optional(v.picklist(['none', 'basic', 'post'])),
    scope: text,
    refresh_begun: text,
    who: v.optional(mapping(v.record(v.string(), v.string()))),
  }),
);

const cachedTokenSchema = mapping(
  v.looseObject({
    access_token: text,
    expires_at: v.optional(v.number()),
    renew_at: v.optional(v.number()),
    key: text,
  }),
);

const factEntries = {
  origins: v.array(v.string()),
  keyring: text,
  login: v.optional(loginSchema),
  cached_token: v.optional(cachedTokenSchema),
};

const factsSchema = v.looseObject(factEntries);

const credentialSchema = mapping(v.looseObject({ ...factEntries, ...secretEntries }));

const credentialsSchema = mapping(
  v.looseObject({
    version: v.optional(v.literal(1), 1),
    profiles: v.optional(mapping(v.record(v.string(), credentialSchema)), {}),
  }),
);

/** What gets access tokens, or was given: bearer token, client secret, refresh token. */
export type Secrets = Readonly<v.InferOutput<typeof secretsSchema>>;

/**
 * How the login was made, without secrets. The URLs are those of the server that issued the tokens. `scope` is the granted one. `who` is the owner: `subject`, `email`, `name`, `account`.
 * `refresh_begun` is the digest of a refresh token that was sent and whose answer has not been received.
 */
export type Login = Readonly<v.InferOutput<typeof loginSchema>>;

/**
 * The stored credential of a profile without its secrets, and the access token that they got, so that not every command gets
 * another one. Its `expires_at` and `renew_at` (default: half a minute before) are milliseconds since the epoch; that of client
 * credentials has a `key`: what it was fetched with.
 */
export type Facts = Readonly<v.InferOutput<typeof factsSchema>>;

/** The secrets of a profile and the origins they are bound to. With `keyring`, an account there, the secrets are in the keyring. */
export type Credential = Readonly<v.InferOutput<typeof credentialSchema>>;

type Credentials = Readonly<v.InferOutput<typeof credentialsSchema>>;

/**
 * The credential that is stored for a profile; `undefined` when there is none.
 *
 * @throws {CliError} exit 2 naming the path when the file is corrupt or newer, or has another name as well.
 */
export function readCredential(folder: string, profile: string): Credential | undefined {
  return credentialIn(readCredentials(folder), profile);
}

/** Removes the rights of other users to the file, and warns if there were any; also removes drafts of killed writers. */
export function closeCredentials(
  folder: string,
  { platform, presentation }: Pick<Context, 'platform' | 'presentation'>,
): void {
  const path = credentialsPath(folder);
  quietly(() => sweepDrafts(path, STALE_DRAFT_MS));
  const warning = closeSecrets(path, platform);
  if (warning !== undefined) presentation.held.push(warning);
}

/** The names of all profiles that a credential is stored for. @throws {CliError} exit 2 when the file is corrupt or newer. */
export function credentialNames(folder: string): readonly string[] {
  return Object.keys(readCredentials(folder).profiles).sort();
}

/** Which secrets a credential has, according to the login or the profile: a keyring is not opened. */
export function secretsStored({ login }: Credential, auth: unknown): readonly ('token' | 'client_secret')[] {
  if ((login?.method ?? auth) === 'client-credentials') return ['client_secret'];
  return (login?.client_auth ?? 'none') === 'none' ? ['token'] : ['token', 'client_secret'];
}

/** Changes the stored credential of a profile; `undefined` is none. Also removes drafts of killed writers. */
export async function changeCredential(
  folder: string,
  profile: string,
  change: (before: Credential | undefined) => Credential | undefined,
  signal: AbortSignal,
): Promise<void> {
  const changed = (document: Credentials): Credentials => {
    const before = credentialIn(document, profile);
    const after = change(before);
    if (after === before) return document;
    const { [profile]: _, ...others } = document.profiles;
    const profiles = after === undefined ? others : { ...document.profiles, [profile]: after };
    return { ...document, profiles };
  };
  const path = credentialsPath(folder);
  const write = (after: Credentials) =>
    replaceFile(path, `${JSON.stringify(after, undefined, 2)}\n`, { lasting: true });
  await rewrite(path, () => readCredentials(folder), changed, write, signal);
}

function credentialIn({ profiles }: Credentials, profile: string): Credential | undefined {
  return Object.hasOwn(profiles, profile) ? profiles[profile] : undefined;
}

function readCredentials(folder: string): Credentials {
  const path = credentialsPath(folder);
  const credentials = readStored(path, credentialsSchema);
  refuseHardLink(path);
  return credentials;
}

/** The path of credentials.json. */
export function credentialsPath(folder: string): string {
  return join(folder, 'credentials.json');
}
