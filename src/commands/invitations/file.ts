import { nearest } from '../../checks/nearest.ts';
import type { Detail } from '../../errors.ts';
import { readDocument } from '../../files/document.ts';
import { SeveralRecords } from '../../files/several-records.ts';
import { isRecord, type ServiceRecord } from '../../records.ts';
import { shellLine } from '../../render/shell.ts';
import type { Session } from '../../session.ts';
import { serviceFlags } from '../settle.ts';

/** The fields of an invitation, as the contract names them. */
const contractFields = ['email', 'properties', 'is_account_admin', 'role'] as const;
export type InvitationField = (typeof contractFields)[number];

/** What a file says of one invitation; its values are not yet checked. */
export interface InvitationFile {
  /** How messages name the file. */
  readonly name: string;
  readonly fields: Readonly<Partial<Record<InvitationField, unknown>>>;
  /** Fields that the contract does not name, sent as they are. */
  readonly extra: ServiceRecord;
  /** What is wrong with the names of its fields. */
  readonly problems: readonly Detail[];
}

/** Files that are made for several records, whatever they hold. */
const forSeveral = /\.(csv|tsv|ndjson|jsonl)$/i;

/**
 * Reads the file of one invitation: YAML, or JSON by its ending.
 *
 * @param path `-` is stdin.
 * @param allowUnknown sends fields that the contract does not name, also where they do not stand under `extra`.
 * @throws {CliError} exit 2 when it cannot be read, is not valid, or is for several people.
 */
export async function readInvitationFile(
  path: string,
  allowUnknown: boolean,
  { context, globals }: Pick<Session, 'context' | 'globals'>,
): Promise<InvitationFile> {
  try {
    if (forSeveral.test(path))
      throw new SeveralRecords(`${path} is a file for several people; one invitation is created at a time.`);
    const { name, fields } = await readDocument(path, context.stdin, context.signal);
    return sorted(name, fields, allowUnknown);
  } catch (error) {
    if (!(error instanceof SeveralRecords)) throw error;
    const several = shellLine(['innctl', ...serviceFlags(globals), 'invitations', 'import', path]);
    throw error.withHint(`Several people: ${several}`);
  }
}

function sorted(name: string, document: ServiceRecord, allowUnknown: boolean): InvitationFile {
  const { extra, ...fields } = document;
  const others = Object.entries(fields).filter(([field]) => !isContractField(field));
  const unknown = allowUnknown ? [] : others.map(([field]) => unknownField(field, name));
  const extraFields = isRecord(extra) ? extra : {};
  return {
    name,
    fields,
    extra: { ...Object.fromEntries(others), ...extraFields },
    problems: [...unknown, ...problemsOfExtra(extra, name)],
  };
}

function problemsOfExtra(extra: unknown, name: string): readonly Detail[] {
  if (extra === undefined || extra === null) return [];
  if (!isRecord(extra)) return [{ field: `${name}: extra`, reason: 'must hold fields and values' }];
  return Object.keys(extra)
    .filter(isContractField)
    .map((field) => ({
      field: `${name}: extra.${field}`,
      reason: `is a field of the contract: write ${field} outside extra`,
    }));
}

function unknownField(field: string, name: string): Detail {
  const meant = nearest(field, [...contractFields, 'extra']);
  const reason = `is no field of an invitation${meant === undefined ? '' : `: did you mean ${meant}?`}`;
  return { field: `${name}: ${field}`, reason };
}

function isContractField(field: string): boolean {
  return contractFields.some((known) => known === field);
}
