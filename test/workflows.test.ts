import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import manifest from '../package.json';
import { cli, hotels } from './helpers/cli.ts';

interface Step {
  readonly run?: string;
  readonly uses?: string;
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly needs?: string | readonly string[];
        readonly uses?: string;
        readonly permissions?: Readonly<Record<string, string>>;
        readonly steps?: readonly Step[];
      }
    >
  >;
}

const folder = '.github/workflows';

function workflow(name: string): { readonly text: string } & Workflow {
  const text = readFileSync(join(folder, name), 'utf8');
  return { text, ...parse(text) };
}

describe.each(readdirSync(folder))('%s', (name) => {
  const { text, permissions, jobs } = workflow(name);
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);

  test('runs scripts that exist', () => {
    const lines = steps.flatMap(({ run = '' }) => run.split('\n'));
    const scripts = lines.flatMap((line) => [...line.matchAll(/npm run (?:--silent )?([\w:]+)/g)]);
    const files = lines.flatMap((line) => [...line.matchAll(/(?<=\s)(?:test|scripts)\/[\w./-]+/g)]);

    expect(scripts.length).toBeGreaterThan(0);
    expect(
      scripts.map(([, script = '']) => script).filter((script) => !(script in manifest.scripts)),
    ).toEqual([]);
    expect(files.map(([file]) => file).filter((file) => !existsSync(file))).toEqual([]);
  });

  test('uses actions by their digest, with the version as a comment, and workflows that exist', () => {
    const used = [...text.matchAll(/\buses: (.*)/g)].map(([, action = '']) => action);
    const ours = used.filter((action) => action.startsWith('./'));
    const others = used.filter((action) => !action.startsWith('./'));

    expect(others.filter((action) => !/^[\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual(
      [],
    );
    expect(ours.filter((path) => !existsSync(path))).toEqual([]);
  });

  test('needs jobs that exist, may only read unless a job says otherwise, and names no registry', () => {
    const needed = Object.values(jobs).flatMap(({ needs = [] }) => needs);

    expect(needed.filter((job) => !(job in jobs))).toEqual([]);
    expect(permissions).toEqual({ contents: 'read' });
    expect(text).not.toMatch(/registry\./);
  });
});

describe('a release', () => {
  const { text, jobs } = workflow('release.yml');

  test('gives rights only to jobs that run no code of packages, and publishes last', () => {
    const rights = Object.entries(jobs).flatMap(([name, { permissions, needs, steps = [] }]) =>
      permissions === undefined ? [] : [{ name, permissions, needs, steps: steps.map(actionOf) }],
    );

    expect(rights).toEqual([
      {
        name: 'attest',
        permissions: { contents: 'read', attestations: 'write', 'id-token': 'write' },
        needs: ['ci', 'executable', 'package'],
        steps: ['actions/download-artifact', 'actions/attest-build-provenance'],
      },
      {
        name: 'publish',
        permissions: { contents: 'write', 'id-token': 'write' },
        needs: 'attest',
        steps: ['actions/setup-node', 'actions/download-artifact', 'sha256sum', 'npm publish', 'gh release'],
      },
    ]);
    expect(jobs['publish']?.steps?.find(({ run = '' }) => run.startsWith('npm publish'))).toEqual({
      run: 'npm publish "./release/innctl-$' + '{GITHUB_REF_NAME#v}.tgz" --provenance --access public',
    });
  });

  test('has one exact version of Node', () => {
    expect(text.match(/(?<=NODE: ).*/g)).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
    expect(new Set(text.match(/(?<=node-version: ).*/g))).toEqual(new Set(['"$' + '{{ env.NODE }}" }']));
  });
});

/** The action of a step, or the first words of what it runs. */
function actionOf({ uses, run = '' }: Step): string {
  return uses?.replace(/@.*/, '') ?? /^(?:(?:npm|gh) )?\S+/.exec(run)?.[0] ?? '';
}

test('the nightly workflow of docs may write issues alone, and types a command that exists', async () => {
  const { text, permissions, jobs } = workflow('../../docs/nightly-drift.yml');
  const runs = (jobs['drift']?.steps ?? []).map(({ run = '' }) => run).join('\n');
  const [, line = ''] = /^innctl (.*?) >/m.exec(runs) ?? [];

  expect(permissions).toEqual({ contents: 'read', issues: 'write' });
  expect(text).not.toMatch(/registry\./);
  expect((await cli(line, { env: hotels })).stderr).toMatch(/accepted.yaml: there is no such file/);
  expect(runs.match(/(?<=gh issue )\w+/g)).toEqual(['list', 'create', 'edit', 'close']);
});
