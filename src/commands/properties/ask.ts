import { textProblem } from '../../checks/text.ts';
import type { Session } from '../../session.ts';
import { type Draft, put, valueAt } from './body.ts';
import { type PropertyField, propertyFields } from './fields.ts';

/** The draft with what was missing, asked of the person field by field; unchanged where nobody can be asked. */
export async function askForMissing(draft: Draft, { interactive, context }: Session): Promise<Draft> {
  if (!interactive) return draft;
  let { body } = draft;
  for (const field of propertyFields) {
    if (valueAt(body, field) !== undefined) continue;
    const answer = (await context.prompter.text(question(field), { check: checked(field) })).trim();
    body = put(body, field, field.kind === 'languages' ? { en: answer } : answer);
  }
  return { ...draft, body };
}

function question({ kind, summary }: PropertyField): string {
  return kind === 'languages' ? 'Name in English' : summary.charAt(0).toUpperCase() + summary.slice(1);
}

function checked(field: PropertyField) {
  return async (answer: string) => textProblem(answer) ?? (await field.problem(answer.trim())) ?? true;
}
