import { fieldChoice, review, reviewOf } from '../../change/ask.ts';
import { agreeOrEdit } from '../../change/consent.ts';
import { itemFor } from '../../change/item.ts';
import { keepAnswers, withoutFlag } from '../../change/lines.ts';
import { refuseInvalid } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import { currencyWarning } from '../../model/codes.ts';
import { type PropertyField, valueProblems } from '../../model/property-fields.ts';
import { isRecord, type ServiceRecord, valueAt } from '../../model/records.ts';
import { withFlags } from '../../print/text.ts';
import { propertyShape } from '../shapes.ts';
import { askValue, currentText, inCountry, title } from './ask.ts';
import {
  copyFields,
  type Draft,
  draftProblems,
  matchesAround,
  missingFields,
  notCopiedText,
  ownFields,
  put,
  readSibling,
  unsetFields,
  unshownIn,
  valueLike,
  withCopied,
} from './draft.ts';

interface Options {
  /** The property to copy from. */
  readonly like: string | undefined;
  /** The command for help: `innctl properties create --help`. */
  readonly help: string;
  readonly validate: boolean;
  /** Whether to prompt for missing values. */
  readonly isAsked: boolean;
}

/**
 * Completes a draft with prompts and from another property. In prompts, its code, name and address are asked for.
 *
 * @throws {CliError} exit 2 with all missing and invalid values.
 */
export async function completeDraft(given: Draft, options: Options, session: Session) {
  const { like, validate, isAsked, help } = options;
  const sibling = await readSibling(like, given, session);
  const asked = isAsked ? await askForMissing(given, sibling, like, session) : given;
  const draft = withCopied(sibling, asked);
  refuseInvalid(validate ? draftProblems(draft, true) : [], hintFor(like, unshownIn(sibling, draft), help));
  const warnings = [
    validate ? currencyWarning(draft.body['currency_code']) : undefined,
    like === undefined ? undefined : notCopiedText(like, sibling, draft),
  ];
  for (const warning of warnings) if (warning !== undefined) await session.out.warn(warning);
  return draft;
}

function hintFor(like: string | undefined, unshown: readonly PropertyField[], help: string): string {
  if (like === undefined || unshown.length === 0) return help;
  const flags = unshown.map(({ flag, example }) => `--${flag} ${example ?? 'VALUE'}`);
  return `${like} does not show this; give it: ${flags.join(' ')}`;
}

/**
 * The session, as if all values of a draft had been typed, without --like: the property may have changed when the line is run again.
 *
 * @param given what file and flags gave.
 */
export function withLineOf(draft: Draft, given: Draft, session: Session): Session {
  const { context } = session;
  const argv = withChanged(draft, given, withoutFlag(context.argv, '--like'));
  return { ...session, context: { ...context, argv } };
}

/** The command line with the values that a draft had not before. */
function withChanged({ body, fields }: Draft, before: Draft, argv: readonly string[]): readonly string[] {
  const changed = fields.filter(({ path }) => valueAt(body, path) !== valueAt(before.body, path));
  const kept = changed.reduce<readonly string[]>((line, { flag }) => withoutFlag(line, `--${flag}`), argv);
  const words = changed.flatMap(({ path, flag }) => {
    const value = valueAt(body, path) ?? undefined;
    const texts = isRecord(value) ? Object.entries(value).map(([tag, text]) => `${tag}=${text}`) : [value];
    return texts.flatMap((text) => (text === undefined ? [] : [`--${flag}`, String(text)]));
  });
  return withFlags(kept, words);
}

/** Prompts for each missing field that neither the property of --like nor the country gives. The country comes first. */
async function askForMissing(
  given: Draft,
  sibling: ServiceRecord,
  like: string | undefined,
  session: Session,
): Promise<Draft> {
  const open = inOrder(given);
  const start = like === undefined ? open : await takenOver(open, sibling, like, session);
  let draft = await derived(start, session);
  for (let number = 1; ; number += 1) {
    const [field, ...later] = questionsFor(draft);
    if (field === undefined) return draft;
    const mayShrink = isCountry(field) && later.some(isOfCountry);
    const count = `${number} of ${mayShrink ? 'up to ' : ''}${number + later.length} · `;
    const known = isElsewhere(field, draft, sibling) ? undefined : valueLike(sibling, field, draft);
    const initial = (typeof known === 'string' ? known : known?.['en']) ?? field.usual;
    const argv = withChanged(draft, start, session.context.argv);
    const keep = keepAnswers({ ...session, context: { ...session.context, argv } });
    const asking = askValue(field, initial, session, { count, record: draft.body });
    const answer = await (number === 1 ? asking : asking.catch(keep));
    draft = withAnswer(draft, field, answer);
    if (isCountry(field)) draft = await derived(draft, session);
  }
}

/** The draft with places for its missing fields, in the contract's order: the country is asked for first. */
function inOrder({ body, ...draft }: Draft): Draft {
  const needed = draft.fields.filter(({ isOptional }) => isOptional !== true);
  const places = needed.reduce<ServiceRecord>((before, field) => put(before, field, undefined), {});
  const [before, after] = [places['location'], body['location']];
  const location = { ...(isRecord(before) ? before : {}), ...(isRecord(after) ? after : {}) };
  return { ...draft, body: { ...places, ...body, location } };
}

function questionsFor(draft: Draft): readonly PropertyField[] {
  const missing = missingFields(draft);
  return [...missing.filter(isCountry), ...missing.filter((field) => !isCountry(field))];
}

function withAnswer(draft: Draft, field: PropertyField, answer: string): Draft {
  return { ...draft, body: put(draft.body, field, field.kind === 'languages' ? { en: answer } : answer) };
}

/** Fields that are asked for even if the property of --like has them: two hotels have different addresses. */
const address: ReadonlySet<string> = new Set(['address-line1', 'postal-code', 'city']);

/** Takes over what another property has in common with the draft, and says which fields. */
async function takenOver(given: Draft, sibling: ServiceRecord, like: string, { out }: Session) {
  const taken = unsetFields(given).filter((field) => {
    const value = valueLike(sibling, field, given);
    const isAsked = ownFields.has(field.flag) || address.has(field.flag);
    if (value === undefined || isAsked || isElsewhere(field, given, sibling)) return false;
    const isPart =
      field.isOptional === true && (field.path[0] === 'location' || !matchesAround(field, sibling, given));
    return !isPart && valueProblems(field, value, field.flag).length === 0;
  });
  if (taken.length === 0) return given;
  await out.note(`Taken from ${like}: ${taken.map(({ flag }) => flag.replaceAll('-', ' ')).join(', ')}.`);
  return copyFields(taken, sibling, given);
}

const COUNTRY = ['location', 'country_code'] as const;

function isCountry({ path }: PropertyField): boolean {
  return path[1] === COUNTRY[1];
}

/** Whether the country of a property may determine a field. */
function isOfCountry({ path: [first] }: PropertyField): boolean {
  return first === 'time_zone' || first === 'currency_code';
}

/** Whether another property says nothing about a field, because it is in another country. */
function isElsewhere(field: PropertyField, { body }: Draft, sibling: ServiceRecord): boolean {
  const country = valueAt(body, COUNTRY);
  return isOfCountry(field) && country !== undefined && country !== valueAt(sibling, COUNTRY);
}

/** Takes the time zone and the currency of a country that has one, and says so. */
async function derived(draft: Draft, { out, context }: Session): Promise<Draft> {
  const country = valueAt(draft.body, COUNTRY);
  if (typeof country !== 'string') return draft;
  const known = missingFields(draft)
    .filter(isOfCountry)
    .flatMap((field) => {
      const [value, ...others] = inCountry(field, country, context.clock.now());
      return value === undefined || others.length > 0 ? [] : [{ field, value }];
    });
  if (known.length === 0) return draft;
  const shown = known.map(({ field, value }) => `${field.flag.replaceAll('-', ' ')} ${value}`).join(', ');
  await out.note(`Taken from the country ${country}: ${shown}.`);
  return known.reduce((before, { field, value }) => withAnswer(before, field, value), draft);
}

/**
 * Shows a draft and asks whether to send it, until it is not edited any more.
 *
 * @param given what file and flags gave.
 * @throws {CliError} exit 11 for no.
 */
export async function reviewDraft(draft: Draft, given: Draft, session: Session): Promise<Draft> {
  const keep = keepAnswers(withLineOf(draft, given, session));
  await review(reviewOf(draft.body, propertyShape), 'inventory', session);
  const item = itemFor({ kind: 'property', name: '' }, 'create');
  if (!(await agreeOrEdit({ item, names: [] }, session).catch(keep))) return draft;
  const changed = await edited(draft, session).catch(keep);
  const isSameCountry = valueAt(changed.body, COUNTRY) === valueAt(draft.body, COUNTRY);
  const next = isSameCountry ? changed : await inNewCountry(changed, given, session);
  return reviewDraft(next, given, session);
}

/** Prompts for a field and its value again. */
async function edited(draft: Draft, session: Session): Promise<Draft> {
  const { fields, body } = draft;
  const offered = fields.map((field) => {
    const shown = currentText(valueAt(body, field.path)) ?? '(none)';
    return fieldChoice(field.flag, title(field), shown);
  });
  const flag = await session.context.prompter.choose('Field to edit', offered);
  const field = fields.find((each) => each.flag === flag);
  if (field === undefined) return draft;
  const value = valueAt(body, field.path);
  const initial = isRecord(value) ? value['en'] : value;
  const before = typeof initial === 'string' ? initial : undefined;
  const answer = await askValue(field, before, session, { record: body });
  return answer === before ? draft : withAnswer(draft, field, answer);
}

/** Takes time zone and currency from the new country, or prompts for them, unless they were typed. */
async function inNewCountry(draft: Draft, given: Draft, session: Session): Promise<Draft> {
  const { time_zone, currency_code } = given.body;
  const open = { ...draft, body: { ...draft.body, time_zone, currency_code } };
  return askForMissing(open, {}, undefined, withLineOf(open, given, session));
}
