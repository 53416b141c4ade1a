import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cli } from '../helpers/cli.ts';

/** The commands that work on the service, in the order of the tree. */
const commands = readFileSync('docs/surface.txt', 'utf8')
  .split('\n')
  .filter((line) =>
    /^innctl (invitations|roles|users|properties|countries|plan|apply|export|runs|schema|api)( [a-z]|$| [<(])/.test(
      line,
    ),
  )
  .map((line) => line.replace(/^innctl /, '').replace(/ [[<(-].*$/, ''))
  .filter((command, index, all) => all.indexOf(command) === index);

test.each([60, 80, 160])('help fits a terminal of %i columns', async (columns) => {
  const { stdout: root } = await cli('--help', { columns });
  const pages = [`$ innctl --help\n${root}`];
  for (const command of commands) {
    const { exitCode, stdout, stderr } = await cli(`${command} --help`, { columns });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    pages.push(`$ innctl ${command} --help\n${withoutGlobalOptions(stdout)}`);
  }

  expect(commands).toHaveLength(33);
  // An example is one line to copy, however long.
  const tooLong = pages.flatMap((page) => page.split('\n')).filter((line) => line.length > columns);
  expect(tooLong.filter((line) => !/^ {2}\$ innctl /.test(line))).toEqual([]);
  await expect(pages.join('\n')).toMatchFileSnapshot(`help-${columns}.txt`);
});

/** Every page has them; the first is enough. */
function withoutGlobalOptions(page: string): string {
  const [before = '', rest = ''] = page.split('Global Options:\n');
  expect(rest).toContain('--dry-run');
  return `${before}${rest.slice(rest.search(/^\S/m) === -1 ? rest.length : rest.search(/^\S/m))}`;
}
