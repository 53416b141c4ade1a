import { type PropertyField, propertyFields } from '../../checks/property-fields.ts';
import { textProblem } from '../../checks/text.ts';
import type { Session } from '../../session.ts';
import { type Draft, put, valueAt } from './body.ts';

/** The draft with what was missing, asked of the person field by field; unchanged where nobody can be asked. */
export async function askForMissing(draft: Draft, { mayAsk, context }: Session): Promise<Draft> {
  if (!mayAsk()) return draft;
  let { body } = draft;
  for (const field of propertyFields) {
    if ((valueAt(body, field) ?? undefined) !== undefined) continue;
    const answer = (await context.prompter.text(question(field), { check: checked(field) })).trim();
    body = put(body, field, field.kind === 'languages' ? { en: answer } : answer);
  }
  return { ...draft, body };
}

/** What was asked and answered, as the flags that would have said it. */
export function answersIn(draft: Draft, given: Draft): readonly string[] {
  return propertyFields
    .filter((field) => (valueAt(given.body, field) ?? undefined) === undefined)
    .flatMap((field) => {
      const value = valueAt(draft.body, field);
      if (value === undefined || value === null) return [];
      const texts =
        field.kind === 'languages' ? Object.entries(value).map(([tag, text]) => `${tag}=${text}`) : [value];
      return texts.flatMap((text) => [`--${field.flag}`, String(text)]);
    });
}

function question({ kind, summary, example }: PropertyField): string {
  if (kind === 'languages') return 'Name in English';
  const asked = summary.charAt(0).toUpperCase() + summary.slice(1);
  return example === undefined ? asked : `${asked}, for example ${example}`;
}

function checked(field: PropertyField) {
  return async (answer: string) => textProblem(answer) ?? (await field.check())(answer.trim()) ?? true;
}
