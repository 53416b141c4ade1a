import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Ended } from '../bin/home.ts';
import type { Program } from './program.ts';
import type { Seed } from './seed.ts';
import type { Service } from './service.ts';

/** Everything that is wrong after a run that was to leave its whole seed done; empty when nothing is. */
export async function problemsAfter(
  { seed, service, journal }: Program,
  ended: Ended,
): Promise<readonly string[]> {
  return [
    ...problemsOf(ended, seed.rows),
    ...(await problemsAt(service, seed)),
    ...(await problemsOfJournal(journal)),
  ];
}

/** The properties that were created, and that the journal does not call done. */
export async function unheardOf({ service, journal }: Program): Promise<ReadonlySet<string>> {
  const lines = await linesOf(journal);
  const answered = new Set(
    lines.map(({ is, of, outcome }) => (is === 'answer' && outcome === 'done' ? of : '')),
  );
  const done = new Set(
    lines.flatMap(({ id, rows = [] }) => (answered.has(id) ? rows.map(({ name }) => name) : [])),
  );
  return new Set([...service.gateway.ledger.creations.keys()].filter((code) => !done.has(code)));
}

/** What the program says. */
function problemsOf({ exitCode, stdout, stderr }: Ended, rows: number): readonly string[] {
  if (exitCode !== 0) return [`ended with ${exitCode}: ${stderr.slice(-2_000)}`];
  const { items }: { readonly items: readonly { readonly outcome: string }[] } = JSON.parse(stdout);
  const done = items.filter(({ outcome }) => outcome === 'done').length;
  return done === rows ? [] : [`${done} of ${rows} rows are done`];
}

/** What the service did and holds. */
async function problemsAt(service: Service, seed: Seed): Promise<readonly string[]> {
  const { ledger } = service.gateway;
  const { records, invited } = await service.held();
  const { expected } = seed;
  const people = new Map([...records.users.values()].map((user) => [user.email, user]));
  return [
    ...ledger.duplicates.map((name) => `${name} was to be created a second time`),
    ...moreThanOnce(ledger.creations).map((code) => `${code} was created more than once`),
    ...moreThanOnce(ledger.mails).map((email) => `${email} may have got more than one mail`),
    ...moreThanOnce(invited).map((email) => `${email} was invited more than once`),
    ...differences('property', expected.properties, records.properties),
    ...differences('invitation', expected.invitations, records.invitations),
    ...differences('user', expected.users, people),
  ];
}

/** The journal says that its run is complete. */
async function problemsOfJournal(journal: string): Promise<readonly string[]> {
  const last = (await linesOf(journal)).at(-1);
  const left = [last?.failed, last?.unknown, last?.not_attempted];
  return left.every((count) => count === 0) ? [] : [`the journal ends with ${JSON.stringify(last)}`];
}

interface Line {
  readonly is: string;
  readonly id?: string;
  readonly rows?: readonly { readonly name: string }[];
  readonly of?: string;
  readonly outcome?: string;
  readonly failed?: number;
  readonly unknown?: number;
  readonly not_attempted?: number;
}

/** The text of the one journal in a folder. */
export async function journalIn(folder: string): Promise<string> {
  const [name = ''] = (await readdir(folder)).filter((each) => each.endsWith('.ndjson'));
  return readFile(join(folder, name), 'utf8');
}

/** The lines that are whole. */
async function linesOf(journal: string): Promise<readonly Line[]> {
  const lines = (await journalIn(journal)).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

function moreThanOnce(counts: ReadonlyMap<string, number>): readonly string[] {
  return [...counts].filter(([, times]) => times > 1).map(([name]) => name);
}

type Fields = Readonly<Record<string, unknown>>;

/** Each thing that is lost, and each of its fields that has another value than the seed says. */
function differences(
  kind: string,
  expected: ReadonlyMap<string, Fields>,
  there: ReadonlyMap<string, object>,
): readonly string[] {
  return [...expected].flatMap(([name, fields]) => {
    const found = there.get(name);
    if (found === undefined) return [`${kind} ${name} is lost`];
    const record = Object.fromEntries(Object.entries(found));
    return Object.entries(fields)
      .filter(([field, value]) => !isDeepStrictEqual(record[field], value))
      .map(([field]) => `${kind} ${name} has ${field} ${JSON.stringify(record[field])}`);
  });
}
