import { type Answered, answered, askPropertyIds, askText, fieldChoice } from '../../change/ask.ts';
import { shownProperties } from '../../model/access.ts';
import { type Field, isFurther, kindTable } from '../../model/kinds.ts';
import { isSameSet, type ServiceRecord } from '../../model/records.ts';
import { capitalised, textProblem } from '../../model/text.ts';
import { takes } from '../../service/dialect.ts';
import type { Session } from '../../session/session.ts';

/** The values of a truth, each with its label and the equivalent flags. */
type Values = Readonly<Record<string, readonly [label: string, ...flags: string[]]>>;

const enabling: Values = {
  yes: ['yes: let the user in', '--enable'],
  no: ['no: keep the user out', '--disable'],
};

const promoting: Values = {
  no: ['no: the properties of the user alone', '--is-account-admin', 'false'],
  yes: ['yes: every property', '--is-account-admin', 'true'],
};

/** Prompts for the fields of a user to change, then for their new values. */
export async function askUserChanges(user: ServiceRecord, session: Session): Promise<readonly Answered[]> {
  const { dialect } = session.api;
  const properties = shownProperties(user);
  const fields = kindTable.user.fields.filter(
    (field) => !field.isFixed && (!isFurther(field) || takes(dialect, 'updateUser', field.name)),
  );
  const offered = fields.map((field) => {
    const shown = field.type === 'list' ? listed(properties) : shownIn(user[field.name]);
    return fieldChoice(field.name, labelOf(field), shown);
  });
  const picked = await session.context.prompter.chooseSeveral('What to change', offered);
  const answers: Answered[] = [];
  for (const field of fields.filter(({ name }) => picked.includes(name))) {
    const isList = field.type === 'list';
    const before = shownIn(user[field.name]);
    answers.push(...(await (isList ? askProperties(properties, session) : askField(field, before, session))));
  }
  return answers;
}

/** `Account admin` */
function labelOf({ flag }: Field): string {
  return capitalised(flag.replace(/^is-/, '').replaceAll('-', ' '));
}

async function askField(
  field: Field,
  before: string | undefined,
  { context: { prompter } }: Session,
): Promise<readonly Answered[]> {
  const label = labelOf(field);
  if (field.type !== 'truth') {
    const after = await askText(label, textProblem, prompter, before);
    return after === before?.trim() ? [] : [answered(label, before, after, [`--${field.flag}`, after])];
  }
  const values = isFurther(field) ? promoting : enabling;
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
