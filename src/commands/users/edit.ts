import { serviceCommand } from '../../cli/described-command.ts';
import { invalidInput } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { shownProperties } from '../../model/access.ts';
import { type Difference, stepOf, userSpec } from '../../model/diff.ts';
import type { PatchStep } from '../../model/patch.ts';
import { notText } from '../../model/property-fields.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { textProblem } from '../../model/text.ts';
import { emailOf } from '../../service/find-user.ts';
import type { Subject } from '../edit/edit-record.ts';
import type { Problem } from '../edit/edited.ts';
import { serviceLine } from '../lines.ts';
import { withReferences } from '../references.ts';
import { type AccessFlags, accessProblems, confirmAccess, withAccessFlags } from './access.ts';
import { valueProblems } from './changes.ts';
import { findPermitted, type NamedUser, referenceProblems, users, usersArgument } from './reference.ts';
import { explainFailure, reportUpdate } from './update.ts';

/**
 * `users edit <subject-id|e-mail>`: a user in an editor.
 *
 * GET, then PATCH /api/v1/identity/users/{subjectId}. The contract shows /enabled with replace and /properties with
 * add; the service decides about other fields.
 */
export function editUser(context: Context) {
  const command = serviceCommand(
    'edit',
    'destroys',
    ['users edit ana@example.com', 'users edit ben@example.com --confirm ben@example.com'],
    ['ambiguous'],
  )
    .summary('edit a user in an editor')
    .description('Open a user as YAML in your editor, then review and send the changes.')
    .argument(`[${users.argument}]`, usersArgument[1])
    .option('--file <path>', 'start from this file, such as a saved draft, instead of the record')
    .option('--no-verify', 'do not verify the change by reading the user back');
  return withAccessFlags(command).action(withReferences(context, users, { named: 'writes', one: editOne }));
}

async function editOne(reference: string, options: EditOptions, session: Session): Promise<void> {
  session.api.permit('updateUser', reference);
  const details = [...referenceProblems(reference), ...accessProblems(options)];
  if (details.length > 0) throw invalidInput(details);
  const { chosenEditor, editRecord } = await import('../edit/edit-record.ts');
  const editor = chosenEditor(session, helpLine(session));
  const user = await findPermitted(reference, session);
  await editRecord(userSubject(user, options, session), editor, options.file, session);
}

function helpLine({ globals }: Session): string {
  return serviceLine(globals, 'users', 'update', '--help');
}

interface EditOptions extends AccessFlags {
  readonly verify: boolean;
  readonly file?: string;
}

/** Fixed fields: identity, personal settings, and derived values. */
const fixed = ['subject_id', 'email', 'is_mfa_enabled', 'is_passkeys_enabled', 'property_roles'];

const texts = ['first_name', 'last_name', 'properties'];

/** Removing a line must not remove access or a name. */
const needed = [
  ['enabled', 'must not be missing: write true or false'],
  ['properties', 'must not be missing: for no properties at all write []'],
] as const;

/** The user as the subject of an edit. */
function userSubject(user: NamedUser, options: EditOptions, session: Session): Subject {
  const { reference, subjectId, email } = user;
  const { api } = session;
  const updateOf = (steps: readonly PatchStep[], record: ServiceRecord) => ({
    user: { ...user, email: email ?? emailOf(record) },
    changes: { steps },
    record,
  });
  const replaced = api.dialect.further.updateUser ?? [];
  return {
    kind: 'user',
    id: subjectId,
    reference,
    flags: [],
    advice: [
      '`properties` replaces all properties of the user; roles come from invitations.',
      '`enabled: false` disables the user, and requires confirmation by name.',
    ],
    rulesFor: (record) => ({
      spec: userSpec,
      fixed: shownProperties(record) === undefined ? [...fixed, 'properties'] : fixed,
      whyFixed: `cannot be changed here; see ${helpLine(session)}`,
      texts: new Set(texts),
      objects: new Set(),
      known: new Map([['', ['enabled', 'is_account_admin', ...texts]]]),
      needed: new Map([
        ...needed,
        ...replaced.map((name) => [name, 'must not be missing: it can be replaced and not removed'] as const),
      ]),
      validates: true,
    }),
    unchanged: { subject_id: subjectId, ...(email === undefined ? {} : { email }), updated: false },
    read: () => api.users.read(subjectId).catch(explainFailure(reference, { steps: [] }, {}, session)),
    valueProblems: (differences) =>
      differences.flatMap((each) => [
        ...valueProblems(stepOf(each, userSpec)).map(({ reason }) => ({ field: each.path, reason })),
        ...replacedProblems(each, replaced),
      ]),
    consent: (steps, record) =>
      confirmAccess(updateOf(steps, record), options, session, `Send this change to user ${reference}?`),
    async send(steps, record) {
      const update = updateOf(steps, record);
      const done = await api.users
        .update(subjectId, update.changes, { verify: options.verify })
        .catch(explainFailure(reference, update.changes, {}, session));
      return () => reportUpdate(update, done, session);
    },
  };
}

/** The problem with a value that is replaced as a whole. */
function replacedProblems({ path, to, state }: Difference, replaced: readonly string[]): readonly Problem[] {
  const [field = ''] = path;
  if (!replaced.includes(field) || state === 'removed') return [];
  if (field === 'is_account_admin') {
    return typeof to === 'boolean' ? [] : [{ field: path, reason: 'must be true or false' }];
  }
  const reason = typeof to === 'string' ? textProblem(to) : notText;
  return reason === undefined ? [] : [{ field: path, reason }];
}
