import { changeCacheFile } from '../../src/commands/remember.ts';

/**
 * A process that writes the same completion cache repeatedly: state folder, its name, repetitions, lines. It
 * fails when it reads anything but a complete list of one process.
 */
function main([state = '', name = '', times = '', lines = '']: readonly string[]): void {
  const listOf = (owner: string) =>
    Array.from({ length: Number(lines) }, (_, index) => `${owner}-${index}\t\n`).join('');
  let kept = 0;
  for (let time = 0; time < Number(times); time++) {
    const change = (before: string) => {
      const [owner = ''] = before.split('-');
      if (before !== '' && before !== listOf(owner)) throw new RangeError(`torn: ${before.slice(0, 100)}`);
      return before === listOf(name) ? '' : listOf(name);
    };
    try {
      changeCacheFile(state, 'chain', 'roles', change);
      kept += 1;
    } catch (error) {
      if (error instanceof RangeError) throw error;
    }
  }
  process.stdout.write(`${kept > 0 ? 'kept' : 'refused'}\n`);
}

main(process.argv.slice(2));
