import * as v from 'valibot';
import { readJson } from '../fs/document.ts';
import { invalidInput, usageError } from '../model/errors.ts';
import { isRecord } from '../model/records.ts';

const text = v.string('must be a text');
const truth = v.boolean('must be true or false');
/** `null`: of an invitation. */
const ofUser = v.nullable(v.boolean('must be true, false or null'));
const count = v.number('must be a number');

/** What may be said of an account. */
const states = ['active', 'disabled', 'invited', 'expired'] as const;

/** What one person may do at one property, from one record of the service. */
export type Fact = v.InferOutput<typeof factSchema>;

/** The fields of a fact in a file. */
export const factSchema = v.pipe(
  v.object({
    /** As the service shows it; a user without an address is named by the subject id. Compare with `sameAddress`. */
    email: v.pipe(text, v.nonEmpty('must not be empty')),
    /** `Ben Schuster`; empty where none is shown. */
    name: text,
    /** Of a user. */
    subject_id: v.exactOptional(text),
    state: v.picklist(states, `must be one of ${states.join(', ')}`),
    account_admin: truth,
    /** An id; `*`: every property; `null`: none. */
    property: v.nullable(text),
    /** In English, or in its first language; empty where unknown. */
    property_name: text,
    /** Sorted; `null`: the service does not show roles of users. */
    roles: v.nullable(v.pipe(v.array(text, 'must be a list of texts, or null'), v.readonly())),
    mfa: ofUser,
    passkeys: ofUser,
    invited_by: v.exactOptional(text),
    /** When an invitation was made, as the service shows it. */
    since: v.exactOptional(text),
    /** Whole days since then. It changes by itself, so it counts in no difference and no digest. */
    age_days: v.exactOptional(count),
    source: v.picklist(['user', 'invitation'], 'must be user or invitation'),
  }),
  v.readonly(),
);

/** Facts that were asked for: of some properties, of one person. */
export interface Selection {
  readonly properties?: readonly string[] | undefined;
  readonly user?: string | undefined;
}

/** A property as reports name it. */
export type FoundProperty = v.InferOutput<typeof propertySchema>;

const propertySchema = v.pipe(
  v.object({
    id: text,
    /** What people call it; left out where it is the id, or not shown. */
    code: v.exactOptional(text),
    /** In English, or in its first language; empty where unknown. */
    name: text,
  }),
  v.readonly(),
);

/** All facts of an account, as `access report --json` prints them. Two of them differ in `made` alone if nothing changed. */
export type AccessDocument = v.InferOutput<typeof documentSchema>;

const aboutSchema = v.object({
  version: v.literal(1, 'must be 1: this innctl reads no other version'),
  made: text,
  identity_url: text,
  base_url: text,
  dialect: text,
  /** The user of the token; `null` for client credentials. */
  actor: v.nullable(text),
  complete: v.literal(true, 'must be true: a part of a report cannot be read'),
  /** What the facts are limited to. Such a report is printed, and not read. */
  selected: v.exactOptional(
    v.custom<Selection>(() => false, 'must not be there: a part of the account cannot stand for all of it'),
  ),
  /** Number of facts without roles, because they are not shown. */
  unknown: count,
  /** Sorted by id: those of the account, archived ones only if somebody has them, and others that somebody has. */
  properties: v.pipe(v.array(propertySchema, 'must be a list'), v.readonly()),
});

const documentSchema = v.pipe(
  v.object({
    access: v.pipe(aboutSchema, v.readonly()),
    count,
    items: v.pipe(v.array(factSchema, 'must be a list'), v.readonly()),
  }),
  v.readonly(),
);

/**
 * A saved report.
 *
 * @param name the file, for sentences.
 * @throws {CliError} exit 2 when it is no JSON; when it is not what `access report --json` prints, with all places.
 */
export async function readDocument(json: string, name: string): Promise<AccessDocument> {
  const value = await readJson(json, name);
  if (!isRecord(value) || !isRecord(value['access'])) throw usageError(`${name} is no access report.`);
  const { success, output, issues } = v.safeParse(documentSchema, value);
  if (!success) {
    const details = issues.map((issue) => ({
      field: `${name}: ${v.getDotPath(issue) ?? 'the report'}`,
      reason: issue.received === 'undefined' ? 'is missing' : issue.message,
    }));
    throw invalidInput(details);
  }
  const { count, items } = output;
  if (count !== items.length)
    throw usageError(`${name} counts ${count} facts and has ${items.length}: it was cut, or edited.`);
  return output;
}
