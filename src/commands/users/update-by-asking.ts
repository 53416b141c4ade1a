import { invalidInput } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Choice } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { isSameSet, shownProperties } from '../../model/access.ts';
import type { UserChanges } from '../../model/access-change.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { textProblem } from '../../model/text.ts';
import { neutraliseLine } from '../../out/text.ts';
import { takes } from '../../service/dialect.ts';
import { emailOf } from '../../service/find-user.ts';
import {
  changeOf,
  choice,
  choicesFrom,
  idsProblem,
  propertyChoice,
  type ReviewLine,
  review,
} from '../ask.ts';
import type { PatchFlags } from '../changes.ts';
import { tellingLine, withFlags } from '../options.ts';
import { type AccessFlags, accessProblems, mindAccess } from './access.ts';
import { sendChanges } from './outcome.ts';
import { findPermitted, readUserToChange, referenceProblems } from './reference.ts';

interface UpdateFlags extends PatchFlags, AccessFlags {
  readonly verify: boolean;
}

/** Reads the user, asks what is to change, and sends it once the person looked at it. */
export async function updateByAsking(reference: string, flags: UpdateFlags, session: Session): Promise<void> {
  const { out, context } = session;
  const wrong = [...referenceProblems(reference), ...accessProblems(flags)];
  if (wrong.length > 0) throw invalidInput(wrong);
  const found = await findPermitted(reference, session);
  const { subjectId } = found;
  const record = await readUserToChange(subjectId, session);
  const user = { reference, subjectId, email: found.email ?? emailOf(record) };
  const asked = await askForUserChanges(record, session);
  if (asked.lines.length === 0) {
    return out.done('Nothing was changed.', { subject_id: subjectId, updated: false });
  }
  const argv = withFlags(context.argv, asked.flags);
  await tellingLine(argv, session, async () => {
    await review(asked.lines, 'identity', session);
    const update = { user, changes: asked.changes, record };
    const asLine = { ...session, context: { ...context, argv } };
    await mindAccess(update, flags, asLine, 'Send it?');
    await sendChanges(update, flags, asLine);
  });
}

/** What a person wants changed of a user. */
export interface AskedUserChanges {
  readonly changes: UserChanges;
  /** The flags that would have said it. */
  readonly flags: readonly string[];
  /** Empty where everything stays what it is. */
  readonly lines: readonly ReviewLine[];
}

type Asking = Pick<Session, 'api' | 'context' | 'out'>;

/** What can be changed of a user where the service goes beyond the contract. */
interface Further {
  readonly name: string;
  readonly label: string;
  readonly shown: (user: ServiceRecord) => string | undefined;
  readonly ask: (user: ServiceRecord, session: Asking) => Promise<AskedUserChanges>;
}

const further: readonly Further[] = [
  nameField('first_name', 'First name'),
  nameField('last_name', 'Last name'),
  { name: 'is_account_admin', label: 'Account admin', shown: adminIn, ask: askAdmin },
];

const nothing: AskedUserChanges = { changes: { steps: [] }, flags: [], lines: [] };

/** Asks what is to change of a user, and for the new values, which begin with those that are there. */
async function askForUserChanges(user: ServiceRecord, session: Asking): Promise<AskedUserChanges> {
  const enabled = typeof user['enabled'] === 'boolean' ? user['enabled'] : undefined;
  const properties = shownProperties(user);
  if (properties === undefined) {
    await session.out.note(
      'The service does not show all properties of the user; --set-properties sets them.',
    );
  }
  const picked = await session.context.prompter.chooseSeveral('What to change', [
    { value: 'enabled', label: `Enabled: ${inWords(enabled) ?? '(not shown)'}` },
    ...(properties === undefined
      ? []
      : [{ value: 'properties', label: neutraliseLine(`Properties: ${listed(properties)}`) }]),
    ...further
      .filter(({ name }) => takes(session.api.dialect, 'updateUser', name))
      .map((field) => choiceOf(field, user)),
  ]);
  const asked: AskedUserChanges[] = [];
  if (picked.includes('enabled')) asked.push(await askEnabled(enabled, session));
  if (picked.includes('properties') && properties !== undefined)
    asked.push(await askProperties(properties, session));
  for (const field of further) if (picked.includes(field.name)) asked.push(await field.ask(user, session));
  return {
    changes: {
      ...Object.assign({}, ...asked.map(({ changes }) => changes)),
      steps: asked.flatMap(({ changes }) => changes.steps),
    },
    flags: asked.flatMap(({ flags }) => flags),
    lines: asked.flatMap(({ lines }) => lines),
  };
}

function choiceOf({ name, label, shown }: Further, user: ServiceRecord): Choice {
  return { value: name, label: neutraliseLine(`${label}: ${shown(user) ?? '(not shown)'}`) };
}

function nameField(name: 'first_name' | 'last_name', label: string): Further {
  const shown = (user: ServiceRecord) => textIn(user, name);
  const ask = async (user: ServiceRecord, { context }: Asking): Promise<AskedUserChanges> => {
    const before = shown(user);
    const answer = await context.prompter.text(label, {
      check: (text) => textProblem(text.trim()) ?? true,
      ...(before === undefined ? {} : { initial: before }),
    });
    const after = answer.trim();
    if (after === before) return nothing;
    return {
      changes: { steps: [{ op: 'replace', path: `/${name}`, value: after }] },
      flags: [`--${name.replace('_', '-')}`, after],
      lines: [changeOf(label, before, after)],
    };
  };
  return { name, label, shown, ask };
}

function textIn(user: ServiceRecord, name: string): string | undefined {
  const value = user[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

async function askAdmin(user: ServiceRecord, { context }: Asking): Promise<AskedUserChanges> {
  const initial = adminIn(user);
  const answer = await context.prompter.choose(
    'Account admin',
    [
      { value: 'no', label: 'no: the properties of the user alone' },
      { value: 'yes', label: 'yes: every property' },
    ],
    initial === undefined ? {} : { initial },
  );
  if (answer === initial) return nothing;
  const value = answer === 'yes';
  return {
    changes: { steps: [{ op: 'replace', path: '/is_account_admin', value }] },
    flags: ['--is-account-admin', String(value)],
    lines: [changeOf('Account admin', initial, answer)],
  };
}

function adminIn({ is_account_admin: isAdmin }: ServiceRecord): string | undefined {
  return inWords(typeof isAdmin === 'boolean' ? isAdmin : undefined);
}

async function askEnabled(before: boolean | undefined, { context }: Asking): Promise<AskedUserChanges> {
  const initial = inWords(before);
  const answer = await context.prompter.choose(
    'Enabled',
    [
      { value: 'yes', label: 'yes: let the user in' },
      { value: 'no', label: 'no: keep the user out' },
    ],
    initial === undefined ? {} : { initial },
  );
  if (answer === initial) return nothing;
  const enabled = answer === 'yes';
  return {
    changes: { enabled, steps: [] },
    flags: [enabled ? '--enable' : '--disable'],
    lines: [changeOf('Enabled', initial, answer)],
  };
}

/** What is added and removed is sent as such, so that what somebody else changes meanwhile stays. */
async function askProperties(before: readonly string[], session: Asking): Promise<AskedUserChanges> {
  const after = await askIds(before, session);
  if (isSameSet(before, after)) return nothing;
  const added = after.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !after.includes(id));
  return {
    changes: {
      ...(added.length === 0 ? {} : { addProperties: added }),
      ...(removed.length === 0 ? {} : { removeProperties: removed }),
      steps: [],
    },
    flags: [
      ...(added.length === 0 ? [] : ['--add-properties', added.join(',')]),
      ...(removed.length === 0 ? [] : ['--remove-properties', removed.join(',')]),
    ],
    lines: [changeOf('Properties', listed(before), listed(after))],
  };
}

/** The ids that the user is to have; those the user has are offered even where the service does not list them. */
async function askIds(before: readonly string[], { api, context }: Asking): Promise<readonly string[]> {
  const choices = await choicesFrom(api.properties.list({}, {}), propertyChoice);
  if (choices !== undefined) {
    const unlisted = before.filter((id) => choices.every(({ value }) => value !== id));
    const offered = [...choices, ...unlisted.map((id) => choice(id, undefined))];
    return context.prompter.chooseSeveral('Properties', offered, { chosen: before });
  }
  const answer = await context.prompter.text('Property ids, for example BER,VIE; - for none', {
    check: (text) => (text.trim() === '-' ? true : (idsProblem(text) ?? true)),
    initial: before.length === 0 ? '-' : before.join(','),
  });
  return answer.trim() === '-' ? [] : [...new Set(collectList(answer, undefined))];
}

function inWords(enabled: boolean | undefined): string | undefined {
  if (enabled === undefined) return undefined;
  return enabled ? 'yes' : 'no';
}

function listed(ids: readonly string[]): string {
  return ids.length === 0 ? 'none' : ids.join(', ');
}
