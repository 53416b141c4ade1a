import type { RawRequest } from '../../api/raw.ts';
import type { Session } from '../../session.ts';
import { findPermitted } from '../users/reference.ts';

/**
 * Returns when no user whom a write names is protected under another name.
 *
 * @throws {CliError} `blocked`, exit 11; exit 3 when there is no such user.
 */
export async function permitUsers(request: RawRequest, session: Session): Promise<void> {
  const { effect, users } = session.api.raw.addressed(request);
  if (effect === 'reads' || session.settings().guards.protect.length === 0) return;
  for (const user of users) await findPermitted(user, session);
}

/**
 * Returns when a request needs no consent, or has it: a yes where a command of its own would ask for one, the id in the
 * path once more for everything else that destroys.
 *
 * @param given what --confirm said.
 * @throws {CliError} exit 11 otherwise.
 */
export async function consentTo(
  request: RawRequest,
  given: string | undefined,
  { api, confirm, confirmByName }: Session,
): Promise<void> {
  const { does, consent, name } = api.raw.addressed(request);
  if (consent === undefined) return;
  const line = `${request.method} ${request.path}`;
  if (consent === 'yes') {
    await confirm(`Send ${line}, to ${does}?`);
    return;
  }
  const sentence = does === undefined ? `${line} may destroy what it names.` : `This will ${does} ${name}.`;
  await confirmByName({ sentence, names: [name], given });
}
