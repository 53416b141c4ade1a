import { invalidInput } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Session } from '../../cli/session.ts';
import { shownProperties } from '../../model/access.ts';
import type { UserChanges } from '../../model/access-change.ts';
import { stepOf, userSpec } from '../../model/diff.ts';
import { isSameSet, type ServiceRecord } from '../../model/records.ts';
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
import { type AskedChange, askChanges, askText, type Question } from '../ask-changes.ts';
import { withEquivalentLine, withFlags } from '../lines.ts';
import type { PatchFlags } from '../patch-flags.ts';
import { type AccessFlags, type AccessUpdate, accessProblems, confirmAccess } from './access.ts';
import { sendChanges } from './outcome.ts';
import { findPermitted, readUserToChange, referenceProblems } from './reference.ts';

interface UpdateFlags extends PatchFlags, AccessFlags {
  readonly verify: boolean;
}

/** Reads the user, prompts for changes, and sends them after a review. */
export async function updateByAsking(reference: string, flags: UpdateFlags, session: Session): Promise<void> {
  const { out, context } = session;
  const wrong = [...referenceProblems(reference), ...accessProblems(flags)];
  if (wrong.length > 0) throw invalidInput(wrong);
  const found = await findPermitted(reference, session);
  const { subjectId } = found;
  const record = await readUserToChange(subjectId, session);
  const user = { reference, subjectId, email: found.email ?? emailOf(record) };
  const asked = await askChanges('What to change', await questionsAbout(record, session), context);
  if (asked.length === 0) {
    return out.done('Nothing was changed.', { subject_id: subjectId, updated: false });
  }
  const argv = withFlags(
    context.argv,
    asked.flatMap((each) => each.flags),
  );
  const changes: UserChanges = {
    ...Object.assign({}, ...asked.map((each) => each.changes)),
    steps: asked.flatMap((each) => each.changes.steps),
  };
  const lines = asked.map(({ line }) => line);
  const asLine = { ...session, context: { ...context, argv } };
  await withEquivalentLine(argv, session, confirmAndSend({ user, changes, record }, lines, flags, asLine));
}

async function confirmAndSend(
  update: AccessUpdate,
  lines: readonly ReviewLine[],
  flags: UpdateFlags,
  session: Session,
): Promise<void> {
  await review(lines, 'identity', session);
  await confirmAccess(update, flags, session, 'Send it?');
  await sendChanges(update, flags, session);
}

type Asking = Pick<Session, 'api' | 'context' | 'out'>;

async function questionsAbout(user: ServiceRecord, session: Asking): Promise<readonly Question[]> {
  const properties = shownProperties(user);
  if (properties === undefined) {
    await session.out.note(
      'The service does not show all properties of the user; --set-properties sets them.',
    );
  }
  const enabled = truthQuestion('enabled', 'Enabled', user, session, {
    yes: ['yes: let the user in', '--enable'],
    no: ['no: keep the user out', '--disable'],
  });
  const ofProperties = {
    field: 'properties',
    label: 'Properties',
    shown: properties && listed(properties),
    ask: () => askProperties(properties ?? [], session),
  };
  const further = [
    nameQuestion('first_name', 'First name', user, session),
    nameQuestion('last_name', 'Last name', user, session),
    truthQuestion('is_account_admin', 'Account admin', user, session, {
      no: ['no: the properties of the user alone', '--is-account-admin', 'false'],
      yes: ['yes: every property', '--is-account-admin', 'true'],
    }),
  ];
  return [
    enabled,
    ...(properties === undefined ? [] : [ofProperties]),
    ...further.filter(({ field }) => takes(session.api.dialect, 'updateUser', field)),
  ];
}

/** The change of one field, or none. */
function changed(
  field: string,
  to: unknown,
  line: AskedChange['line'],
  flags: readonly string[],
): readonly AskedChange[] {
  const step = stepOf({ path: [field], from: undefined, to, state: 'different' }, userSpec);
  return [{ changes: { steps: [step] }, flags, line }];
}

function nameQuestion(
  field: 'first_name' | 'last_name',
  label: string,
  { [field]: value }: ServiceRecord,
  { context }: Asking,
): Question {
  const shown = typeof value === 'string' && value !== '' ? value : undefined;
  return {
    field,
    label,
    shown,
    async ask() {
      const after = await askText(label, shown, context);
      if (after === undefined) return [];
      return changed(field, after, changeOf(label, shown, after), [`--${field.replace('_', '-')}`, after]);
    },
  };
}

/** The label of a choice, and the equivalent flags. */
type Answers = Readonly<Record<'yes' | 'no', readonly [label: string, ...flags: string[]]>>;

function truthQuestion(
  field: 'enabled' | 'is_account_admin',
  label: string,
  { [field]: value }: ServiceRecord,
  { context }: Asking,
  answers: Answers,
): Question {
  const shown = typeof value !== 'boolean' ? undefined : value ? 'yes' : 'no';
  const choices = Object.entries(answers).map(([each, [words]]) => ({ value: each, label: words }));
  return {
    field,
    label,
    shown,
    async ask() {
      const initial = shown === undefined ? {} : { initial: shown };
      const after = await context.prompter.choose(label, choices, initial);
      if (after === shown) return [];
      const [, ...flags] = answers[after === 'yes' ? 'yes' : 'no'];
      return changed(field, after === 'yes', changeOf(label, shown, after), flags);
    },
  };
}

/** Sends additions and removals, not the whole list, so that concurrent changes are kept. */
async function askProperties(before: readonly string[], session: Asking): Promise<readonly AskedChange[]> {
  const after = await askIds(before, session);
  if (isSameSet(before, after)) return [];
  const added = after.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !after.includes(id));
  const changes = {
    ...(added.length === 0 ? {} : { addProperties: added }),
    ...(removed.length === 0 ? {} : { removeProperties: removed }),
    steps: [],
  };
  const flags = [
    ...(added.length === 0 ? [] : ['--add-properties', added.join(',')]),
    ...(removed.length === 0 ? [] : ['--remove-properties', removed.join(',')]),
  ];
  return [{ changes, flags, line: changeOf('Properties', listed(before), listed(after)) }];
}

/** Prompts for the ids. Those of the user are offered even if the service does not list them. */
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

function listed(ids: readonly string[]): string {
  return ids.length === 0 ? 'none' : ids.join(', ');
}
