import { license, name, version } from '../package.json';
import { bundleProgram } from './build/bundle.mts';
import { type BundledPackage, packagesOf } from './build/packages.mts';

/**
 * Prints the software bill of materials of the program (CycloneDX 1.6, JSON): the packages of which the bundler put a module
 * into it. The same sources give the same text.
 */
async function main(): Promise<void> {
  const packages = await packagesOf(await bundleProgram());
  const ours = componentOf({ name, version, license });
  const components = packages.map((each) => ({ ...componentOf(each), type: 'library', scope: 'required' }));
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
