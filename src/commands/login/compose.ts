import { renewAtOf } from '../../auth/credentials.ts';
import type { Granted } from '../../auth/granted.ts';
import type { Who } from '../../auth/identity.ts';
import { cacheKey } from '../../auth/open-credentials.ts';
import type { Provider } from '../../auth/provider.ts';
import type { LocalSession } from '../../cli/session.ts';
import { originsOf } from '../../config/binding.ts';
import type { Secrets } from '../../config/credentials.ts';
import { withoutHoles } from '../../model/records.ts';
import { valuesAt } from '../profiles/entries.ts';
import { hasService, type StoredCredential, type Storing, settingsOf } from '../profiles/store.ts';
import { authOf, type Given } from './given.ts';

/** The server, client and storage of a login. */
export interface LoginSetup {
  readonly given: Given;
  /** `undefined` without a server. */
  readonly provider: Provider | undefined;
  readonly scope: string | undefined;
  /** The keyring account for the secrets, `undefined` for the file. */
  readonly account: string | undefined;
}

/** Whether the profile was for another service; then only its guards are kept. */
export function isReplaced({ before, values }: Given): boolean {
  const differs = (['identity_url', 'base_url'] as const).some((key) => values[key] !== before[key]);
  return hasService(before) && differs;
}

/** The profile to store. Settings of other login methods are removed. */
export function profileOf({ given, provider, scope }: Omit<LoginSetup, 'account'>): Storing {
  const { name, values, method, before } = given;
  const profile = {
    issuer: undefined,
    client_id: undefined,
    credential_command: undefined,
    ...valuesAt('top', values),
    dialect: values.dialect ?? 'contract',
    auth: authOf(method),
    token_url: provider?.tokenUrl,
    scope,
  };
  return { name, profile, completes: hasService(before) && !isReplaced(given) };
}

/** The credential to store. */
export function credentialOf(
  setup: LoginSetup,
  granted: Granted,
  who: Who,
  session: LocalSession,
): StoredCredential {
  const { given, provider, account } = setup;
  const { values, endpoints, method } = given;
  const { expiresAt, scope, clientAuth } = granted;
  const { identity_url, base_url, issuer, client_id } = values;
  const isPerson = authOf(method) === 'user';
  const login = {
    issuer: provider?.issuer,
    token_url: provider?.tokenUrl,
    revocation_url: provider?.revocationUrl,
    authorization_url: endpoints.authorizationUrl,
    device_authorization_url: endpoints.deviceAuthorizationUrl,
    scope,
    who: withoutHoles(who),
    // Each token of a client has its own expiry.
    expires_at: method === 'client-credentials' ? undefined : expiresAt,
    // Tokens belong to the client that requested them, not to one set by a variable later.
    ...(isPerson ? { client_id, client_auth: clientAuth } : {}),
    renew_at:
      isPerson && expiresAt !== undefined ? renewAtOf(expiresAt, session.context.clock.now()) : undefined,
  };
  const urls = [
    identity_url,
    base_url,
    issuer,
    provider?.issuer,
    provider?.tokenUrl,
    provider?.revocationUrl,
  ];
  return {
    facts: {
      origins: originsOf(urls),
      login: { method, ...withoutHoles(login) },
      ...withoutHoles({ keyring: account }),
    },
    secrets: secretsOf(setup, granted, session),
  };
}

function secretsOf(setup: LoginSetup, granted: Granted, session: LocalSession): Secrets {
  const { method, values } = setup.given;
  const { accessToken, refreshToken, expiresAt } = granted;
  const { client_secret } = values;
  if (method === 'token') return { token: accessToken };
  if (method !== 'client-credentials')
    return withoutHoles({ token: accessToken, refresh_token: refreshToken, client_secret });
  if (expiresAt === undefined) return withoutHoles({ client_secret });
  const key = cacheKey(settingsOf(profileOf(setup), session), client_secret ?? '');
  const cached_token = { access_token: accessToken, expires_at: expiresAt, key };
  return withoutHoles({ client_secret, cached_token });
}
