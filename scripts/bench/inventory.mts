import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Seen } from '../bench-sandbox.mts';
import { timeOf } from './process.mts';
import type { Chapter } from './report.mts';
import { measure, type Way } from './rounds.mts';
import { bareNode, effortOf, type Stage, surroundingsOf } from './stage.mts';

const HOTELS = 10;
const UNITS = 100;
const GROUPS = ['SGL', 'DBL', 'SUI'];
/** More than this and the benchmark fails. */
const MOST_REQUESTS = 90;

/**
 * Measures whole processes that seed ten hotels of a hundred units in three groups into a fresh sandbox: `innctl apply`, and
 * two loops of a shell that send the same creations without a plan, keys, a journal and a look at what there is. The
 * benchmark fails if a unit is missing, or if `innctl apply` sends too many requests.
 */
export async function measureInventory(stage: Stage): Promise<Chapter> {
  const child = fork(join(import.meta.dirname, '../bench-sandbox.mts'));
  await once(child, 'message');
  const ask = async (): Promise<Seen> => {
    child.send({});
    const [seen] = await once(child, 'message');
    return seen;
  };
  const files = writeFiles(stage.folder);
  const wayOf = (
    name: string,
    command: (origin: string, token: string) => readonly string[],
    most = Infinity,
  ): Way => ({
    name,
    run: async () => {
      const { origin, token } = await ask();
      const home = mkdtempSync(join(stage.folder, 'home-'));
      const { env, folder } = surroundingsOf({ ...stage, folder: home }, 'clean');
      const urls = { INNCTL_IDENTITY_URL: origin, INNCTL_BASE_URL: origin, INNCTL_TOKEN: token };
      const innctl = `${process.execPath} ${stage.binary}`;
      const own = { ...urls, INNCTL_DIALECT: 'apaleo', INNCTL: innctl, ORIGIN: origin, TOKEN: token };
      const ms = timeOf(command(origin, token), { folder, env: { ...env, ...own } });
      rmSync(home, { recursive: true });
      const { requests, units } = await ask();
      if (units !== HOTELS * UNITS)
        throw new Error(`${name}: ${units} of ${HOTELS * UNITS} units were there.`);
      if (requests > most) throw new Error(`${name}: ${requests} requests are more than ${most}.`);
      return { ms, requests };
    },
  });
  const loops = stage.peers.some(({ program }) => program === 'jq')
    ? [
        wayOf('a loop of innctl api, with jq', () => ['bash', files.loop, files.bodies, 'innctl']),
        wayOf('a loop of curl, with jq', () => ['bash', files.loop, files.bodies, 'curl']),
      ]
    : [];
  const apply = [process.execPath, stage.binary, 'apply', files.manifest, '--yes', '--max-changes', '2000'];
  const name = `${HOTELS} hotels of ${UNITS} units in ${GROUPS.length} groups`;
  const task = { name, ways: [wayOf('innctl apply', () => apply, MOST_REQUESTS), ...loops] };
  try {
    const effort = effortOf(stage, { rounds: 5, seconds: 60 });
    const figures = await measure(bareNode(surroundingsOf(stage, 'clean')), [task], effort);
    return { title: 'Hotels with their units', environment: 'clean', figures };
  } finally {
    child.kill();
  }
}

/** A manifest, and the same as bodies of requests with a script that sends them. */
function writeFiles(folder: string) {
  const files = {
    manifest: join(folder, 'units.json'),
    bodies: join(folder, 'bodies.ndjson'),
    loop: join(folder, 'loop.sh'),
  };
  const codes = Array.from({ length: HOTELS }, (_, index) => `H${String(index + 1).padStart(2, '0')}`);
  writeFileSync(files.manifest, JSON.stringify({ properties: codes.map(hotel) }));
  const lines = codes.flatMap((code) => requestsFor(code).map((each) => `${JSON.stringify(each)}\n`));
  writeFileSync(files.bodies, lines.join(''));
  writeFileSync(files.loop, LOOP);
  chmodSync(files.loop, 0o755);
  return files;
}

/** The units of each group: a range of names. */
function rangeOf(group: number): readonly [from: number, to: number] {
  const from = (group + 1) * 100;
  return [from, from + (group === 0 ? UNITS - 2 * 33 : 33) - 1];
}

function hotel(code: string): object {
  const { default_check_in_time, ...rest } = property(code);
  return {
    ...rest,
    default_check_in_time,
    unit_groups: GROUPS.map((group) => ({ ...texts(group), code: group, max_persons: 2 })),
    units: GROUPS.map((group, index) => ({ names: rangeOf(index).join('..'), group })),
  };
}

function property(code: string) {
  const location = { address_line1: 'Kai 1', postal_code: '20457', city: 'Hamburg', country_code: 'DE' };
  return {
    ...{ code, name: { en: `Hotel ${code}` }, company_name: 'Nord GmbH', commercial_register_entry: 'HRB 1' },
    ...{ tax_id: 'DE1', location, payment_terms: { en: 'Now' }, time_zone: 'Europe/Berlin' },
    ...{ default_check_in_time: '15:00:00', default_check_out_time: '11:00:00', currency_code: 'EUR' },
  };
}

function texts(group: string) {
  return { name: { en: group }, description: { en: `A room of ${group}` } };
}

/** The creations of a hotel as the service takes them. */
function requestsFor(code: string) {
  const { location, ...rest } = property(code);
  const groups = GROUPS.map((group) => ({
    path: 'unit-groups',
    body: { ...texts(group), propertyId: code, code: group, maxPersons: 2 },
  }));
  const units = GROUPS.flatMap((group, index) => {
    const [from, to] = rangeOf(index);
    return Array.from({ length: to - from + 1 }, (_, place) => ({
      ...{ propertyId: code, name: String(from + place), unitGroupId: `${code}-${group}` },
      ...{ description: texts(group).description, maxPersons: 2 },
    }));
  });
  const halves = [units.slice(0, UNITS / 2), units.slice(UNITS / 2)];
  return [
    { path: 'properties', body: { ...camel(rest), location: camel(location) } },
    ...groups,
    ...halves.map((some) => ({ path: 'units/bulk', body: { units: some } })),
  ];
}

function camel(fields: object): object {
  const spelt = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [spelt(name), value]));
}

/** What people write instead. */
const LOOP = `set -euo pipefail
while IFS= read -r line; do
  path=$(jq -r .path <<<"$line")
  body=$(jq -c .body <<<"$line")
  if [ "$2" = innctl ]; then
    $INNCTL api POST "/inventory/v1/$path" --input - <<<"$body" >/dev/null
  else
    curl -sS --fail -o /dev/null -H 'content-type: application/json' -H "authorization: Bearer $TOKEN" \\
      --data-binary "$body" "$ORIGIN/inventory/v1/$path"
  fi
done <"$1"
`;
