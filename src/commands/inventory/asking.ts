import {
  aboutProperty,
  askText,
  choice,
  choicesFrom,
  type ReviewLine,
  review,
  reviewOf,
  sessionWith,
} from '../../change/ask.ts';
import { agree } from '../../change/consent.ts';
import { itemFor } from '../../change/item.ts';
import { keepAnswers } from '../../change/lines.ts';
import type { Session } from '../../cli/session.ts';
import type { InventoryField } from '../../model/inventory-fields.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { capitalised } from '../../model/text.ts';
import { idProblem } from '../../service/path.ts';
import { nameIn } from '../properties/reference.ts';
import { missingFields } from './fields.ts';
import { everyRecord, type InventoryKind, unitGroups } from './kind.ts';

/** The choice for no group. */
const NONE = '-';

/**
 * Prompts for the required fields that are missing, and for the group of a unit, then for consent.
 *
 * @returns the values, and the session as if they had been typed.
 * @throws {CliError} exit 11 after a no.
 */
export async function askMissing(
  given: ServiceRecord,
  fields: readonly InventoryField[],
  { shape, entryKind }: InventoryKind,
  session: Session,
) {
  const missing = missingFields(given, fields);
  const questions = fields.filter(
    (field) => missing.includes(field) || (field.name === 'group' && given['group'] === undefined),
  );
  let values = given;
  let asked = session;
  for (const [index, field] of questions.entries()) {
    const asking = askField(field, values, `${index + 1} of ${questions.length} · `, session);
    const answer = await (index === 0 ? asking : asking.catch(keepAnswers(asked)));
    if (answer === NONE && field.name === 'group') continue;
    const isTexts = field.kind === 'languages';
    const value = isTexts ? { en: answer } : field.kind === 'whole' ? Number(answer) : answer;
    values = { ...values, [field.name]: value };
    asked = sessionWith([`--${field.flag}`, isTexts ? `en=${answer}` : answer], asked);
  }
  const lines: readonly ReviewLine[] = reviewOf(values, shape);
  await review(lines, 'inventory', session);
  const item = itemFor({ kind: entryKind, name: '' }, 'create');
  const row = { item, names: [], question: 'Send it?' };
  await agree([row], {}, session, true).catch(keepAnswers(asked));
  return { values, asked };
}

async function askField(field: InventoryField, values: ServiceRecord, count: string, session: Session) {
  const { api, context } = session;
  const { prompter } = context;
  const title = `${count}${capitalised(field.flag.replaceAll('-', ' '))}`;
  if (field.name === 'property') {
    const listed = await choicesFrom(api.properties.list({}, {}), 'id', idProblem, aboutProperty);
    if (listed !== undefined && listed.length > 0) return prompter.choose(title, listed);
  }
  if (field.name === 'group') {
    const groups = await everyRecord(unitGroups, String(values['property']), session);
    const offered = groups.flatMap((group) => {
      const { id, code } = group;
      return typeof id === 'string' ? [choice(id, nameIn(group), code)] : [];
    });
    return prompter.choose(title, [...offered, { value: NONE, label: 'no group' }]);
  }
  const example = field.example?.replace(/^\w+=/, '').replaceAll('"', '');
  const words = field.kind === 'languages' ? `${title} in English` : title;
  const question = example === undefined ? words : `${words}, for example ${example}`;
  return askText(question, field.check, prompter);
}
