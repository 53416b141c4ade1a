import type { ServiceRecord } from '../../src/model/records.ts';
import type { Records } from '../../src/sandbox/records.ts';
import { type Command, type Name, namesOf, parts, tables } from './steps.ts';

/** What the answers so far say of one thing. */
export interface Belief {
  /** `undefined`: nothing was promised. */
  readonly isThere: boolean | undefined;
  readonly version?: number | undefined;
  /** An apply made it, so that --prune deletes it. */
  readonly isApplied?: boolean | undefined;
}

/** What was never mentioned is not there. */
export type Beliefs = ReadonlyMap<Name, Belief>;

const absent: Belief = { isThere: false };

/** What is believed after a command. @param exitCode `null` after a kill. */
export function believe(before: Beliefs, command: Command, exitCode: number | null): Beliefs {
  const about = namesOf(command);
  const after = ([name, belief]: readonly [Name, Belief]) => {
    if (about.includes(name)) return changes[command.verb](belief, versionIn(command, name), exitCode, about);
    const isPruned = command.verb === 'apply' && command.prune && belief.isThere === true;
    return isPruned ? pruned(belief, exitCode) : belief;
  };
  return new Map([...before].map((each) => [each[0], after(each)]));
}

function versionIn(command: Command, name: Name): number | undefined {
  if (command.verb === 'apply') return command.rows[name];
  return command.verb === 'create' ? command.version : undefined;
}

type Change = (
  belief: Belief,
  version: number | undefined,
  exitCode: number | null,
  about: readonly Name[],
) => Belief;

/** What each verb changes of what it is about. Exit code 3 is: there was nothing; 6 of one creation: it is there. */
const changes: Readonly<Record<Command['verb'], Change>> = {
  apply(belief, version, exitCode) {
    const { isThere, isApplied } = belief;
    if (exitCode === 0) return { isThere: true, version, isApplied: isThere === false || isApplied };
    if (isThere !== true) return { isThere: undefined };
    return { ...belief, version: both(belief.version, version) };
  },
  create(belief, version, exitCode, { length }) {
    if (belief.isThere === true || (exitCode === 6 && length > 1)) return belief;
    if (exitCode !== 0) return { isThere: exitCode === 6 || undefined };
    return { isThere: true, version, isApplied: both(belief.isThere, false) };
  },
  delete(belief, _, exitCode) {
    if (exitCode === 0) return absent;
    return exitCode === 3 || belief.isThere !== true ? belief : { ...belief, isThere: undefined };
  },
  resend(belief, _, exitCode) {
    if (exitCode === 0) return { isThere: true };
    return exitCode === 3 || belief.isThere === false ? belief : { isThere: undefined };
  },
};

function pruned(belief: Belief, exitCode: number | null): Belief {
  if (exitCode !== 0 || belief.isApplied === undefined) return { ...belief, isThere: undefined };
  return belief.isApplied ? absent : belief;
}

const both = <Value>(one: Value, other: Value) => (one === other ? one : undefined);

/** What is certain after two commands at once: what holds in either order. */
export function agreed(one: Beliefs, others: Beliefs): Beliefs {
  const agreement = ([name, belief]: readonly [Name, Belief]): readonly [Name, Belief] => {
    const other = others.get(name) ?? absent;
    const [isThere, version] = [both(belief.isThere, other.isThere), both(belief.version, other.version)];
    return [name, { isThere, version, isApplied: both(belief.isApplied, other.isApplied) }];
  };
  return new Map([...one].map(agreement));
}

/** The records of a name, in a service. */
export function found(name: Name, records: Records) {
  const [kind, called] = parts(name);
  const all = [...records[tables[kind]].values()];
  return all
    .map((record) => {
      const { created } = record;
      const { id, email, code, name, property_id: property } = record as Readonly<Record<string, string>>;
      if (email !== undefined) return { id: email, called: email, version: undefined, created };
      const { company_name: company, max_persons } = record as ServiceRecord;
      const [version, called] =
        company === undefined ? [max_persons, `${property}/${code ?? name}`] : [String(company).at(-1), code];
      return { id: String(id), called, version: Number(version), created };
    })
    .filter((record) => record.called === called);
}

/** Where a service differs from what is believed. */
export function differences(beliefs: Beliefs, records: Records) {
  return [...beliefs].flatMap(([name, { isThere, version }]) => {
    const [one, ...more] = found(name, records);
    const differs = (what: string) => [{ name, what }];
    if (more.length > 0) return differs(`is there ${more.length + 1} times`);
    if (isThere === true && one === undefined) return differs('was said to be there, and is not');
    if (isThere === false && one !== undefined) return differs('was said not to be there, and is');
    if (isThere !== true || version === undefined || one?.version === undefined) return [];
    return one.version === version ? [] : differs(`was said to have ${version}, and has ${one.version}`);
  });
}
