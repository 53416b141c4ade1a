import type { Session } from '../../cli/session.ts';
import { shownProperties } from '../../model/access.ts';
import { isSameSet, type ServiceRecord } from '../../model/records.ts';
import { textProblem } from '../../model/text.ts';
import { takes } from '../../service/dialect.ts';
import { type Answered, askChanges, askPropertyIds, askText, changeOf, type Question } from '../ask.ts';

/** Prompts for changes of a user. */
export async function askUserChanges(user: ServiceRecord, session: Session): Promise<readonly Answered[]> {
  return askChanges('What to change', await questionsAbout(user, session), session.context);
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
      const after = await askText(label, textProblem, context.prompter, shown);
      if (after === shown?.trim()) return [];
      return [{ words: [`--${field.replace('_', '-')}`, after], ...changeOf(label, shown, after) }];
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
      const [, ...words] = answers[after === 'yes' ? 'yes' : 'no'];
      return [{ words, ...changeOf(label, shown, after) }];
    },
  };
}

/** Sends additions and removals, not the whole list, so that concurrent changes are kept. */
async function askProperties(before: readonly string[], session: Asking): Promise<readonly Answered[]> {
  const after = await askPropertyIds(before, session);
  if (isSameSet(before, after)) return [];
  const added = after.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !after.includes(id));
  const words = [
    ...(added.length === 0 ? [] : ['--add-properties', added.join(',')]),
    ...(removed.length === 0 ? [] : ['--remove-properties', removed.join(',')]),
  ];
  return [{ words, ...changeOf('Properties', listed(before), listed(after)) }];
}

function listed(ids: readonly string[]): string {
  return ids.length === 0 ? 'none' : ids.join(', ');
}
