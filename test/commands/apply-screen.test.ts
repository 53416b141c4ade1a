import { describe, expect, test } from 'vitest';
import { hotelEntry, hotelsYaml, peopleYaml, type Seeding, seeding } from '../helpers/seeding.ts';

const RUN = '11111111-2222-4333-8444-555555555555';
const many = (count: number) => hotelsYaml(...Array.from({ length: count }, (_, index) => `H${index}`));

/** The screen of a run at a terminal, wide enough for every line, with the host and the folder by their names. */
async function screenOf(
  { innctl, folder }: Pick<Seeding, 'innctl' | 'folder'>,
  line: readonly string[],
  answers: readonly boolean[] = [true],
  columns = 1000,
) {
  const quiet = line[0] === 'runs' ? [] : ['--progress', 'none'];
  const shown = await innctl([...line, ...quiet, '--color', 'never'], { columns, answers });
  const named = (text: string) =>
    text
      .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
      .replaceAll(folder, '.')
      .replaceAll(/request id [0-9a-f-]{36}/g, 'request id ID');
  return {
    exitCode: shown.exitCode,
    stdout: named(shown.stdout).split('\n'),
    stderr: named(shown.stderr).split('\n'),
  };
}

test('fifty hotels that went well are twelve lines', async () => {
  const service = await seeding();
  const path = await service.file('hotels.yaml', many(50));

  expect(await screenOf(service, ['apply', path])).toEqual({
    exitCode: 0,
    stdout: [''],
    stderr: [
      '  + property H0: Hotel H0',
      '  + property H1: Hotel H1',
      '  + property H2: Hotel H2',
      '  + property H3: Hotel H3',
      '  + property H4: Hotel H4',
      '    ... and 45 more (innctl plan ./hotels.yaml shows all)',
      'Plan: 50 to create.',
      'Sending to HOST.',
      'Applied: 50 created.',
      `Row by row: innctl runs show ${RUN}`,
      '',
    ],
  });
});

test('up to five rows that are alike are all shown before the question', async () => {
  const service = await seeding();
  const path = await service.file('hotels.yaml', many(5));

  const { stderr } = await screenOf(service, ['apply', path], [false]);

  expect(stderr.filter((line) => line.startsWith('  '))).toEqual(
    [0, 1, 2, 3, 4].map((index) => `  + property H${index}: Hotel H${index}`),
  );
});

test('rows that delete, disable or grant full access are never left out before the question, and come first', async () => {
  const service = await seeding();
  const kept = hotelsYaml('KIE');
  const path = await service.file('seed.yaml', `${many(7)}${hotelEntry('KIE')}`);
  await service.innctl(['apply', path, '--yes', '--max-attempts', '1', '--concurrency', '1']);
  const admins = Array.from({ length: 6 }, (_, index) => `a${index}@example.com`);
  const invited = admins.map((email) => `  - { email: ${email}, is_account_admin: true }\n`).join('');
  await service.file(
    'seed.yaml',
    `${kept}invitations:\n${invited}users:\n  - { email: ben@aurora.example, enabled: false }\n`,
  );

  const { stderr } = await screenOf(service, ['apply', path, '--prune', '--max-deletes', '8'], [false]);

  expect(stderr.filter((line) => line.startsWith('  '))).toEqual([
    ...[0, 1, 2, 3, 4, 5, 6].map((index) => `  - property H${index}`),
    '  ~ user ben@aurora.example: enabled: true → false',
    ...admins.flatMap((email) => [`  + invitation ${email}`, '      gives full access']),
  ]);
});

describe('failures', () => {
  test('follow the sum, grouped by reason, with what to do', async () => {
    const service = await seeding(
      '503:operation=createProperty,nth=2',
      'drop-after:operation=createProperty,nth=4',
    );
    const path = await service.file(
      'seed.yaml',
      `${many(4)}${hotelEntry('BER')}invitations:\n  - { email: ana@example.com, role: Cook, properties: [BER] }\n`,
    );

    expect(
      await screenOf(service, ['apply', path, '--yes', '--max-attempts', '1', '--concurrency', '1']),
    ).toEqual({
      exitCode: 8,
      stdout: [''],
      stderr: [
        expect.stringMatching(/^warning: The default times of BER are not compared/),
        'Sending to HOST.',
        'Applied: 3 created, 1 changed, 1 failed, 1 unknown.',
        `Row by row: innctl runs show ${RUN}`,
        'error: 2 of 6 rows were not done: 1 failed, 1 unknown.',
        '  ./seed.yaml: line 12: H1: Could not create the property: The sandbox was asked to fail here; nothing was carried out (503 from HOST). The outcome is unknown: it may have been carried out. (request id ID)',
        expect.stringContaining('ana@example.com: the service has no role "Cook"'),
        'hint: innctl apply ./seed.yaml --yes --max-attempts 1 --concurrency 1 --progress none --color never',
        '',
      ],
    });
  });
});

test('--verbose prints a line for each row', async () => {
  const service = await seeding();
  const path = await service.file('seed.yaml', `${hotelsYaml('HAM')}${peopleYaml('mia@example.com')}`);
  await service.innctl(['apply', path, '--yes']);
  await service.file(
    'seed.yaml',
    `${hotelsYaml('HAM', 'KIE')}${peopleYaml('mia@example.com', 'ana@example.com')}`,
  );

  expect((await screenOf(service, ['apply', path, '--verbose'])).stdout).toEqual([
    '  = property HAM: unchanged',
    '  + property KIE: created',
    '  = invitation mia@example.com: unchanged',
    '  + invitation ana@example.com: created',
    '',
  ]);
});
