import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/**
 * Prints code lines and files of a folder, by the folders in it: `npm run lines [folder]`, `src` by default.
 * Blank lines and lines with only comments are not counted.
 */
function main(folder = 'src'): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.[cm]?[jt]s$/.test(path))
    .map((path) => ({ room: path.split(sep).slice(0, -1)[0] ?? '.', lines: codeLines(join(folder, path)) }));
  const rooms = [...new Set(files.map(({ room }) => room))].toSorted();
  const row = (name: string, of: typeof files) =>
    `| ${name} | ${of.reduce((sum, { lines }) => sum + lines, 0)} | ${of.length} |`;
  const rows = rooms.map((room) =>
    row(
      `${room}/`,
      files.filter((file) => file.room === room),
    ),
  );
  const head = ['| folder | code lines | files |', '|---|--:|--:|'];
  process.stdout.write(`${[...head, ...rows, row('together', files)].join('\n')}\n`);
}

function codeLines(path: string): number {
  let inComment = false;
  return readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => {
      const isComment = inComment || line.startsWith('/*') || line.startsWith('//');
      inComment = (inComment || line.startsWith('/*')) && !line.endsWith('*/');
      return line !== '' && !isComment;
    }).length;
}

main(process.argv[2]);
