import { hamburg } from '../helpers/hamburg.ts';
import { fc } from '../helpers/laws.ts';
import { type Moment, moments } from '../soak/gateway.ts';

/** What histories are about, as kind and name; units as property/name. */
export const names = [
  ...(['property HAM', 'unit HAM/1', 'unit_group BER/TRP', 'invitation mia@example.com'] as const),
  ...(['unit BER/901', 'unit BER/902', 'unit BER/903'] as const),
] as const;
export type Name = (typeof names)[number];

/** What a file wants, by name; the version stands for the values of a row. */
type Rows = Readonly<Partial<Record<Name, number>>>;

/** The first and the last of consecutive names. */
type Range = readonly [Name, Name];

export type Command =
  | { readonly verb: 'apply'; readonly rows: Rows; readonly prune: boolean }
  | { readonly verb: 'create'; readonly range: Range; readonly version: number }
  | { readonly verb: 'delete' | 'resend'; readonly name: Name };

/** One command, or two at once, and what happens to them. */
export interface Step {
  /** Waited before. */
  readonly minutes: number;
  /** A number is the command so many steps before. */
  readonly command: Command | number;
  /** At the same time; 0 is the same command twice. */
  readonly alongside?: Command | number;
  /** Where the last of them runs: 1 has a folder of its own. */
  readonly machine?: number;
  /** What the service does during this step, as `--fault` has it. */
  readonly fault?: string;
  /** The process of the first is killed at this write. */
  readonly kill?: { readonly moment: Moment; readonly write: number };
  /** The journal is lost before. */
  readonly forgets?: boolean;
}

/** A service, and what was done to it. */
export interface History {
  readonly lagMs: number;
  readonly reads: 'lists' | 'all';
  readonly ignoresKeys?: boolean;
  /** Every apply has the same run id. */
  readonly runId?: boolean;
  readonly steps: readonly Step[];
}

/** The tables of the service, by kind; on the command line with a hyphen. */
export const tables = {
  property: 'properties',
  unit_group: 'unit_groups',
  unit: 'units',
  invitation: 'invitations',
} as const;

/**
 * The arguments of a command.
 *
 * @param place the path of the manifest of an apply; the id of what is deleted.
 */
export function argumentsOf(command: Command, place: string): readonly string[] {
  switch (command.verb) {
    case 'apply':
      return ['apply', place, '--yes', ...(command.prune ? ['--prune', '--max-deletes', '99'] : [])];
    case 'resend':
      return ['invitations', 'resend', place, '--yes', '--max-deletes', '1'];
    case 'delete': {
      const [kind] = parts(command.name);
      return [tables[kind], 'delete', place, ...(kind === 'invitation' ? ['--yes'] : ['--confirm', place])];
    }
    case 'create': {
      const [first, last] = command.range;
      const { kind, ...fields } = entryOf(first, command.version);
      const [from, to] = [first, last].map((name) => parts(name)[1].split('/').at(-1));
      const range = first === last ? {} : { name: undefined, names: `${from}..${to}` };
      return [tables[kind].replace('_', '-'), 'create', ...flagsOf({ ...fields, ...range })];
    }
  }
}

/** The flags that give these fields. */
function flagsOf(fields: object): readonly string[] {
  return Object.entries(fields).flatMap(([field, value]) => {
    if (value === undefined) return [];
    if (field === 'location') return flagsOf(value);
    return [`--${field.replaceAll('_', '-')}`, value.en === undefined ? String(value) : `en=${value.en}`];
  });
}

/** What a command is about; with a property goes what it lets. */
export function namesOf(command: Command): readonly Name[] {
  if (command.verb === 'apply') return names.filter((name) => name in command.rows);
  if (command.verb !== 'create') return command.name === HAM ? [HAM, HAM_1] : [command.name];
  const [first, last] = command.range;
  return names.slice(names.indexOf(first), names.indexOf(last) + 1);
}

/** The manifest that wants these rows. */
export function manifestOf(rows: Rows): string {
  // The keys of the rows are names.
  return JSON.stringify(Object.entries(rows).map(([name, version]) => entryOf(name as Name, version)));
}

/** An entry of a manifest. */
function entryOf(name: Name, version: number) {
  const [kind, own] = parts(name);
  const [property, called] = own.split('/');
  const alike = { property, max_persons: version, description: { en: 'Bed' } };
  switch (kind) {
    case 'property':
      return { kind, ...hamburg, company_name: `Hafenhotel ${version}`, payment_terms: { en: 'Now' } };
    case 'unit_group':
      return { kind, ...alike, code: called, name: { en: 'Triple' } };
    case 'unit':
      return { kind, ...alike, name: called };
    default:
      return { kind, email: own, role: 'Housekeeping', properties: ['BER'] };
  }
}

/** The kind of a name, and how it is called. */
export function parts(name: Name): readonly [kind: keyof typeof tables, called: string] {
  const [kind, called = ''] = name.split(' ');
  // Every name begins with its kind.
  return [kind as keyof typeof tables, called];
}

const [HAM, HAM_1, group, mia, ...units] = names;
/** To the next one, or to the last. */
const ranges = units
  .slice(0, -1)
  .flatMap((first, at) => units.slice(at + 1).map((last): Range => [first, last]));
/** A history is about some of the names, so that its commands meet. */
const themes: readonly (readonly Name[])[] = [[HAM, HAM_1], [group, mia], units, names];

/** Commands about some of the names. */
function commandsAbout(some: readonly Name[]) {
  const version = fc.integer({ min: 1, max: 3 });
  const rows: fc.Arbitrary<Rows> = fc
    .record(Object.fromEntries(some.map((name) => [name, version])), { requiredKeys: [] })
    .filter((all) => Object.keys(all).length > 0 && (HAM in all || !(HAM_1 in all)));
  const single = some.filter((name) => name !== HAM_1);
  const several = ranges.filter(([name]) => some.includes(name));
  const range = fc.constantFrom(...single.map((name): Range => [name, name]), ...several);
  const deleted = single.filter((name) => name !== group).map((name) => ({ verb: 'delete', name }) as const);
  const resent = some.includes(mia) ? [{ verb: 'resend', name: mia } as const] : [];
  const apply = fc.record({ verb: fc.constant('apply' as const), rows, prune: fc.constant(false) });
  return {
    apply,
    prune: apply.map((given) => ({ ...given, prune: true })),
    create: fc.record({ verb: fc.constant('create' as const), range, version }),
    remove: fc.constantFrom(...deleted, ...resent),
  };
}

const fault = fc.constantFrom(
  ...['drop-after:method=POST', 'drop-before:method=POST', 'drop-after:method=POST,nth=1'],
  ...['drop-after:method=POST,nth=2', 'drop-after:method=DELETE', 'drop-before:method=DELETE'],
  ...['503:method=POST', 'drop-after:method=PATCH'],
);
const kill = fc.record({
  moment: fc.constantFrom(moments[0], moments[1]),
  write: fc.integer({ min: 1, max: 4 }),
});
const forgets = fc.boolean();
const machine = fc.constant(1);
const again = fc.integer({ min: 1, max: 3 });

type Commands = ReturnType<typeof commandsAbout>;
const unpruned = ({ apply, create, remove }: Commands) => fc.oneof(apply, create, remove, again, again);
const any = (all: Commands) => fc.oneof(all.prune, ...Array.from({ length: 4 }, () => unpruned(all)));
const beside = ({ create, remove }: Commands) => fc.oneof(fc.constant(0), create, remove);

interface Kind {
  readonly commands: (all: Commands) => fc.Arbitrary<Command | number>;
  /** What may happen to each step. */
  readonly steps?: (all: Commands) => { readonly [Key in keyof Step]?: fc.Arbitrary<Step[Key]> };
  readonly service?: Pick<History, 'runId' | 'ignoresKeys'>;
}

/** What is done, and what disturbs it. What no journal remembers is not pruned. */
const kinds: Readonly<Record<string, Kind>> = {
  'a service that shows late': { commands: any },
  'lost answers': { commands: any, steps: () => ({ fault }) },
  'killed processes': { commands: any, steps: (all) => ({ kill, alongside: beside(all) }) },
  'two processes': { commands: any, steps: (all) => ({ fault, alongside: beside(all) }) },
  'lost journals': { commands: unpruned, steps: () => ({ fault, forgets }) },
  'two machines': { commands: unpruned, steps: (all) => ({ fault, machine, alongside: beside(all) }) },
  'lost journals with a run id': {
    commands: () => again,
    steps: () => ({ fault, forgets, machine, alongside: fc.constant(0) }),
    service: { runId: true },
  },
  'ignored keys': { commands: any, steps: () => ({ fault }), service: { ignoresKeys: true } },
};

/** Histories by what disturbs them. */
export const histories = Object.entries(kinds).map(([name, kind]) => ({
  name,
  arbitrary: fc.oneof(...themes.map((some) => history(commandsAbout(some), kind))),
}));

function history(all: Commands, { commands, steps = () => ({}), service }: Kind): fc.Arbitrary<History> {
  const stepOf = (command: fc.Arbitrary<Command | number>) =>
    fc.record(
      { minutes: fc.constantFrom(0, 0, 1, 5, 16), command, ...steps(all) },
      { requiredKeys: ['minutes', 'command'] },
    );
  const more = fc.array(stepOf(commands(all)), { minLength: 1, maxLength: 6, size: 'max' });
  const first = stepOf(service?.runId ? all.apply : fc.oneof(all.apply, all.create));
  return fc
    .record({
      lagMs: fc.constantFrom(0, 20_000, 60_000, 300_000, 840_000),
      reads: fc.constantFrom('lists' as const, 'all' as const),
      steps: fc.tuple(first, more).map(([one, others]) => [one, ...others]),
    })
    .map((rest) => ({ ...rest, ...service }));
}
