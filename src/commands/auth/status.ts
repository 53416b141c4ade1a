import { type Described, describeCredential } from '../../auth/identity.ts';
import { eachOf } from '../../change/workers.ts';
import { credentialNames } from '../../config/credentials.ts';
import { profileNames, type Settings, unknownProfile } from '../../config/resolve.ts';
import { CliError, Concluded, ExitCode } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { fieldAt, onePage, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { relativeTo } from '../../print/cells.ts';
import { columnsOf } from '../../print/labels.ts';
import { type OutlineLine, resultSigns } from '../../print/outline.ts';
import type { Shape } from '../../print/output.ts';
import type { Token } from '../../service/exchange.ts';
import { serviceCommand } from '../../session/command-line.ts';
import { type LocalSession, settingsWith, withLocalSession } from '../../session/session.ts';
import { currentProfile, exportedCredential, probeToken } from './current.ts';

/** Number of credentials checked in parallel. */
const AT_A_TIME = 4;

/**
 * `auth status [profile...]`: test each credential with one request (GET /api/v1/users/me, or
 * /inventory/v1/properties/$count for clients).
 *
 * Exit 4 if a credential is invalid, 7 if one could not be checked. Tokens are never shown.
 */
export function authStatus(context: Context) {
  return serviceCommand('status', 'reads', ['auth status', 'auth status chain', 'auth status --json'])
    .summary('check the credentials of each profile')
    .description(
      'Test each credential with one request, and show its owner, storage and expiry. Tokens are never shown.',
    )
    .argument('[profile...]', 'profiles (default: all with credentials, and the environment)')
    .action(withLocalSession(context, status));
}

async function status(session: LocalSession, names: readonly string[]): Promise<void> {
  const subjects = names.length > 0 ? named(names, session) : present(session);
  if (subjects.length === 0)
    throw new CliError('not_logged_in', 'Not logged in.', {
      exitCode: ExitCode.notLoggedIn,
      hint: 'innctl login',
    });
  // In the order of the subjects; the `error` is `undefined` if the credential is valid.
  const findings: Awaited<ReturnType<typeof check>>[] = [];
  await eachOf(subjects.entries(), AT_A_TIME, async ([index, subject]) => {
    findings[index] = await check(subject, session);
  });
  const rows = findings.map(({ row }) => row);
  const now = session.context.clock.now();
  const lines = rows.map((row) => lineOf(row, now));
  await session.out.records(credentialShape, onePage(rows), {}, lines);
  // Invalid credentials take precedence over failed checks, and those over other problems.
  const codes = findings.flatMap(({ error }) => (error === undefined ? [] : [error.exitCode]));
  const worst = [ExitCode.notLoggedIn, ExitCode.unavailable, codes[0]].find(
    (code) => code !== undefined && codes.includes(code),
  );
  if (worst !== undefined) throw new Concluded(worst);
}

/** A profile to check; `undefined` is the current one with a credential from the environment. */
type Subject = string | undefined;

/** A misspelt name must not look like an invalid credential. @throws {CliError} exit 2 if there is no such profile. */
function named(names: readonly string[], { config }: LocalSession): readonly Subject[] {
  const unknown = names.find((name) => !profileNames(config).includes(name));
  if (unknown !== undefined) throw unknownProfile(unknown, config);
  return [...new Set(names)];
}

/** The profile that a flag names, otherwise the environment and all profiles with a credential. */
function present(session: LocalSession): readonly Subject[] {
  const { globals, folders } = session;
  if (globals.profile !== undefined || globals.sandbox === true) return [currentProfile(session)];
  const names = credentialNames(folders.config);
  return [...(exportedCredential(session) === undefined ? [] : [undefined]), ...names];
}

/**
 * Tests a credential with one request, after fetching or refreshing the token if necessary. Failures go into the row, beside
 * what was known until then.
 */
async function check(profile: Subject, session: LocalSession) {
  let settings: Settings | undefined;
  let token: Token | undefined;
  let user: ServiceRecord | undefined;
  let error: CliError | undefined;
  try {
    settings = profile === undefined ? session.settings() : settingsWith(session, session.config, profile);
    const { openConnection } = await import('../../session/connection.ts');
    const { api, credentials, close } = await openConnection(session, settings, 'auth status');
    try {
      token = await credentials.current(session.context.signal);
      user = await probeToken(api, credentials.grant);
    } finally {
      await close();
    }
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    error = cause;
  }
  const described = settings && describeCredential(settings, session.folders.config, token);
  const { code, message, hint, status, requestId }: Partial<CliError> = error ?? {};
  const row = withoutHoles({
    profile: profile ?? settings?.profile?.value ?? null,
    valid: validity(error),
    ...(described && factsOf(described, user)),
    identity_url: settings?.identityUrl?.value,
    base_url: settings?.baseUrl?.value,
    error: error && withoutHoles({ code, message, hint, status, request_id: requestId }),
  });
  return { row, error };
}

/** Prefers the service's answer to what was stored at login. */
function factsOf(described: Described, user: ServiceRecord = {}): ServiceRecord {
  const { name, client_id, account, scopes, expires_at, method, stored } = described;
  const subject = textIn(user['subject_id']) ?? described.subject;
  const who = textIn(user['email']) ?? described.email ?? name ?? subject ?? client_id;
  return { who, subject, client_id, account, scopes, expires_at, method, stored };
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The content of a locked keyring is unknown. */
function validity(error: CliError | undefined): 'yes' | 'no' | 'unknown' {
  if (error === undefined) return 'yes';
  return error.exitCode === ExitCode.notLoggedIn && error.code !== 'keyring_unavailable' ? 'no' : 'unknown';
}

const places: Readonly<Record<string, string>> = {
  file: 'in a file',
  keyring: 'in the keyring',
  nowhere: 'not stored',
};

const results = { yes: 'ok', no: 'fail', unknown: 'warn' } as const;

/** A row as one line: its owner, how it was obtained, where it is stored, when it ends; else the problem. */
function lineOf(row: ServiceRecord, now: number): OutlineLine {
  const [who, method, stored, expires] = ['who', 'method', 'stored', 'expires_at'].map((name) =>
    textIn(row[name]),
  );
  const place = stored === method ? undefined : (places[stored ?? ''] ?? stored);
  const facts = [who, method, place, expires && `expires ${relativeTo(now, expires) ?? expires}`];
  const detail =
    textIn(fieldAt(row, 'error.message')) ?? facts.filter((fact) => fact !== undefined).join(', ');
  const hint = textIn(fieldAt(row, 'error.hint'));
  return {
    // What `validity` returned.
    ...resultSigns[results[row['valid'] as ReturnType<typeof validity>]],
    text: `${textIn(row['profile']) ?? 'environment'}: ${detail}`,
    below: hint === undefined ? [] : `hint: ${hint}`.split('\n'),
  };
}

/** How credentials are listed. */
const credentialShape: Shape = {
  noun: ['credential', 'credentials'],
  columns: columnsOf(
    'profile valid who method stored expires_at scopes identity_url base_url error.message error.hint',
    [
      { field: 'valid', header: 'Valid', tones: { no: 'error', unknown: 'warning' } },
      { field: 'expires_at', header: 'Expires', format: 'date' },
      { field: 'error.message', header: 'Problem' },
      { field: 'error.hint', header: 'Hint' },
    ],
  ),
  others: ['subject', 'client_id', 'account', 'error.code', 'error.status', 'error.request_id'],
};
