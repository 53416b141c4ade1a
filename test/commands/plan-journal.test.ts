import { expect, test } from 'vitest';
import { hotelEntry, hotelsYaml, seeding } from '../helpers/seeding.ts';

const DESCRIBE = '[{"op":"add","path":"/description","value":{"en":"Sea"}}]';

test('a run with a saved plan goes on where it ended, and compares what failed with the plan again', async () => {
  const service = await seeding('429:operation=updateProperty,nth=1');
  const path = await service.file('hotels.yaml', hotelsYaml('HAM', 'KIE'));
  await service.innctl(['apply', path, '--yes'], { uuid: 'an-earlier-run' });
  await service.file('hotels.yaml', `properties:\n${hotelEntry('HAM', 'S')}${hotelEntry('KIE', 'S')}`);
  const saved = await service.file('plan.json', (await service.innctl(['plan', path, '--json'])).stdout);
  const line = ['apply', path, '--plan', saved, '--yes', '--concurrency', '1', '--max-attempts', '1'];
  const first = await service.innctl(line);
  await service.innctl(['properties', 'update', 'HAM', '--patch', DESCRIBE], { uuid: 'another-run' });

  const changed = await service.innctl(line);
  await service.innctl(
    ['properties', 'update', 'HAM', '--patch', '[{"op":"remove","path":"/description"}]'],
    { uuid: 'a-third-run' },
  );
  const again = await service.innctl(line);

  expect([first.exitCode, changed.exitCode, again.exitCode]).toEqual([7, 6, 0]);
  expect(changed.stderr).toContain('  property "HAM": is shown or would be sent otherwise now\n');
  expect(changed.stderr).not.toContain('KIE');
});
