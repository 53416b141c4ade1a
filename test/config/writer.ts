import { updateConfig, withProfile } from '../../src/config/file.ts';

/** A process that adds profiles one after the other; arguments: folder, name, number of profiles. */
async function main([folder = '', name = '', count = '']: readonly string[]): Promise<void> {
  for (let index = 0; index < Number(count); index++) {
    await updateConfig(
      folder,
      (document) => withProfile(document, `${name}-${index}`, {}),
      new AbortController().signal,
    );
  }
}

void main(process.argv.slice(2));
