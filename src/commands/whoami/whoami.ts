import { describeCredential } from '../../auth/identity.ts';
import type { Context } from '../../model/ports.ts';
import { type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { columnsOf } from '../../print/labels.ts';
import type { Shape } from '../../print/output.ts';
import { serviceCommand } from '../../session/command-line.ts';
import { type Session, withSession } from '../../session/session.ts';
import { probeToken } from '../auth/current.ts';
import { userShape } from '../shapes.ts';

/** Columns of a user. */
const personShape: Shape = {
  ...userShape,
  columns: [...userShape.columns, ...columnsOf('type profile')],
  id: 'subject_id',
};

/** Columns of token claims. */
const tokenShape: Shape = {
  noun: ['token', 'tokens'],
  columns: columnsOf('id type profile client_id account email name scopes expires_at', [
    { field: 'expires_at', header: 'Expires', format: 'date' },
  ]),
};

/**
 * `whoami`: who is logged in.
 *
 * GET /api/v1/users/me for a person. Client credentials have no user, and some tokens may not read it: then shows the
 * claims of the token, once the service accepted it.
 */
export function whoamiCommand(context: Context) {
  return serviceCommand('whoami', 'reads', ['whoami', 'whoami --json', 'whoami --quiet'])
    .summary('show who is logged in')
    .description('Show who is logged in: the user, or the client of the token if it has no user.')
    .action(withSession(context, show));
}

async function show(session: Session): Promise<void> {
  const { api, credentials, out, settings } = session;
  const user = await probeToken(api, credentials.grant);
  const profile = settings().profile?.value ?? null;
  await (user === undefined
    ? out.record(tokenShape, { profile, ...(await tokenRecord(session)) })
    : out.record(personShape, { ...user, type: 'user', profile }));
}

async function tokenRecord({ context, credentials, folders, settings }: Session): Promise<ServiceRecord> {
  const token = await credentials.current(context.signal);
  const described = describeCredential(settings(), folders.config, token);
  const { subject, email, name, account, client_id, scopes, expires_at } = described;
  const isNamed = (email ?? subject ?? client_id) !== client_id;
  const isUser = credentials.grant === 'user' || (credentials.grant === 'token' && isNamed);
  const type = isUser ? 'user' : 'client';
  const id = isUser ? subject : client_id;
  return withoutHoles({ id, type, client_id, account, email, name, scopes, expires_at });
}
