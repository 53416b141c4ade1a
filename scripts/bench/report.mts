import { arch, cpus, platform, release } from 'node:os';
import type { Peer } from './peers.mts';
import type { Figure } from './rounds.mts';
import { shown } from './spread.mts';

/** The size of an installation. */
export interface Package {
  readonly tarballBytes: number;
  readonly unpackedBytes: number;
  readonly files: number;
  /** Without completions and manual pages. */
  readonly otherFiles: number;
}

/** Figures that were measured alternately. */
export interface Chapter {
  readonly title: string;
  readonly environment: string;
  readonly figures: readonly Figure[];
  readonly package?: Package;
}

/** The results of a benchmark, and the machine. */
export interface Report {
  /** As in 2026-11-22. */
  readonly date: string;
  readonly node: string;
  readonly system: string;
  readonly cpus: { readonly count: number; readonly model: string };
  readonly peers: readonly Peer[];
  readonly chapters: readonly Chapter[];
}

/** This machine, today. */
export function describeMachine(): Pick<Report, 'date' | 'node' | 'system' | 'cpus'> {
  const all = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    system: `${platform()} ${release()} ${arch()}`,
    cpus: { count: all.length, model: all[0]?.model.trim() ?? 'unknown' },
  };
}

const head = `# Benchmarks

\`npm run bench -- --write\` builds innctl, measures and writes this page. Each figure is the median of its rounds, with the lowest and
highest tenth in brackets. A round runs every line of its table once, and a plain \`node -e 0\` with them, so that changes in the speed of
the machine affect all of them. Read the ratios, and compare milliseconds only within one table. Every run is a whole process, with its
output written to a file. The service is a process on the same machine, without TLS. "innctl to this" is the time of innctl divided by
the time of that line: below 1.00, innctl is faster.

The clean environment has only PATH, HOME and the settings; "as it is" is the environment of the benchmark. They differ because Node 20
reads the certificates in NODE_EXTRA_CA_CERTS at every start: plain Node is slower with it, and the ratios are smaller.
`;

/** The text of scripts/bench/results.md. */
export function markdown(report: Report): string {
  return [head, machine(report), ...report.chapters.map(chapter)].join('\n');
}

function machine({ date, node, system, cpus, peers }: Report): string {
  return `## Measured

${table(
  ['', ''],
  [
    ['Date', date],
    ['Node', node],
    ['System', system],
    ['CPUs', `${cpus.count} (${cpus.model})`],
    ...peers.map(({ program, version }) => [program, version]),
  ],
)}`;
}

function chapter({ title, environment, figures, package: contents }: Chapter): string {
  const creates = figures.some(({ createMs }) => createMs !== undefined);
  const peaks = figures.some(({ peakMiB }) => peakMiB !== undefined);
  const counts = figures.some(({ requests }) => requests !== undefined);
  const rows = figures.map((figure) => [
    figure.task,
    figure.way,
    shown(figure.toNode),
    figure.firstToThis === undefined ? '' : shown(figure.firstToThis),
    shown(figure.ms, 0),
    ...(creates ? [figure.createMs === undefined ? '' : shown(figure.createMs, 0)] : []),
    ...(peaks ? [figure.peakMiB === undefined ? '' : shown(figure.peakMiB, 0)] : []),
    ...(counts ? [figure.requests === undefined ? '' : shown(figure.requests, 0)] : []),
    `${figure.rounds}`,
  ]);
  const names = [
    'Task',
    'Way',
    'x `node -e 0`',
    'innctl to this',
    'ms',
    ...(creates ? ['first to last create, ms'] : []),
    ...(peaks ? ['peak MiB'] : []),
    ...(counts ? ['requests'] : []),
    'rounds',
  ];
  const tables = [table(names, rows), ...(contents === undefined ? [] : [contentsTable(contents)])];
  return `## ${title} (${environment})\n\n${tables.join('\n')}`;
}

function contentsTable({ tarballBytes, unpackedBytes, files, otherFiles }: Package): string {
  return table(
    ['', ''],
    [
      ['Tarball', `${kilobytes(tarballBytes)} kB`],
      ['Unpacked', `${kilobytes(unpackedBytes)} kB`],
      ['Files', `${files}`],
      ['Files beside completions and manual pages', `${otherFiles}`],
    ],
  );
}

function kilobytes(bytes: number): string {
  return Math.round(bytes / 1000).toLocaleString('en');
}

/** Escapes the vertical bars of a cell. */
function table(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = names.map((name, index) =>
    Math.max(3, name.length, ...escaped.map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  return `${[line(names), line(widths.map((width) => '-'.repeat(width))), ...escaped.map(line)].join('\n')}\n`;
}
