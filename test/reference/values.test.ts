import type { Option } from '@commander-js/extra-typings';
import { expect, test } from 'vitest';
import { methodProblem } from '../../src/commands/api/request.ts';
import { findShowable, findStorable } from '../../src/commands/config/index.ts';
import { presetNames } from '../../src/commands/login/given.ts';
import { settings, settingTable } from '../../src/config/settings.ts';
import { allOf } from '../../src/reference/model.ts';
import { caches, type Taken } from '../../src/reference/values.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { topicNames } from '../../src/session/command-line.ts';
import { cli } from '../helpers/cli.ts';
import { commandAt, commandModel, commandTree } from './tree.ts';

const everyFlag = allOf(await commandModel()).flatMap(({ path, flags }) =>
  flags.map((flag) => ({ ...flag, path, place: ['innctl', ...path, flag.long].join(' ') })),
);

const everyArgument = allOf(await commandModel()).flatMap(({ path, arguments: values }) =>
  values.map((value) => ({ ...value, place: ['innctl', ...path, `<${value.name}>`].join(' ') })),
);

/** The values that each flag or argument accepts or suggests. */
const choices = Object.fromEntries(
  [...everyFlag.map(({ place, value }) => ({ place, ...value })), ...everyArgument].flatMap(
    ({ place, values }) => (values?.kind === 'choices' ? [[place, values.choices]] : []),
  ),
);

const wordsIn = (text: string) =>
  /is (?:not one of|not|none of) ([a-z-]+(?:, [A-Za-z-]+)*)/i.exec(text)?.[1]?.split(', ');

const refusalOf = (parsed: object) => ('reason' in parsed ? String(parsed.reason) : 'taken');

const accepts = (find: (key: string) => unknown) =>
  settings
    .map(({ key }) => key)
    .filter((key) => {
      try {
        return find(key) !== undefined;
      } catch {
        return false;
      }
    });

test('the choices of settings equal those in the error for an invalid value', () => {
  const { output, color, dialect, auth } = settingTable;

  expect({
    'innctl --output': wordsIn(refusalOf(output.parse('?'))),
    'innctl --color': wordsIn(refusalOf(color.parse('?'))),
    'innctl profiles add --dialect': wordsIn(refusalOf(dialect.parse('?'))),
    'innctl profiles add --auth': wordsIn(refusalOf(auth.parse('?')))?.filter((word) => word !== 'user'),
    'innctl login --dialect': wordsIn(refusalOf(dialect.parse('?'))),
    'innctl login --preset': presetNames,
    'innctl profiles add --preset': presetNames,
    'innctl api <method>': wordsIn(methodProblem('?')),
  }).toEqual(
    Object.fromEntries(
      [
        '--output',
        '--color',
        'profiles add --dialect',
        'profiles add --auth',
        'login --dialect',
        'login --preset',
        'profiles add --preset',
        'api <method>',
      ]
        .map((place) => `innctl ${place}`)
        .map((place) => [place, choices[place]]),
    ),
  );
});

test('the values of config set equal those that each setting accepts', () => {
  const value = everyArgument.find(({ place }) => place === 'innctl config set <value>')?.values;
  const of = value?.kind === 'setting' ? value.of : {};
  const words = (key: string) => (of[key]?.kind === 'choices' ? of[key].choices : undefined);
  const storable = settings.filter(({ key }) => accepts((each) => findStorable(each, 'chain')).includes(key));

  expect(storable.map(({ key }) => [key, words(key)])).toEqual(
    storable.map(({ key, parse }) => {
      const reason = refusalOf(parse('?', { insecureHttp: false }));
      const accepted = /is not true or false/.test(reason) ? ['true', 'false'] : (wordsIn(reason) ?? []);
      // Of other reasons `wordsIn` takes the next word: a number, a header.
      return [key, accepted.length > 1 ? accepted : undefined];
    }),
  );
});

test('the keys of config equal those that each command accepts', () => {
  expect(choices['innctl config get <key>']).toEqual(accepts(findShowable));
  expect(choices['innctl config set <key>']).toEqual(accepts((key) => findStorable(key, 'chain')));
  expect(choices['innctl config unset <key>']).toEqual(accepts((key) => findStorable(key, 'chain')));
});

test.each([
  ['apply x --progress', 'innctl apply --progress'],
  ['export --kind', 'innctl export --kind'],
  ['history list --kind', 'innctl history list --kind'],
  ['history list --since', 'innctl history list --since'],
  ['properties list --status', 'innctl properties list --status'],
  ['unit-groups list --type', 'innctl unit-groups list --type'],
  ['unit-groups create --type', 'innctl unit-groups create --type'],
  ['unit-groups list --expand', 'innctl unit-groups list --expand'],
  ['unit-groups get BER-DBL --expand', 'innctl unit-groups get --expand'],
  ['units list --status', 'innctl units list --status'],
  ['units count --condition', 'innctl units count --condition'],
  ['units list --maintenance', 'innctl units list --maintenance'],
  ['units get BER-LIT --expand', 'innctl units get --expand'],
  ['units update BER-LIT --condition', 'innctl units update --condition'],
  ['completion', 'innctl completion <shell>'],
  ['template', 'innctl template <content>'],
  ['sandbox serve --seed', 'innctl sandbox serve --seed'],
  ['sandbox reset --seed', 'innctl sandbox reset --seed'],
  ['sandbox serve --fault', 'innctl sandbox serve --fault'],
  ['sandbox serve --dialect', 'innctl sandbox serve --dialect'],
])('an invalid value is rejected with all choices: innctl %s', async (line, place) => {
  const env = { INNCTL_DIALECT: 'apaleo' };
  const { exitCode, stderr } = await cli(`--sandbox ${line} qqqqqqqq`, { env, connect: connectUndici });

  expect(exitCode).toBe(2);
  for (const choice of choices[place] ?? ['no choices']) expect(stderr).toContain(choice);
});

test('the choices of help are its topics', () => {
  expect(choices['innctl help <words>']?.toSorted()).toEqual(topicNames.toSorted());
});

test('choices that commander checks are the same list', async () => {
  const root = await commandTree();
  const checked = everyFlag.flatMap(({ path, long, place }) => {
    const words = optionOf(commandAt(root, path).options, long)?.argChoices;
    return words === undefined ? [] : [[place, words]];
  });

  expect(checked.length).toBe(5);
  expect(checked).toEqual(checked.map(([place]) => [place, choices[String(place)]]));
});

/** They collect several values to report themselves that only one is accepted. */
const singleOnly = ['innctl invitations list --property-id', 'innctl invitations list --property'];

test.each(everyFlag.filter(({ value, place }) => value !== undefined && !singleOnly.includes(place)))(
  'a value is marked as repeatable or comma-separated exactly when the parser accepts several: $place',
  async ({ path, long, value }) => {
    const option = optionOf(commandAt(await commandTree(), path).options, long);

    expect({ several: severalOf(option, sampleFor(long)) }).toEqual({ several: value?.several });
  },
);

test('the kind of a value does not depend on its placeholder alone', () => {
  const textPlaces = ['profiles add --client-id', 'login --client-id'];

  expect(
    everyFlag.filter(({ path, long }) => textPlaces.includes([...path, long].join(' '))).map(kindOf),
  ).toEqual(textPlaces.map(() => 'text'));
});

test('every completion cache is used by a flag or argument', () => {
  const used = [...everyFlag.map(({ value }) => value?.values), ...everyArgument.map(({ values }) => values)];

  expect(
    Object.keys(caches).filter(
      (kind) => !used.some((values) => values?.kind === 'cached' && values.from === kind),
    ),
  ).toEqual([]);
});

function kindOf({ value }: (typeof everyFlag)[number]): string | undefined {
  return value?.values.kind;
}

function optionOf(options: readonly Option[], long: string): Option | undefined {
  return options.find((option) => option.long === long);
}

/** A valid value of a flag. */
function sampleFor(long: string): string {
  return long === '--fault' ? '503' : '1';
}

/** Parses two values of a flag, and one with a comma, as commander does. */
function severalOf(option: Option | undefined, sample: string): Taken['several'] {
  const given = (text: string, before: unknown): unknown => {
    try {
      return option?.parseArg?.(text, before as never);
    } catch {
      return undefined;
    }
  };
  const isList = (value: unknown, length: number) => Array.isArray(value) && value.length === length;
  if (!isList(given(sample, given(sample, undefined)), 2)) return undefined;
  return isList(given(`${sample},${sample}`, undefined), 2) ? 'commas' : 'repeated';
}
