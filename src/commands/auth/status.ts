import { credentialNames } from '../../config/credentials.ts';
import { SANDBOX } from '../../config/profile-name.ts';
import { profileNames, unknownProfile } from '../../config/select-profile.ts';
import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { CliError, Concluded, usageError } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import { onePage } from '../../records.ts';
import { type LocalSession, settingsWith, withLocalSession } from '../../session.ts';
import { currentProfile } from '../current-profile.ts';
import { check, type Finding, type Subject } from './check.ts';
import { exportedCredential } from './exported.ts';
import { credentialShape } from './shape.ts';

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
    .summary('show who is logged in where, and whether it still holds')
    .description(
      'Check each credential by using it once, and show whose it is, where it is kept and when it ends; never the token.',
    )
    .argument('[profile...]', 'profiles (default: all that have a credential, and the environment)')
    .action(withLocalSession(context, status));
}

async function status(session: LocalSession, names: readonly string[]): Promise<void> {
  const subjects = names.length > 0 ? named(names, session) : present(session);
  if (subjects.length === 0) throw nobody();
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

function nobody(): CliError {
  return new CliError('not_logged_in', 'Nobody is logged in.', {
    exitCode: ExitCode.notLoggedIn,
    hint: 'innctl login',
  });
}
