import { isSecret, settings, settingTable } from '../config/settings.ts';
import {
  type Field,
  type InventoryKind,
  isFurther,
  isInventory,
  kinds,
  kindTable,
  namesOf,
  nouns,
} from '../model/kinds.ts';
import { progressModes } from '../print/progress.ts';
import { faultKinds } from '../sandbox/faults.ts';
import { seedNames } from '../sandbox/seeds/names.ts';
import { topicNames } from '../session/command-line.ts';

/** The shells for which there are completions. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/** For each shell the name of its file in completions/, which asks `innctl __complete`. */
export const completionFiles = {
  bash: 'innctl.bash',
  zsh: '_innctl',
  fish: 'innctl.fish',
  powershell: 'innctl.ps1',
} as const satisfies Record<Shell, string>;

/** The lists whose values completions offer, and the command that prints each. */
export const caches = {
  profiles: 'profiles list',
  properties: 'properties list',
  roles: 'roles list',
  countries: 'countries list',
  'user-emails': 'users list',
  'invitation-emails': 'invitations list',
  'unit-groups': 'unit-groups list',
  units: 'units list',
  'unit-attributes': 'unit-attributes list',
} as const;
export type CacheKind = keyof typeof caches;

/** The values that a flag or an argument takes. */
export type Values =
  /** `isOpen`: other values are accepted too. */
  | { readonly kind: 'choices'; readonly choices: readonly string[]; readonly isOpen?: true }
  | { readonly kind: 'cached'; readonly from: CacheKind }
  | { readonly kind: 'code'; readonly of: Code }
  /** What a setting takes; the argument before is its key. */
  | { readonly kind: 'setting'; readonly of: Readonly<Record<string, Values>> }
  /** `run`: the id of a run; `texts`: a language, an equals sign and a text. */
  | { readonly kind: 'file' | 'folder' | 'number' | 'text' | 'run' | 'texts' };

/** Codes that innctl knows without a service. */
export type Code = 'country' | 'currency' | 'language' | 'zone';

/** Values, and whether several can be given: separated by commas, by repeating the flag, or not. */
export interface Taken {
  readonly values: Values;
  readonly several: 'commas' | 'repeated' | undefined;
}

const text: Values = { kind: 'text' };
const file: Values = { kind: 'file' };
const properties = cached('properties');
const profiles = cached('profiles');

/** Settings that `config get` shows, and those that a profile stores. */
const shown = settings.filter((setting) => !isSecret(setting));
const stored = shown.filter(({ place }) => place !== 'none');

/** The values of one flag or argument of several commands. */
function at(places: readonly string[], values: Values): Readonly<Record<string, Values>> {
  return Object.fromEntries(places.map((place) => [place, values]));
}

/** What the commands of inventory take: ids, and what the table says of their flags. */
function ofInventory(kind: InventoryKind): Readonly<Record<string, Values>> {
  const noun = nouns[kind];
  const { fields, filters, expansions } = kindTable[kind];
  const ids = ['get', 'exists', 'update', 'delete', 'archive'].map((verb) => `${verb} <id>`);
  const named = [...ids, 'create --like', 'delete --confirm', 'archive --confirm'];
  const flags = (verbs: readonly string[], all: readonly Pick<Field, 'flag' | 'choices' | 'of'>[]) =>
    all.flatMap(({ flag, choices: words, of }) => {
      const values = words === undefined ? of && cached(nouns[of]) : choices(words);
      return values === undefined ? [] : verbs.map((verb) => [`${noun} ${verb} --${flag}`, values] as const);
    });
  return {
    ...at(
      named.map((place) => `${noun} ${place}`),
      cached(noun),
    ),
    ...at([`${noun} list --expand`, `${noun} get --expand`], choices(expansions)),
    ...Object.fromEntries([...flags(['list', 'count'], filters), ...flags(['create', 'update'], fields)]),
  };
}

/** By command and flag or argument, if the name alone is not enough. */
const byPlace: Readonly<Record<string, Values>> = {
  ...Object.assign({}, ...kinds.filter(isInventory).map(ofInventory)),
  'invitations create <properties>': properties,
  ...at(['invitations delete <email>', 'sandbox accept <email>'], cached('invitation-emails')),
  ...at(['access diff <old>', 'access diff <new>'], file),
  ...at(['history list --user', 'access report --user', 'people onboard --like'], cached('user-emails')),
  ...at(
    ['users update --confirm', 'users disable --confirm', 'people sync --confirm'],
    cached('user-emails'),
  ),
  'history list --kind': choices(kinds),
  'history list --since': suggestions(['7d', '12h', '30m']),
  'drift --scope': choices(['files', 'all']),
  'properties list --status': choices(kindTable.property.filters.flatMap((each) => each.choices ?? [])),
  'properties list --expand': choices(kindTable.property.expansions),
  'properties delete --confirm': properties,
  ...at(['profiles use <name>', 'profiles show <name>', 'profiles remove <name>'], profiles),
  ...at(['profiles add --client-id', 'login --client-id'], text),
  'completion <shell>': choices(shells),
  'template <content>': choices(['properties', 'people', 'unit-groups', 'units']),
  'help <words>': suggestions(topicNames),
  'api <method>': choices(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']),
  'api <path>': text,
  'config get <key>': choices(shown.map(({ key }) => key)),
  'config set <value>': {
    kind: 'setting',
    of: {
      ...Object.fromEntries(stored.flatMap(({ key, words }) => (words ? [[key, choices(words)]] : []))),
      ca_file: file,
    },
  },
  ...at(['config set <key>', 'config unset <key>'], choices(stored.map(({ key }) => key))),
};

/** By flag, or by argument in brackets. */
const byName: Readonly<Record<string, Values>> = {
  ...at(['--profile', '--profiles'], profiles),
  '--output': choices(settingTable.output.words),
  '--color': choices(settingTable.color.words),
  ...at(['--allow-lockout', '<subject-id|e-mail>'], cached('user-emails')),
  ...at(['--role', '--roles'], cached('roles')),
  '--country-code': cached('countries'),
  '--time-zone': { kind: 'code', of: 'zone' },
  '--currency-code': { kind: 'code', of: 'currency' },
  '--languages': { kind: 'code', of: 'language' },
  ...at(['--like', '<id>'], properties),
  '--kind': choices(['property', 'invitation', 'user']),
  '--people-as': choices(['users', 'invitations']),
  '--by': choices(['property', 'inviter']),
  '--expand': suggestions(['unitGroups', 'actions']),
  ...at(['--add-attribute', '--remove-attribute'], cached('unit-attributes')),
  '--sort': suggestions([...namesOf('user', (each) => isFurther(each) && each.type === 'text'), 'email']),
  '--progress': choices(progressModes),
  '--dialect': choices(settingTable.dialect.words),
  '--preset': choices(['apaleo']),
  '--auth': choices(['token', 'client-credentials']),
  '--seed': choices(seedNames),
  '--fault': suggestions(Object.keys(faultKinds)),
  '--older-than': suggestions(['30d', '2w', '12h']),
  ...at(['--patch', '<files>', '<policy>', '<review>'], file),
  ...at(['--run', '--run-id', '<run-id>'], { kind: 'run' }),
};

/** By placeholder. */
const byPlaceholder: Readonly<Record<string, Values>> = {
  ...at(['path', 'file'], file),
  folder: { kind: 'folder' },
  ...at(['ids', 'id'], properties),
  ...at(['n', 'ms', 'seconds', 'MiB'], { kind: 'number' }),
  'lang=text': { kind: 'texts' },
  'true|false': choices(['true', 'false']),
};

const withCommas = new Set(['ids', 'properties', 'e-mails', 'codes', 'names', 'kinds', 'fields', 'code=n']);
const repeated = new Set(['header=column', 'header=pattern', 'lang=text', 'name=value', 'spec']);

/**
 * The values of a flag or an argument.
 *
 * @param path the words of its command.
 * @param name `--role`, or `<email>` for an argument, also if it is optional.
 * @param placeholder the word in the brackets.
 */
export function takenBy(path: readonly string[], name: string, placeholder: string): Taken {
  const values = byPlace[`${path.join(' ')} ${name}`] ?? byName[name] ?? byPlaceholder[placeholder] ?? text;
  if (withCommas.has(placeholder)) return { values, several: 'commas' };
  const isRepeated = repeated.has(placeholder) || name === '--patch' || name === '--confirm';
  return { values, several: isRepeated ? 'repeated' : undefined };
}

function cached(from: CacheKind): Values {
  return { kind: 'cached', from };
}

function choices(words: readonly string[]): Values {
  return { kind: 'choices', choices: words };
}

function suggestions(words: readonly string[]): Values {
  return { kind: 'choices', choices: words, isOpen: true };
}
