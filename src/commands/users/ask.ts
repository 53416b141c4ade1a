import { type Answered, answered, askPropertyIds, askText, fieldChoice } from '../../change/ask.ts';
import type { Session } from '../../cli/session.ts';
import { shownProperties } from '../../model/access.ts';
import { isSameSet, type ServiceRecord } from '../../model/records.ts';
import { textProblem } from '../../model/text.ts';
import { takes } from '../../service/dialect.ts';

/** A field that can be changed in prompts. */
interface Field {
  readonly label: string;
  /** The values to choose from, each with its label and the equivalent flags; without them it is a text. */
  readonly values?: Readonly<Record<string, readonly [label: string, ...flags: string[]]>>;
}

const fields: Readonly<Record<string, Field>> = {
  enabled: {
    label: 'Enabled',
    values: { yes: ['yes: let the user in', '--enable'], no: ['no: keep the user out', '--disable'] },
  },
  properties: { label: 'Properties' },
  first_name: { label: 'First name' },
  last_name: { label: 'Last name' },
  is_account_admin: {
    label: 'Account admin',
    values: {
      no: ['no: the properties of the user alone', '--is-account-admin', 'false'],
      yes: ['yes: every property', '--is-account-admin', 'true'],
    },
  },
};

/** Prompts for the fields of a user to change, then for their new values. */
export async function askUserChanges(user: ServiceRecord, session: Session): Promise<readonly Answered[]> {
  const properties = shownProperties(user);
  const isOffered = (name: string) =>
    name === 'properties' || name === 'enabled' || takes(session.api.dialect, 'updateUser', name);
  const offered = Object.entries(fields).flatMap(([value, { label }]) => {
    const shown = value === 'properties' ? listed(properties) : shownIn(user[value]);
    return isOffered(value) ? [fieldChoice(value, label, shown)] : [];
  });
  const picked = await session.context.prompter.chooseSeveral('What to change', offered);
  const answers: Answered[] = [];
  for (const [name, field] of Object.entries(fields).filter(([each]) => picked.includes(each))) {
    const asking =
      name === 'properties'
        ? askProperties(properties ?? [], session)
        : askField(name, field, shownIn(user[name]), session);
    answers.push(...(await asking));
  }
  return answers;
}

async function askField(
  name: string,
  { label, values }: Field,
  before: string | undefined,
  { context: { prompter } }: Session,
): Promise<readonly Answered[]> {
  if (values === undefined) {
    const after = await askText(label, textProblem, prompter, before);
    const words = [`--${name.replace('_', '-')}`, after];
    return after === before?.trim() ? [] : [answered(label, before, after, words)];
  }
  const choices = Object.entries(values).map(([value, [text]]) => ({ value, label: text }));
  const after = await prompter.choose(label, choices, { initial: before });
  const [, ...words] = values[after] ?? [];
  return after === before ? [] : [answered(label, before, after, words)];
}

function shownIn(value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Sends additions and removals, not the whole list, so that concurrent changes are kept. */
async function askProperties(before: readonly string[], session: Session): Promise<readonly Answered[]> {
  const after = await askPropertyIds(before, session);
  if (isSameSet(before, after)) return [];
  const added = after.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !after.includes(id));
  const words = [
    ...(added.length === 0 ? [] : ['--add-properties', added.join(',')]),
    ...(removed.length === 0 ? [] : ['--remove-properties', removed.join(',')]),
  ];
  return [answered('Properties', listed(before), listed(after), words)];
}

function listed(ids: readonly string[]): string {
  return ids.length === 0 ? 'none' : ids.join(', ');
}
