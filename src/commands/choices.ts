import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { collectList } from '../cli/flags.ts';
import type { Choice } from '../cli/ports.ts';
import type { Page, ServiceRecord } from '../model/records.ts';
import { neutraliseLine } from '../out/text.ts';
import { idProblem } from '../service/path.ts';
import { listedIdProblem } from '../service/property-names.ts';
import { entryProblems } from './options.ts';

/** How a record of a list becomes a choice. */
export interface RecordChoice {
  /** The field of its records that is the answer. */
  readonly field: string;
  /** What is wrong with an answer: such an entry is not offered, for no flag could say it. */
  readonly problem: (text: string) => string | undefined;
  readonly labelOf?: (record: ServiceRecord) => string | undefined;
}

/** Properties, by their ids. */
export const propertyChoice: RecordChoice = {
  field: 'id',
  problem: (id) => (id.includes(',') ? 'would be two in a list' : idProblem(id)),
  labelOf: nameOf,
};

/** What can be chosen; `undefined` where the service keeps its list from this caller. */
export async function choicesFrom(
  pages: AsyncIterable<Page>,
  { field, problem, labelOf = () => undefined }: RecordChoice,
): Promise<readonly Choice[] | undefined> {
  const choices: Choice[] = [];
  try {
    for await (const { items } of pages) {
      for (const item of items) {
        const value = item[field];
        if (typeof value !== 'string' || problem(value) !== undefined) continue;
        choices.push(choice(value, labelOf(item)));
      }
    }
  } catch (error) {
    if (error instanceof CliError && error.exitCode === ExitCode.forbidden) return undefined;
    throw error;
  }
  return choices;
}

/** A value with its name, such as `BER  Grand Hotel`. */
export function choice(value: string, name: string | undefined): Choice {
  return { value, label: neutraliseLine(name === undefined ? value : `${value}  ${name}`) };
}

/** What is wrong with property ids that were typed as one text, or `undefined`. */
export function idsProblem(text: string): string | undefined {
  return entryProblems('properties', collectList(text, undefined), listedIdProblem)[0]?.reason;
}

/** A property's name is a text in lists and a language map elsewhere. */
function nameOf({ name }: ServiceRecord): string | undefined {
  const first = typeof name === 'object' && name !== null ? Object.values(name)[0] : name;
  return typeof first === 'string' ? first : undefined;
}
