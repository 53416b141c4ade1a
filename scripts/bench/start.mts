import { join } from 'node:path';
import type { CommandLine, Surroundings } from './process.mts';
import type { Chapter } from './report.mts';
import { measure, type Task } from './rounds.mts';
import {
  bareNode,
  type Environment,
  effortOf,
  innctlWay,
  root,
  type Stage,
  surroundingsOf,
  way,
} from './stage.mts';

const inSandbox = ['--sandbox'];
const FILE = join(root, 'test/reference/seed.yaml');
const EFFORT = { rounds: 21, seconds: 45 };

/** Command lines of other programs for the same tasks: by task, then by program. */
const others: Readonly<Record<string, Readonly<Record<string, CommandLine>>>> = {
  help: { curl: ['--help'], jq: ['--help'], gh: ['--help'], http: ['--help'] },
  command: { gh: ['repo', 'create', '--help'] },
  completion: { gh: ['completion', '-s', 'bash'] },
  candidates: { gh: ['__complete', 'repo', 'l'] },
};

/** Measures commands that send no request or none to another process, and completion. */
export async function measureStarts(stage: Stage, environment: Environment): Promise<Chapter> {
  const surroundings = surroundingsOf(stage, environment);
  const innctl = (...args: CommandLine) => innctlWay(stage, args, surroundings);
  const peers = (task: string) => peerWays(stage, task, surroundings);
  const tasks: readonly Task[] = [
    { name: '`--version`', ways: [innctl('--version'), ...versionWays(stage, environment)] },
    { name: '`--help`', ways: [innctl('--help'), ...peers('help')] },
    {
      name: 'the help of a command',
      ways: [innctl('properties', 'create', '--help'), ...peers('command')],
    },
    { name: '`completion bash`', ways: [innctl('completion', 'bash'), ...peers('completion')] },
    { name: '`__complete`', ways: [innctl('__complete', 'properties', 'l'), ...peers('candidates')] },
    { name: 'Tab in bash, with reading the script', ways: tabWays(stage, surroundings) },
    { name: '`config list`', ways: [innctl('config', 'list')] },
    {
      name: '`--sandbox properties list --json`',
      ways: [innctl(...inSandbox, 'properties', 'list', '--json')],
    },
    { name: '`--sandbox plan` of one file', ways: [innctl(...inSandbox, 'plan', FILE)] },
    {
      name: '`--sandbox invite create --dry-run`',
      ways: [
        innctl(
          ...inSandbox,
          'invite',
          'create',
          'mia@example.com',
          '--role',
          'Housekeeping',
          '--properties',
          'BER',
          '-n',
        ),
      ],
    },
  ];
  const figures = await measure(bareNode(surroundings), tasks, effortOf(stage, EFFORT));
  return { title: 'Start-up', environment, figures };
}

/** Measured once, because some take seconds and the environment does not affect the ratios. */
function versionWays(stage: Stage, environment: Environment) {
  if (environment !== 'clean') return [];
  const surroundings = surroundingsOf(stage, environment);
  return stage.peers.map(({ program }) => way(program, [program, '--version'], surroundings));
}

function peerWays({ peers }: Stage, task: string, surroundings: Surroundings) {
  return Object.entries(others[task] ?? {})
    .filter(([program]) => peers.some((peer) => peer.program === program))
    .map(([program, args]) => way(program, [program, ...args], surroundings));
}

function tabWays({ binary }: Stage, surroundings: Surroundings) {
  const script = join(root, 'completions/innctl.bash');
  const tab = `. '${script}'
    COMP_LINE='innctl properties l' COMP_POINT=19 COMP_WORDS=(innctl properties l) COMP_CWORD=2
    _innctl '${binary}' l properties
    [[ \${COMPREPLY[*]} == list* ]]`;
  const bash = (name: string, text: string) =>
    way(name, ['bash', '--noprofile', '--norc', '-c', text], surroundings);
  return [bash('innctl', tab), bash('bash alone', ':')];
}
