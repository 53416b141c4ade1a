import { CliError, type Detail } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { FileProblem } from '../fs/read.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import { quote } from '../model/text.ts';
import { documentsOf } from './documents.ts';
import type { Kind } from './entry.ts';
import { languageOf } from './files.ts';
import { givenFields } from './judge.ts';
import { entryKinds, lists } from './kind.ts';
import { EXTRA_HINT, nameProblems } from './names.ts';
import { Problems } from './problems.ts';
import { type ReadOptions, readSource, type SourceText } from './read.ts';

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
  const given = givenFields(value, kind);
  const fields = allowUnknown ? withUnknownUnderExtra(given, kind) : given;
  const misnamed = nameProblems(kind, fields, dialect).filter(
    ({ field = '' }) => !allowUnknown || /^extra\b/.test(field),
  );
  const stated = value['kind'] ?? kind;
  const problems: readonly Detail[] = [
    ...(stated === kind ? [] : [{ field: `${name}: kind`, reason: `must be ${kind}` }]),
    ...misnamed.map(({ field, reason }) => ({ field: `${name}: ${field}`, reason })),
  ];
  return { name, fields, problems, hint: misnamed.length === 0 ? undefined : EXTRA_HINT };
}

function severalRecords(sentence: string): CliError {
  return new CliError('several_records', sentence, { exitCode: ExitCode.usage });
}

/** The one record of a file. */
async function onlyRecord(source: SourceText): Promise<ServiceRecord> {
  const { name, language } = source;
  if (language === 'csv' || language === 'xlsx')
    throw severalRecords(`${name} is a table (${language.toUpperCase()}); one record is wanted.`);
  if (language === 'ndjson') throw severalRecords(`${name} holds several JSON texts; one is wanted.`);
  const problems = new Problems();
  const documents = documentsOf(source, problems);
  const first = await documents.next();
  if ((await documents.next()).done !== true)
    throw severalRecords(`${name} contains several documents; expected one record.`);
  problems.throwIfAny();
  const value = first.value?.value;
  if (Array.isArray(value)) throw severalRecords(`${name} holds a list; one record is wanted.`);
  if (!isRecord(value)) throw new FileProblem(name, 'is not a record of fields and values');
  const list = [...lists.keys()].find((part) => {
    const inner = value[part];
    return Array.isArray(inner) && inner.some(isRecord);
  });
  if (list === undefined) return value;
  throw severalRecords(`${name} holds a list under ${quote(list)}; one record is wanted.`);
}

/** The record with fields that no manifest has under `extra`; fields that are there already win. */
function withUnknownUnderExtra({ extra, ...fields }: ServiceRecord, kind: Kind): ServiceRecord {
  if (extra !== undefined && !isRecord(extra)) return { ...fields, extra };
  const entries = Object.entries(fields);
  const isKnown = ([name]: readonly [string, unknown]) => entryKinds[kind].fields.includes(name);
  const unknown = Object.fromEntries(entries.filter((entry) => !isKnown(entry)));
  return { ...Object.fromEntries(entries.filter(isKnown)), extra: { ...unknown, ...extra } };
}
