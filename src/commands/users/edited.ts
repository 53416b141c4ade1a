import type { Session } from '../../cli/session.ts';
import { isSameSet, shownProperties } from '../../model/access.ts';
import type { UserChanges } from '../../model/access-change.ts';
import { notText } from '../../model/property-fields.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { textProblem } from '../../model/text.ts';
import { emailOf } from '../../service/find-user.ts';
import type { Api } from '../../service/service.ts';
import {
  type Change,
  changesBetween,
  type Problem,
  placeOf,
  type Subject,
  unknownNames,
} from '../edit/changes.ts';
import { serviceLine } from '../lines.ts';
import { type AccessFlags, mindAccess } from './access.ts';
import { explaining, type NamedUser, reportUpdate, valueProblems } from './outcome.ts';

interface EditOptions extends AccessFlags {
  readonly verify: boolean;
}

/** Who a user is, what users set themselves, and what follows from other things. */
const fixed = ['subject_id', 'email', 'is_mfa_enabled', 'is_passkeys_enabled', 'property_roles'];

const texts = ['first_name', 'last_name', 'properties'];

const known = new Map([['', ['enabled', 'is_account_admin', ...texts]]]);

/** Paths that the public service replaces besides those that the contract shows, as they are written here. */
const replaceable = ['/firstName', '/lastName', '/isAccountAdmin'];

const NOTHING: UserChanges = { steps: [] };

/** A user who is edited. */
export function userSubject(user: NamedUser, options: EditOptions, session: Session): Subject {
  const { reference, subjectId } = user;
  const { api, out, globals, settings } = session;
  const updateOf = (changes: readonly Change[], record: ServiceRecord) => ({
    user: { ...user, email: user.email ?? emailOf(record) },
    changes: changesOf(changes, api),
    record,
  });
  const line = (...words: readonly string[]) => serviceLine(globals, 'users', 'update', ...words);
  return {
    kind: 'user',
    id: subjectId,
    name: `user ${reference}`,
    place: placeOf(settings(), settings().identityUrl?.value),
    advice: [
      'properties are all that the user has afterwards; roles follow from invitations.',
      '`enabled: false` keeps the user out, and asks for the name once more.',
    ],
    destination: () => session.destination('identity'),
    resumedBy: (path) => serviceLine(globals, 'users', 'edit', reference, '--file', path),
    unchanged: {
      subject_id: subjectId,
      ...(user.email === undefined ? {} : { email: user.email }),
      updated: false,
    },
    fixedIn: (record) => (shownProperties(record) === undefined ? [...fixed, 'properties'] : fixed),
    whyFixed: () => `cannot be changed here; see ${line('--help')}`,
    isText: ([first = ''], seen) => typeof seen === 'string' || texts.includes(first),
    read: () => api.users.read(subjectId).catch(explaining(reference, NOTHING, {}, session)),
    changesBetween: (before, after) =>
      changesBetween(before, after).filter((change) => !isReordered(change, before)),
    mindsTypes: true,
    problemsOf: async (changes) => [
      ...changes.flatMap(problemsOf),
      ...(api.dialect.goesBeyond ? changes.flatMap(problemsOfReplacing) : []),
      ...unknownNames(changes, known, line(reference, '--add')),
    ],
    consent: (changes, record) =>
      mindAccess(updateOf(changes, record), options, session, `Send this change to user ${reference}?`),
    async send(changes, record) {
      const update = updateOf(changes, record);
      const done = await api.users
        .update(subjectId, update.changes, { verify: options.verify })
        .catch(explaining(reference, update.changes, {}, session));
      return () => reportUpdate(update, done, out);
    },
  };
}

/**
 * As the contract shows them: replace at /enabled, add at /properties; the rest as it is, or as the public service takes
 * it, which only replaces.
 */
function changesOf(changes: readonly Change[], { dialect }: Pick<Api, 'dialect'>): UserChanges {
  const enabled = writtenTo(changes, 'enabled');
  const properties = writtenTo(changes, 'properties');
  return {
    enabled: typeof enabled === 'boolean' ? enabled : undefined,
    // problemsOf has refused what is no list of ids.
    setProperties: Array.isArray(properties) ? [...new Set<string>(properties)] : undefined,
    steps: changes
      .filter(({ field: [first = ''] }) => !['enabled', 'properties'].includes(first))
      .map(({ step }) =>
        dialect.goesBeyond && step.op === 'add' && replaceable.includes(step.path)
          ? { ...step, op: 'replace' }
          : step,
      ),
  };
}

function writtenTo(changes: readonly Change[], name: string): unknown {
  const change = changes.find(({ field }) => field.join('.') === name);
  return change !== undefined && 'value' in change.step ? change.step.value : undefined;
}

/** The properties of a user are a set. */
function isReordered({ field, step }: Change, before: ServiceRecord): boolean {
  const { properties } = before;
  if (field.join('.') !== 'properties' || step.op !== 'replace') return false;
  return Array.isArray(properties) && Array.isArray(step.value) && isSameSet(properties, step.value);
}

/** A line that got lost must not take access away. */
function problemsOf({ field, step }: Change): readonly Problem[] {
  const name = field.join('.');
  if (step.op === 'remove' && name === 'enabled') {
    return [{ field, reason: 'must not be missing: write true or false' }];
  }
  if (step.op === 'remove' && name === 'properties') {
    return [{ field, reason: 'must not be missing: for no properties at all write []' }];
  }
  return valueProblems(step).map(({ reason }) => ({ field, reason }));
}

/** A service that only replaces keeps the name of somebody whose line got lost, or was emptied. */
function problemsOfReplacing({ field, step }: Change): readonly Problem[] {
  if (!replaceable.includes(step.path)) return [];
  if (step.op === 'remove') {
    return [{ field, reason: 'must not be missing: it can be replaced and not removed' }];
  }
  const value = 'value' in step ? step.value : undefined;
  if (field.join('.') === 'is_account_admin') {
    return typeof value === 'boolean' ? [] : [{ field, reason: 'must be true or false' }];
  }
  const reason = typeof value === 'string' ? textProblem(value) : notText;
  return reason === undefined ? [] : [{ field, reason }];
}
