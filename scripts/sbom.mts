import { license, name, version } from '../package.json';
import { bundleProgram } from './build/bundle.mts';
import { type BundledPackage, packagesOf } from './build/packages.mts';

/**
 * Prints the software bill of materials of the program (CycloneDX 1.6, JSON): the packages of which the bundler put a module
 * into it; with --executable those of the standalone executable, which has the Node that runs this script and its OpenSSL, too.
 * The same sources and the same Node give the same text.
 */
async function main(): Promise<void> {
  const packages = await packagesOf(await bundleProgram());
  const ours = componentOf({ name, version, license });
  const components = [
    ...packages.map((each) => ({ ...componentOf(each), type: 'library', scope: 'required' })),
    ...(process.argv.includes('--executable') ? platform() : []),
  ];
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...ours, type: 'application' } },
    components,
    dependencies: [{ ref: ours.purl, dependsOn: components.map(({ purl }) => purl) }],
  };
  process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`);
}

/** Node and OpenSSL by the names under which databases of vulnerabilities know them. */
function platform() {
  const { node, openssl } = process.versions;
  return [
    { type: 'platform', name: 'node', version: node, license: 'MIT', cpe: 'nodejs:node.js' },
    { type: 'library', name: 'openssl', version: openssl, license: 'Apache-2.0', cpe: 'openssl:openssl' },
  ].map(({ license, cpe, ...component }) => {
    const purl = `pkg:generic/${component.name}@${component.version}`;
    return {
      'bom-ref': purl,
      ...component,
      scope: 'required',
      licenses: [{ license: { id: license } }],
      cpe: `cpe:2.3:a:${cpe}:${component.version}:*:*:*:*:*:*:*`,
      purl,
    };
  });
}

function componentOf({ name, version, license }: Omit<BundledPackage, 'folder'>) {
  const [base = '', group] = name.split('/').toReversed();
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    'bom-ref': purl,
    ...(group !== undefined && { group }),
    name: base,
    version,
    licenses: [{ license: { id: license } }],
    purl,
  };
}

await main();
