import type { UserReference, UserUpdate } from '../../api/users.ts';
import type { Context } from '../../context.ts';
import { CliError, OutcomeUnknown } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import type { GlobalOptions } from '../../global-options.ts';
import type { Output } from '../../render/output.ts';
import { shellLine } from '../../render/shell.ts';
import type { Session } from '../../session.ts';
import { suggesting } from '../meant.ts';
import { type PatchFlags, readsStdin } from '../patch-flags.ts';
import { reportWrite } from '../read-back.ts';
import { sameCommand, serviceFlags } from '../settle.ts';
import type { Changes } from './changes.ts';
import { misspeltProperties, misspeltSubjectId } from './misspelt.ts';
import { propertiesSetBy } from './steps.ts';

/** The user that was found, and how the command line named it. */
export interface NamedUser extends UserReference {
  readonly reference: string;
}

/** Reports an update that the service has taken, or that was not needed. */
export async function reportUpdate(
  { reference, subjectId, email }: NamedUser,
  { steps }: Changes,
  done: UserUpdate,
  out: Output,
): Promise<void> {
  const sent = done.sentProperties ?? propertiesSetBy(steps);
  const facts = {
    subject_id: subjectId,
    ...(email === undefined ? {} : { email }),
    updated: !done.unchanged,
    ...(sent === undefined ? {} : { properties: sent }),
  };
  if (done.unchanged) {
    return out.done(`User ${reference} has all of these properties already; nothing was sent.`, facts);
  }
  const { othersProperties: now, verification, paths } = done;
  if (now === undefined) return reportWrite(out, `Updated user ${reference}`, facts, done);
  await out.warn(
    `Somebody else changed the properties of user ${reference} meanwhile: ${listed(sent)} were sent, ${listed(now)} are there now.`,
  );
  await out.done(`Updated user ${reference}; what is there now is not what was sent.`, {
    ...facts,
    verification,
    ...(paths.length === 0 ? {} : { unconfirmed: paths }),
    changed_meanwhile: true,
  });
}

/**
 * Adds something to type to an update that failed: what settles a doubt, or what was probably meant.
 *
 * @returns for `catch`; every error goes on.
 */
export function explaining(
  { reference, subjectId, email }: NamedUser,
  { steps, addProperties = [] }: Changes,
  flags: PatchFlags,
  { api, globals, context }: Pick<Session, 'api' | 'globals' | 'context'>,
) {
  const ids = new Set([...(propertiesSetBy(steps) ?? []), ...addProperties]);
  const user = email === undefined ? [misspeltSubjectId(subjectId, api)] : [];
  return (error: unknown): Promise<never> => {
    if (error instanceof OutcomeUnknown)
      throw error.withHint(settlingHint(reference, flags, globals, context));
    const isMissing = error instanceof CliError && error.exitCode === ExitCode.notFound;
    return suggesting(...(isMissing ? user : []), ...misspeltProperties([...ids], api))(error);
  };
}

function settlingHint(
  reference: string,
  flags: PatchFlags,
  globals: GlobalOptions,
  { argv }: Pick<Context, 'argv'>,
): string {
  const end = reference.startsWith('-') ? ['--'] : [];
  const look = shellLine(['innctl', ...serviceFlags(globals), 'users', 'get', ...end, reference]);
  const sameInput = readsStdin(flags) ? ', with the same input' : '';
  return `This shows what is there:\n  ${look}\nIf it is not what was wanted, type the same again${sameInput}:\n  ${sameCommand(argv)}`;
}

function listed(ids: readonly string[] | undefined): string {
  return ids === undefined || ids.length === 0 ? 'none' : ids.join(', ');
}
