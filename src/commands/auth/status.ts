import { type Described, describeCredential, momentText } from '../../auth/identity.ts';
import { DescribedCommand } from '../../cli/described-command.ts';
import { CliError, Concluded, usageError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Context } from '../../cli/ports.ts';
import { type LocalSession, settingsWith, withLocalSession } from '../../cli/session.ts';
import { credentialNames } from '../../config/credentials.ts';
import { profileNames, type Settings, unknownProfile } from '../../config/resolve.ts';
import { SANDBOX } from '../../config/values.ts';
import { onePage, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import type { Shape } from '../../out/output.ts';
import type { Token } from '../../service/exchange.ts';
import { currentProfile, exportedCredential } from './exported.ts';
import { askWho } from './probe.ts';

/** So many credentials are checked at a time. */
const AT_A_TIME = 4;

/**
 * `auth status [profile...]`: what each credential is worth, found out by using it once (GET /api/v1/users/me, or
 * /inventory/v1/properties/$count for clients).
 *
 * Exit 4 when one of them is dead, 7 when one could not be checked. No token is shown.
 */
export function authStatus(context: Context) {
  return new DescribedCommand('status', {
    effect: 'reads',
    on: 'service',
    examples: ['auth status', 'auth status chain', 'auth status --json'],
  })
    .summary('check the credentials of each profile')
    .description(
      'Test each credential with one request, and show its owner, storage and expiry. Tokens are never shown.',
    )
    .argument('[profile...]', 'profiles (default: all with credentials, and the environment)')
    .action(withLocalSession(context, status));
}

async function status(session: LocalSession, names: readonly string[]): Promise<void> {
  const subjects = names.length > 0 ? named(names, session) : present(session);
  if (subjects.length === 0) throw notLoggedIn();
  const findings = await checkAll(subjects, session);
  const rows = findings.map(({ row }) => row);
  await session.out.records(credentialShape, onePage(rows));
  const exitCode = exitCodeOf(findings);
  if (exitCode !== ExitCode.done) throw new Concluded(exitCode);
}

/** @throws {CliError} exit 2 when there is no such profile: a misspelt name must not pass for a dead credential. */
function named(names: readonly string[], session: LocalSession): readonly Subject[] {
  const { globals, config } = session;
  if (globals.profile !== undefined || globals.sandbox === true)
    throw usageError('Profiles are named here: leave out --profile and --sandbox.');
  const unknown = names.find((name) => !profileNames(config).includes(name));
  if (unknown !== undefined) throw unknownProfile(unknown, config);
  return [...new Set(names)].map((name) => ofProfile(name, session));
}

/** The one that a flag names, otherwise every one that there is. */
function present(session: LocalSession): readonly Subject[] {
  const { globals, folders } = session;
  if (globals.profile !== undefined || globals.sandbox === true) {
    const name = currentProfile(session);
    return name === undefined ? [] : [ofProfile(name, session)];
  }
  const stored = [...credentialNames(folders.config), ...withCommand(session)];
  const names = [...new Set(stored)].filter((name) => name !== SANDBOX).toSorted();
  const profiles = names.map((name) => ofProfile(name, session));
  return exportedCredential(session) !== undefined ? [ofEnvironment(session), ...profiles] : profiles;
}

/** Profiles whose token another program gives have none stored. */
function withCommand({ config }: LocalSession): readonly string[] {
  return Object.entries(config.profiles).flatMap(([name, profile]) =>
    profile['credential_command'] === undefined ? [] : [name],
  );
}

function ofProfile(profile: string, session: LocalSession): Subject {
  return { profile, settings: () => settingsWith(session, session.config, profile) };
}

function ofEnvironment({ settings }: LocalSession): Subject {
  return { profile: undefined, settings };
}

async function checkAll(subjects: readonly Subject[], session: LocalSession): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const waiting = subjects.entries();
  const work = async () => {
    for (const [index, subject] of waiting) findings[index] = await check(subject, session);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return findings;
}

/** A dead one counts most, then one that could not be asked about, then any other problem. */
function exitCodeOf(findings: readonly Finding[]): ExitCode {
  const codes = findings.flatMap(({ error }) => (error === undefined ? [] : [error.exitCode]));
  const worst = [ExitCode.notLoggedIn, ExitCode.unavailable].find((code) => codes.includes(code));
  return worst ?? codes[0] ?? ExitCode.done;
}

function notLoggedIn(): CliError {
  return new CliError('not_logged_in', 'Not logged in.', {
    exitCode: ExitCode.notLoggedIn,
    hint: 'innctl login',
  });
}

/** A credential that is to be checked: the profile it is of, and the settings under which it is used. */
interface Subject {
  /** `undefined`: the one in effect, with a credential of the environment. */
  readonly profile: string | undefined;
  settings(): Settings;
}

/** What was found about one credential. */
interface Finding {
  readonly row: ServiceRecord;
  /** What is wrong with it; `undefined` where it is good. */
  readonly error: CliError | undefined;
}

/** What is known by the time that the check ends, however it ends. */
interface Known {
  settings?: Settings;
  token?: Token;
  user?: ServiceRecord | undefined;
}

/** Uses a credential once, with a token that is fetched or renewed if necessary. A failure is reported in the row. */
async function check(subject: Subject, session: LocalSession): Promise<Finding> {
  const known: Known = {};
  const error = await use(subject, session, known).then(
    () => undefined,
    (cause) => {
      if (!(cause instanceof CliError)) throw cause;
      return cause;
    },
  );
  return { row: rowOf(subject, known, error, session), error };
}

async function use({ settings }: Subject, session: LocalSession, known: Known): Promise<void> {
  const own = settings();
  known.settings = own;
  const { openConnection } = await import('../../cli/connection.ts');
  const { api, credentials, close } = await openConnection(session, own);
  try {
    known.token = await credentials.current(session.context.signal);
    known.user = await askWho(api, credentials.grant);
    // One that was refused meanwhile may have been renewed.
    known.token = await credentials.current(session.context.signal);
  } finally {
    await close();
  }
}

function rowOf(
  { profile }: Subject,
  { settings, token, user }: Known,
  error: CliError | undefined,
  { folders, context }: LocalSession,
): ServiceRecord {
  const described = settings && describeCredential(settings, { folder: folders.config, context }, token);
  return withoutHoles({
    profile: profile ?? settings?.profile?.value ?? null,
    valid: validity(error),
    ...(described && { ...factsOf(described, user), method: described.method, stored: described.stored }),
    identity_url: settings?.identityUrl?.value,
    base_url: settings?.baseUrl?.value,
    error: error && problemOf(error),
  });
}

function problemOf({ code, message, hint, status, requestId }: CliError): ServiceRecord {
  return withoutHoles({ code, message, hint, status, request_id: requestId });
}

/** The service knows better who it is than what was noted at the login. */
function factsOf({ who, clientId, scopes, expiresAt }: Described, user: ServiceRecord = {}): ServiceRecord {
  const email = textIn(user['email']) ?? who.email;
  const subject = textIn(user['subject_id']) ?? who.subject;
  return {
    who: email ?? who.name ?? subject ?? clientId,
    subject,
    client_id: clientId,
    account: who.account,
    scopes,
    expires_at: momentText(expiresAt),
  };
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A keyring that is locked says nothing of what is in it. */
function validity(error: CliError | undefined): 'yes' | 'no' | 'unknown' {
  if (error === undefined) return 'yes';
  return error.exitCode === ExitCode.notLoggedIn && error.code !== 'keyring_unavailable' ? 'no' : 'unknown';
}

/** How credentials are listed. */
const credentialShape: Shape = {
  noun: ['credential', 'credentials'],
  columns: [
    { field: 'profile', header: 'Profile' },
    {
      field: 'valid',
      header: 'Valid',
      tones: new Map([
        ['no', 'error'],
        ['unknown', 'warning'],
      ]),
    },
    { field: 'who', header: 'Who' },
    { field: 'method', header: 'Method' },
    { field: 'stored', header: 'Stored' },
    { field: 'expires_at', header: 'Expires', format: 'date' },
    { field: 'scopes', header: 'Scopes' },
    { field: 'identity_url', header: 'Identity URL' },
    { field: 'base_url', header: 'Base URL' },
    { field: 'error.message', header: 'Problem' },
    { field: 'error.hint', header: 'Hint' },
  ],
  others: ['subject', 'client_id', 'account', 'error.code', 'error.status', 'error.request_id'],
};
