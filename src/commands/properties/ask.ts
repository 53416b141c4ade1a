import type { Choice } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { currencyWarning } from '../../model/codes.ts';
import type { PropertyField } from '../../model/property-fields.ts';
import { isRecord, type ServiceRecord, valueAt } from '../../model/records.ts';
import { textProblem } from '../../model/text.ts';
import type { Api } from '../../service/service.ts';
import { choice, choicesFrom } from '../ask.ts';
import { type Draft, missingIn, openIn, put } from './body.ts';
import { valueLike } from './like.ts';

/**
 * The draft with what was missing, asked of the person field by field.
 *
 * @param sibling a property whose values the answers begin with.
 */
export async function askForMissing(draft: Draft, sibling: ServiceRecord, session: Session): Promise<Draft> {
  let { body } = draft;
  for (const field of missingIn(draft)) {
    const like = valueLike(sibling, field);
    const initial = typeof like === 'string' ? like : like?.['en'];
    const answer = await askValue(field, initial, session);
    body = put(body, field, field.kind === 'languages' ? textsOf(answer, like) : answer);
  }
  return { ...draft, body };
}

/** Whoever takes the text in English takes those in other languages with it: they say the same. */
function textsOf(answer: string, like: ReturnType<typeof valueLike>) {
  return typeof like === 'object' && like['en']?.trim() === answer ? like : { en: answer };
}

/**
 * Asks for the value of one field, or for its text in English: chosen from a list where there is one.
 *
 * @param initial what Enter takes.
 */
export async function askValue(
  field: PropertyField,
  initial: string | undefined,
  { api, context }: Pick<Session, 'api' | 'context'>,
): Promise<string> {
  const choices = await choicesOf(field, api);
  const options = initial === undefined ? {} : { initial };
  if (choices === undefined) {
    const answer = await context.prompter.text(question(field), { check: checked(field), ...options });
    return answer.trim();
  }
  const isUnlisted = initial !== undefined && choices.every(({ value }) => value !== initial);
  const isKept = isUnlisted && field.check(initial) === undefined;
  const offered = isKept ? [choice(initial, undefined), ...choices] : choices;
  return context.prompter.choose(title(field), offered, options);
}

/** What was asked or taken, as the flags that would have said it. */
export function answersIn(draft: Draft, given: Draft): readonly string[] {
  return openIn(given).flatMap((field) => {
    const value = valueAt(draft.body, field.path);
    if (value === undefined || value === null) return [];
    const texts = isRecord(value) ? Object.entries(value).map(([tag, text]) => `${tag}=${text}`) : [value];
    return texts.flatMap((text) => [`--${field.flag}`, String(text)]);
  });
}

/** What a field is, in words. */
export function title({ kind, flag, summary }: PropertyField): string {
  const words = kind === 'languages' ? flag.replaceAll('-', ' ') : summary;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function question(field: PropertyField): string {
  if (field.kind === 'languages') return `${title(field)} in English`;
  return field.example === undefined ? title(field) : `${title(field)}, for example ${field.example}`;
}

function checked(field: PropertyField) {
  return (answer: string) => textProblem(answer) ?? field.check(answer.trim()) ?? true;
}

/**
 * What a field can be chosen from: countries as the service lists them, zones and currencies as Node knows them.
 *
 * @returns `undefined` where it is typed: it has no list, or the service keeps it from this caller.
 */
async function choicesOf(
  field: PropertyField,
  api: Pick<Api, 'countries'>,
): Promise<readonly Choice[] | undefined> {
  const choices = await listed(field, api);
  return choices === undefined || choices.length === 0 ? undefined : choices;
}

async function listed(field: PropertyField, { countries }: Pick<Api, 'countries'>) {
  const { check: problem } = field;
  const isRight = (text: string) => problem(text) === undefined;
  if (field.flag === 'country-code') {
    const names = new Intl.DisplayNames(['en'], { type: 'region' });
    return choicesFrom(countries.list({}, {}), {
      field: 'code',
      problem,
      labelOf: ({ code }) => names.of(String(code)),
    });
  }
  if (field.flag === 'time-zone') {
    const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC']);
    return [...zones].filter(isRight).map((zone) => choice(zone, undefined));
  }
  if (field.flag === 'currency-code') {
    const names = new Intl.DisplayNames(['en'], { type: 'currency' });
    return Intl.supportedValuesOf('currency')
      .filter((code) => isRight(code) && currencyWarning(code) === undefined)
      .map((code) => choice(code, names.of(code)));
  }
  return undefined;
}
