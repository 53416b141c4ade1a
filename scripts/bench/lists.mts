import { peakBytesOf, type Surroundings, timeOf } from './process.mts';
import type { Chapter } from './report.mts';
import { type Figure, measure, type Task, type Way } from './rounds.mts';
import {
  bareNode,
  COLLECTION,
  type Environment,
  effortOf,
  innctlWay,
  type Stage,
  surroundingsOf,
  TOKEN,
  way,
} from './stage.mts';

const SIZES: readonly number[] = [1, 100, 10_000];
const EFFORT = { rounds: 11, seconds: 45 };
const ALL = 100_000;
const PAGE_SIZE = 100;
const ALL_EFFORT = { rounds: 5, seconds: 40 };

const columns = '.id, .name, .location.city, .location.country_code, .currency_code, .status';
const jqTable = `jq -r '.items[] | [${columns}] | @tsv' | column -t -s "$(printf '\\t')"`;
const ghTable = `{{range .items}}{{tablerow ${columns.replaceAll(',', '')}}}{{end}}`;
const authorization = `authorization: Bearer ${TOKEN}`;

/** One GET and its output, by the number of records. */
export async function measureLists(stage: Stage, environment: Environment): Promise<Chapter> {
  const surroundings = surroundingsOf(stage, environment);
  const figures: Figure[] = [];
  for (const size of SIZES) {
    await stage.service.hold(size);
    const measured = await measure(
      bareNode(surroundings),
      tasksOf(stage, size, surroundings),
      effortOf(stage, EFFORT),
    );
    // Plain Node is measured with each size, but reported once.
    figures.push(...measured.slice(size === SIZES[0] ? 0 : 1));
  }
  return { title: 'Lists', environment, figures };
}

function tasksOf(stage: Stage, size: number, surroundings: Surroundings): readonly Task[] {
  const url = `${stage.service.origin}${COLLECTION}?page_size=${size}&page_number=1`;
  const curl = `curl -sS --fail -H '${authorization}' '${url}'`;
  const list = ['properties', 'list', '--limit', `${size}`, '--page-size', `${size}`, '--output'];
  const piped = (name: string, text: string) => way(name, ['sh', '-c', text], surroundings);
  const records = `${size.toLocaleString('en')} ${size === 1 ? 'record' : 'records'}`;
  return [
    {
      name: `one GET, ${records} as a table`,
      ways: [
        innctlWay(stage, [...list, 'table'], surroundings),
        ...present(stage, [
          piped('curl + jq + column', `${curl} | ${jqTable}`),
          way('gh', ['gh', 'api', url, '--template', ghTable], surroundings),
        ]),
      ],
    },
    {
      name: `one GET, ${records} as JSON`,
      ways: [
        innctlWay(stage, [...list, 'json'], surroundings),
        ...present(stage, [
          piped('curl', curl),
          piped('curl + jq', `${curl} | jq .`),
          way('gh', ['gh', 'api', url], surroundings),
          way(
            'http',
            ['http', '--ignore-stdin', '--pretty', 'format', url, authorization.replace(': ', ':')],
            surroundings,
          ),
        ]),
      ],
    },
  ];
}

/** The ways whose programs are installed, by name. */
function present({ peers }: Stage, ways: readonly Way[]): readonly Way[] {
  return ways.filter(({ name }) =>
    name.split(' + ').every((program) => peers.some((peer) => peer.program === program)),
  );
}

/** All pages of a long list, one record per line. */
export async function measureAll(stage: Stage): Promise<Chapter> {
  const environment = 'clean';
  const surroundings = surroundingsOf(stage, environment);
  const script = [stage.binary, 'properties', 'list', '--all', '--output', 'ndjson'];
  await stage.service.hold(ALL);
  const innctl: Way = {
    ...way('innctl', [process.execPath, ...script], surroundings),
    peakBytes: () => peakBytesOf(script, surroundings),
  };
  const url = `${stage.service.origin}${COLLECTION}?page_size=${PAGE_SIZE}&page_number=[1-${ALL / PAGE_SIZE}]`;
  const pages = `curl -sS --fail -H '${authorization}' '${url}' | jq -c '.items[]'`;
  const others = present(stage, [way('curl + jq', ['sh', '-c', pages], surroundings)]);
  const task = {
    name: `\`--all\`, ${ALL.toLocaleString('en')} records as ndjson`,
    ways: [innctl, ...others],
  };
  const figures = await measure(bareNode(surroundings), [task], effortOf(stage, ALL_EFFORT));
  return { title: 'A long list', environment, figures };
}

/** Who can do what in the chain of the sandbox, 721 people in 240 hotels, beside its list of users. */
export async function measureAccess(stage: Stage): Promise<Chapter> {
  const environment = 'clean';
  const surroundings = surroundingsOf(stage, environment);
  timeOf([process.execPath, stage.binary, 'sandbox', 'reset', '--seed', 'chain', '--yes'], surroundings);
  const innctl = (name: string, ...words: readonly string[]): Way => {
    const script = [stage.binary, ...words, '--sandbox', '--output', 'json'];
    return {
      ...way(name, [process.execPath, ...script], surroundings),
      peakBytes: () => peakBytesOf(script, surroundings),
    };
  };
  const ways = [innctl('access report', 'access', 'report'), innctl('users list', 'users', 'list')];
  const task = { name: '721 people, 240 hotels', ways };
  const figures = await measure(bareNode(surroundings), [task], effortOf(stage, EFFORT));
  return { title: 'Who can do what', environment, figures };
}
