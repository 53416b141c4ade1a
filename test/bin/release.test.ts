import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { version } from '../../package.json';
import { type Home, openHome, root } from './home.ts';

const archive = 'innctl-linux-x64.tar.xz';

interface Step {
  readonly run?: string;
  readonly 'working-directory'?: string;
}

/** The steps of a job of the release that run something here; of its matrix the first row, which is Linux. */
async function stepsOf(job: string): Promise<readonly Step[]> {
  const { jobs } = parse(await readFile(join(root, '.github/workflows/release.yml'), 'utf8'));
  const { steps, strategy } = jobs[job];
  const given = (_: string, name: string): string => strategy.matrix.include[0][name];
  return (steps as readonly Step[])
    .filter(({ run = '' }) => !/^(?:|npm ci|gh .*)$/.test(run))
    .map((step) => ({ ...step, run: step.run?.replaceAll(/\$\{\{ matrix\.(\w+) \}\}/g, given) ?? '' }));
}

/** Copies the project into a home, built and with its packages. */
async function checkOut(home: Home): Promise<string> {
  const folder = join(home.folder, 'checkout');
  await mkdir(folder);
  for (const name of await readdir(root))
    if (!/^(\.git|\.tmp|\.programs-.*|node_modules|standalone|release|test)$/.test(name))
      await cp(join(root, name), join(folder, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Runs a step as the workflow does, for a tag; `npm publish` only rehearses, and nothing reaches a registry. */
function runStep(home: Home, cwd: string, { run = '', 'working-directory': below = '.' }: Step, tag: string) {
  const line = run.replace('--provenance', '--dry-run');
  return home.run(['bash', '-eo', 'pipefail', '-c', line], {
    cwd: join(cwd, below),
    env: {
      GITHUB_REF_NAME: tag,
      GITHUB_SERVER_URL: 'https://git.example.com',
      GITHUB_REPOSITORY: 'ana/innctl',
      npm_config_ignore_scripts: 'true',
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_fetch_retries: '0',
    },
  });
}

test('the steps of a release make package, archives, bills of materials and checksums, which fit together', async () => {
  await using home = await openHome();
  const folder = await checkOut(home);
  const release = join(folder, 'release');
  await mkdir(join(folder, 'standalone'));
  for (const name of ['innctl', 'NOTICE']) await writeFile(join(folder, 'standalone', name), name);
  const pack = (await stepsOf('executable')).filter((step) => step['working-directory'] === 'standalone');

  const ended = [];
  for (const step of [...pack, ...(await stepsOf('package')), ...(await stepsOf('publish'))])
    ended.push({ run: step.run, ...(await runStep(home, folder, step, `v${version}`)) });

  const names = await readdir(release);
  const sums = (await readFile(join(release, 'SHA256SUMS'), 'utf8')).trimEnd().split('\n');
  const digest = async (name: string) =>
    createHash('sha256')
      .update(await readFile(join(release, name)))
      .digest('hex');
  const packed = names.filter((name) => name !== 'SHA256SUMS');
  expect(ended.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
  expect(ended.at(-1)).toMatchObject({ stdout: `+ innctl@${version}\n` });
  expect(packed).toEqual([
    'NOTICE',
    `innctl-${version}-executables.cdx.json`,
    `innctl-${version}.cdx.json`,
    `innctl-${version}.tgz`,
    archive,
  ]);
  expect((await home.run(['tar', '-tJf', join(release, archive)])).stdout).toBe('innctl\nNOTICE\n');
  expect(sums).toEqual(await Promise.all(packed.map(async (name) => `${await digest(name)}  ${name}`)));
  expect(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).repository).toEqual({
    type: 'git',
    url: 'git+https://git.example.com/ana/innctl.git',
  });
});

test.each([
  { tag: `v${version}`, exitCode: 0 },
  { tag: 'v9.9.9', exitCode: 1 },
  { tag: version, exitCode: 1 },
])('the tag $tag ends the check of the version with $exitCode', async ({ tag, exitCode }) => {
  await using home = await openHome();
  const [check = {}] = await stepsOf('version');

  expect(await runStep(home, root, check, tag)).toMatchObject({ exitCode });
});

test('the bill of materials has every package of NOTICE, with version, licence and purl', async () => {
  await using home = await openHome();
  const notice = await readFile(join(root, 'NOTICE'), 'utf8');
  const noticed = [...notice.matchAll(/^--- (\S+) (\S+) \((.+)\)$/gm)].map(([, name = '', version, id]) => {
    const [base, group] = name.split('/').toReversed();
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return {
      'bom-ref': purl,
      ...(group !== undefined && { group }),
      name: base,
      version,
      licenses: [{ license: { id } }],
      purl,
      type: 'library',
      scope: 'required',
    };
  });

  const sbom = ['npm', 'run', '--silent', 'sbom'];
  const { stdout } = await home.run(sbom, { cwd: root });
  const executable = JSON.parse((await home.run([...sbom, '--', '--executable'], { cwd: root })).stdout);

  const { bomFormat, specVersion, metadata, components, dependencies } = JSON.parse(stdout);
  expect(noticed.length).toBeGreaterThan(20);
  expect(components).toEqual(noticed);
  expect({ bomFormat, specVersion }).toEqual({ bomFormat: 'CycloneDX', specVersion: '1.6' });
  const { node, openssl } = process.versions;
  expect(executable.components.slice(0, -2)).toEqual(noticed);
  expect(executable.components.slice(-2)).toMatchObject([
    { name: 'node', version: node, cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*` },
    { name: 'openssl', version: openssl, purl: `pkg:generic/openssl@${openssl}` },
  ]);
  expect(metadata.component).toMatchObject({ type: 'application', purl: `pkg:npm/innctl@${version}` });
  expect(dependencies).toEqual([
    { ref: `pkg:npm/innctl@${version}`, dependsOn: noticed.map(({ purl }) => purl) },
  ]);
});
