import { type Detail, detailsFor } from '../model/errors.ts';
import { isRecord, recordsIn, type ServiceRecord } from '../model/records.ts';
import { idProblem, quote } from '../model/text.ts';

/** Finds properties by their names and codes, which people type instead of ids. */
export type PropertyNames = ReturnType<typeof createPropertyNames>;

/** @param properties the first ones: `id`, `code`, and `name`, which is a text or a text for each language. */
export function createPropertyNames(properties: Iterable<ServiceRecord>) {
  const known = new Map<string, Set<string>>();
  const see = ({ id, code, name }: ServiceRecord): void => {
    if (typeof id !== 'string') return;
    for (const text of [code === id ? undefined : code, ...(isRecord(name) ? Object.values(name) : [name])])
      if (typeof text === 'string') known.set(bare(text), (known.get(bare(text)) ?? new Set()).add(id));
  };
  for (const property of properties) see(property);
  return {
    /** Adds a property. */
    see,
    /** Ids of the properties with a name or code, in any case. */
    idsOf: (name: string): readonly string[] => [...(known.get(bare(name)) ?? [])],
  };
}

/** Whether a text has several words: it may be several ids, or a name. */
export function hasBlank(text: string): boolean {
  return /\S\s+\S/.test(text);
}

/** A clause saying that a text is the name of properties; `undefined` without ids. */
export function propertyNameProblem(text: string, ids: readonly string[]): string | undefined {
  const [one, ...more] = ids;
  if (one === undefined) return undefined;
  const advice = more.length === 0 ? 'give the id' : 'give one of the ids';
  return `${quote(text)} is the name of ${ids.join(' and of ')}: ${advice}`;
}

/**
 * What is wrong with one of a list of property ids, or `undefined`.
 *
 * @param named ids of the properties with that name.
 * @param marks what separates ids there.
 */
export function listedIdProblem(
  id: string,
  named: readonly string[] = [],
  marks = 'commas',
): string | undefined {
  const problem = idProblem(id);
  if (problem === undefined) return undefined;
  const words = id.trim().split(/\s+/);
  const isIds = words.length > 1 && words.every((word) => idProblem(word) === undefined);
  const several = `${quote(id)} has a blank: ids are separated by ${marks}, as in ${words.join(',')}`;
  return propertyNameProblem(id, named) ?? (isIds ? several : problem);
}

function bare(name: string): string {
  return name.trim().replaceAll(/\s+/g, ' ').normalize('NFC').toLowerCase();
}

/** The maximum number of reasons shown. */
const MOST_REASONS = 20;

/**
 * The actions that a property shows, without invalid entries: whether each is possible now, and why not, by the service's
 * codes.
 *
 * @param property as `normalise` gives it.
 */
export function actionsIn({ actions }: ServiceRecord) {
  return recordsIn(actions).flatMap(({ action: name, is_allowed: isAllowed, reasons }) =>
    typeof name === 'string' && typeof isAllowed === 'boolean'
      ? [{ name, isAllowed, reasons: recordsIn(reasons).flatMap((reason) => reasonIn(reason, name)) }]
      : [],
  );
}

/** An action of a property, as `actionsIn` gives it. */
export type Action = ReturnType<typeof actionsIn>[number];

/**
 * Why the service would not carry out an action, at most 20 reasons; `undefined` if it would, or does not say.
 *
 * @param action in the service's words: `SetLive`.
 */
export function reasonsAgainst(action: string, property: ServiceRecord): readonly Detail[] | undefined {
  const found = actionsIn(property).find(({ name }) => name.toLowerCase() === action.toLowerCase());
  return found?.isAllowed === false ? found.reasons.slice(0, MOST_REASONS) : undefined;
}

function reasonIn({ code, message }: ServiceRecord, action: string): readonly Detail[] {
  const [name, text] = [code, message].map((each) => (typeof each === 'string' ? each : undefined));
  return text === undefined ? detailsFor(action, name) : [{ field: name ?? action, reason: text }];
}
