import { expect, test } from 'vitest';
import { manualPage } from '../../scripts/build/manual.mts';
import { anchorOf, referencePage } from '../../scripts/build/reference-page.mts';
import { allOf, type CommandModel } from '../../src/reference/model.ts';
import { commandModel } from './tree.ts';

const topics = { 'exit-codes': 'Exit codes\n\n    0  done\n', safety: 'Safety\n\n```\n' };

/** A command whose texts contain markup. */
const hostile: CommandModel = {
  path: ['strange'],
  aliases: [],
  summary: '.Sh INJECTED \\fBbold\\fP "quoted"',
  description: "Reads `a|b`. 'tis <b>not</b> | a *table*. .Sh is no heading.",
  about: { effect: 'reads', examples: ['.so /etc/passwd', "'strange `x` \\n ```", '--name "Grand Hôtel"'] },
  arguments: [
    {
      name: 'No',
      description: '| a bar, and a _line_',
      isRequired: true,
      isVariadic: true,
      values: { kind: 'choices', choices: ['one', 'two'], isOpen: true },
      several: undefined,
    },
  ],
  flags: [
    {
      flags: '--mode <a|b>',
      short: undefined,
      long: '--mode',
      description: '.Bl -tag',
      value: { placeholder: 'a|b', values: { kind: 'text' }, several: undefined, default: 4 },
      group: undefined,
    },
  ],
  commands: [],
};

const tree = await commandModel();
const root: CommandModel = { ...tree, commands: [hostile] };
const texts = {
  summary: hostile.summary,
  description: hostile.description,
  about: { examples: hostile.about.examples },
};

test('every command and topic has a section, and every link of the contents has a target', () => {
  const page = referencePage(tree, topics);
  const anchors = [...page.matchAll(/^##+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
  const links = [...page.matchAll(/\]\((#[^)]*)\)/g)].map(([, link]) => link);

  expect(new Set(anchors).size).toBe(anchors.length);
  expect([...new Set(links)].toSorted()).toEqual(anchors.toSorted());
  expect(anchors).toEqual(
    expect.arrayContaining(
      allOf(tree)
        .slice(1)
        .map(({ path }) => `#innctl-${path.join('-')}`),
    ),
  );
});

test('global flags are in the reference once', () => {
  expect(referencePage(tree, topics).match(/^\| `--sandbox` \|/gm)).toHaveLength(1);
});

test('a section shows usage, examples, arguments, flags and exit codes', () => {
  const page = referencePage(root, topics);

  expect(page.slice(page.indexOf('## innctl strange'), page.indexOf('## Topics'))).toBe(`## innctl strange

Reads \\\`a\\|b\\\`. 'tis \\<b\\>not\\</b\\> \\| a \\*table\\*. .Sh is no heading. Read-only.

\`\`\`text
innctl strange <No...> [flags]
\`\`\`

\`\`\`\`sh
innctl .so /etc/passwd
innctl 'strange \`x\` \\n \`\`\`
innctl --name "Grand Hôtel"
\`\`\`\`

| argument | description |
|---|---|
| \`<No...>\` | \\| a bar, and a \\_line\\_; such as one, two |

| flag | description |
|---|---|
| \`--mode <a\\|b>\` | .Bl -tag (default: 4) |

[Exit codes](#innctl-help-exit-codes): 0, 1, 2, 130, 143

`);
  expect(page).toContain('````text\nSafety\n\n```\n````\n');
});

test('the manual page escapes macros and escapes in texts', () => {
  const page = manualPage({ ...root, ...texts, flags: hostile.flags }, '1.2.3');

  expect(page.slice(0, page.indexOf('.Sh ENVIRONMENT'))).toBe(`.Dd November 1, 2026
.Dt INNCTL 1
.Os
.Sh NAME
.Nm innctl
.Nd .Sh INJECTED \\efBbold\\efP \\(dqquoted\\(dq
.Sh SYNOPSIS
.Nm innctl
.Ar command
.Op Ar flags
.Sh DESCRIPTION
Reads \\(gaa|b\\(ga.
\\(aqtis <b>not</b> | a *table*.
\\&.Sh is no heading.
This is version 1.2.3.
.Pp
Run innctl help followed by a command to see its arguments and flags.
The commands are:
.Bl -tag -width Ds
.It Cm strange
\\&.Sh INJECTED \\efBbold\\efP \\(dqquoted\\(dq
.El
.Pp
All commands take these flags, before or after the command:
.Bl -tag -width Ds
.It Fl \\-mode Ar a|b
\\&.Bl \\-tag (default: 4)
.El
`);
  expect(page).toContain(`.Bd -literal -offset indent
innctl .so /etc/passwd
innctl \\(aqstrange \\(gax\\(ga \\en \\(ga\\(ga\\(ga
innctl \\-\\-name \\(dqGrand H\\[u00F4]tel\\(dq
.Ed
`);
});

test('the manual page lists every command, variable and exit code', () => {
  const page = manualPage(tree, '1.2.3');

  for (const { path, about } of allOf(tree).filter(({ about }) => about.effect !== undefined))
    expect({ about, page }).toEqual({
      about,
      page: expect.stringContaining(`.It Cm ${path.join(' ').replaceAll('-', '\\-')}\n`),
    });
  expect(page).toMatch(/^\.It Ev INNCTL_PROFILE$/m);
  expect(page).toMatch(/^\.It 143$/m);
});
