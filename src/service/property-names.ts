import { type Detail, detailsFor } from '../cli/errors.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import { quote } from '../model/text.ts';
import { idProblem } from './path.ts';

/** Finds properties by their names, for those who type them in the place of ids. */
export interface PropertyNames {
  /** Adds a property: `id`, and `name`, which is a text or a text for each language. */
  see(property: ServiceRecord): void;
  /** Ids of the properties with a name, letters in any case. */
  idsOf(name: string): readonly string[];
}

/** Knows no property yet. */
export function createPropertyNames(): PropertyNames {
  const known = new Map<string, Set<string>>();
  return {
    see({ id, name }) {
      if (typeof id !== 'string') return;
      for (const text of isRecord(name) ? Object.values(name) : [name]) {
        if (typeof text !== 'string') continue;
        const ids = known.get(bare(text));
        if (ids === undefined) known.set(bare(text), new Set([id]));
        else ids.add(id);
      }
    },
    idsOf: (name) => [...(known.get(bare(name)) ?? [])],
  };
}

/** Whether a text is not one word: it may be several ids, or a name. */
export function hasBlank(text: string): boolean {
  return /\S\s+\S/.test(text);
}

/** Says of a text that it is the name of properties, as a clause; `undefined` where it is none. */
export function nameProblem(text: string, ids: readonly string[]): string | undefined {
  const [one, ...more] = ids;
  if (one === undefined) return undefined;
  const advice = more.length === 0 ? 'give the id' : 'give one of the ids';
  return `${quote(text)} is the name of ${ids.join(' and of ')}: ${advice}`;
}

/**
 * What is wrong with one of a list of property ids, or `undefined`.
 *
 * @param named ids of the properties with that name.
 * @param marks what stands between ids there.
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
  return nameProblem(id, named) ?? (isIds ? several : problem);
}

function bare(name: string): string {
  return name.trim().replaceAll(/\s+/g, ' ').normalize('NFC').toLowerCase();
}

/** The maximum number of reasons shown. */
const MOST_REASONS = 20;

/** What may be done with a property now, as a service says it beside the record. */
export interface Action {
  readonly name: string;
  readonly isAllowed: boolean;
  /** Why not, by the service's codes; nothing where it does not say. */
  readonly reasons: readonly Detail[];
}

/**
 * The actions that a property shows; an entry that is none is left out.
 *
 * @param property as `normalise` gives it.
 */
export function actionsIn({ actions }: ServiceRecord): readonly Action[] {
  return recordsIn(actions).flatMap(({ action: name, is_allowed: isAllowed, reasons }) =>
    typeof name === 'string' && typeof isAllowed === 'boolean'
      ? [{ name, isAllowed, reasons: recordsIn(reasons).flatMap((reason) => reasonIn(reason, name)) }]
      : [],
  );
}

/**
 * Why the service would not delete a property, with 20 reasons at most and each as long as it came; `undefined` where it
 * would, or does not say.
 */
export function reasonsAgainstDeletion(property: ServiceRecord): readonly Detail[] | undefined {
  const deletion = actionsIn(property).find(({ name }) => name.toLowerCase() === 'delete');
  return deletion?.isAllowed === false ? deletion.reasons.slice(0, MOST_REASONS) : undefined;
}

/** A code alone says something too. */
function reasonIn({ code, message }: ServiceRecord, action: string): readonly Detail[] {
  const [name, text] = [code, message].map((each) => (typeof each === 'string' ? each : undefined));
  return text === undefined ? detailsFor(action, name) : [{ field: name ?? action, reason: text }];
}

function recordsIn(value: unknown): readonly ServiceRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
