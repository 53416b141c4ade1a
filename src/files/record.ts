import { FileProblem } from '../fs/read.ts';
import { CliError, type Detail, ExitCode } from '../model/errors.ts';
import { inForm } from '../model/field-values.ts';
import { fieldOf, type Kind } from '../model/kinds.ts';
import { isRecord, recordsIn, type ServiceRecord } from '../model/records.ts';
import { documentsOf } from './documents.ts';
import { languageOf, readSource, type SourceText } from './files.ts';
import { givenFields } from './judge.ts';
import { EXTRA_HINT, entryFields, lists, nameProblems } from './names.ts';
import { beyondDetails, Problems } from './problems.ts';
import type { ReadOptions } from './read.ts';

/** What reading the file of one record needs. */
interface RecordOptions extends Pick<ReadOptions, 'stdin' | 'dialect'> {
  /** Fields that the contract does not name are taken as if they were under `extra`. */
  readonly allowUnknown: boolean;
}

/** The fields of one record in a file; the names are judged, the values are not. */
export type RecordFile = Awaited<ReturnType<typeof readRecord>>;

/**
 * Reads the file of one record, in YAML or JSON: a manifest that is one entry.
 *
 * @param path `-` is stdin.
 * @returns how messages name the file; its fields as a manifest names them, `extra` among them; what is wrong with their
 *   names, and what to do about that.
 * @throws {CliError} `several_records` when it holds several entries, or is a table.
 * @throws {CliError} exit 2 when it cannot be read, or is not valid.
 */
export async function readRecord(path: string, kind: Kind, { stdin, dialect, allowUnknown }: RecordOptions) {
  const name = path === '-' ? 'stdin' : path;
  const source = await readSource({ path, language: languageOf(path) }, name, stdin);
  const value = await onlyRecord(source);
  const given = Object.fromEntries(
    Object.entries(givenFields(value)).map(([field, each]) => {
      const known = fieldOf(kind, field);
      return [field, known === undefined ? each : inForm(known, each)];
    }),
  );
  const fields = allowUnknown ? withUnknownUnderExtra(given, kind) : given;
  const misnamed = nameProblems(kind, fields, dialect).filter(
    ({ field = '' }) => !allowUnknown || /^extra\b/.test(field),
  );
  const others = misnamed.filter(({ beyond }) => beyond === undefined);
  const stated = value['kind'] ?? kind;
  const problems: readonly Detail[] = [
    ...(stated === kind ? [] : [{ field: `${name}: kind`, reason: `must be ${kind}` }]),
    ...beyondDetails(misnamed.map((each) => ({ ...each, file: name }))),
    ...others.map(({ field, reason }) => ({ field: `${name}: ${field}`, reason })),
  ];
  return { name, fields, problems, hint: misnamed.length === 0 ? undefined : EXTRA_HINT };
}

/** The one record of a file. */
async function onlyRecord(source: SourceText): Promise<ServiceRecord> {
  const { name, language } = source;
  const several = new CliError(
    'several_records',
    `${name} holds several records, or a list; one record is wanted.`,
    {
      exitCode: ExitCode.usage,
    },
  );
  if (language !== 'yaml' && language !== 'json') throw several;
  const problems = new Problems();
  const documents = documentsOf(source, problems);
  const first = await documents.next();
  if ((await documents.next()).done !== true) throw several;
  problems.throwIfAny();
  const value = first.value?.value;
  if (Array.isArray(value)) throw several;
  if (!isRecord(value)) throw new FileProblem(name, 'is not a record of fields and values');
  if ([...lists.keys()].some((list) => recordsIn(value[list]).length > 0)) throw several;
  return value;
}

/** The record with fields that no manifest has under `extra`; fields that are there already win. */
function withUnknownUnderExtra({ extra, ...fields }: ServiceRecord, kind: Kind): ServiceRecord {
  if (extra !== undefined && !isRecord(extra)) return { ...fields, extra };
  const entries = Object.entries(fields);
  const isKnown = ([name]: readonly [string, unknown]) => entryFields(kind).includes(name);
  const unknown = Object.fromEntries(entries.filter((entry) => !isKnown(entry)));
  return { ...Object.fromEntries(entries.filter(isKnown)), extra: { ...unknown, ...extra } };
}
